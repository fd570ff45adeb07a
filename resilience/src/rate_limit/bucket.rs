//! The token bucket. Pure: time comes in as an argument, in nanoseconds.
//!
//! It is the generic cell rate algorithm (ITU-T I.371) kept as a level instead of a theoretical arrival time, in exact
//! integers: a permit is worth `per` in nanoseconds, and each nanosecond adds `limit`, both without their common divisor.
//! So three in a second is three in a second, and four billion are, too.
//!
//! Permits that are given back are taken out as if they had never been taken: the promise holds for those that were not.
//! Adding them to what is there would break it, as the bucket might have been full in between, and time's permits lost. What
//! is known of that is a take's [`Mark`]; see [`Bucket::give_back`].

use super::config::Settings;
use crate::time;

#[derive(Clone, Debug)]
pub(super) struct Bucket {
    limit: u64,
    per: u64,
    burst: u32,
    capacity: u128,
    level: u128,
    /// When `level` was right.
    at: u64,
    /// What time has added, full or not, and what was given back. It runs round, and jumps where rates change.
    passed: u64,
    /// When these rates came, `passed` then, and what it would have to be for the bucket to be full as it was then.
    begun_at: u64,
    begun: u64,
    begun_full: u64,
}

/// What is known of permits that were taken, for the bucket to take them back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// When they were taken, or a little before.
    pub(super) at: u64,
    /// Twice what time would have to bring in all for the bucket to be full, with them gone: as the gate counts, see
    /// [`Bucket::full`].
    pub(super) full: u64,
}

/// The largest bucket, in its own unit, in which marks are comparable; the gate holds no larger one.
pub(super) const LARGEST: u64 = 1 << 60;

impl Bucket {
    /// Full.
    pub(super) fn new(settings: &Settings, now: u64) -> Self {
        let (limit, per, burst, capacity, level) = (1, 1, 0, 0, 0);
        let (at, begun_at) = (now, now);
        let mut bucket = Self { limit, per, burst, capacity, level, at, passed: 0, begun_at, begun: 0, begun_full: 0 };
        bucket.set_rates(settings);
        bucket.level = bucket.capacity;
        bucket
    }

    /// The same, where another bucket was there before, whose permits are not this one's.
    pub(super) fn following(mut self, passed: u64) -> Self {
        (self.passed, self.begun, self.begun_full) = (passed, passed, passed);
        self
    }

    /// Beyond every mark that there is.
    pub(super) fn beyond(&self) -> u64 {
        self.passed.wrapping_add(low(self.missing())).wrapping_add(1)
    }

    fn set_rates(&mut self, settings: &Settings) {
        let (limit, per) = (u64::from(settings.limit).max(1), time::nanos(settings.per).max(1));
        let divisor = common_divisor(limit, per);
        self.limit = limit / divisor;
        self.per = per / divisor;
        self.burst = settings.burst;
        self.capacity = u128::from(self.burst) * u128::from(self.per);
    }

    /// What a nanosecond adds.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// What a permit is worth.
    pub(super) fn per(&self) -> u64 {
        self.per
    }

    pub(super) fn burst(&self) -> u32 {
        self.burst
    }

    pub(super) fn capacity(&self) -> u128 {
        self.capacity
    }

    /// When the bucket was last looked at.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// What is missing from a full bucket at that moment.
    pub(super) fn missing(&self) -> u128 {
        self.capacity - self.level
    }

    /// What time has added, full or not, and what was given back; it runs round.
    pub(super) fn passed(&self) -> u64 {
        self.passed
    }

    /// Twice what `passed` would have to be for the bucket to be full. (The gate has a mark of its own in the lowest bit.)
    pub(super) fn full(&self) -> u64 {
        self.passed.wrapping_add(low(self.missing())).wrapping_mul(2)
    }

    /// Takes over what was counted elsewhere: so much was missing at that moment, when so much had passed.
    pub(super) fn set_missing(&mut self, missing: u64, at: u64, passed: u64) {
        let (missing, limit) = (u128::from(missing), u128::from(self.limit));
        // More than there is: it was counted later than that.
        let later = missing.saturating_sub(self.capacity).div_ceil(limit);
        self.level = self.capacity - missing.saturating_sub(later * limit);
        self.at = at.saturating_add(u64::try_from(later).unwrap_or(u64::MAX));
        self.passed = passed.wrapping_add(low(later * limit));
    }

    pub(super) fn refill(&mut self, now: u64) {
        let now = not_overtaken(now, self.at).unwrap_or(now);
        // Time that goes back is another runtime's clock: it adds nothing, and counts from here on.
        let added = u128::from(now.saturating_sub(self.at)) * u128::from(self.limit);
        self.level = self.capacity.min(self.level + added);
        self.passed = self.passed.wrapping_add(low(added));
        self.at = now;
    }

