//! The options of a circuit breaker.

use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

use crate::options::{Invalid, Value, config};
use crate::time;

config! {
    /// The options of a circuit breaker, for [`CircuitBreaker::register`](super::CircuitBreaker::register); the
    /// attribute takes the same names.
    ///
    /// A value out of range is kept, and refused where the configuration is used.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use resilience::{CircuitBreaker, circuit_breaker};
    ///
    /// let config = circuit_breaker::Config::new().failure_rate(0.3).window(Duration::from_secs(60));
    /// CircuitBreaker::register("inventory", config)?;
    ///
    /// let refused = CircuitBreaker::register("inventory", config.failure_rate(1.5)).unwrap_err();
    /// assert_eq!(refused.to_string(), "circuit_breaker `inventory`: `failure_rate` is 1.5, but must be at least 0 and below 1");
    /// # Ok::<(), resilience::ConfigError>(())
    /// ```
    "circuit_breaker" {
        /// Opens when the rate of failures is **greater than** this; in `[0, 1)`; 0.5 by default.
        ///
        /// It is evaluated on every recorded result, from `min_calls` on.
        failure_rate: Rate,
        /// Looks at the last so many calls; at least 1 and at most 16,777,216; 100 by default, unless `window` is given.
        ///
        /// Each takes two bits, made anew with each change of state: for a longer past, `window` takes the same room for any
        /// number of calls.
        window_calls: Count,
        /// Looks at the calls of the last so long, in buckets of a tenth; instead of `window_calls`.
        window: Time,
        /// Gives no verdict on rates below so many recorded calls; 10 by default, or `window_calls` if that is less.
        min_calls: Count,
        /// Opens also after so many failures in a row, whatever `min_calls` says; off by default.
        consecutive_failures: Count,
        /// Counts a call that takes longer as slow, whether it failed or not, or was dropped after that; off by default.
        ///
        /// Taken away from a live breaker, it takes what it has counted along.
        slow_call: Time,
        /// Opens when the rate of slow calls is greater than this; in `[0, 1)`; needs `slow_call`; 0.5 by default.
        slow_call_rate: Rate,
        /// Stays open so long before trial calls are let through; 30 s by default, or `max_cooldown` if that is less.
        cooldown: Time,
        /// Multiplies the cooldown after each failed recovery; at least 1; 1 by default.
        cooldown_multiplier: Factor,
        /// Bounds the cooldown; 5 min by default, or `cooldown` if that is longer.
        max_cooldown: Time,
        /// Closes after so many successful trial calls; one failure opens again; 5 by default.
        success_threshold: Count,
        /// Lets through so many trial calls at once, at most `success_threshold`; the same by default.
        max_probes: Count,
        /// Gives the slot of a trial call older than this to others; its result counts all the same; `cooldown` by default.
        probe_timeout: Time,
    }
}

const FAILURE_RATE: f64 = 0.5;
const WINDOW_CALLS: u32 = 100;
/// What an option takes in memory is bounded by its range: two bits a call, four megabytes at most, which a breaker makes anew
/// with every change of state, under its lock. Nobody waits for a verdict over more.
const MOST_WINDOW_CALLS: u32 = 1 << 24;
const MIN_CALLS: u32 = 10;
const SLOW_CALL_RATE: f64 = 0.5;
const COOLDOWN: Duration = Duration::from_secs(30);
const MAX_COOLDOWN: Duration = Duration::from_secs(5 * 60);
const SUCCESS_THRESHOLD: u32 = 5;

