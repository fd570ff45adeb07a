//! The options of a bulkhead.

use std::time::Duration;

use crate::options::{Invalid, config};

config! {
    /// The options of a bulkhead, for [`Bulkhead::register`](super::Bulkhead::register); the attribute takes the same
    /// names.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use resilience::{Bulkhead, bulkhead};
    ///
    /// let config = bulkhead::Config::new().max_concurrent(8).max_wait(Duration::from_millis(50)).max_queue(16);
    /// Bulkhead::register("exports", config)?;
    /// # Ok::<(), resilience::ConfigError>(())
    /// ```
    "bulkhead" {
        /// Lets so many calls run at once; at least 1; 25 by default.
        max_concurrent: Count,
        /// Lets a call wait so long for a slot; 0 by default: a full bulkhead refuses at once.
        max_wait: TimeOrZero,
        /// Lets so many calls wait at once, where `max_wait` is given; `max_concurrent` by default.
        max_queue: CountOrZero,
    }
}

const MAX_CONCURRENT: u32 = 25;

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
        let max_concurrent = self.max_concurrent.unwrap_or(MAX_CONCURRENT);
        Self {
            max_concurrent: Some(max_concurrent),
            max_wait: self.max_wait.or(Some(Duration::ZERO)),
            max_queue: self.max_queue.or(Some(max_concurrent)),
        }
    }
}

/// The options in effect.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) max_concurrent: u32,
    pub(super) max_wait: Duration,
    pub(super) max_queue: u32,
}

impl From<&Config> for Settings {
    fn from(config: &Config) -> Self {
        let config = config.filled();
        let max_concurrent = config.max_concurrent.unwrap_or(MAX_CONCURRENT);
        Self {
            max_concurrent,
            max_wait: config.max_wait.unwrap_or_default(),
            max_queue: config.max_queue.unwrap_or(max_concurrent),
        }
    }
}