    /// Takes so many permits, all or none.
    ///
    /// # Errors
    ///
    /// How long it takes until they are there; nothing if they never will be, since the bucket does not hold so many.
    pub(super) fn take(&mut self, permits: u32, now: u64) -> Result<(), Option<u64>> {
        self.refill(now);
        let worth = u128::from(permits) * u128::from(self.per);
        if worth <= self.level {
            self.level -= worth;
            return Ok(());
        }
        Err(self.wait_for(permits, 0))
    }

    /// Takes permits back as far as the bucket would be fuller without that take: not for the time in which it would have been
    /// full.
    ///
    /// What was missing since then, without it and without all else that was given back, is not known, but never was less
    /// than either of these: the permits' own worth, less what time has added since; and what was missing right after they
    /// were taken, less that and what was given back. (Not what is given back right after it was taken, before anything
    /// else was: that changes nothing for those before it.)
    pub(super) fn give_back(&mut self, permits: u32, mark: Mark, now: u64) {
        self.refill(now);
        let worth = u128::from(permits) * u128::from(self.per);
        let added = u128::from(self.at.saturating_sub(mark.at)) * u128::from(self.limit);
        if added >= self.capacity {
            return;
        }
        let least_missing = match self.left_of(mark) {
            Some(left) => left.max(worth.saturating_sub(added)),
            None => left(self.begun_full.wrapping_mul(2), self.passed),
        };
        let back = worth.min(least_missing).min(self.missing());
        let taken_last = mark.full == self.full();
        self.level += back;
        if !taken_last {
            self.passed = self.passed.wrapping_add(low(back));
        }
    }

    /// What is still missing of what was missing at that mark; nothing is known of it if it was made at other rates.
    fn left_of(&self, mark: Mark) -> Option<u128> {
        if self.capacity > u128::from(LARGEST) {
            return Some(0);
        }
        // Less than half a round apart: less than a full bucket has been added since.
        let older = mark.at <= self.begun_at && mark.full.wrapping_sub(self.begun.wrapping_mul(2)) >> 63 == 1;
        (!older).then(|| left(mark.full, self.passed))
    }