impl Config {
    /// Rules between options, and a bound; each names the option to mend.
    const fn conflict(&self) -> Option<Invalid> {
        if let (Some(_), Some(window)) = (self.window_calls, self.window) {
            return invalid(
                "window",
                Value::Duration(window),
                "left out where `window_calls` is given",
                "`window` and `window_calls` exclude each other: give one of the two",
            );
        }
        if let Some(calls) = self.window_calls {
            if calls > MOST_WINDOW_CALLS {
                return invalid(
                    "window_calls",
                    Value::Count(calls),
                    "at most 16,777,216",
                    "`window_calls` must be at most 16,777,216: for a longer past give a `window` of time",
                );
            }
        }
        if let (Some(min), Some(calls)) = (self.min_calls, self.window_calls_in_effect()) {
            if min > calls {
                return invalid(
                    "min_calls",
                    Value::Count(min),
                    "at most `window_calls` (100 by default)",
                    "`min_calls` must be at most `window_calls` (100 by default): the window never holds more",
                );
            }
        }
        if let (Some(rate), None) = (self.slow_call_rate, self.slow_call) {
            return invalid(
                "slow_call_rate",
                Value::Number(rate),
                "given together with `slow_call`",
                "`slow_call_rate` needs `slow_call`, for example `slow_call = \"2s\"`",
            );
        }
        if let (Some(cooldown), Some(max)) = (self.cooldown, self.max_cooldown) {
            if cooldown.as_nanos() > max.as_nanos() {
                return invalid(
                    "cooldown",
                    Value::Duration(cooldown),
                    "at most `max_cooldown`",
                    "`cooldown` must be at most `max_cooldown`",
                );
            }
        }
        if let Some(probes) = self.max_probes {
            let threshold = match self.success_threshold {
                Some(threshold) => threshold,
                None => SUCCESS_THRESHOLD,
            };
            if probes > threshold {
                return invalid(
                    "max_probes",
                    Value::Count(probes),
                    "at most `success_threshold` (5 by default)",
                    "`max_probes` must be at most `success_threshold` (5 by default)",
                );
            }
        }
        None
    }

    const fn window_calls_in_effect(&self) -> Option<u32> {
        match (self.window_calls, self.window) {
            (Some(calls), _) if calls > MOST_WINDOW_CALLS => Some(MOST_WINDOW_CALLS),
            (Some(calls), _) => Some(calls),
            (None, None) => Some(WINDOW_CALLS),
            (None, Some(_)) => None,
        }
    }

    /// A stronger layer's kind of window replaces a weaker layer's.
    fn yield_to(mut self, over: &Self) -> Self {
        if over.window.is_some() {
            self.window_calls = None;
        }
        if over.window_calls.is_some() {
            self.window = None;
        }
        self
    }

    fn filled(self) -> Self {
        let window_calls = if self.window.is_some() { None } else { self.window_calls_in_effect() };
        let min_calls = self.min_calls.unwrap_or(MIN_CALLS).min(window_calls.unwrap_or(u32::MAX));
        let cooldown = self.cooldown.unwrap_or_else(|| COOLDOWN.min(self.max_cooldown.unwrap_or(COOLDOWN)));
        let success_threshold = self.success_threshold.unwrap_or(SUCCESS_THRESHOLD);
        Self {
            failure_rate: self.failure_rate.or(Some(FAILURE_RATE)),
            window_calls,
            window: self.window,
            min_calls: Some(min_calls),
            consecutive_failures: self.consecutive_failures,
            slow_call: self.slow_call,
            slow_call_rate: self.slow_call.and(self.slow_call_rate.or(Some(SLOW_CALL_RATE))),
            cooldown: Some(cooldown),
            cooldown_multiplier: self.cooldown_multiplier.or(Some(1.0)),
            max_cooldown: Some(self.max_cooldown.unwrap_or(MAX_COOLDOWN).max(cooldown)),
            success_threshold: Some(success_threshold),
            max_probes: Some(self.max_probes.unwrap_or(success_threshold).min(success_threshold)),
            probe_timeout: self.probe_timeout.or(Some(cooldown)),
        }
    }
}

const fn invalid(option: &'static str, value: Value, range: &'static str, sentence: &'static str) -> Option<Invalid> {
    Some(Invalid { option, value, range, sentence })
}

/// The options in effect, in the form the state machine works with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) failure_rate: f64,
    pub(super) window: Span,
    pub(super) min_calls: u32,
    pub(super) consecutive_failures: Option<NonZeroU32>,
    pub(super) slow: Option<Slow>,
    pub(super) cooldown: Duration,
    pub(super) cooldown_multiplier: f64,
    pub(super) max_cooldown: Duration,
    pub(super) success_threshold: u32,
    pub(super) max_probes: u32,
    /// In nanoseconds: longer ones than fit are for ever anyhow.
    pub(super) probe_timeout: u64,
}

