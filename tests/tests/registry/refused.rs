//! Configurations that cannot be used: every option, by `register` and by `reconfigure`.

use std::time::Duration;

use resilience::{Bulkhead, CircuitBreaker, ConfigError, bulkhead, circuit_breaker, retry};
use resilience_tests::{breaker, bulkhead as a_bulkhead, secs, unique};

use super::option;

type Change = fn(circuit_breaker::Config) -> circuit_breaker::Config;

/// What is out of range; the option that the error names, its value, and a word of the range.
const BREAKERS: &[(Change, &str, &str, &str)] = &[
    (|config| config.failure_rate(1.0), "failure_rate", "1", "below 1"),
    (|config| config.failure_rate(1.01), "failure_rate", "1.01", "below 1"),
    (|config| config.failure_rate(-0.01), "failure_rate", "-0.01", "at least 0"),
    (|config| config.failure_rate(f64::NAN), "failure_rate", "NaN", "at least 0"),
    (|config| config.failure_rate(f64::INFINITY), "failure_rate", "inf", "below 1"),
    (|config| config.window_calls(0), "window_calls", "0", "at least 1"),
    (|config| config.window_calls(16_777_217), "window_calls", "16777217", "at most 16,777,216"),
    (|config| config.window_calls(u32::MAX), "window_calls", "4294967295", "at most 16,777,216"),
    (|config| config.window(Duration::ZERO), "window", "0ns", "longer than zero"),
    (|config| config.min_calls(0), "min_calls", "0", "at least 1"),
    (|config| config.min_calls(101), "min_calls", "101", "window_calls"),
    (|config| config.window_calls(5).min_calls(6), "min_calls", "6", "window_calls"),
    (|config| config.window_calls(5).window(secs(1)), "window", "1s", "window_calls"),
    (|config| config.consecutive_failures(0), "consecutive_failures", "0", "at least 1"),
    (|config| config.slow_call(Duration::ZERO), "slow_call", "0ns", "longer than zero"),
    (|config| config.slow_call(secs(1)).slow_call_rate(1.0), "slow_call_rate", "1", "below 1"),
    (|config| config.slow_call_rate(0.5), "slow_call_rate", "0.5", "slow_call"),
    (|config| config.cooldown(Duration::ZERO), "cooldown", "0ns", "longer than zero"),
    (|config| config.cooldown(secs(2)).max_cooldown(secs(1)), "cooldown", "2s", "max_cooldown"),
    (|config| config.cooldown_multiplier(0.99), "cooldown_multiplier", "0.99", "at least 1"),
    (|config| config.cooldown_multiplier(f64::NAN), "cooldown_multiplier", "NaN", "at least 1"),
    (|config| config.cooldown_multiplier(f64::INFINITY), "cooldown_multiplier", "inf", "at least 1"),
    (|config| config.max_cooldown(Duration::ZERO), "max_cooldown", "0ns", "longer than zero"),
    (|config| config.success_threshold(0), "success_threshold", "0", "at least 1"),
    (|config| config.max_probes(0), "max_probes", "0", "at least 1"),
    (|config| config.max_probes(6), "max_probes", "6", "success_threshold"),
    (|config| config.success_threshold(2).max_probes(3), "max_probes", "3", "success_threshold"),
    (|config| config.probe_timeout(Duration::ZERO), "probe_timeout", "0ns", "longer than zero"),
];

#[track_caller]
fn assert_names(error: &ConfigError, name: &str, option: &str, value: &str, range: &str) {
    assert_eq!((error.policy(), error.option()), (name, option));
    assert_eq!(error.value().to_string(), value, "{option}");
    assert!(error.range().contains(range), "{option}: {}", error.range());
    let text = error.to_string();
    assert!([name, option, value].iter().all(|word| text.contains(word)), "{text}");
}

#[test]
fn rg07_c29_a_breaker_with_an_option_out_of_range() {
    for (change, option, value, range) in BREAKERS {
        let name = unique("refused");
        let error = CircuitBreaker::register(name, change(circuit_breaker::Config::new())).unwrap_err();
        assert_names(&error, name, option, value, range);
        assert_eq!(error.kind(), "circuit_breaker");
        assert!(CircuitBreaker::get(name).is_none(), "nothing was created");
        assert!(change(circuit_breaker::Config::new()).validate().is_err());

        let live = breaker(circuit_breaker::Config::new());
        live.try_acquire().unwrap().record(resilience::Outcome::Failure);
        let before = live.snapshot();
        assert_names(&live.reconfigure(*change).unwrap_err(), live.name(), option, value, range);
        let again = CircuitBreaker::register(live.name(), change(circuit_breaker::Config::new()));
        assert_names(&again.unwrap_err(), live.name(), option, value, range);
        assert_eq!(live.snapshot(), before, "nothing has changed");
    }
}