    /// How long it takes until `permits` are there after `ahead` others have been taken, from the last refill on.
    pub(super) fn wait_for(&self, permits: u32, ahead: u64) -> Option<u64> {
        if permits > self.burst {
            return None;
        }
        let worth = (u128::from(permits) + u128::from(ahead)) * u128::from(self.per);
        let missing = worth.saturating_sub(self.level);
        let nanos = missing.div_ceil(u128::from(self.limit));
        Some(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    pub(super) fn available(&mut self, now: u64) -> u32 {
        // A reader on another runtime, whose clock is behind, changes nothing.
        if now >= self.at {
            self.refill(now);
        }
        // At most `burst`, which is a `u32`.
        u32::try_from(self.level / u128::from(self.per)).unwrap_or(u32::MAX)
    }

    /// Takes on other rates; the permits in the bucket stay, as far as they fit.
    pub(super) fn reconfigure(&mut self, settings: &Settings, now: u64) {
        self.refill(now);
        self.begun = self.beyond();
        (self.begun_at, self.passed) = (self.at, self.begun);
        let old_per = u128::from(self.per);
        self.set_rates(settings);
        let per = u128::from(self.per);
        let whole = self.level / old_per;
        let part = self.level % old_per;
        self.level = self.capacity.min(whole * per + part * per / old_per);
        self.begun_full = self.passed.wrapping_add(low(self.missing()));
    }
}

/// What is left of the way from `passed` to twice `full`; nothing if it has been gone.
fn left(full: u64, passed: u64) -> u128 {
    let way = full.wrapping_sub(passed.wrapping_mul(2));
    if way >> 63 == 0 { u128::from(way / 2) } else { 0 }
}

/// A number that runs round.
fn low(worth: u128) -> u64 {
    worth as u64
}

/// The moment of a call that read `now`, where another has looked at `at`. If that is a little later, the call was
/// overtaken, and it is no earlier now than it was there. Nothing if it is so much later that the clock may be another one.
#[inline]
pub(super) fn not_overtaken(now: u64, at: u64) -> Option<u64> {
    if now >= at { Some(now) } else { (at - now <= time::OVERTAKEN).then_some(at) }
}

fn common_divisor(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { common_divisor(other, one % other) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    /// Any moment; the far ends are as good as any other.
    const START: u64 = 1 << 60;

    fn settings(limit: u32, per: Duration, burst: u32) -> Settings {
        Settings { limit, per, burst, max_wait: Duration::ZERO }
    }

    fn any_settings() -> impl Strategy<Value = Settings> {
        let per = prop_oneof![Just(1u64), Just(1_000), Just(333_333_333), Just(1_000_000_000), 1u64..10_000_000_000];
        let count = prop_oneof![Just(1u32), Just(3), Just(u32::MAX), 1u32..1000];
        (count.clone(), per, count).prop_map(|(limit, per, burst)| settings(limit, Duration::from_nanos(per), burst))
    }

    proptest! {
        /// The promise: in any interval never more than `burst + limit · t / per`.
        #[test]
        fn never_more_than_burst_and_rate(
            settings in any_settings(),
            steps in prop::collection::vec((prop_oneof![Just(0u64), 0u64..2_000_000_000], 1u32..6), 1..60),
        ) {
            let mut bucket = Bucket::new(&settings, START);
            let mut at = 0u64;
            let mut admitted: Vec<(u64, u32)> = Vec::new();
            for (step, permits) in steps {
                at += step;
                if bucket.take(permits, START + at).is_ok() {
                    admitted.push((at, permits));
                }
            }
            let per = settings.per.as_nanos();
            for (first, (from, _)) in admitted.iter().enumerate() {
                let mut sum = 0u128;
                for (to, permits) in &admitted[first..] {
                    sum += u128::from(*permits);
                    let elapsed = u128::from(to - from);
                    prop_assert!(sum * per <= u128::from(settings.burst) * per + u128::from(settings.limit) * elapsed);
                }
            }
        }

        /// A call told to come back in a while is admitted then, and not a nanosecond before.
        #[test]
        fn the_hint_is_exact(settings in any_settings(), takes in prop::collection::vec((0u64..3_000_000_000, 1u32..6), 1..60)) {
            let mut now = START;
            let mut bucket = Bucket::new(&settings, now);
            for (step, permits) in takes {
                now += step;
                let before = bucket.clone();
                match bucket.take(permits, now) {
                    Ok(()) => {}
                    Err(None) => prop_assert!(permits > settings.burst),
                    Err(Some(wait)) => {
                        prop_assert!(wait > 0);
                        prop_assert!(before.clone().take(permits, now + wait - 1).is_err());
                        prop_assert!(before.clone().take(permits, now + wait).is_ok());
                        prop_assert!(bucket.clone().take(permits, now + wait).is_ok(), "a refusal takes nothing");
                    }
                }
            }
        }

        #[test]
        fn other_rates_keep_the_permits_that_fit(from in any_settings(), to in any_settings(), taken in 1u32..5) {
            let now = START;
            let mut bucket = Bucket::new(&from, now);
            let _ = bucket.take(taken, now);
            let before = bucket.available(now);
            bucket.reconfigure(&to, now);
            prop_assert_eq!(bucket.available(now), before.min(to.burst));
        }
    }

    #[test]
    fn rl09_odd_rates_count_exactly() {
        let admitted = |limit, per, burst, span: Duration, step: Duration| {
            let mut bucket = Bucket::new(&settings(limit, per, burst), START);
            let mut count = 0;
            let mut at = Duration::ZERO;
            while at <= span {
                count += u32::from(bucket.take(1, START + time::nanos(at)).is_ok());
                at += step;
            }
            count
        };
        let second = Duration::from_secs(1);
        assert_eq!(admitted(3, second, 1, second * 10, Duration::from_nanos(333_333_334)), 30);
        assert_eq!(admitted(1, Duration::from_nanos(1), 1, Duration::from_nanos(50), Duration::from_nanos(1)), 51);
        let mut flood = Bucket::new(&settings(u32::MAX, second, u32::MAX), START);
        assert_eq!(flood.take(u32::MAX, START), Ok(()));
        assert_eq!(flood.take(5, START), Err(Some(2)));
    }

    /// Ten are the capacity: if thirteen were missing, it was three nanoseconds later.
    #[test]
    fn more_than_there_is_was_missing_later() {
        let mut bucket = Bucket::new(&settings(1, Duration::from_nanos(10), 1), START);
        bucket.set_missing(13, START, 0);
        assert_eq!(bucket.take(1, START + 12), Err(Some(1)));
        assert_eq!(bucket.take(1, START + 13), Ok(()));
    }

    #[test]
    fn who_was_overtaken_is_served_as_of_then() {
        let mut bucket = Bucket::new(&settings(1, Duration::from_secs(1), 2), START);
        assert_eq!(bucket.take(1, START), Ok(()));
        assert_eq!(bucket.take(1, START - 500), Ok(()));
        assert_eq!(bucket.take(1, START - 500), Err(Some(1_000_000_000)));
        assert_eq!(bucket.at(), START);
    }

    #[test]
    fn another_clock_adds_nothing_and_goes_on_from_there() {
        const SECOND: u64 = 1_000_000_000;
        let mut bucket = Bucket::new(&settings(1, Duration::from_secs(1), 1), START);
        assert_eq!(bucket.take(1, START), Ok(()));
        let back = START - 50 * SECOND;
        assert_eq!(bucket.take(1, back), Err(Some(SECOND)));
        assert!(bucket.take(1, back + SECOND - 1).is_err());
        assert_eq!(bucket.take(1, back + SECOND), Ok(()));
    }
}
