//! The ways to retry, side by side.

use std::time::Duration;

use resilience::retry::{Backoff, Jitter};
use resilience::{circuit_breaker, retry, retry_budget};

/// One way to retry.
pub(crate) struct Strategy {
    pub(crate) name: &'static str,
    pub(crate) retry: retry::Config,
    pub(crate) budget: Option<retry_budget::Config>,
    pub(crate) breaker: Option<circuit_breaker::Config>,
}

/// Patient clients: what they do while they wait is what makes the difference. Full jitter is the library's default.
const RETRY: retry::Config = retry::Config::new().max_attempts(12).base_delay(Duration::from_millis(500));

/// One retry for five requests, and one a second for each program: the library's default of ten a second would be as
/// many as a program of a hundred clients has requests.
const BUDGET: retry_budget::Config = retry_budget::Config::new().min_per_second(1);

/// The library's default, but for the cooldown: half a minute is longer than the failure.
const BREAKER: circuit_breaker::Config = circuit_breaker::Config::new().cooldown(Duration::from_secs(6));

pub(crate) const FULL_JITTER: Strategy = only("full jitter", RETRY);

pub(crate) const ALL_POLICIES: Strategy =
    Strategy { budget: Some(BUDGET), breaker: Some(BREAKER), ..only("full + budget + breaker", RETRY) };

pub(crate) const STRATEGIES: [Strategy; 7] = [
    only("fixed 500 ms", RETRY.backoff(Backoff::Constant).jitter(Jitter::None)),
    only("exponential", RETRY.jitter(Jitter::None)),
    only("equal jitter", RETRY.jitter(Jitter::Equal)),
    FULL_JITTER,
    only("decorrelated jitter", RETRY.jitter(Jitter::Decorrelated)),
    Strategy { budget: Some(BUDGET), ..only("full + budget", RETRY) },
    ALL_POLICIES,
];

const fn only(name: &'static str, retry: retry::Config) -> Strategy {
    Strategy { name, retry, budget: None, breaker: None }
}
