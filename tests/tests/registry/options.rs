//! Is it really on? Every option of every attribute, as the registry shows it in force.

use resilience::{Source, bulkhead, circuit_breaker, retry, timeout};
use resilience_tests::{Answer, Script};

use super::shown;

#[retry(
    name = "options-all",
    max_attempts = 9,
    backoff = "fibonacci",
    base_delay = "11ms",
    max_delay = "1.5s",
    multiplier = 3.5,
    jitter = "decorrelated",
    max_elapsed = "1h30m",
    max_retry_after = "0ms"
)]
#[circuit_breaker(
    "options-all",
    failure_rate = "25%",
    window_calls = 40,
    min_calls = 7,
    consecutive_failures = 6,
    slow_call = 250ms,
    slow_call_rate = 0.75,
    cooldown = "12s",
    cooldown_multiplier = 2.5,
    max_cooldown = "2m",
    success_threshold = 4,
    max_probes = 3,
    probe_timeout = "8s"
)]
#[bulkhead("options-all", max_concurrent = 6, max_wait = "70ms", max_queue = 5)]
#[timeout("3s", name = "options-all")]
async fn all_options(body: &Script) -> Answer {
    body.run().await
}

#[circuit_breaker("options-window", window = "45s")]
async fn timed_window(body: &Script) -> Answer {
    body.run().await
}

const ALL: [(&str, &[(&str, &str)]); 4] = [
    (
        "retry",
        &[
            ("max_attempts", "9"),
            ("backoff", "fibonacci"),
            ("base_delay", "11ms"),
            ("max_delay", "1.5s"),
            ("multiplier", "3.5"),
            ("jitter", "decorrelated"),
            ("max_elapsed", "5400s"),
            ("max_retry_after", "0ns"),
        ],
    ),
    (
        "circuit_breaker",
        &[
            ("failure_rate", "0.25"),
            ("window_calls", "40"),
            ("min_calls", "7"),
            ("consecutive_failures", "6"),
            ("slow_call", "250ms"),
            ("slow_call_rate", "0.75"),
            ("cooldown", "12s"),
            ("cooldown_multiplier", "2.5"),
            ("max_cooldown", "120s"),
            ("success_threshold", "4"),
            ("max_probes", "3"),
            ("probe_timeout", "8s"),
        ],
    ),
    ("bulkhead", &[("max_concurrent", "6"), ("max_wait", "70ms"), ("max_queue", "5")]),
    ("timeout", &[("duration", "3s")]),
];

#[tokio::test(start_paused = true)]
async fn rb03_every_option_that_is_written_is_in_force() {
    for (kind, options) in ALL {
        let policy = shown(kind, "options-all").unwrap();
        let given: Vec<_> = policy
            .options()
            .iter()
            .filter(|setting| setting.source() == Source::Attribute)
            .map(|setting| (setting.name(), setting.value().to_string()))
            .collect();
        let expected: Vec<_> = options.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        assert_eq!(given, expected, "{kind}");
        assert!(policy.options().iter().all(|setting| setting.source() == Source::Attribute), "{kind}");
    }
    assert_eq!(all_options(&Script::ok()).await, Ok(1));
    assert_eq!(timed_window(&Script::ok()).await, Ok(1));
    let window = shown("circuit_breaker", "options-window").unwrap();
    assert_eq!(window.option("window").map(|setting| setting.value().to_string()), Some("45s".into()));
    assert_eq!(window.option("window_calls"), None);
}
