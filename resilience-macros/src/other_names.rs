//! What other libraries call our options.

use crate::options;
use crate::policy::Policy;

/// An option, and its other names. A name that stands at two options may mean either.
static OTHER_NAMES: [(&str, &[&str]); 28] = [
    (
        "max_attempts",
        &["attempts", "tries", "retries", "max_retries", "max_tries", "times", "count", "stop", "limit", "n"],
    ),
    ("backoff", &["strategy", "exponential", "exponential_backoff", "linear", "constant", "fixed", "fibonacci"]),
    (
        "base_delay",
        &[
            "delay",
            "initial_delay",
            "initial_interval",
            "initial_backoff",
            "interval",
            "wait",
            "sleep",
            "pause",
            "min_delay",
            "min_backoff",
        ],
    ),
    ("max_delay", &["max_backoff", "max_interval", "cap", "delay_cap"]),
    ("multiplier", &["factor", "exponential_base", "backoff_factor", "backoff_multiplier"]),
    ("jitter", &["no_jitter", "randomization_factor", "jitter_factor", "with_jitter"]),
    ("max_elapsed", &["max_elapsed_time", "max_duration", "max_time", "total_timeout", "deadline"]),
    (
        "when",
        &[
            "if",
            "on",
            "retry_if",
            "retry_on",
            "retry_when",
            "when_err",
            "predicate",
            "condition",
            "filter",
            "should_retry",
            "is_failure",
            "is_retryable",
            "error_filter",
        ],
    ),
    ("when_ok", &["retry_on_result", "retry_if_result", "retry_if_ok", "on_result"]),
    ("on_retry", &["notify", "callback", "before_sleep", "before_retry", "hook", "listener"]),
    ("failure_rate", &["failure_rate_threshold", "threshold", "failure_threshold", "error_rate", "error_threshold"]),
    (
        "consecutive_failures",
        &["max_failures", "failure_count", "threshold", "failure_threshold", "error_threshold", "failure_limit"],
    ),
    ("window_calls", &["sliding_window_size", "window_size"]),
    ("window", &["sliding_window", "rolling_window", "window_size", "window_duration"]),
    (
        "min_calls",
        &[
            "minimum_throughput",
            "minimum_calls",
            "minimum_number_of_calls",
            "min_requests",
            "min_samples",
            "volume_threshold",
            "request_volume_threshold",
        ],
    ),
    ("slow_call", &["slow_call_duration", "slow_call_duration_threshold", "slow_call_threshold"]),
    ("slow_call_rate", &["slow_call_rate_threshold"]),
    (
        "cooldown",
        &[
            "reset_timeout",
            "reset_after",
            "recovery_timeout",
            "recovery_time",
            "open_duration",
            "open_timeout",
            "open_for",
            "half_open_after",
            "wait_duration",
            "wait_duration_in_open_state",
            "break_duration",
            "sleep_window",
        ],
    ),
    (
        "max_probes",
        &[
            "half_open_max_calls",
            "half_open_calls",
            "half_open_requests",
            "half_open_max_requests",
            "permitted_calls",
            "permitted_number_of_calls_in_half_open_state",
        ],
    ),
    (
        "max_concurrent",
        &[
            "max",
            "limit",
            "permits",
            "size",
            "max_concurrent_calls",
            "max_concurrency",
            "concurrency",
            "concurrency_limit",
        ],
    ),
    ("max_queue", &["queue_size", "max_queue_size", "queue_depth", "max_waiting"]),
    ("max_wait", &["max_wait_duration", "timeout_duration", "queue_timeout", "acquire_timeout", "wait_timeout"]),
    (
        "limit",
        &[
            "permits_per_second",
            "requests_per_second",
            "rate",
            "rps",
            "qps",
            "max_requests",
            "max_calls",
            "requests",
            "limit_for_period",
        ],
    ),
    ("per", &["period", "interval", "window", "refill_interval", "limit_refresh_period", "every", "duration"]),
    ("burst", &["burst_size", "max_burst", "capacity", "bucket_size"]),
    ("capacity", &["max_capacity", "size", "max_size", "max_entries", "max_keys"]),
    ("permits", &["cost", "weight", "tokens", "quantity"]),
    ("value", &["default", "default_value", "fallback_value"]),
];

/// What ends a name where a number has its unit in the name.
const UNITS: [&str; 8] = ["_ms", "_millis", "_milliseconds", "_s", "_sec", "_secs", "_seconds", "_duration"];

/// The policy's options that go by that name elsewhere.
pub(crate) fn meant(policy: &Policy, name: &str) -> Vec<&'static str> {
    let has = |option: &&'static str| options::find(policy, option).is_some();
    let meant = |name: &str| {
        let named = OTHER_NAMES.iter().filter(|(_, others)| others.contains(&name));
        named.map(|(option, _)| *option).filter(has).collect::<Vec<_>>()
    };
    let found = meant(name);
    let Some(unitless) = UNITS.iter().find_map(|unit| name.strip_suffix(unit)).filter(|_| found.is_empty()) else {
        return found;
    };
    match options::of(policy).find(|row| row.key == unitless) {
        Some(row) => vec![row.key],
        None => meant(unitless),
    }
}

/// The option that is meant, and the first policy that has it.
pub(crate) fn owner_of(name: &str) -> Option<(&'static Policy, &'static str)> {
    options::policies().find_map(|policy| Some((policy, *meant(policy, name).first()?)))
}

#[cfg(test)]
mod tests {
    use super::{OTHER_NAMES, meant};
    use crate::options::{find, of, policies};
    use crate::policy::{BULKHEAD, CIRCUIT_BREAKER, RATE_LIMIT, RETRY};

    #[test]
    fn each_name_stands_for_an_option_and_is_none_beside_it() {
        for (option, others) in OTHER_NAMES {
            assert!(policies().any(|policy| find(policy, option).is_some()), "{option}");
            for other in others {
                let beside =
                    policies().filter(|policy| find(policy, option).is_some() && find(policy, other).is_some());
                assert_eq!(beside.count(), 0, "{other} of {option}");
            }
        }
    }

    #[test]
    fn what_is_meant_depends_on_the_policy() {
        assert_eq!(meant(&RETRY, "limit"), ["max_attempts"]);
        assert_eq!(meant(&BULKHEAD, "limit"), ["max_concurrent"]);
        assert_eq!(meant(&RETRY, "interval"), ["base_delay"]);
        assert_eq!(meant(&RATE_LIMIT, "interval"), ["per"]);
        assert_eq!(meant(&CIRCUIT_BREAKER, "threshold"), ["failure_rate", "consecutive_failures"]);
        assert_eq!(meant(&RETRY, "base_delay_ms"), ["base_delay"]);
        assert_eq!(meant(&RETRY, "delay_secs"), ["base_delay"]);
        assert!(meant(&RETRY, "attempts_ms_ms").is_empty());
        for row in of(&RETRY) {
            assert!(meant(&RETRY, row.key).is_empty(), "{}", row.key);
        }
    }
}