#[test]
fn what_is_at_odds_with_what_is_in_force() {
    let live = breaker(circuit_breaker::Config::new().window_calls(10).max_cooldown(secs(60)));
    let error = live.reconfigure(|config| config.min_calls(11)).unwrap_err();
    assert_names(&error, live.name(), "min_calls", "11", "window_calls");
    let error = live.reconfigure(|config| config.cooldown(secs(61))).unwrap_err();
    assert_names(&error, live.name(), "cooldown", "61s", "max_cooldown");
    live.reconfigure(|config| config.max_probes(5)).unwrap();
    let error = live.reconfigure(|config| config.success_threshold(4)).unwrap_err();
    assert_names(&error, live.name(), "max_probes", "5", "success_threshold");
    live.reconfigure(|config| config.success_threshold(4).max_probes(4)).unwrap();
    assert_eq!(option("circuit_breaker", live.name(), "max_probes").map(|(value, _)| value), Some("4".into()));
}

#[test]
fn the_ends_of_every_range_are_in_it() {
    for config in [
        circuit_breaker::Config::new().failure_rate(0.0),
        circuit_breaker::Config::new().failure_rate(1.0 - f64::EPSILON),
        circuit_breaker::Config::new().window_calls(1).min_calls(1),
        circuit_breaker::Config::new().window(Duration::from_nanos(1)).min_calls(u32::MAX),
        circuit_breaker::Config::new().cooldown(secs(1)).max_cooldown(secs(1)).cooldown_multiplier(1.0),
        circuit_breaker::Config::new().success_threshold(u32::MAX).max_probes(u32::MAX),
        circuit_breaker::Config::new().slow_call(Duration::MAX).slow_call_rate(0.0),
    ] {
        CircuitBreaker::register(unique("valid"), config).unwrap();
    }
    for config in [
        bulkhead::Config::new().max_concurrent(1).max_wait(Duration::ZERO).max_queue(0),
        bulkhead::Config::new().max_concurrent(u32::MAX).max_wait(Duration::MAX).max_queue(u32::MAX),
    ] {
        Bulkhead::register(unique("valid"), config).unwrap();
    }
    let retries = retry::Config::new().base_delay(Duration::ZERO).max_delay(Duration::ZERO);
    assert!(retries.max_attempts(u32::MAX).multiplier(f64::MAX).validate().is_ok());
}

#[test]
fn rg07_a_bulkhead_without_slots() {
    let name = unique("slotless");
    let error = Bulkhead::register(name, bulkhead::Config::new().max_concurrent(0)).unwrap_err();
    assert_names(&error, name, "max_concurrent", "0", "at least 1");
    assert!(Bulkhead::get(name).is_none());
    let live = a_bulkhead(bulkhead::Config::new().max_concurrent(2));
    assert_names(&live.resize(0).unwrap_err(), live.name(), "max_concurrent", "0", "at least 1");
    assert_eq!(live.snapshot().max_concurrent, 2);
}

#[test]
fn rg07_retries_tell_beforehand() {
    type Change = fn(retry::Config) -> retry::Config;
    let table: [(Change, &str); 6] = [
        (|config| config.max_attempts(0), "max_attempts"),
        (|config| config.multiplier(0.99), "multiplier"),
        (|config| config.multiplier(f64::NAN), "multiplier"),
        (|config| config.multiplier(f64::INFINITY), "multiplier"),
        (|config| config.max_elapsed(Duration::ZERO), "max_elapsed"),
        (|config| config.base_delay(secs(2)).max_delay(secs(1)), "base_delay"),
    ];
    for (change, option) in table {
        let error = change(retry::Config::new()).validate().unwrap_err();
        assert_eq!((error.kind(), error.option()), ("retry", option));
    }
}

#[test]
fn a_name_is_not_empty() {
    for error in [
        CircuitBreaker::register("", circuit_breaker::Config::new()).unwrap_err(),
        Bulkhead::register("", bulkhead::Config::new()).unwrap_err(),
    ] {
        assert_eq!(error.option(), "name");
    }
}