/// Which calls are slow, and how many are too many: without the one there is no other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slow {
    /// In nanoseconds; a call that takes longer is slow.
    pub(super) limit: NonZeroU64,
    pub(super) rate: f64,
}

impl Settings {
    pub(super) fn cooldown_after(&self, failed_recoveries: u32) -> Duration {
        if failed_recoveries == 0 {
            return self.cooldown.min(self.max_cooldown);
        }
        let growth = self.cooldown_multiplier.powi(i32::try_from(failed_recoveries).unwrap_or(i32::MAX));
        time::scale(self.cooldown, growth, self.max_cooldown)
    }
}

/// What the window spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Span {
    Calls(u32),
    Time(Duration),
}

impl From<&Config> for Settings {
    fn from(config: &Config) -> Self {
        let config = config.filled();
        let cooldown = config.cooldown.unwrap_or(COOLDOWN);
        Self {
            failure_rate: config.failure_rate.unwrap_or(FAILURE_RATE),
            window: match config.window {
                Some(window) => Span::Time(window),
                None => Span::Calls(config.window_calls.unwrap_or(WINDOW_CALLS)),
            },
            min_calls: config.min_calls.unwrap_or(MIN_CALLS),
            consecutive_failures: config.consecutive_failures.and_then(|limit| NonZeroU32::new(limit.max(1))),
            slow: config.slow_call.map(|limit| Slow {
                limit: NonZeroU64::MIN.saturating_add(time::nanos(limit).saturating_sub(1)),
                rate: config.slow_call_rate.unwrap_or(SLOW_CALL_RATE),
            }),
            cooldown,
            cooldown_multiplier: config.cooldown_multiplier.unwrap_or(1.0),
            max_cooldown: config.max_cooldown.unwrap_or(MAX_COOLDOWN),
            success_threshold: config.success_threshold.unwrap_or(SUCCESS_THRESHOLD),
            max_probes: config.max_probes.unwrap_or(SUCCESS_THRESHOLD),
            probe_timeout: time::nanos(config.probe_timeout.unwrap_or(cooldown)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    #[test]
    fn defaults_follow_the_options_they_depend_on() {
        let small =
            Settings::from(&Config::new().window_calls(4).cooldown(Duration::from_secs(600)).success_threshold(2));
        assert_eq!((small.min_calls, small.max_probes), (4, 2));
        assert_eq!((small.max_cooldown, small.probe_timeout), (Duration::from_secs(600), 600_000_000_000));
        let timed = Settings::from(&Config::new().window(Duration::from_secs(60)).max_cooldown(Duration::from_secs(5)));
        assert_eq!((timed.min_calls, timed.window), (10, Span::Time(Duration::from_secs(60))));
        assert_eq!(timed.cooldown, Duration::from_secs(5));
    }

    #[test]
    fn a_stronger_layer_may_change_the_kind_of_window() {
        let merged = Config::new().window_calls(50).overlay(Config::new().window(Duration::from_secs(10)));
        assert_eq!(merged.problem(), None);
        assert_eq!(Settings::from(&merged).window, Span::Time(Duration::from_secs(10)));
    }

    #[test]
    fn rules_between_options_name_the_option_to_mend() {
        let option = |config: Config| config.problem().map(|invalid| invalid.option);
        assert_eq!(option(Config::new().window_calls(5).window(Duration::from_secs(1))), Some("window"));
        assert_eq!(option(Config::new().window_calls(5).min_calls(6)), Some("min_calls"));
        assert_eq!(option(Config::new().min_calls(101)), Some("min_calls"));
        assert_eq!(option(Config::new().window_calls(16_777_216).min_calls(16_777_216)), None);
        assert_eq!(option(Config::new().window_calls(16_777_217)), Some("window_calls"));
        assert_eq!(Settings::from(&Config::new().window_calls(u32::MAX)).window, Span::Calls(16_777_216));
        assert_eq!(option(Config::new().window(Duration::from_secs(1)).min_calls(101)), None);
        assert_eq!(option(Config::new().slow_call_rate(0.5)), Some("slow_call_rate"));
        assert_eq!(option(Config::new().max_probes(6)), Some("max_probes"));
        assert_eq!(
            option(Config::new().cooldown(Duration::from_secs(2)).max_cooldown(Duration::from_secs(1))),
            Some("cooldown")
        );
    }
}
