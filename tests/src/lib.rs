//! What the tests share: scripted bodies, a log of events, futures driven by hand, and breakers driven by a line of text.
//!
//! Policies are global and tests run in parallel, so every test takes names of its own from [`unique`].

mod dice;
mod drive;
mod events;
mod fault;
mod play;
mod release;
mod script;
mod time;

use std::sync::atomic::{AtomicU32, Ordering};

pub use dice::Dice;
pub use drive::{alone, inside_somebody_elses_panic, outside_of_any_runtime, poll_times, polls};
pub use events::EventLog;
pub use fault::{Answer, Fault, cut_by_deadline, refusal};
pub use play::{call, play, trip};
pub use release::is_pinned_release;
pub use script::{Probe, Script, Step};
pub use time::{Clock, ms, now, secs, sleep};

use resilience::{
    Bulkhead, CircuitBreaker, RateLimiter, RetryBudget, bulkhead, circuit_breaker, rate_limit, retry_budget,
};

/// A name that no other test uses.
#[must_use]
pub fn unique(prefix: &str) -> &'static str {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("{prefix}-{}", NEXT.fetch_add(1, Ordering::Relaxed)).leak()
}

/// A breaker under a name of its own.
///
/// # Panics
///
/// If the options cannot be used.
#[must_use]
pub fn breaker(config: circuit_breaker::Config) -> CircuitBreaker {
    CircuitBreaker::register(unique("breaker"), config).expect("valid options")
}

/// A bulkhead under a name of its own.
///
/// # Panics
///
/// If the options cannot be used.
#[must_use]
pub fn bulkhead(config: bulkhead::Config) -> Bulkhead {
    Bulkhead::register(unique("bulkhead"), config).expect("valid options")
}

/// A rate limiter under a name of its own.
///
/// # Panics
///
/// If the options cannot be used.
#[must_use]
pub fn limiter(config: rate_limit::Config) -> RateLimiter {
    RateLimiter::register(unique("limiter"), config).expect("valid options")
}

/// A retry budget under a name of its own.
///
/// # Panics
///
/// If the options cannot be used.
#[must_use]
pub fn budget(config: retry_budget::Config) -> RetryBudget {
    RetryBudget::register(unique("budget"), config).expect("valid options")
}
