//! A line of those who wait for something. Pure.

use std::collections::VecDeque;
use std::task::Waker;

/// In the order of their numbers, each with what is known of it. Whoever has been called is no longer here.
#[derive(Debug)]
pub(crate) struct Line<T> {
    /// Numbers ascend. Whoever leaves from the middle leaves a gap, and when gaps outnumber those who wait, all are closed:
    /// so leaving takes few steps however long the line is. The first is no gap.
    spots: VecDeque<(u64, Option<Spot<T>>)>,
    waiting: usize,
    next: u64,
}

/// Somebody in line.
#[derive(Debug)]
pub(crate) struct Spot<T> {
    /// There is one once the place in line is polled.
    pub(crate) waker: Option<Waker>,
    pub(crate) known: T,
}

/// For so many the memory is kept when the line ends.
const FEW: usize = 64;

impl<T> Line<T> {
    pub(crate) fn new() -> Self {
        Self { spots: VecDeque::new(), waiting: 0, next: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// A number that comes after all before.
    pub(crate) fn draw(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Puts a number that was drawn into the line: at the end, if it is the last.
    pub(crate) fn join(&mut self, number: u64, known: T) {
        let spot = Some(Spot { waker: None, known });
        let at = self.spots.partition_point(|(other, _)| *other < number);
        match self.spots.get_mut(at).filter(|(other, _)| *other == number) {
            // Its own gap.
            Some(gap) => gap.1 = spot,
            None => self.spots.insert(at, (number, spot)),
        }
        self.waiting += 1;
    }

    /// The first one's number.
    pub(crate) fn first(&self) -> Option<u64> {
        self.spots.front().map(|(number, _)| *number)
    }

    /// Those who wait, with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.spots.iter().filter_map(|(number, spot)| Some((*number, &spot.as_ref()?.known)))
    }

    /// Somebody who is in line.
    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut Spot<T>> {
        let at = self.find(number)?;
        self.spots[at].1.as_mut()
    }

    pub(crate) fn first_mut(&mut self) -> Option<&mut Spot<T>> {
        self.spots.front_mut()?.1.as_mut()
    }

    /// Takes somebody out who is in line. Dropping the waker is somebody else's code.
    pub(crate) fn leave(&mut self, number: u64) -> Option<Spot<T>> {
        let at = self.find(number)?;
        let spot = self.spots[at].1.take()?;
        self.close_gaps();
        Some(spot)
    }

    fn find(&self, number: u64) -> Option<usize> {
        self.spots.binary_search_by_key(&number, |(number, _)| *number).ok()
    }

    fn close_gaps(&mut self) {
        self.waiting -= 1;
        while self.spots.front().is_some_and(|(_, spot)| spot.is_none()) {
            self.spots.pop_front();
        }
        let gaps = self.spots.len() - self.waiting;
        if gaps > self.waiting {
            self.spots.retain(|(_, spot)| spot.is_some());
        }
        if self.waiting == 0 && self.spots.capacity() > FEW {
            self.spots = VecDeque::new();
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
        /// Somebody who has left, with the number of before.
        ComeBack(usize),
    }

    proptest! {
        #[test]
        fn a_line_is_a_list_in_the_order_of_joining(
            steps in prop::collection::vec(
                prop_oneof![
                    3 => Just(Step::Join),
                    1 => Just(Step::Call), 2 => (0usize..200).prop_map(Step::Leave),
                    1 => (1usize..200).prop_map(Step::ComeBack),
                ],
                1..400,
            ),
        ) {
            let (mut line, mut model) = (Line::new(), Vec::new());
            let mut joined = 0;
            for step in steps {
                match step {
                    Step::Join => {
                        joined = line.draw();
                        line.join(joined, ());
                        model.push(joined);
                    }
                    Step::Call => {
                        let called = line.first().and_then(|first| line.leave(first)).is_some();
                        prop_assert_eq!(called, !model.is_empty());
                        model.drain(..usize::from(called));
                    }
                    Step::Leave(number) => {
                        let number = number as u64;
                        prop_assert_eq!(line.leave(number).is_some(), model.contains(&number));
                        model.retain(|other| *other != number);
                    }
                    Step::ComeBack(number) => {
                        let number = number as u64;
                        if number <= joined && !model.contains(&number) {
                            line.join(number, ());
                            model.push(number);
                            model.sort_unstable();
                        }
                    }
                }
                prop_assert_eq!(line.len(), model.len());
                prop_assert!(line.spots.len() <= 2 * line.len(), "gaps are closed");
                prop_assert_eq!(line.first(), model.first().copied());
                prop_assert!(line.iter().map(|(number, ())| number).eq(model.iter().copied()));
                for number in 0..=joined {
                    prop_assert_eq!(line.get_mut(number).is_some(), model.contains(&number));
                }
            }
        }
    }

    #[test]
    fn a_long_line_that_has_ended_keeps_no_memory() {
        let mut line = Line::new();
        for _ in 0..1000 {
            let number = line.draw();
            line.join(number, ());
        }
        while line.first().and_then(|first| line.leave(first)).is_some() {}
        assert_eq!(line.spots.capacity(), 0);
        let next = line.draw();
        assert_eq!(next, 1001, "a number never comes again");
    }
}
