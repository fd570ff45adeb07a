//! The run's clock: every moment in these programs is a [`Duration`] since the run began.

use std::time::Duration;

use tokio::time::Instant;

/// Started once, copied to whoever needs to know how late it is.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// Begins the run.
    #[allow(clippy::disallowed_methods, reason = "the library's clock is private; this is the examples' only one")]
    #[must_use]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// How long the run has been going on.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }

    /// Waits until the run has been going on for that long.
    pub async fn until(self, at: Duration) {
        tokio::time::sleep_until(self.0 + at).await;
    }

    /// Waits for that long from now.
    pub async fn pause(self, pause: Duration) {
        self.until(self.elapsed() + pause).await;
    }
}
