//! How long to pause. Pure: chance comes in as a number.
//!
//! Sources: exponential back-off with full, equal and decorrelated jitter as in Marc Brooker's "Exponential Backoff And
//! Jitter" (AWS Architecture Blog, 2015); the bound is cut before the draw.

use std::time::Duration;

use super::config::{Backoff, Jitter, Settings};
use crate::time::{nanos, scale};

/// The pauses of one call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pauses {
    /// The last one in nanoseconds, zero before it; decorrelated jitter grows from it.
    previous: u64,
}

/// A pause: so long at least, which must fit, and then a part that may be shorter where time is short.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pausing {
    pub(super) least: Duration,
    /// The part is drawn from zero to this.
    width: Duration,
    unit: f64,
}

impl Pausing {
    /// The pause, where there is so much time for its second part. That is spread over what there is: cut after the draw,
    /// many would come back in the last moment.
    pub(super) fn within(self, room: Duration) -> Duration {
        let width = self.width.min(room);
        self.least.saturating_add(scale(width, self.unit, width))
    }
}

impl Pauses {
    pub(super) const fn new() -> Self {
        Self { previous: 0 }
    }

    /// The next pause, the n-th counted from 0, after the dependency has perhaps asked for a wait; `unit` is uniform in
    /// `[0, 1)`.
    ///
    /// Those who were told to come back in the same moment do not: what is drawn comes on top of what they were told.
    pub(super) fn next(&mut self, settings: &Settings, n: u32, hint: Option<Duration>, unit: f64) -> Pausing {
        let (delay, cap) = self.drawn(settings, n, unit);
        let (least, width) = match hint.unwrap_or_default() {
            hint if hint.is_zero() => (delay, Duration::ZERO),
            hint if settings.jitter == Jitter::None => (delay.max(hint), Duration::ZERO),
            hint => (hint, cap.max(hint / 10)),
        };
        Pausing { least, width, unit }
    }

    /// A pause, and the longest that could have been drawn.
    fn drawn(&mut self, settings: &Settings, n: u32, unit: f64) -> (Duration, Duration) {
        let bound = bound(settings, n);
        let (pause, cap) = match settings.jitter {
            Jitter::None => (bound, bound),
            Jitter::Full => (scale(bound, unit, bound), bound),
            Jitter::Equal => (scale(bound, 0.5 + unit / 2.0, bound), bound),
            Jitter::Decorrelated => {
                let base = settings.base_delay;
                let previous = if self.previous == 0 { base } else { Duration::from_nanos(self.previous) };
                let upper = previous.saturating_mul(3).min(settings.max_delay).max(base);
                let width = upper.saturating_sub(base);
                (base.saturating_add(scale(width, unit, width)), upper)
            }
        };
        self.previous = nanos(pause);
        (pause, cap)
    }
}

/// The longest n-th pause, n counted from 0.
fn bound(settings: &Settings, n: u32) -> Duration {
    let Settings { backoff, base_delay, max_delay, multiplier, .. } = *settings;
    match backoff {
        Backoff::Constant => base_delay.min(max_delay),
        Backoff::Linear => base_delay.saturating_mul(n.saturating_add(1)).min(max_delay),
        Backoff::Fibonacci => base_delay.saturating_mul(fibonacci(n)).min(max_delay),
        Backoff::Exponential => {
            if n == 0 || base_delay.is_zero() {
                return base_delay.min(max_delay);
            }
            // Beyond `i32` any multiplier above 1 has overflown, and 1 stays 1.
            scale(base_delay, multiplier.powi(i32::try_from(n).unwrap_or(i32::MAX)), max_delay)
        }
    }
}

