//! The trial calls of a half-open breaker. Pure: time comes in as an argument.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::time::Duration;

use crate::time::{self, Instant};

/// How half-open goes.
#[derive(Clone, Debug, Default)]
pub(super) struct Trials {
    pub(super) successes: u32,
    /// The numbers of those that hold a slot, and when they started: in the order of their start.
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

    /// Gives a probe's slot back, if it still has it.
    pub(super) fn give_back(&mut self, probe: NonZeroU32) {
        let Some((oldest, _)) = self.probes.front() else { return };
        // Probes end in about the order of their start: what is taken out is near the front.
        let age = |number: NonZeroU32| number.get().wrapping_sub(oldest.get());
        if let Ok(at) = self.probes.binary_search_by_key(&age(probe), |(number, _)| age(*number)) {
            self.probes.remove(at);
        }
    }

    /// How many hold a slot at that moment; nothing changes.
    pub(super) fn in_flight_at(&self, timeout: u64, now: Instant) -> u32 {
        let too_old = self.probes.partition_point(|(_, started)| is_older(*started, timeout, now));
        self.in_flight() - u32::try_from(too_old).unwrap_or(u32::MAX)
    }

    /// Those that are too old lose their slots. Nothing is left of them here: their tickets know all that their results
    /// need.
    pub(super) fn forget_older_than(&mut self, timeout: u64, now: Instant) {
        while self.probes.front().is_some_and(|(_, started)| is_older(*started, timeout, now)) {
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

/// Whether it started longer ago than so many nanoseconds.
fn is_older(started: Instant, timeout: u64, now: Instant) -> bool {
    time::after(started, Duration::from_nanos(timeout)) < now
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
            started.push(trials.start(now + Duration::from_secs(second)));
        }
        // One of the middle, the oldest, and the rest.
        for (which, left) in [(2, 4), (0, 3), (2, 2), (1, 1), (0, 0)] {
            let number = started.remove(which);
            for _ in 0..2 {
                trials.give_back(number);
                assert_eq!(trials.in_flight(), left, "once only");
            }
        }
    }
}
