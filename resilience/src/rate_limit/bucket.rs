//! The token bucket. Pure: time comes in as an argument, in nanoseconds.
//!
//! It is the generic cell rate algorithm (ITU-T I.371) kept as a level instead of a theoretical arrival time, in exact
//! integers: a permit is worth `per` in nanoseconds, and each nanosecond adds `limit`, both without their common divisor.
//! So three in a second is three in a second, and four billion are, too.

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
}

impl Bucket {
    /// Full.
    pub(super) fn new(settings: &Settings, now: u64) -> Self {
        let mut bucket = Self { limit: 1, per: 1, burst: 0, capacity: 0, level: 0, at: now };
        bucket.set_rates(settings);
        bucket.level = bucket.capacity;
        bucket
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

    /// Takes over what was counted elsewhere: so much was missing at that moment.
    pub(super) fn set_missing(&mut self, missing: u64, at: u64) {
        let (missing, limit) = (u128::from(missing), u128::from(self.limit));
        // More than there is: it was counted later than that.
        let later = missing.saturating_sub(self.capacity).div_ceil(limit);
        self.level = self.capacity - missing.saturating_sub(later * limit);
        self.at = at.saturating_add(u64::try_from(later).unwrap_or(u64::MAX));
    }

    pub(super) fn refill(&mut self, now: u64) {
        let now = not_overtaken(now, self.at).unwrap_or(now);
        // Time that goes back is another runtime's clock: it adds nothing, and counts from here on.
        let elapsed = now.saturating_sub(self.at);
        self.level = self.capacity.min(self.level + u128::from(elapsed) * u128::from(self.limit));
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
        let old_per = u128::from(self.per);
        self.set_rates(settings);
        let per = u128::from(self.per);
        let whole = self.level / old_per;
        let part = self.level % old_per;
        self.level = self.capacity.min(whole * per + part * per / old_per);
    }
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
        bucket.set_missing(13, START);
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
