//! The options of a retry.

use std::time::Duration;

use crate::options::{Invalid, Value, config};

config! {
    /// The options of a retry, for [`Retry::new`](super::Retry::new); the attribute takes the same names.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use resilience::retry::{Config, Jitter};
    ///
    /// let config = Config::new().max_attempts(6).base_delay(Duration::from_millis(50)).jitter(Jitter::Equal);
    /// assert!(config.validate().is_ok());
    /// assert!(config.max_attempts(0).validate().is_err());
    /// ```
    "retry" {
        /// Calls the body so many times in all, the first included; at least 1; 4 by default.
        max_attempts: Count,
        /// How pauses grow; [`Backoff::Exponential`] by default.
        backoff: Backoff,
        /// The scale of the pause before the second attempt; 200 ms by default, or `max_delay` if that is less.
        base_delay: TimeOrZero,
        /// Bounds one pause, before jitter; 4 s by default, or `base_delay` if that is longer.
        max_delay: TimeOrZero,
        /// The growth of exponential pauses; at least 1; 2 by default.
        multiplier: Factor,
        /// How pauses are spread; [`Jitter::Full`] by default.
        jitter: Jitter,
        /// Starts no attempt, and sleeps no pause, that would end later than this after the first start; off by default.
        max_elapsed: Time,
        /// Waits no longer than this for a dependency that says when to come back; 30 s by default.
        ///
        /// A longer [`retry_after`](crate::Class::Overloaded) ends the attempts at once, and the error is returned with it; zero
        /// waits for none. `max_delay` does not cut what a dependency asks for.
        max_retry_after: TimeOrZero,
    }
}

pub(super) const MAX_ATTEMPTS: u32 = 4;
const BASE_DELAY: Duration = Duration::from_millis(200);
const MAX_DELAY: Duration = Duration::from_secs(4);
const MULTIPLIER: f64 = 2.0;
const MAX_RETRY_AFTER: Duration = Duration::from_secs(30);

/// How the pauses between attempts grow. The n-th pause is counted from 0; each is cut at `max_delay`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backoff {
    /// `base_delay · multiplierⁿ`.
    #[default]
    Exponential,
    /// `base_delay · (n + 1)`.
    Linear,
    /// `base_delay`.
    Constant,
    /// `base_delay` times 1, 2, 3, 5, 8, …
    Fibonacci,
}

impl Backoff {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Exponential => "exponential",
            Self::Linear => "linear",
            Self::Constant => "constant",
            Self::Fibonacci => "fibonacci",
        }
    }
}

/// How a pause is drawn from its bound `d`, so that callers that failed together do not come back together.
///
/// `d` is cut at `max_delay` first: drawing afterwards keeps callers apart also there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Jitter {
    /// Exactly `d`.
    None,
    /// Uniform in `[0, d]`.
    #[default]
    Full,
    /// Uniform in `[d/2, d]`.
    Equal,
    /// Uniform in `[base_delay, min(max_delay, 3 · previous)]`, whatever the back-off; previous starts at `base_delay`.
    Decorrelated,
}

impl Jitter {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Full => "full",
            Self::Equal => "equal",
            Self::Decorrelated => "decorrelated",
        }
    }
}

impl Config {
    const fn conflict(&self) -> Option<Invalid> {
        if let (Some(base), Some(max)) = (self.base_delay, self.max_delay) {
            if base.as_nanos() > max.as_nanos() {
                return Some(Invalid {
                    option: "base_delay",
                    value: Value::Duration(base),
                    range: "at most `max_delay`",
                    sentence: "`base_delay` must be at most `max_delay`",
                });
            }
        }
        None
    }

    /// A stronger layer replaces option by option.
    fn yield_to(self, _over: &Self) -> Self {
        self
    }

    fn filled(self) -> Self {
        let base = self.base_delay.unwrap_or(BASE_DELAY);
        let max = self.max_delay.unwrap_or(if self.base_delay.is_some() { MAX_DELAY.max(base) } else { MAX_DELAY });
        Self {
            max_attempts: self.max_attempts.or(Some(MAX_ATTEMPTS)),
            backoff: self.backoff.or(Some(Backoff::Exponential)),
            base_delay: Some(base.min(max)),
            max_delay: Some(max),
            multiplier: self.multiplier.or(Some(MULTIPLIER)),
            jitter: self.jitter.or(Some(Jitter::Full)),
            max_elapsed: self.max_elapsed,
            max_retry_after: self.max_retry_after.or(Some(MAX_RETRY_AFTER)),
        }
    }
}

/// The options in effect.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) max_attempts: u32,
    pub(super) backoff: Backoff,
    pub(super) base_delay: Duration,
    pub(super) max_delay: Duration,
    pub(super) multiplier: f64,
    pub(super) jitter: Jitter,
    pub(super) max_elapsed: Option<Duration>,
    pub(super) max_retry_after: Duration,
}

impl From<&Config> for Settings {
    fn from(config: &Config) -> Self {
        let config = config.in_range().filled();
        Self {
            max_attempts: config.max_attempts.unwrap_or(MAX_ATTEMPTS),
            backoff: config.backoff.unwrap_or_default(),
            base_delay: config.base_delay.unwrap_or(BASE_DELAY),
            max_delay: config.max_delay.unwrap_or(MAX_DELAY),
            multiplier: config.multiplier.unwrap_or(MULTIPLIER),
            jitter: config.jitter.unwrap_or_default(),
            max_elapsed: config.max_elapsed,
            max_retry_after: config.max_retry_after.unwrap_or(MAX_RETRY_AFTER),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_given_delay_moves_the_other_ones_default() {
        let long = Settings::from(&Config::new().base_delay(Duration::from_secs(10)));
        assert_eq!((long.base_delay, long.max_delay), (Duration::from_secs(10), Duration::from_secs(10)));
        let short = Settings::from(&Config::new().max_delay(Duration::from_millis(50)));
        assert_eq!((short.base_delay, short.max_delay), (Duration::from_millis(50), Duration::from_millis(50)));
    }

    #[test]
    fn values_out_of_range_become_the_nearest_valid_ones() {
        let clamped = Settings::from(&Config::new().max_attempts(0).multiplier(f64::NAN));
        assert_eq!(clamped.max_attempts, 1);
        assert!((clamped.multiplier - 1.0).abs() < f64::EPSILON);
    }
}
