//! The same events through `tracing`: target, level, message and fields.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};

use resilience::{Bulkhead, CircuitBreaker, bulkhead, circuit_breaker, retry, timeout};
use resilience_tests::{Answer, EventLog, Script, alone, ms, play, secs, unique};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

#[derive(Clone, Debug)]
struct Seen {
    target: String,
    level: Level,
    fields: BTreeMap<&'static str, String>,
}

/// Remembers the events of our target.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<Seen>>>);

impl Visit for Seen {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("resilience")
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let metadata = event.metadata();
        let mut seen = Seen { target: metadata.target().to_owned(), level: *metadata.level(), fields: BTreeMap::new() };
        event.record(&mut seen);
        self.0.lock().unwrap().push(seen);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// What the policy of that name tells while `work` runs.
///
/// The recorder is the whole program's: `tracing` remembers for good that a thread without a subscriber had no interest.
fn recorded(policy: &str, work: impl Future<Output = ()>) -> Vec<Seen> {
    static RECORDER: OnceLock<Recorder> = OnceLock::new();
    let recorder = RECORDER.get_or_init(|| {
        let recorder = Recorder::default();
        tracing::subscriber::set_global_default(recorder.clone()).expect("no other subscriber");
        recorder
    });
    alone().block_on(work);
    let of_policy = |seen: &&Seen| seen.fields.get("policy").is_some_and(|name| name == policy);
    recorder.0.lock().unwrap().iter().filter(of_policy).cloned().collect()
}

/// An event's name, its level, and some of its fields.
type Expected<'a> = (&'a str, Level, &'a [(&'a str, &'a str)]);

#[track_caller]
fn assert_told(seen: &[Seen], policy: &str, expected: &[Expected<'_>]) {
    let kind = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let names: Vec<_> = seen.iter().map(|seen| seen.fields["name"].clone()).collect();
    assert_eq!(names, expected.iter().map(|(name, ..)| (*name).to_owned()).collect::<Vec<_>>());
    for (seen, (name, level, fields)) in seen.iter().zip(expected) {
        assert_eq!((seen.target.as_str(), seen.level), ("resilience", *level), "{name}");
        assert_eq!(seen.fields["message"], *name);
        assert_eq!(seen.fields["policy"], policy, "{name}");
        if *name != "config.clamped" {
            assert_eq!(seen.fields["kind"], kind(name));
        }
        for (field, value) in *fields {
            assert_eq!(seen.fields.get(field).map(String::as_str), Some(*value), "{field} of {name}");
        }
    }
}

const DEBUG: Level = Level::DEBUG;

#[test]
fn a_breakers_life() {
    let name = unique("traced");
    let config = circuit_breaker::Config::new().min_calls(2).cooldown(secs(3)).success_threshold(1);
    let breaker = CircuitBreaker::register(name, config).unwrap();
    let seen = recorded(name, async {
        play(&breaker, "err*2 refused +3s ok").await;
        breaker.force_open();
    });
    assert_told(
        &seen,
        name,
        &[
            ("circuit_breaker.opened", Level::WARN, &[("calls", "2"), ("failures", "2"), ("shadow", "false")]),
            ("circuit_breaker.rejected", DEBUG, &[("retry_after_ms", "3000.0")]),
            ("circuit_breaker.half_opened", DEBUG, &[]),
            ("circuit_breaker.closed", Level::INFO, &[]),
            ("circuit_breaker.forced", Level::INFO, &[("state", "forced open")]),
        ],
    );
}

#[test]
fn a_breaker_in_shadow() {
    let name = unique("traced");
    let breaker = CircuitBreaker::register(name, circuit_breaker::Config::new().min_calls(1)).unwrap();
    let seen = recorded(name, async {
        breaker.shadow();
        play(&breaker, "err ok").await;
    });
    assert_told(
        &seen,
        name,
        &[
            ("circuit_breaker.forced", Level::INFO, &[("state", "shadow")]),
            ("circuit_breaker.opened", Level::WARN, &[("shadow", "true")]),
            ("circuit_breaker.rejected", DEBUG, &[("shadow", "true")]),
        ],
    );
}

#[test]
fn a_full_bulkhead() {
    let name = unique("traced");
    let bulkhead = Bulkhead::register(name, bulkhead::Config::new().max_concurrent(1)).unwrap();
    let _slot = bulkhead.try_acquire().unwrap();
    let seen = recorded(name, async {
        let _ = bulkhead.acquire().await;
    });
    assert_told(&seen, name, &[("bulkhead.rejected", DEBUG, &[])]);
}

#[retry(max_attempts = 2, base_delay = "10ms", jitter = "none", name = "traced")]
async fn retried(body: &Script) -> Answer {
    body.run().await
}

#[retry(max_attempts = attempts, name = "traced")]
async fn clamped(attempts: u32, body: &Script) -> Answer {
    body.run().await
}

#[timeout("50ms", name = "traced")]
async fn timed(body: &Script) -> Answer {
    body.run().await
}

#[test]
fn a_retry_and_a_timeout() {
    let seen = recorded("traced", async {
        let _ = retried(&Script::down()).await;
        let _ = retried(&Script::new([resilience_tests::Fault::Down.into(), resilience_tests::Step::Ok])).await;
        let _ = timed(&Script::hang()).await;
        let _ = clamped(0, &Script::down()).await;
    });
    assert_told(
        &seen,
        "traced",
        &[
            (
                "retry.attempt_failed",
                DEBUG,
                &[("attempt", "1"), ("pause_ms", "10.0"), ("error", "down"), ("class", "transient")],
            ),
            ("retry.exhausted", DEBUG, &[("attempts", "2"), ("limit", "attempts"), ("error", "down")]),
            ("retry.attempt_failed", DEBUG, &[("attempt", "1")]),
            ("retry.recovered", DEBUG, &[("attempts", "2")]),
            ("timeout.elapsed", DEBUG, &[("timeout_ms", "50.0"), ("inherited", "false")]),
            ("config.clamped", Level::WARN, &[("kind", "retry")]),
            ("retry.exhausted", DEBUG, &[("attempts", "1")]),
        ],
    );
}

/// The panic of a listener is caught, and it shows.
#[test]
fn ev03_a_listeners_panic_is_reported() {
    let name = unique("traced");
    let breaker = CircuitBreaker::register(name, circuit_breaker::Config::new()).unwrap();
    let _faulty = resilience::subscribe(move |event| assert_ne!(event.policy(), name, "on purpose"));
    let seen = recorded(name, async { breaker.force_open() });
    let levels: Vec<_> = seen.iter().map(|seen| (seen.level, seen.fields["policy"].as_str())).collect();
    assert_eq!(levels, [(Level::INFO, name), (Level::ERROR, name)]);
}

/// A subscriber that calls back into the policy.
#[test]
fn a_subscriber_runs_without_a_lock_too() {
    struct Curious(CircuitBreaker, Mutex<Vec<String>>);
    impl Subscriber for Curious {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }
        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, _: &Event<'_>) {
            let state = self.0.state().to_string();
            self.1.lock().unwrap().push(state);
        }
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }
    assert!(recorded("nobody", async {}).is_empty());
    let breaker = CircuitBreaker::register(unique("traced"), circuit_breaker::Config::new()).unwrap();
    let curious = Arc::new(Curious(breaker, Mutex::default()));
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn({
        let curious = Arc::clone(&curious);
        move || {
            tracing::subscriber::with_default(curious, || breaker.force_open());
            let _ = tell.send(());
        }
    });
    told.recv_timeout(ms(60_000)).expect("no deadlock");
    assert_eq!(*curious.1.lock().unwrap(), ["forced open"]);
}

/// A subscriber that panics at whatever it hears, also at the report of its own panic.
#[test]
fn ev03_a_subscriber_that_panics_hurts_nobody() {
    struct Faulty;
    impl Subscriber for Faulty {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }
        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, _: &Event<'_>) {
            panic!("the subscriber panics, on purpose");
        }
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }
    assert!(recorded("nobody", async {}).is_empty());
    let breaker = CircuitBreaker::register(unique("traced"), circuit_breaker::Config::new()).unwrap();
    let log = EventLog::of([breaker.name()]);
    tracing::subscriber::with_default(Faulty, || {
        breaker.force_open();
        assert!(breaker.try_acquire().is_err());
        breaker.reset();
    });
    log.expect(["circuit_breaker.forced", "circuit_breaker.rejected", "circuit_breaker.forced"]);
    assert!(breaker.try_acquire().is_ok());
}
