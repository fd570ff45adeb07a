//! The results a breaker looks at: the last calls, or the calls of the last while. Pure: time comes in as an argument.

use super::call_window::CallWindow;
use super::config::Span;
use super::time_window::TimeWindow;
use crate::time::Instant;

/// One recorded result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) failed: bool,
    pub(super) slow: bool,
}

/// Sums over a window or a part of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) calls: u32,
    pub(super) failures: u32,
    pub(super) slow_calls: u32,
}

impl Tally {
    pub(super) fn add(&mut self, record: Record) {
        self.calls = self.calls.saturating_add(1);
        self.failures = self.failures.saturating_add(u32::from(record.failed));
        self.slow_calls = self.slow_calls.saturating_add(u32::from(record.slow));
    }

    pub(super) fn remove(&mut self, other: Self) {
        self.calls = self.calls.saturating_sub(other.calls);
        self.failures = self.failures.saturating_sub(other.failures);
        self.slow_calls = self.slow_calls.saturating_sub(other.slow_calls);
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.failures = self.failures.saturating_add(other.failures);
        self.slow_calls = self.slow_calls.saturating_add(other.slow_calls);
    }
}

/// A sliding window. (No copies: it may be large, and lies behind a lock.)
#[derive(Debug)]
pub(super) enum Window {
    Calls(CallWindow),
    /// Boxed: it is larger than the other, and the rarer one.
    Time(Box<TimeWindow>),
}

impl Window {
    pub(super) fn new(span: Span) -> Self {
        match span {
            Span::Calls(capacity) => Self::Calls(CallWindow::new(capacity)),
            Span::Time(length) => Self::Time(Box::new(TimeWindow::new(length))),
        }
    }

    /// `now` is asked for only by a window of time.
    pub(super) fn record(&mut self, record: Record, now: impl FnOnce() -> Instant) {
        match self {
            Self::Calls(window) => window.record(record),
            Self::Time(window) => window.record(record, now()),
        }
    }

    /// As so many records of calls that neither failed nor were slow; in a window of time, of the time of its newest record.
    pub(super) fn record_successes(&mut self, number: u32) {
        match self {
            Self::Calls(window) => window.record_successes(number),
            Self::Time(window) => window.record_successes(number),
        }
    }

    /// What the window holds for a reader: at that moment, and after so many more successes. Nothing changes.
    pub(super) fn tally(&self, successes: u32, now: Instant) -> Tally {
        match self {
            Self::Calls(window) => window.tally_after(successes),
            Self::Time(window) => window.tally_after(successes, now),
        }
    }

    /// What the window held when it was last recorded to.
    pub(super) fn last_tally(&self) -> Tally {
        match self {
            Self::Calls(window) => window.tally,
            Self::Time(window) => window.tally,
        }
    }

    pub(super) fn clear(&mut self) {
        match self {
            Self::Calls(window) => *window = CallWindow::new(window.capacity),
            Self::Time(window) => **window = TimeWindow::new(window.length),
        }
    }

    /// No call counts as slow any more.
    pub(super) fn forget_slow(&mut self) {
        match self {
            Self::Calls(window) => window.forget_slow(),
            Self::Time(window) => window.forget_slow(),
        }
    }

