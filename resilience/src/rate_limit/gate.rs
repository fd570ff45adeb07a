//! What a call may do without the bucket's lock: take permits while nobody waits for any, or be refused.
//!
//! One word is the moment at which the bucket would be full again, the "theoretical arrival time" of the algorithm, in the
//! bucket's own unit: a nanosecond is worth `limit` of them, so that no rate is rounded. Whoever takes permits moves that
//! moment on, by exchanging the very word it decided by. The word runs round, like a clock's hand: what it means is told
//! by a second one, `origin`, for a stretch of time in which hand and time are less than half a round apart.
//!
//! All work on the bucket stands between [`Gate::close`] and [`Gate::open`], under the bucket's lock. The first ends what
//! is done here and tells the bucket what was taken; the second begins again, with a word that has not been there before.
//! So an exchange that succeeds was decided by the rates in force.

use super::bucket::{self, Bucket};
use crate::sync::atomic::{AtomicU64, Ordering};

/// The bucket is being worked on, or there is a line, or its rates do not fit here.
const CLOSED: u64 = 1;
/// The bucket's unit, here: the lowest bit is the mark.
const UNIT: u64 = 2;
/// How much a bucket may hold, and how much time may add, until the lock is taken to begin anew: with both, hand and
/// time are a quarter of a round apart.
const SPAN: u64 = bucket::LARGEST * UNIT;

/// What a call looks at. All but `word` and `at` change while the gate is closed only.
#[derive(Debug)]
pub(super) struct Gate {
    /// When the bucket is full, or [`CLOSED`].
    word: AtomicU64,
    /// When a call last looked, in nanoseconds; perhaps a little before that, while others look. Much earlier moments
    /// are another runtime's.
    at: AtomicU64,
    /// The first moment for which `origin` holds; it does as long as time adds no more than [`SPAN`].
    since: AtomicU64,
    /// What time's position was at that moment.
    origin: AtomicU64,
    /// What a nanosecond adds.
    limit: AtomicU64,
    /// What a permit is worth.
    per: AtomicU64,
    capacity: AtomicU64,
    /// What the hand is behind the bucket's marks, which run on where it jumps.
    offset: AtomicU64,
}

/// What comes of asking for permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// With the mark's [`full`](super::bucket::Mark::full).
    Taken(u64),
    /// They are there after so many nanoseconds; nothing if they never will be.
    Refused(Option<u64>),
    /// The lock must tell.
    Asks,
}

impl Gate {
    pub(super) fn new() -> Self {
        let [word, at, since, origin, limit, per, capacity, offset] = [CLOSED, 0, 0, 0, 0, 0, 0, 0].map(AtomicU64::new);
        Self { word, at, since, origin, limit, per, capacity, offset }
    }

    /// Takes permits, all or none, if nobody stands in line; `read` is what the clock showed.
    #[inline]
    pub(super) fn take(&self, permits: u32, read: u64) -> Answer {
        let mut seen = self.word.load(Ordering::Acquire);
        loop {
            if seen & CLOSED != 0 {
                return Answer::Asks;
            }
            let at = self.at.load(Ordering::Acquire);
            let Some(now) = bucket::not_overtaken(read, at) else { return Answer::Asks };
            // Each was written with the gate closed: whoever reads what belongs to another word than `seen` finds that
            // word changed.
            let limit = self.limit.load(Ordering::Acquire);
            // Not from before it either: a thread that was stopped for long would take the hand for one behind.
            let Some(passed) = passed(self.since.load(Ordering::Acquire), now, limit) else { return Answer::Asks };
            let time = self.origin.load(Ordering::Acquire).wrapping_add(passed);
            let missing = ahead(seen, time);
            let worth = self.per.load(Ordering::Acquire).saturating_mul(u64::from(permits));
            let capacity = self.capacity.load(Ordering::Acquire);
            let left = capacity.wrapping_sub(missing);
            let answer = if missing > capacity {
                // Somebody took permits at a later moment, and has not yet written that.
                return Answer::Asks;
            } else if worth <= left {
                let full = time.wrapping_add(missing).wrapping_add(worth);
                let mark = full.wrapping_add(self.offset.load(Ordering::Acquire));
                match self.word.compare_exchange_weak(seen, full, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => {
                        self.look_at(now, at);
                        return Answer::Taken(mark);
                    }
                    Err(other) => {
                        seen = other;
                        continue;
                    }
                }
            } else if worth > capacity {
                Answer::Refused(None)
            } else {
                Answer::Refused(Some((worth - left).div_ceil(limit.max(1))))
            };
            // Nothing is exchanged: was the word there all the time?
            let again = self.word.load(Ordering::Acquire);
            if again == seen {
                self.look_at(now, at);
                return answer;
            }
            seen = again;
        }
    }

