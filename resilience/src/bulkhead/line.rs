//! The line of those who wait for a slot. Pure.

use std::collections::VecDeque;
use std::task::Waker;

/// In the order of their numbers. Whoever has been called is no longer here.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Numbers ascend. Whoever leaves from the middle leaves a gap, and when gaps outnumber those who wait, all are closed:
    /// so leaving takes few steps however long the line is.
    spots: VecDeque<(u64, Spot)>,
    waiting: usize,
    next: u64,
}

#[derive(Debug)]
enum Spot {
    /// There is a waker once the place in line is polled.
    Waits(Option<Waker>),
    Gap,
}

/// For so many the memory is kept when the line ends.
const FEW: usize = 64;

impl Line {
    pub(super) fn len(&self) -> usize {
        self.waiting
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// A number that comes after all before.
    pub(super) fn draw(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Puts the number that was drawn last at the end.
    pub(super) fn join(&mut self, number: u64) {
        self.spots.push_back((number, Spot::Waits(None)));
        self.waiting += 1;
    }

    /// The waker's place, of somebody who is in line.
    pub(super) fn waker(&mut self, number: u64) -> Option<&mut Option<Waker>> {
        let at = self.find(number)?;
        match &mut self.spots[at].1 {
            Spot::Waits(waker) => Some(waker),
            Spot::Gap => None,
        }
    }

    /// Takes the first out.
    pub(super) fn call(&mut self) -> Option<Option<Waker>> {
        loop {
            if let (_, Spot::Waits(waker)) = self.spots.pop_front()? {
                self.one_less();
                return Some(waker);
            }
        }
    }

    /// Takes somebody out who is in line. Dropping the waker is somebody else's code.
    pub(super) fn leave(&mut self, number: u64) -> Option<Option<Waker>> {
        let at = self.find(number)?;
        match std::mem::replace(&mut self.spots[at].1, Spot::Gap) {
            Spot::Waits(waker) => {
                self.one_less();
                Some(waker)
            }
            Spot::Gap => None,
        }
    }

    fn find(&self, number: u64) -> Option<usize> {
        self.spots.binary_search_by_key(&number, |(number, _)| *number).ok()
    }

    fn one_less(&mut self) {
        self.waiting -= 1;
        let gaps = self.spots.len() - self.waiting;
        if gaps > self.waiting {
            self.spots.retain(|(_, spot)| matches!(spot, Spot::Waits(_)));
        }
        if self.waiting == 0 && self.spots.capacity() > FEW {
            *self = Self { next: self.next, ..Self::default() };
        }
    }
}

#[cfg(all(test, not(resilience_loom)))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Join,
        Call,
        Leave(usize),
    }

    proptest! {
        #[test]
        fn a_line_is_a_list_in_the_order_of_joining(
            steps in prop::collection::vec(
                prop_oneof![3 => Just(Step::Join), 1 => Just(Step::Call), 2 => (0usize..200).prop_map(Step::Leave)],
                1..400,
            ),
        ) {
            let (mut line, mut model) = (Line::default(), Vec::new());
            let mut joined = 0;
            for step in steps {
                match step {
                    Step::Join => {
                        joined = line.draw();
                        line.join(joined);
                        model.push(joined);
                    }
                    Step::Call => {
                        let called = line.call().is_some();
                        prop_assert_eq!(called, !model.is_empty());
                        model.drain(..usize::from(called));
                    }
                    Step::Leave(number) => {
                        let number = number as u64;
                        prop_assert_eq!(line.leave(number).is_some(), model.contains(&number));
                        model.retain(|other| *other != number);
                    }
                }
                prop_assert_eq!(line.len(), model.len());
                prop_assert!(line.spots.len() <= 2 * line.len(), "gaps are closed");
                for number in 0..=joined {
                    prop_assert_eq!(line.waker(number).is_some(), model.contains(&number));
                }
            }
        }
    }

    #[test]
    fn a_long_line_that_has_ended_keeps_no_memory() {
        let mut line = Line::default();
        for _ in 0..1000 {
            let number = line.draw();
            line.join(number);
        }
        while line.call().is_some() {}
        assert_eq!(line.spots.capacity(), 0);
        let next = line.draw();
        assert_eq!(next, 1001, "a number never comes again");
    }
}
