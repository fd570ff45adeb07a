//! Circuit breakers through their handles, on a paused clock.

mod call;
mod cooldown;
mod fused;
mod half_open;
mod late;
mod live;
mod model;
mod states;
mod verdict;
mod window;

use resilience::circuit_breaker::Config;
use resilience_tests::secs;

/// The `breaker(window, threshold, …)` of the conformance scenarios: the window must be full before there is a verdict.
fn full_window(calls: u32, rate: f64) -> Config {
    Config::new().window_calls(calls).min_calls(calls).failure_rate(rate)
}

/// Opens after two failures, for a second; one trial call decides.
fn one_trial() -> Config {
    Config::new().window_calls(4).min_calls(2).cooldown(secs(1)).success_threshold(1)
}
