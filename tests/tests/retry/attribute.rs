//! `#[retry]` on functions and methods: what is particular to the attribute.

use std::cell::RefCell;
use std::time::Duration;

use resilience::retry::{Backoff, Jitter};
use resilience::{ErrorKind, Event, RetryAttempt, circuit_breaker, retry, timeout};
use resilience_tests::{Answer, Clock, EventLog, Fault, Script, Step, ms};

#[retry(max_attempts = 3, base_delay = "100ms", backoff = "linear", jitter = "none", on_retry = seen)]
async fn noted(body: &Script) -> Answer {
    body.run().await
}

thread_local! {
    static SEEN: RefCell<Vec<(u32, Duration, Fault)>> = const { RefCell::new(Vec::new()) };
}

fn seen(attempt: &RetryAttempt<'_, Fault>) {
    SEEN.with_borrow_mut(|seen| seen.push((attempt.attempt, attempt.delay, attempt.error.clone())));
}

#[tokio::test(start_paused = true)]
async fn on_retry_sees_every_failure_that_is_followed_by_a_pause() {
    let body = Script::new([Step::Err(Fault::Down), Step::Err(Fault::Busy(None)), Step::Err(Fault::Down)]);
    assert_eq!(noted(&body).await, Err(Fault::Down));
    assert_eq!(body.probe().gaps(), [ms(100), ms(200)]);
    assert_eq!(SEEN.take(), [(1, ms(100), Fault::Down), (2, ms(200), Fault::Busy(None))]);
    assert_eq!(noted(&Script::new([Step::Err(Fault::NotFound)])).await, Err(Fault::NotFound));
    assert_eq!(noted(&Script::ok()).await, Ok(1));
    assert!(SEEN.take().is_empty());
}

