//! The results a breaker looks at: the last calls, or the calls of the last while. Pure: time comes in as an argument.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

use super::config::Span;
use crate::time::{self, Instant};

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
    fn add(&mut self, record: Record) {
        self.calls = self.calls.saturating_add(1);
        self.failures = self.failures.saturating_add(u32::from(record.failed));
        self.slow_calls = self.slow_calls.saturating_add(u32::from(record.slow));
    }

    fn remove(&mut self, other: Self) {
        self.calls = self.calls.saturating_sub(other.calls);
        self.failures = self.failures.saturating_sub(other.failures);
        self.slow_calls = self.slow_calls.saturating_sub(other.slow_calls);
    }

    fn merge(&mut self, other: Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.failures = self.failures.saturating_add(other.failures);
        self.slow_calls = self.slow_calls.saturating_add(other.slow_calls);
    }
}

/// A sliding window.
#[derive(Clone, Debug)]
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

    /// What the window holds; a window of time first forgets what is too old.
    pub(super) fn tally(&mut self, now: impl FnOnce() -> Instant) -> Tally {
        match self {
            Self::Calls(window) => window.tally,
            Self::Time(window) => window.tally_at(now()),
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

    /// Takes on another span. The newest results stay as far as they fit; between calls and time they cannot.
    pub(super) fn resize(&mut self, span: Span) {
        match (&mut *self, span) {
            (Self::Calls(window), Span::Calls(capacity)) => *window = window.resized(capacity),
            (Self::Time(window), Span::Time(length)) => **window = window.resized(length),
            (_, span) => *self = Self::new(span),
        }
    }
}

/// The last `capacity` calls, two bits each.
#[derive(Clone, Debug)]
pub(super) struct CallWindow {
    capacity: u32,
    /// Where the next record goes; the oldest one once the window is full.
    next: u32,
    /// A bit for each call that failed, and as many for the slow ones from the first slow one on.
    bits: Box<[u64]>,
    tally: Tally,
}

impl CallWindow {
    fn new(capacity: u32) -> Self {
        let bits = vec![0; words(capacity)].into();
        Self { capacity, next: 0, bits, tally: Tally::default() }
    }

    pub(super) fn is_full(&self) -> bool {
        self.tally.calls == self.capacity
    }

    fn record(&mut self, record: Record) {
        let words = words(self.capacity);
        if record.slow && self.bits.len() == words {
            let mut bits = std::mem::take(&mut self.bits).into_vec();
            bits.resize(2 * words, 0);
            self.bits = bits.into();
        }
        let (word, bit) = position(self.next);
        self.forget(word, bit);
        if record.failed {
            self.bits[word] |= bit;
        }
        if record.slow {
            self.bits[words + word] |= bit;
        }
        self.tally.add(record);
        self.advance(1);
    }

    fn record_successes(&mut self, number: u32) {
        // More than the window holds are as many as it holds.
        let mut left = number.min(self.capacity);
        while left > 0 {
            let (word, bit) = position(self.next);
            let to_end_of_word = u64::BITS - bit.trailing_zeros();
            let run = left.min(to_end_of_word).min(self.capacity - self.next);
            self.forget(word, (u64::MAX >> (u64::BITS - run)) << bit.trailing_zeros());
            self.tally.calls += run;
            self.advance(run);
            left -= run;
        }
    }

    /// Takes the records at these bits out, if there are any.
    fn forget(&mut self, word: usize, bits: u64) {
        let mut take = |word: usize| {
            let Some(word) = self.bits.get_mut(word) else { return 0 };
            let taken = *word & bits;
            *word ^= taken;
            taken.count_ones()
        };
        let calls = bits.count_ones().saturating_sub(self.capacity - self.tally.calls);
        let failures = take(word);
        let slow_calls = take(words(self.capacity) + word);
        self.tally.remove(Tally { calls, failures, slow_calls });
    }

    fn advance(&mut self, number: u32) {
        self.next = if self.capacity - self.next > number { self.next + number } else { 0 };
    }

    /// The records from the oldest to the newest.
    fn records(&self) -> impl Iterator<Item = Record> {
        let oldest = if self.is_full() { self.next } else { 0 };
        (0..self.tally.calls).map(move |age| {
            let at = (u64::from(oldest) + u64::from(age)) % u64::from(self.capacity);
            // Below `capacity`, which is a `u32`.
            let (word, bit) = position(at as u32);
            let is_set = |word: usize| self.bits.get(word).is_some_and(|word| word & bit != 0);
            Record { failed: is_set(word), slow: is_set(words(self.capacity) + word) }
        })
    }

    fn resized(&self, capacity: u32) -> Self {
        let mut resized = Self::new(capacity);
        let surplus = self.tally.calls.saturating_sub(capacity) as usize;
        self.records().skip(surplus).for_each(|record| resized.record(record));
        resized
    }
}

fn words(capacity: u32) -> usize {
    capacity.div_ceil(u64::BITS) as usize
}

fn position(at: u32) -> (usize, u64) {
    ((at / u64::BITS) as usize, 1 << (at % u64::BITS))
}

const BUCKETS: u64 = 10;

/// The calls of the last `length`, in buckets of a tenth: a bucket leaves the window as a whole.
#[derive(Clone, Debug)]
pub(super) struct TimeWindow {
    length: Duration,
    /// Buckets are numbered from the first record on.
    start: Option<Instant>,
    /// From the oldest to the newest; numbers ascend, empty buckets are left out, at most ten.
    buckets: VecDeque<(u64, Tally)>,
    tally: Tally,
}

impl TimeWindow {
    fn new(length: Duration) -> Self {
        Self { length, start: None, buckets: VecDeque::new(), tally: Tally::default() }
    }

    fn bucket_nanos(&self) -> u64 {
        (time::nanos(self.length) / BUCKETS).max(1)
    }

    fn record(&mut self, record: Record, now: Instant) {
        let current = self.look(now);
        match self.buckets.back_mut() {
            Some((number, tally)) if *number == current => tally.add(record),
            _ => {
                let mut tally = Tally::default();
                tally.add(record);
                self.buckets.push_back((current, tally));
            }
        }
        self.tally.add(record);
    }

    fn record_successes(&mut self, number: u32) {
        if let Some((_, tally)) = self.buckets.back_mut() {
            tally.calls = tally.calls.saturating_add(number);
            self.tally.calls = self.tally.calls.saturating_add(number);
        }
    }

    /// The time of the newest bucket. Within it nothing leaves the window.
    pub(super) fn newest(&self) -> Option<Range<Instant>> {
        let (number, _) = self.buckets.back()?;
        let length = self.bucket_nanos();
        let begin = self.start?.checked_add(Duration::from_nanos(number.saturating_mul(length)))?;
        Some(begin..begin.checked_add(Duration::from_nanos(length))?)
    }

    fn tally_at(&mut self, now: Instant) -> Tally {
        // A reader on another runtime, whose clock is behind, changes nothing.
        if self.start.is_some_and(|start| now >= self.newest_begins(start)) {
            self.look(now);
        }
        self.tally
    }

    fn newest_begins(&self, start: Instant) -> Instant {
        let newest = self.buckets.back().map_or(0, |(number, _)| *number);
        time::after(start, Duration::from_nanos(newest.saturating_mul(self.bucket_nanos())))
    }

    /// Lets time pass; returns the number of the present bucket.
    fn look(&mut self, now: Instant) -> u64 {
        let start = *self.start.get_or_insert(now);
        let current = time::nanos(now.saturating_duration_since(start)) / self.bucket_nanos();
        let newest = self.buckets.back().map_or(0, |(number, _)| *number);
        if now < start || current < newest {
            // Another runtime's clock: what is there counts as of now.
            self.start = Some(now);
            self.buckets.clear();
            self.buckets.push_back((0, self.tally));
            return 0;
        }
        self.forget_before(current);
        current
    }

    /// Drops the buckets that have left the window whose newest bucket is `current`.
    fn forget_before(&mut self, current: u64) {
        while let Some((number, tally)) = self.buckets.front().copied() {
            if number.saturating_add(BUCKETS) > current {
                break;
            }
            self.tally.remove(tally);
            self.buckets.pop_front();
        }
    }

    fn resized(&self, length: Duration) -> Self {
        let mut resized = Self { length, start: self.start, buckets: VecDeque::new(), tally: Tally::default() };
        let (old, new) = (self.bucket_nanos(), resized.bucket_nanos());
        for (number, tally) in &self.buckets {
            let number = number.saturating_mul(old) / new;
            match resized.buckets.back_mut() {
                Some((last, sum)) if *last == number => sum.merge(*tally),
                _ => resized.buckets.push_back((number, *tally)),
            }
            resized.tally.merge(*tally);
        }
        if let Some((newest, _)) = resized.buckets.back().copied() {
            resized.forget_before(newest);
        }
        resized
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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

    proptest! {
        #[test]
        fn a_window_of_calls_is_the_last_calls(
            capacity in 1u32..200,
            records in prop::collection::vec(record(), 0..500),
            resized in 1u32..200,
        ) {
            let mut window = Window::new(Span::Calls(capacity));
            for record in &records {
                window.record(*record, never);
            }
            let last = |number: u32| sum(records.iter().rev().take(number as usize));
            prop_assert_eq!(window.tally(never), last(capacity));
            window.resize(Span::Calls(resized));
            prop_assert_eq!(window.tally(never), last(capacity.min(resized)));
            window.record(Record { failed: true, slow: false }, never);
            prop_assert!(window.tally(never).calls <= resized);
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
            }
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
        assert_eq!(window.tally(|| at(800)), full);
        assert_eq!(window.tally(|| at(4800)), full);
        assert_eq!(window.tally(|| at(5800)), Tally::default());
        window.record(Record { failed: false, slow: false }, || at(5900));
        assert_eq!(window.tally(|| at(5900)), Tally { calls: 1, failures: 0, slow_calls: 0 });
    }

    #[test]
    fn another_clock_is_taken_as_it_is() {
        let ahead = time::now() + Duration::from_secs(3600);
        let mut window = Window::new(Span::Time(Duration::from_secs(10)));
        window.record(Record { failed: true, slow: false }, || ahead);
        window.record(Record { failed: true, slow: false }, || ahead + Duration::from_secs(5));
        let back = ahead - Duration::from_secs(3600);
        assert_eq!(window.tally(|| back).failures, 2, "a reader changes nothing");
        assert_eq!(window.tally(|| ahead + Duration::from_secs(9)).failures, 2);
        window.record(Record { failed: true, slow: false }, || back);
        assert_eq!(window.tally(|| back + Duration::from_secs(9)).failures, 3);
        assert_eq!(window.tally(|| back + Duration::from_secs(10)).failures, 0);
    }

    #[test]
    fn extreme_lengths_work() {
        let now = time::now();
        for length in [Duration::from_nanos(1), Duration::MAX] {
            let mut window = Window::new(Span::Time(length));
            window.record(Record { failed: true, slow: false }, || now);
            window.record(Record { failed: true, slow: false }, || now);
            assert_eq!(window.tally(|| now).failures, 2, "{length:?}");
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