    /// Takes on another span. The newest results stay as far as they fit; between calls and time they cannot.
    pub(super) fn resize(&mut self, span: Span) {
        match (&mut *self, span) {
            (Self::Calls(window), Span::Calls(capacity)) => *window = window.resized(capacity),
            (Self::Time(window), Span::Time(length)) => **window = window.resized(length),
            (_, span) => *self = Self::new(span),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::time;

    fn record() -> impl Strategy<Value = Record> {
        (any::<bool>(), any::<bool>()).prop_map(|(failed, slow)| Record { failed, slow })
    }

    fn sum<'a>(records: impl Iterator<Item = &'a Record>) -> Tally {
        records.fold(Tally::default(), |mut sum, record| {
            sum.add(*record);
            sum
        })
    }

    fn never() -> Instant {
        unreachable!("a window of calls reads no clock")
    }

    fn plain(number: usize) -> Vec<Record> {
        vec![Record { failed: false, slow: false }; number]
    }

    proptest! {
        #[test]
        fn a_window_of_calls_is_the_last_calls(
            capacity in 1u32..200,
            mut records in prop::collection::vec(record(), 0..500),
            successes in 0u32..400,
            resized in 1u32..200,
        ) {
            let mut window = Window::new(Span::Calls(capacity));
            for record in &records {
                window.record(*record, never);
            }
            let last = |records: &[Record], number: u32| sum(records.iter().rev().take(number as usize));
            prop_assert_eq!(window.last_tally(), last(&records, capacity));
            // What a reader is told of successes that are still to be recorded is what is there once they are.
            records.extend(plain(successes as usize));
            prop_assert_eq!(window.tally(successes, time::now()), last(&records, capacity));
            window.record_successes(successes);
            prop_assert_eq!(window.last_tally(), last(&records, capacity));
            window.resize(Span::Calls(resized));
            prop_assert_eq!(window.last_tally(), last(&records, capacity.min(resized)));
            window.forget_slow();
            let Tally { calls, failures, .. } = last(&records, capacity.min(resized));
            prop_assert_eq!(window.last_tally(), Tally { calls, failures, slow_calls: 0 });
            for _ in 0..2 * resized {
                window.record(Record { failed: true, slow: true }, never);
            }
            prop_assert_eq!(window.last_tally(), Tally { calls: resized, failures: resized, slow_calls: resized });
        }

        #[test]
        fn a_window_of_time_is_what_its_buckets_span(
            steps in prop::collection::vec((0u64..400, record()), 1..200),
        ) {
            let start = time::now();
            let mut window = TimeWindow::new(Duration::from_millis(1000));
            let mut past: Vec<(u64, Record)> = Vec::new();
            let mut at = 0;
            for (step, record) in steps {
                at += step;
                let now = start + Duration::from_millis(at);
                // As a success is counted at the gate.
                let plain = record == Record { failed: false, slow: false };
                if plain && window.newest().is_some_and(|bucket| bucket.contains(&now)) {
                    window.record_successes(1);
                } else {
                    window.record(record, now);
                }
                past.push((at, record));
                // Buckets of 100 ms counted from the first record.
                let bucket = |at: u64| (at - past[0].0) / 100;
                let expected = sum(past.iter().filter(|(when, _)| bucket(*when) + 10 > bucket(at)).map(|(_, record)| record));
                prop_assert_eq!(window.tally, expected);
                // A later reader is told of the buckets that are left by then.
                for later in [0, 99, 350, 2000] {
                    let left = sum(past.iter().filter(|(when, _)| bucket(*when) + 10 > bucket(at + later)).map(|(_, record)| record));
                    prop_assert_eq!(window.tally_after(0, now + Duration::from_millis(later)), left);
                    let newest_is_left = bucket(at) + 10 > bucket(at + later);
                    let more = window.tally_after(7, now + Duration::from_millis(later));
                    prop_assert_eq!(more, Tally { calls: left.calls + if newest_is_left { 7 } else { 0 }, ..left });
                }
            }
            window.forget_slow();
            prop_assert_eq!(window.tally.slow_calls, 0);
            prop_assert_eq!(window.tally_after(0, start + Duration::from_millis(at)).slow_calls, 0);
        }
    }

    #[test]
    fn c47_a_window_of_time_slides_and_empties() {
        let start = time::now();
        let at = |millis: u64| start + Duration::from_millis(millis);
        let mut window = Window::new(Span::Time(Duration::from_secs(5)));
        window.record(Record { failed: true, slow: false }, || at(0));
        window.record(Record { failed: false, slow: false }, || at(100));
        window.record(Record { failed: true, slow: true }, || at(800));
        let full = Tally { calls: 3, failures: 2, slow_calls: 1 };
        assert_eq!(window.tally(0, at(800)), full);
        assert_eq!(window.tally(0, at(4800)), full);
        assert_eq!(window.tally(0, at(5800)), Tally::default());
        window.record(Record { failed: false, slow: false }, || at(5900));
        assert_eq!(window.tally(0, at(5900)), Tally { calls: 1, failures: 0, slow_calls: 0 });
    }

    #[test]
    fn another_clock_is_taken_as_it_is() {
        let ahead = time::now() + Duration::from_secs(3600);
        let mut window = Window::new(Span::Time(Duration::from_secs(10)));
        window.record(Record { failed: true, slow: false }, || ahead);
        window.record(Record { failed: true, slow: false }, || ahead + Duration::from_secs(5));
        let back = ahead - Duration::from_secs(3600);
        assert_eq!(window.tally(0, back).failures, 2, "a reader changes nothing");
        assert_eq!(window.tally(0, ahead + Duration::from_secs(9)).failures, 2);
        window.record(Record { failed: true, slow: false }, || back);
        assert_eq!(window.tally(0, back + Duration::from_secs(9)).failures, 3);
        assert_eq!(window.tally(0, back + Duration::from_secs(10)).failures, 0);
    }

    #[test]
    fn extreme_lengths_work() {
        let now = time::now();
        for length in [Duration::from_nanos(1), Duration::MAX] {
            let mut window = Window::new(Span::Time(length));
            window.record(Record { failed: true, slow: false }, || now);
            window.record(Record { failed: true, slow: false }, || now);
            assert_eq!(window.tally(0, now).failures, 2, "{length:?}");
        }
    }

    #[test]
    fn a_window_of_time_keeps_its_results_when_resized() {
        let start = time::now();
        let mut window = Window::new(Span::Time(Duration::from_secs(10)));
        for second in 0..10 {
            window.record(Record { failed: true, slow: false }, || start + Duration::from_secs(second));
        }
        window.resize(Span::Time(Duration::from_secs(5)));
        assert_eq!(window.last_tally().calls, 5);
        window.resize(Span::Time(Duration::from_secs(60)));
        assert_eq!(window.last_tally().calls, 5);
        window.resize(Span::Calls(3));
        assert_eq!(window.last_tally().calls, 0);
    }
}
