//! Options that are expressions, in every form.

use super::*;
use std::time::Duration;

const NAME: &str = "shapes-values";
const CALLS: u32 = 20;

struct Configured {
    attempts: u32,
    limit: Duration,
    made: &'static Attempts,
}

impl Configured {
    #[retry(
        max_attempts = self.attempts,
        backoff = retry::Backoff::Linear,
        base_delay = Duration::ZERO,
        max_delay = "1h30m",
        multiplier = 2,
        jitter = "none",
        max_elapsed = 1.5s,
        name = "label",
        when = |error: &Error| error.kind() == std::io::ErrorKind::Other,
        on_retry = count,
    )]
    #[circuit_breaker(NAME, window_calls = CALLS * 2, min_calls = 1_0, failure_rate = "50%", cooldown = Duration::from_secs(5), when = is_other)]
    #[bulkhead(name = "shapes-values", max_wait = "10ms")]
    #[timeout(self.limit, name = "label")]
    async fn every_form(&self) -> Result<u32> {
        self.made.next()
    }
}

static COUNTED: AtomicU32 = AtomicU32::new(0);

fn count(attempt: &resilience::RetryAttempt<'_, Error>) {
    COUNTED.fetch_add(attempt.attempt, Ordering::SeqCst);
}

fn is_other(error: &Error) -> bool {
    error.kind() == std::io::ErrorKind::Other
}

mod name {
    pub(super) const LIMIT: std::time::Duration = std::time::Duration::from_secs(1);
}

fn duration(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

// First values that begin like a key.
#[timeout(duration(9))]
#[timeout(crate::values::duration(8))]
#[timeout(name::LIMIT, name = "limit")]
#[bulkhead(crate::values::NAME)]
#[allow(unused_qualifications, reason = "`crate::` is what is tested")]
async fn like_keys() -> Result<u32> {
    Ok(1)
}

#[retry(max_attempts = limits.0, base_delay = limits.1)]
#[timeout(limits.1.max(Duration::from_secs(1)))]
async fn from_arguments(limits: (u32, Duration), attempts: &Attempts) -> Result<u32> {
    attempts.next()
}

#[retry(when = |error| words.iter().all(|word| !error.to_string().contains(word)), base_delay = 0ms)]
async fn asked_about_arguments(words: Vec<String>, attempts: &Attempts) -> Result<usize> {
    attempts.next()?;
    Ok(words.into_iter().count())
}

#[::resilience::retry(crate = ::resilience, base_delay = 0ms)]
#[resilience::circuit_breaker]
#[::resilience::timeout(100ms)]
async fn qualified(attempts: &Attempts) -> Result<u32> {
    attempts.next()
}

#[tokio::test(start_paused = true)]
async fn every_form_of_value() {
    let limit = Duration::from_secs(1);
    assert_eq!(call(3, |made| async move { Configured { attempts: 3, limit, made }.every_form().await }).await, 3);
    assert_eq!(COUNTED.load(Ordering::SeqCst), 1 + 2);
    assert_eq!(like_keys().await.unwrap(), 1);
    let limits = (2, Duration::from_millis(1));
    assert_eq!(call(2, |n| from_arguments(limits, n)).await, 2);
    assert_eq!(call(3, |n| asked_about_arguments(vec!["x".to_owned()], n)).await, 1);
    let refused = asked_about_arguments(vec!["attempt 2".to_owned()], Attempts::needed(3)).await.unwrap_err();
    assert_eq!(refused.to_string(), "attempt 2");
    assert_eq!(call(3, qualified).await, 3);
}
