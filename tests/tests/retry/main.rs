//! Retries: through `Retry`, and as attributes, on a paused clock.

mod attempts;
mod attribute;
mod limits;
mod pauses;

use resilience::Retry;
use resilience::retry::{Backoff, Config, Jitter};
use resilience_tests::{Answer, Script, ms};

/// So many attempts without a pause.
fn at_once(max_attempts: u32) -> Config {
    Config::new().max_attempts(max_attempts).base_delay(ms(0))
}

/// So many attempts, always so many milliseconds apart.
fn every(millis: u64, max_attempts: u32) -> Config {
    Config::new()
        .max_attempts(max_attempts)
        .backoff(Backoff::Constant)
        .jitter(Jitter::None)
        .base_delay(ms(millis))
        .max_delay(ms(millis))
}

/// Retries the body by the classes of its errors.
async fn retried(config: Config, body: &Script) -> Answer {
    Retry::new(config).classified().call(|| body.run()).await
}