#[retry(max_attempts = 2, base_delay = "10ms", jitter = "none", on_retry = seen, name = "converted")]
#[timeout("50ms")]
async fn cut(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn on_retry_sees_a_cut_below_as_the_functions_error() {
    assert_eq!(cut(&Script::new([Step::Hang, Step::Ok])).await, Ok(2));
    let seen = SEEN.take();
    assert_eq!(seen.len(), 1);
    assert_eq!((seen[0].0, seen[0].1, seen[0].2.kind()), (1, ms(10), Some(ErrorKind::TimedOut)));
}

#[retry(max_attempts = 3, base_delay = "0ms", when = |fault| matches!(fault, Fault::NotFound))]
async fn only_missing(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn when_replaces_the_class() {
    for (fault, bodies) in [(Fault::NotFound, 3), (Fault::Down, 1), (Fault::Broken, 1), (Fault::Busy(None), 1)] {
        let body = Script::new([Step::Err(fault)]);
        let _ = only_missing(&body).await;
        assert_eq!(body.entered(), bodies);
    }
}

#[retry(max_attempts = 3, base_delay = "0ms", when = |_: &Fault| false)]
#[timeout("50ms")]
async fn never_by_predicate(body: &Script) -> Answer {
    body.run().await
}

#[retry(max_attempts = 3, base_delay = "0ms", when = |_: &Fault| true)]
#[circuit_breaker("retry-always", consecutive_failures = 1)]
async fn always_by_predicate(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn when_is_not_asked_about_refusals() {
    let hangs = Script::hang();
    assert_eq!(never_by_predicate(&hangs).await.unwrap_err().kind(), Some(ErrorKind::TimedOut));
    assert_eq!(hangs.entered(), 3, "a cut is worth another attempt");
    let fails = Script::down();
    assert_eq!(always_by_predicate(&fails).await, Err(Fault::Down), "with the error that is known");
    assert_eq!(fails.entered(), 1, "an open circuit is not");
}

struct Client {
    attempts: u32,
    base: Duration,
    max: Duration,
    multiplier: f64,
}

impl Client {
    #[retry(
        max_attempts = self.attempts,
        base_delay = self.base,
        max_delay = self.max,
        multiplier = self.multiplier,
        backoff = Backoff::Exponential,
        jitter = Jitter::None,
        name = "computed"
    )]
    async fn call(&self, body: &Script) -> Answer {
        body.run().await
    }
}

#[tokio::test(start_paused = true)]
async fn options_may_be_computed_for_each_call() {
    let mut client = Client { attempts: 3, base: ms(10), max: ms(1000), multiplier: 3.0 };
    let body = Script::down();
    let _ = client.call(&body).await;
    assert_eq!(body.probe().gaps(), [ms(10), ms(30)]);

    let log = EventLog::of(["computed"]);
    client = Client { attempts: 0, base: ms(10), max: ms(1000), multiplier: 3.0 };
    for _ in 0..3 {
        let body = Script::down();
        let _ = client.call(&body).await;
        assert_eq!(body.entered(), 1, "the nearest valid number");
    }
    let told = log.expect(["config.clamped", "retry.exhausted", "retry.exhausted", "retry.exhausted"]);
    let Event::ConfigClamped { kind, option, value, .. } = &told[0] else { unreachable!() };
    assert_eq!((*kind, *option, value.to_string().as_str()), ("retry", "max_attempts", "0"));

    client = Client { attempts: 3, base: ms(50), max: ms(20), multiplier: f64::NAN };
    let body = Script::down();
    let _ = client.call(&body).await;
    assert_eq!(body.probe().gaps(), [ms(20), ms(20)]);
}

#[retry(max_attempts = 2, base_delay = "0ms", max_retry_after = "1m")]
async fn patient(body: &Script) -> Answer {
    body.run().await
}

#[retry(max_attempts = 2, base_delay = "0ms", max_retry_after = longest)]
async fn as_patient_as(longest: Duration, body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn how_long_to_wait_for_a_dependency_that_asks_for_it() {
    let busy = |hint| Script::new([Step::Err(Fault::Busy(Some(hint))), Step::Ok]);
    for (hint, fits) in [(ms(60_000), true), (ms(60_001), false)] {
        assert_eq!(patient(&busy(hint)).await.is_ok(), fits, "{hint:?}");
        assert_eq!(as_patient_as(ms(60_000), &busy(hint)).await.is_ok(), fits, "{hint:?}");
    }
    assert_eq!(as_patient_as(Duration::ZERO, &busy(ms(1))).await, Err(Fault::Busy(Some(ms(1)))));
}

#[retry(max_attempts = 3, base_delay = "1s", jitter = "none", name = "leaf")]
async fn leaf(body: &Script) -> Answer {
    body.run().await
}

#[retry(max_attempts = 3, base_delay = "1s", jitter = "none", name = "middle")]
async fn middle(body: &Script) -> Answer {
    leaf(body).await
}

#[retry(max_attempts = 3, base_delay = "1s", jitter = "none", name = "top")]
async fn top(body: &Script) -> Answer {
    middle(body).await
}

#[timeout("10s")]
async fn bounded(body: &Script) -> Answer {
    top(body).await
}

#[tokio::test(start_paused = true)]
async fn rb05_nested_retries_multiply_and_a_timeout_bounds_them() {
    let body = Script::down();
    assert_eq!(top(&body).await, Err(Fault::Down));
    assert_eq!(body.entered(), 27);

    let (body, clock) = (Script::down(), Clock::start());
    assert_eq!(bounded(&body).await, Err(Fault::Down));
    assert!(clock.elapsed() < ms(10_000) && body.probe().starts().iter().all(|start| *start < ms(10_000)));
    assert!(body.entered() < 27);
}

/// A call that must not be repeated stands under the timeout, and above it no retry.
#[timeout("50ms")]
#[retry(max_attempts = 3, base_delay = "0ms")]
async fn create(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn rt06_a_timeout_above_the_retry_is_not_tried_again() {
    let ledger = Script::hang();
    assert_eq!(create(&ledger).await.unwrap_err().kind(), Some(ErrorKind::TimedOut));
    assert_eq!((ledger.entered(), ledger.probe().dropped()), (1, 1));
}

#[retry]
async fn bare(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn an_attribute_without_options_has_the_defaults() {
    let body = Script::down();
    let log = EventLog::of([concat!(module_path!(), "::bare")]);
    assert_eq!(bare(&body).await, Err(Fault::Down));
    assert_eq!(body.entered(), 4);
    log.expect(["retry.attempt_failed", "retry.attempt_failed", "retry.attempt_failed", "retry.exhausted"]);
    log.assert_finished();
}