    /// Notes that a call looked, where the last one that is known looked at `before`.
    #[inline]
    fn look_at(&self, now: u64, before: u64) {
        if now > before {
            self.at.store(now, Ordering::Release);
        }
    }

    /// Begins work on the bucket, whose lock the caller holds: it learns what was taken here since it was last worked on.
    pub(super) fn close(&self, bucket: &mut Bucket) {
        self.tell(self.word.fetch_or(CLOSED, Ordering::AcqRel), bucket);
    }

    /// Tells a copy of the bucket what was taken, for a reader that holds the lock and changes nothing.
    pub(super) fn look(&self, copy: &mut Bucket) {
        self.tell(self.word.load(Ordering::Acquire), copy);
    }

    fn tell(&self, word: u64, bucket: &mut Bucket) {
        if word & CLOSED != 0 {
            return;
        }
        // A call that was held up may have written an old moment: any between the two means the same.
        let (since, limit) = (self.since.load(Ordering::Relaxed), self.limit.load(Ordering::Relaxed));
        let at = self.at.load(Ordering::Acquire).min(until(since, limit)).max(since);
        let time = self.origin.load(Ordering::Relaxed).wrapping_add(at.wrapping_sub(since).wrapping_mul(limit));
        let passed = time.wrapping_add(self.offset.load(Ordering::Relaxed)) / UNIT;
        bucket.set_missing(ahead(word, time) / UNIT, at, passed);
    }

    /// Ends work on the bucket; the gate stays closed where the rates do not fit.
    pub(super) fn open(&self, bucket: &Bucket) {
        let in_units = |worth: u128| u64::try_from(worth).ok()?.checked_mul(UNIT).filter(|units| *units <= SPAN);
        let (Some(capacity), Some(missing)) = (in_units(bucket.capacity()), in_units(bucket.missing())) else { return };
        let (limit, at) = (bucket.limit().saturating_mul(UNIT), bucket.at());
        let hand = (self.word.load(Ordering::Relaxed) & !CLOSED).wrapping_add(UNIT);
        self.at.store(at, Ordering::Release);
        self.since.store(at, Ordering::Release);
        let origin = hand.wrapping_sub(missing);
        self.origin.store(origin, Ordering::Release);
        self.offset.store(bucket.passed().wrapping_mul(UNIT).wrapping_sub(origin), Ordering::Release);
        self.limit.store(limit, Ordering::Release);
        self.per.store(bucket.per().saturating_mul(UNIT), Ordering::Release);
        self.capacity.store(capacity, Ordering::Release);
        self.word.store(hand, Ordering::Release);
    }
}

/// What time has added from one moment to the other; nothing if that is no stretch for which an origin holds.
#[inline]
fn passed(since: u64, now: u64, limit: u64) -> Option<u64> {
    now.checked_sub(since)?.checked_mul(limit).filter(|passed| *passed <= SPAN)
}

/// The last moment for which an origin holds.
fn until(since: u64, limit: u64) -> u64 {
    since.saturating_add(SPAN / limit.max(1))
}

/// How far the hand is ahead of time.
#[inline]
fn ahead(hand: u64, time: u64) -> u64 {
    let ahead = hand.wrapping_sub(time);
    if ahead >> 63 == 0 { ahead } else { 0 }
}
