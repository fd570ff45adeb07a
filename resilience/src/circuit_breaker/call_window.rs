//! The last so many calls. Pure.

use super::window::{Record, Tally};

/// The last `capacity` calls, two bits each.
#[derive(Clone, Debug)]
pub(super) struct CallWindow {
    pub(super) capacity: u32,
    /// Where the next record goes; the oldest one once the window is full.
    next: u32,
    /// A bit for each call that failed, and as many for the slow ones from the first slow one on.
    bits: Box<[u64]>,
    pub(super) tally: Tally,
}

impl CallWindow {
    pub(super) fn new(capacity: u32) -> Self {
        let bits = vec![0; words(capacity)].into();
        Self { capacity, next: 0, bits, tally: Tally::default() }
    }

    pub(super) fn is_full(&self) -> bool {
        self.tally.calls == self.capacity
    }

    pub(super) fn record(&mut self, record: Record) {
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

    pub(super) fn record_successes(&mut self, number: u32) {
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

    pub(super) fn resized(&self, capacity: u32) -> Self {
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
