//! The trial calls of a half-open breaker. Pure: time comes in as an argument.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::time::Duration;

use crate::time::{self, Instant};

/// How half-open goes.
#[derive(Clone, Debug, Default)]
pub(super) struct Trials {
    pub(super) successes: u32,
    /// The numbers of those in flight, and when they started: in the order of their start.
    probes: VecDeque<(NonZeroU32, Instant)>,
    last_number: u32,
}

impl Trials {
    pub(super) fn in_flight(&self) -> u32 {
        u32::try_from(self.probes.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn start(&mut self, now: Instant) -> NonZeroU32 {
        // Numbers ascend, and begin anew only after more trials than can be in flight.
        let number = NonZeroU32::new(self.last_number.wrapping_add(1)).unwrap_or(NonZeroU32::MIN);
        self.last_number = number.get();
        self.probes.push_back((number, now));
        number
    }

    /// Takes a probe out, and returns when it started.
    pub(super) fn end(&mut self, probe: NonZeroU32) -> Option<Instant> {
        let (oldest, _) = self.probes.front()?;
        // Probes end in about the order of their start: what is taken out is near the front.
        let age = |number: NonZeroU32| number.get().wrapping_sub(oldest.get());
        let at = self.probes.binary_search_by_key(&age(probe), |(number, _)| age(*number)).ok()?;
        self.probes.remove(at).map(|(_, started)| started)
    }

    /// Those that are too old lose their slots.
    pub(super) fn forget_older_than(&mut self, timeout: Duration, now: Instant) {
        while self.probes.front().is_some_and(|(_, started)| time::after(*started, timeout) <= now) {
            self.probes.pop_front();
        }
    }

    /// None has started later than now: a moment ahead is another runtime's.
    pub(super) fn meet_clock(&mut self, now: Instant) {
        if self.probes.back().is_some_and(|(_, started)| *started > now) {
            self.probes.iter_mut().for_each(|(_, started)| *started = (*started).min(now));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_are_found_where_the_numbers_begin_anew() {
        let now = time::now();
        let mut trials = Trials { last_number: u32::MAX - 2, ..Trials::default() };
        let mut started = Vec::new();
        for second in 0..5 {
            let at = now + Duration::from_secs(second);
            started.push((trials.start(at), at));
        }
        // One of the middle, the oldest, and the rest.
        for which in [2, 0, 2, 1, 0] {
            let (number, at) = started.remove(which);
            assert_eq!(trials.end(number), Some(at));
            assert_eq!(trials.end(number), None, "it has ended");
        }
        assert_eq!(trials.in_flight(), 0);
    }
}
