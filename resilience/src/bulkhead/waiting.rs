//! Those who wait for a slot, and those who have been called to take theirs. Pure.

use std::collections::VecDeque;
use std::task::Waker;
use std::time::Duration;

use crate::line::{Line, Spot};
use crate::time::Instant;

/// After so long a slot that was not taken passes on. Its call comes back to the front of the line: a thread that is busy for
/// a tenth of a second must not be what turns calls away.
pub(super) const PASSES_ON: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(super) struct Waiting {
    line: Line<()>,
    /// Who was called, and when. Few are at one time: whoever is called comes.
    called: VecDeque<(u64, Instant)>,
}

/// What a call finds that waits.
pub(super) enum Found<'a> {
    InLine(&'a mut Option<Waker>),
    /// A slot is its own.
    Called,
    /// It was called, and did not come.
    PassedOver,
}

impl Waiting {
    pub(super) fn new() -> Self {
        Self { line: Line::new(), called: VecDeque::new() }
    }

    pub(super) fn in_line(&self) -> usize {
        self.line.len()
    }

    pub(super) fn nobody_in_line(&self) -> bool {
        self.line.is_empty()
    }

    pub(super) fn draw(&mut self) -> u64 {
        self.line.draw()
    }

    /// Puts a number in line, in the order of numbers.
    pub(super) fn join(&mut self, number: u64) {
        self.line.join(number, ());
    }

    /// Calls the first in line.
    pub(super) fn call(&mut self, now: Instant) -> Option<Option<Waker>> {
        let number = self.line.first()?;
        let Spot { waker, .. } = self.line.leave(number)?;
        self.called.push_back((number, now));
        Some(waker)
    }

    /// What becomes of that number; once it has been called, that is told once.
    pub(super) fn find(&mut self, number: u64) -> Found<'_> {
        if self.comes(number) {
            return Found::Called;
        }
        match self.line.get_mut(number) {
            Some(spot) => Found::InLine(&mut spot.waker),
            None => Found::PassedOver,
        }
    }

    /// Takes somebody out who is in line.
    pub(super) fn leave(&mut self, number: u64) -> Option<Spot<()>> {
        self.line.leave(number)
    }

    /// Whether that number has been called; it is not called any more then.
    pub(super) fn comes(&mut self, number: u64) -> bool {
        let place = self.called.iter().position(|(called, _)| *called == number);
        place.is_some_and(|place| self.called.remove(place).is_some())
    }

    /// How many did not come for their slots for so long that these pass on.
    pub(super) fn pass_over(&mut self, now: Instant) -> usize {
        let mut late = 0;
        while self.called.front().is_some_and(|(_, since)| now.saturating_duration_since(*since) >= PASSES_ON) {
            self.called.pop_front();
            late += 1;
        }
        late
    }

    pub(super) fn nobody_called(&self) -> bool {
        self.called.is_empty()
    }
}
