//! The token bucket. Pure: time comes in as an argument.
//!
//! It is the generic cell rate algorithm (ITU-T I.371) kept as a level instead of a theoretical arrival time, in exact
//! integers: a permit is worth `per` in nanoseconds, and each nanosecond adds `limit`. So three in a second is three in a
//! second, and four billion are, too.

use std::time::Duration;

use super::config::Settings;
use crate::time::{self, Instant};

#[derive(Clone, Debug)]
pub(super) struct Bucket {
    limit: u64,
    per: u64,
    burst: u32,
    capacity: u128,
    level: u128,
    /// When `level` was right.
    at: Instant,
}

impl Bucket {
    /// Full.
    pub(super) fn new(settings: &Settings, now: Instant) -> Self {
        let mut bucket = Self { limit: 1, per: 1, burst: 0, capacity: 0, level: 0, at: now };
        bucket.set_rates(settings);
        bucket.level = bucket.capacity;
        bucket
    }

    fn set_rates(&mut self, settings: &Settings) {
        self.limit = u64::from(settings.limit);
        self.per = time::nanos(settings.per);
        self.burst = settings.burst;
        self.capacity = u128::from(self.burst) * u128::from(self.per);
    }

    /// When the bucket was last looked at.
    #[inline]
    pub(super) fn at(&self) -> Instant {
        self.at
    }

    #[inline]
    pub(super) fn refill(&mut self, now: Instant) {
        // Time that goes back is another runtime's clock: it adds nothing, and counts from here on.
        let elapsed = time::nanos(now.saturating_duration_since(self.at));
        self.level = self.capacity.min(self.level + u128::from(elapsed) * u128::from(self.limit));
        self.at = now;
    }

    /// Takes so many permits, all or none.
    ///
    /// # Errors
    ///
    /// How long it takes until they are there; nothing if they never will be, since the bucket does not hold so many.
    #[inline]
    pub(super) fn take(&mut self, permits: u32, now: Instant) -> Result<(), Option<Duration>> {
        self.refill(now);
        let worth = u128::from(permits) * u128::from(self.per);
        if worth <= self.level {
            self.level -= worth;
            return Ok(());
        }
        Err(self.wait_for(permits, 0))
    }

    /// How long it takes until `permits` are there after `ahead` others have been taken, from the last refill on.
    pub(super) fn wait_for(&self, permits: u32, ahead: u64) -> Option<Duration> {
        if permits > self.burst {
            return None;
        }
        let worth = (u128::from(permits) + u128::from(ahead)) * u128::from(self.per);
        let missing = worth.saturating_sub(self.level);
        let nanos = missing.div_ceil(u128::from(self.limit));
        Some(Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)))
    }

    pub(super) fn available(&mut self, now: Instant) -> u32 {
        // A reader on another runtime, whose clock is behind, changes nothing.
        if now >= self.at {
            self.refill(now);
        }
        // At most `burst`, which is a `u32`.
        u32::try_from(self.level / u128::from(self.per)).unwrap_or(u32::MAX)
    }

    /// Takes on other rates; the permits in the bucket stay, as far as they fit.
    pub(super) fn reconfigure(&mut self, settings: &Settings, now: Instant) {
        self.refill(now);
        let old_per = u128::from(self.per);
        self.set_rates(settings);
        let per = u128::from(self.per);
        let whole = self.level / old_per;
        let part = self.level % old_per;
        self.level = self.capacity.min(whole * per + part * per / old_per);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
            let start = time::now();
            let mut bucket = Bucket::new(&settings, start);
            let mut at = 0u64;
            let mut admitted: Vec<(u64, u32)> = Vec::new();
            for (step, permits) in steps {
                at += step;
                if bucket.take(permits, start + Duration::from_nanos(at)).is_ok() {
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
            let mut now = time::now();
            let mut bucket = Bucket::new(&settings, now);
            for (step, permits) in takes {
                now += Duration::from_nanos(step);
                let before = bucket.clone();
                match bucket.take(permits, now) {
                    Ok(()) => {}
                    Err(None) => prop_assert!(permits > settings.burst),
                    Err(Some(wait)) => {
                        prop_assert!(!wait.is_zero());
                        let early = wait - Duration::from_nanos(1);
                        prop_assert!(before.clone().take(permits, now + early).is_err());
                        prop_assert!(before.clone().take(permits, now + wait).is_ok());
                        prop_assert!(bucket.clone().take(permits, now + wait).is_ok(), "a refusal takes nothing");
                    }
                }
            }
        }

        #[test]
        fn other_rates_keep_the_permits_that_fit(from in any_settings(), to in any_settings(), taken in 1u32..5) {
            let now = time::now();
            let mut bucket = Bucket::new(&from, now);
            let _ = bucket.take(taken, now);
            let before = bucket.available(now);
            bucket.reconfigure(&to, now);
            prop_assert_eq!(bucket.available(now), before.min(to.burst));
        }
    }

    #[test]
    fn rl09_odd_rates_count_exactly() {
        let start = time::now();
        let admitted = |limit, per, burst, span: Duration, step: Duration| {
            let mut bucket = Bucket::new(&settings(limit, per, burst), start);
            let mut count = 0;
            let mut at = Duration::ZERO;
            while at <= span {
                count += u32::from(bucket.take(1, start + at).is_ok());
                at += step;
            }
            count
        };
        let second = Duration::from_secs(1);
        assert_eq!(admitted(3, second, 1, second * 10, Duration::from_nanos(333_333_334)), 30);
        assert_eq!(admitted(1, Duration::from_nanos(1), 1, Duration::from_nanos(50), Duration::from_nanos(1)), 51);
        let mut flood = Bucket::new(&settings(u32::MAX, second, u32::MAX), start);
        assert_eq!(flood.take(u32::MAX, start), Ok(()));
        assert_eq!(flood.take(5, start), Err(Some(Duration::from_nanos(2))));
    }

    #[test]
    fn another_clock_adds_nothing_and_goes_on_from_there() {
        let start = time::now() + Duration::from_secs(100);
        let mut bucket = Bucket::new(&settings(1, Duration::from_secs(1), 1), start);
        assert_eq!(bucket.take(1, start), Ok(()));
        assert_eq!(bucket.take(1, start - Duration::from_secs(50)), Err(Some(Duration::from_secs(1))));
        let back = start - Duration::from_secs(50);
        assert!(bucket.take(1, back + Duration::from_millis(999)).is_err());
        assert_eq!(bucket.take(1, back + Duration::from_secs(1)), Ok(()));
    }
}
