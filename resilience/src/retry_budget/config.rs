//! The options of a retry budget.

use std::time::Duration;

use crate::options::{Invalid, config};

config! {
    /// The options of a retry budget, for [`RetryBudget::register`](super::RetryBudget::register).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use resilience::{RetryBudget, retry_budget};
    ///
    /// let config = retry_budget::Config::new().ratio(0.1).min_per_second(5).ttl(Duration::from_secs(10));
    /// RetryBudget::register("db", config)?;
    /// # Ok::<(), resilience::ConfigError>(())
    /// ```
    "retry_budget" {
        /// Allows so many retries for each first attempt; at least 0; 0.2 by default.
        ratio: Ratio,
        /// Allows so many retries a second whatever the first attempts, at most a second's worth at once; 10 by default.
        ///
        /// It holds for each process: keep it well below the rate of the program's own calls.
        min_per_second: CountOrZero,
        /// Forgets what first attempts have earned after so long; 10 s by default.
        ttl: Time,
    }
}

const RATIO: f64 = 0.2;
const MIN_PER_SECOND: u32 = 10;
const TTL: Duration = Duration::from_secs(10);

impl Config {
    /// No two options are ever at odds.
    const fn conflict(&self) -> Option<Invalid> {
        None
    }

    /// A stronger layer replaces option by option.
    fn yield_to(self, _over: &Self) -> Self {
        self
    }

    fn filled(self) -> Self {
        Self {
            ratio: self.ratio.or(Some(RATIO)),
            min_per_second: self.min_per_second.or(Some(MIN_PER_SECOND)),
            ttl: self.ttl.or(Some(TTL)),
        }
    }
}

/// The options in effect.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) ratio: f64,
    pub(super) min_per_second: u32,
    pub(super) ttl: Duration,
}

impl From<&Config> for Settings {
    fn from(config: &Config) -> Self {
        let config = config.filled();
        Self {
            ratio: config.ratio.unwrap_or(RATIO),
            min_per_second: config.min_per_second.unwrap_or(MIN_PER_SECOND),
            ttl: config.ttl.unwrap_or(TTL),
        }
    }
}
