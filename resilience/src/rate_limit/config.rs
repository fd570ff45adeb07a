//! The options of a rate limiter.

use std::time::Duration;

use crate::options::{Invalid, config};

config! {
    /// The options of a rate limiter, for [`RateLimiter::register`](super::RateLimiter::register); the attribute takes
    /// the same names.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use resilience::{RateLimiter, rate_limit};
    ///
    /// let config = rate_limit::Config::new().limit(100).per(Duration::from_secs(60)).burst(10);
    /// RateLimiter::register("geocoder", config)?;
    /// # Ok::<(), resilience::ConfigError>(())
    /// ```
    "rate_limit" {
        /// Lets so many permits through in each `per`; at least 1; required.
        limit: Count,
        /// The time that `limit` is for; 1 s by default.
        per: Time,
        /// Lets so many permits through at once after a quiet time; at least 1; `limit` by default.
        burst: Count,
        /// Lets a call wait so long for its turn; 0 by default: a call that would have to wait is refused at once.
        ///
        /// Waits end on whole milliseconds: a `burst` smaller than what a millisecond brings slows the line down to one
        /// burst a millisecond.
        max_wait: TimeOrZero,
    }
}

const PER: Duration = Duration::from_secs(1);

impl Config {
    /// No two options are ever at odds.
    const fn conflict(&self) -> Option<Invalid> {
        None
    }

    /// A stronger layer replaces option by option.
    fn yield_to(self, _over: &Self) -> Self {
        self
    }

    /// There is no default for `limit`: a limiter without one is misconfigured.
    fn filled(self) -> Self {
        Self {
            limit: self.limit,
            per: self.per.or(Some(PER)),
            burst: self.burst.or(self.limit),
            max_wait: self.max_wait.or(Some(Duration::ZERO)),
        }
    }
}

/// The options in effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) limit: u32,
    pub(super) per: Duration,
    pub(super) burst: u32,
    pub(super) max_wait: Duration,
}

impl Settings {
    /// Nothing without a limit.
    pub(super) fn of(config: &Config) -> Option<Self> {
        let config = config.filled();
        let limit = config.limit?;
        Some(Self {
            limit,
            per: config.per.unwrap_or(PER),
            burst: config.burst.unwrap_or(limit),
            max_wait: config.max_wait.unwrap_or_default(),
        })
    }
}