/// 1, 2, 3, 5, 8, …
fn fibonacci(n: u32) -> u32 {
    let (mut current, mut next) = (1u32, 2u32);
    for _ in 0..n {
        if current == u32::MAX {
            break;
        }
        (current, next) = (next, current.saturating_add(next));
    }
    current
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::config::Config;
    use super::*;

    fn millis(pauses: &[Duration]) -> Vec<u128> {
        pauses.iter().map(Duration::as_millis).collect()
    }

    fn pauses(config: Config, number: u32, unit: f64) -> Vec<Duration> {
        let settings = Settings::from(&config);
        let mut pauses = Pauses::new();
        (0..number).map(|n| pauses.next(&settings, n, None, unit).within(Duration::MAX)).collect()
    }

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn every_backoff_grows_as_its_name_says_up_to_the_cap() {
        let config = Config::new().base_delay(ms(100)).max_delay(ms(1000)).jitter(Jitter::None);
        let grow = |backoff| millis(&pauses(config.backoff(backoff), 6, 0.0));
        assert_eq!(grow(Backoff::Exponential), [100, 200, 400, 800, 1000, 1000]);
        assert_eq!(grow(Backoff::Linear), [100, 200, 300, 400, 500, 600]);
        assert_eq!(grow(Backoff::Constant), [100; 6]);
        assert_eq!(grow(Backoff::Fibonacci), [100, 200, 300, 500, 800, 1000]);
    }

    #[test]
    fn every_jitter_draws_from_its_interval() {
        let config = Config::new().base_delay(ms(100)).max_delay(ms(1000));
        let draw = |jitter, unit| millis(&pauses(config.jitter(jitter), 4, unit));
        assert_eq!(draw(Jitter::Full, 0.0), [0; 4]);
        assert_eq!(draw(Jitter::Full, 0.5), [50, 100, 200, 400]);
        assert_eq!(draw(Jitter::Equal, 0.0), [50, 100, 200, 400]);
        assert_eq!(draw(Jitter::Equal, 0.5), [75, 150, 300, 600]);
        assert_eq!(draw(Jitter::Decorrelated, 0.0), [100; 4]);
        // 100 + 0.5 · (300 − 100), then 100 + 0.5 · (600 − 100), …
        assert_eq!(draw(Jitter::Decorrelated, 0.5), [200, 350, 550, 550]);
    }

    #[test]
    fn bo01_growth_saturates_at_any_attempt() {
        let capped = Config::new().base_delay(ms(1)).max_delay(ms(10)).jitter(Jitter::None);
        let total: Duration = pauses(capped, 4_999, 0.0).iter().sum();
        assert_eq!(total, ms(1 + 2 + 4 + 8 + 4_995 * 10));
        let huge = Config::new().base_delay(Duration::MAX).max_delay(Duration::MAX).jitter(Jitter::None);
        assert_eq!(pauses(huge, 2, 0.0), [Duration::MAX; 2]);
    }

    #[test]
    fn bo03_the_cap_holds_on_every_path() {
        let config =
            Config::new().base_delay(Duration::from_secs(2)).max_delay(Duration::from_secs(300)).jitter(Jitter::None);
        assert!(pauses(config, 3_000, 0.0).iter().skip(8).all(|pause| *pause == Duration::from_secs(300)));
    }

    fn any_config() -> impl Strategy<Value = Config> {
        let delay = prop_oneof![
            Just(Duration::ZERO),
            Just(Duration::from_nanos(1)),
            Just(Duration::MAX),
            (0u64..10_000_000).prop_map(Duration::from_micros)
        ];
        let backoff = prop_oneof![
            Just(Backoff::Exponential),
            Just(Backoff::Linear),
            Just(Backoff::Constant),
            Just(Backoff::Fibonacci)
        ];
        let jitter =
            prop_oneof![Just(Jitter::None), Just(Jitter::Full), Just(Jitter::Equal), Just(Jitter::Decorrelated)];
        (delay.clone(), delay, 0.0f64..1e9, backoff, jitter).prop_map(|(base, max, multiplier, backoff, jitter)| {
            Config::new().base_delay(base).max_delay(max).multiplier(multiplier).backoff(backoff).jitter(jitter)
        })
    }

    fn any_hint() -> impl Strategy<Value = Duration> {
        prop_oneof![
            Just(Duration::ZERO),
            Just(Duration::from_nanos(1)),
            Just(Duration::MAX),
            (0u64..100_000_000).prop_map(Duration::from_micros)
        ]
    }

    proptest! {
        #[test]
        fn bo05_a_pause_is_never_longer_than_the_cap(config in any_config(), units in prop::collection::vec(0.0f64..1.0, 1..80)) {
            let settings = Settings::from(&config);
            let mut pauses = Pauses::new();
            for (n, unit) in (0..).zip(units) {
                prop_assert!(pauses.next(&settings, n, None, unit).within(Duration::MAX) <= settings.max_delay);
            }
        }

        /// Not before the moment that was named; beyond it by no more than the longest pause, or a tenth of the wait.
        #[test]
        fn a_hint_is_never_undercut_and_exceeded_by_the_pauses_cap_or_a_tenth(
            config in any_config(),
            hints in prop::collection::vec((any_hint(), 0.0f64..1.0, any_hint()), 1..80),
        ) {
            let settings = Settings::from(&config);
            let (mut pauses, mut alone) = (Pauses::new(), Pauses::new());
            for (n, (hint, unit, room)) in (0..).zip(hints) {
                let (delay, cap) = alone.drawn(&settings, n, unit);
                let pausing = pauses.next(&settings, n, Some(hint), unit);
                let pause = pausing.within(room);
                if hint.is_zero() {
                    prop_assert_eq!(pause, delay);
                } else if settings.jitter == Jitter::None {
                    prop_assert_eq!(pause, delay.max(hint));
                } else {
                    prop_assert!(pause >= hint);
                    prop_assert!(pause <= hint.saturating_add(cap.max(hint / 10).min(room)));
                    prop_assert_eq!(pausing.least, hint, "only the hint can fail to fit");
                }
            }
        }

        #[test]
        fn the_part_beyond_a_hint_fills_its_interval(config in any_config(), hint in any_hint()) {
            let settings = Settings::from(&config);
            prop_assume!(!hint.is_zero() && settings.jitter != Jitter::None);
            let at = |unit, room| Pauses::new().next(&settings, 0, Some(hint), unit).within(room);
            let (_, cap) = Pauses::new().drawn(&settings, 0, 0.0);
            let width = cap.max(hint / 10);
            prop_assert_eq!(at(0.0, Duration::MAX), hint);
            prop_assert_eq!(at(0.5, Duration::MAX), hint.saturating_add(scale(width, 0.5, width)));
            // Where there is less room, it fills that.
            prop_assert_eq!(at(0.5, width / 3), hint.saturating_add(scale(width / 3, 0.5, width)));
            prop_assert_eq!(at(0.9, Duration::ZERO), hint);
        }
    }
}
