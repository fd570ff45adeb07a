//! The last so many calls. Pure.

use super::window::{Record, Tally};

/// The last `capacity` calls, two bits each.
#[derive(Debug)]
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
        self.tally.remove(Tally { calls: u32::from(self.is_full()), ..self.at(word, bit) });
        self.clear_bits(word, bit);
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
        let number = number.min(self.capacity);
        self.tally = self.tally_after(number);
        for (word, bits) in runs(self.capacity, self.next, number) {
            self.clear_bits(word, bits);
        }
        self.advance(number);
    }

    /// The sums as they would be after so many more successes.
    pub(super) fn tally_after(&self, successes: u32) -> Tally {
        let successes = successes.min(self.capacity);
        let mut tally = self.tally;
        for (word, bits) in runs(self.capacity, self.next, successes) {
            tally.remove(self.at(word, bits));
        }
        tally.calls = tally.calls.saturating_add(successes).min(self.capacity);
        tally
    }

    /// No call counts as slow any more.
    pub(super) fn forget_slow(&mut self) {
        let mut bits = std::mem::take(&mut self.bits).into_vec();
        bits.truncate(words(self.capacity));
        self.bits = bits.into();
        self.tally.slow_calls = 0;
    }

    /// The failures and slow calls among these bits.
    fn at(&self, word: usize, bits: u64) -> Tally {
        let set = |word: usize| self.bits.get(word).map_or(0, |word| (word & bits).count_ones());
        Tally { calls: 0, failures: set(word), slow_calls: set(words(self.capacity) + word) }
    }

    fn clear_bits(&mut self, word: usize, bits: u64) {
        for word in [word, words(self.capacity) + word] {
            if let Some(word) = self.bits.get_mut(word) {
                *word &= !bits;
            }
        }
    }

    fn advance(&mut self, number: u32) {
        let to_end = self.capacity - self.next;
        self.next = if number < to_end { self.next + number } else { number - to_end };
    }

    /// The bits of so many records, 64 at most, from `from` on: of the failures, or in the second half of the slow calls.
    fn read(&self, half: usize, from: u32, number: u32) -> u64 {
        let mut read = 0;
        let mut done = 0;
        for (word, bits) in runs(self.capacity, from % self.capacity, number) {
            let found = self.bits.get(half + word).map_or(0, |word| word & bits);
            read |= (found >> bits.trailing_zeros()) << done;
            done += bits.count_ones();
        }
        read
    }

    pub(super) fn resized(&self, capacity: u32) -> Self {
        let kept = self.tally.calls.min(capacity);
        let oldest = self.next + self.capacity - kept;
        let mut resized = Self::new(capacity);
        if self.tally.slow_calls > 0 {
            resized.bits = vec![0; 2 * words(capacity)].into();
        }
        for word in 0..words(kept) {
            // Below `kept`, which is a `u32`.
            let done = word as u32 * u64::BITS;
            let number = (kept - done).min(u64::BITS);
            resized.bits[word] = self.read(0, oldest + done, number);
            if self.tally.slow_calls > 0 {
                resized.bits[words(capacity) + word] = self.read(words(self.capacity), oldest + done, number);
            }
            resized.tally.merge(Tally { calls: number, ..resized.at(word, u64::MAX) });
        }
        resized.advance(kept);
        resized
    }
}

/// The bits of so many calls from `next` on, word by word; at most `capacity` of them.
fn runs(capacity: u32, mut next: u32, mut left: u32) -> impl Iterator<Item = (usize, u64)> {
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        let (word, bit) = position(next);
        let to_end_of_word = u64::BITS - bit.trailing_zeros();
        let run = left.min(to_end_of_word).min(capacity - next);
        left -= run;
        next = if next + run < capacity { next + run } else { 0 };
        Some((word, (u64::MAX >> (u64::BITS - run)) << bit.trailing_zeros()))
    })
}

fn words(capacity: u32) -> usize {
    capacity.div_ceil(u64::BITS) as usize
}

fn position(at: u32) -> (usize, u64) {
    ((at / u64::BITS) as usize, 1 << (at % u64::BITS))
}
