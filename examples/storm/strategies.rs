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

/// Clients that give up late make the difference between the pauses plain.
const RETRY: retry::Config = retry::Config::new()
    .max_attempts(12)
    .backoff(Backoff::Exponential)
    .base_delay(Duration::from_millis(500))
    .max_delay(Duration::from_secs(20));

/// One retry for ten requests. The part that is always there must fit the program: with a hundred clients, the ten a
/// second of the default would be as many as its requests.
const BUDGET: retry_budget::Config = retry_budget::Config::new().ratio(0.1).min_per_second(1);

const BREAKER: circuit_breaker::Config = circuit_breaker::Config::new().cooldown(Duration::from_secs(5));

pub(crate) const STRATEGIES: [Strategy; 7] = [
    only("fixed 500 ms", RETRY.backoff(Backoff::Constant).jitter(Jitter::None)),
    only("exponential", RETRY.jitter(Jitter::None)),
    only("equal jitter", RETRY.jitter(Jitter::Equal)),
    only("full jitter", RETRY.jitter(Jitter::Full)),
    only("decorrelated", RETRY.jitter(Jitter::Decorrelated)),
    Strategy { name: "full + budget", retry: RETRY, budget: Some(BUDGET), breaker: None },
    Strategy { name: "full + budget + breaker", retry: RETRY, budget: Some(BUDGET), breaker: Some(BREAKER) },
];

const fn only(name: &'static str, retry: retry::Config) -> Strategy {
    Strategy { name, retry, budget: None, breaker: None }
}
