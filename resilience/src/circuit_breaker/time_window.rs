//! The calls of the last while. Pure: time comes in as an argument.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::Duration;

use super::window::{Record, Tally};
use crate::time::{self, Instant};

const BUCKETS: u64 = 10;

/// The calls of the last `length`, in buckets of a tenth: a bucket leaves the window as a whole.
#[derive(Debug)]
pub(super) struct TimeWindow {
    pub(super) length: Duration,
    /// Buckets are numbered from the first record on.
    start: Option<Instant>,
    /// From the oldest to the newest; numbers ascend, empty buckets are left out, at most ten.
    buckets: VecDeque<(u64, Tally)>,
    pub(super) tally: Tally,
}

impl TimeWindow {
    pub(super) fn new(length: Duration) -> Self {
        Self { length, start: None, buckets: VecDeque::new(), tally: Tally::default() }
    }

    fn bucket_nanos(&self) -> u64 {
        (time::nanos(self.length) / BUCKETS).max(1)
    }

    pub(super) fn record(&mut self, record: Record, now: Instant) {
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

    pub(super) fn record_successes(&mut self, number: u32) {
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

    /// What the window holds at that moment, after so many more successes in its newest bucket. Nothing changes.
    pub(super) fn tally_after(&self, successes: u32, now: Instant) -> Tally {
        let Some(start) = self.start else { return self.tally };
        // A reader on another runtime, whose clock is behind, sees all that there is.
        let current = time::nanos(now.saturating_duration_since(start)) / self.bucket_nanos();
        let mut tally = Tally::default();
        for (_, bucket) in self.buckets.iter().filter(|(number, _)| is_in_window(*number, current)) {
            tally.merge(*bucket);
        }
        if self.buckets.back().is_some_and(|(newest, _)| is_in_window(*newest, current)) {
            tally.calls = tally.calls.saturating_add(successes);
        }
        tally
    }

    /// No call counts as slow any more.
    pub(super) fn forget_slow(&mut self) {
        self.buckets.iter_mut().for_each(|(_, tally)| tally.slow_calls = 0);
        self.tally.slow_calls = 0;
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
            if is_in_window(number, current) {
                break;
            }
            self.tally.remove(tally);
            self.buckets.pop_front();
        }
    }

    pub(super) fn resized(&self, length: Duration) -> Self {
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

/// Whether that bucket is one of the window whose newest one is `current`.
fn is_in_window(number: u64, current: u64) -> bool {
    number.saturating_add(BUCKETS) > current
}
