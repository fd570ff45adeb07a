//! The clock of the tests: tokio's, paused in nearly all of them.

#![allow(clippy::disallowed_methods, reason = "the one place of the tests that names a clock")]

use std::time::Duration;

use tokio::time::Instant;

/// Milliseconds.
#[must_use]
pub const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Seconds.
#[must_use]
pub const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The present moment.
#[must_use]
pub fn now() -> Instant {
    Instant::now()
}

/// Lets time pass.
pub async fn sleep(duration: Duration) {
    tokio::time::sleep(duration).await;
}

/// Time since a test began.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// Begins now.
    #[must_use]
    pub fn start() -> Self {
        Self(now())
    }

    /// How long ago that was.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        now().saturating_duration_since(self.0)
    }

    /// Sleeps until so long after the start.
    pub async fn until(&self, after: Duration) {
        tokio::time::sleep_until(self.0 + after).await;
    }
}
