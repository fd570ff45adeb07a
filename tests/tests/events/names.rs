//! Every event: its name, its fields, its place in the order.

use std::time::Duration;

use resilience::circuit_breaker::{State, TripReason};
use resilience::{Bulkhead, CircuitBreaker, Deadline, Event, RetryLimit, bulkhead, circuit_breaker, retry, timeout};
use resilience_tests::{Answer, EventLog, Fault, Script, Step, ms, play, secs, trip, unique};

#[retry(max_attempts = 3, base_delay = "10ms", jitter = "none", name = "names-retry")]
async fn retried(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn what_a_retry_tells() {
    let log = EventLog::of(["names-retry"]);
    assert_eq!(retried(&Script::ok()).await, Ok(1));
    assert_eq!(retried(&Script::new([Step::Err(Fault::NotFound)])).await, Err(Fault::NotFound));
    log.assert_finished();

    let _ = retried(&Script::new([Step::Err(Fault::Down), Step::Err(Fault::Busy(None)), Step::Ok])).await;
    let told = log.expect(["retry.attempt_failed", "retry.attempt_failed", "retry.recovered"]);
    assert!(matches!(&told[0], Event::RetryAttemptFailed { attempt: 1, delay, error, .. }
        if *delay == ms(10) && error == "down"));
    assert!(matches!(&told[1], Event::RetryAttemptFailed { attempt: 2, delay, error, .. }
        if *delay == ms(20) && error == "busy"));
    assert!(matches!(&told[2], Event::RetryRecovered { attempts: 3, .. }));

    let _ = retried(&Script::down()).await;
    let told = log.expect(["retry.attempt_failed", "retry.attempt_failed", "retry.exhausted"]);
    assert!(matches!(&told[2], Event::RetryExhausted { attempts: 3, limit: RetryLimit::Attempts, error, .. }
        if error == "down"));
    for event in &told {
        assert_eq!((event.policy(), event.kind()), ("names-retry", "retry"));
    }
    log.assert_finished();
}

#[test]
fn reasons_have_the_words_of_the_events() {
    for (limit, word) in [
        (RetryLimit::Attempts, "attempts"),
        (RetryLimit::Elapsed, "elapsed"),
        (RetryLimit::Deadline, "deadline"),
        (RetryLimit::RetryAfter, "retry_after"),
    ] {
        assert_eq!((limit.as_str(), limit.to_string().as_str()), (word, word));
    }
    for (reason, word) in [
        (TripReason::FailureRate, "failure_rate"),
        (TripReason::SlowCallRate, "slow_call_rate"),
        (TripReason::ConsecutiveFailures, "consecutive_failures"),
        (TripReason::TrialFailed, "trial_failed"),
    ] {
        assert_eq!((reason.as_str(), reason.to_string().as_str()), (word, word));
    }
    assert_eq!((State::HalfOpen.as_str(), format!("{:>10}", State::Open).as_str()), ("half-open", "      open"));
}

#[tokio::test(start_paused = true)]
async fn c53_an_error_that_is_not_tried_again_is_not_told_as_exhausted() {
    let log = EventLog::of(["names-retry"]);
    for fault in [Fault::Broken, Fault::NotFound] {
        let _ = retried(&Script::new([Step::Err(Fault::Down), Step::Err(fault)])).await;
        log.expect(["retry.attempt_failed"]);
    }
    log.assert_finished();
}

#[tokio::test(start_paused = true)]
async fn what_a_breaker_tells() {
    let name = unique("breaker");
    let config = circuit_breaker::Config::new().min_calls(2).cooldown(secs(3)).success_threshold(2);
    let breaker = CircuitBreaker::register(name, config).unwrap();
    let log = EventLog::of([name]);
    play(&breaker, "err*2 refused +1s refused +2s ok err").await;
    let told = log.expect([
        "circuit_breaker.opened",
        "circuit_breaker.rejected",
        "circuit_breaker.rejected",
        "circuit_breaker.half_opened",
        "circuit_breaker.opened",
    ]);
    let Event::CircuitBreakerOpened { reason, cooldown, snapshot, shadow, .. } = &told[0] else { unreachable!() };
    assert_eq!((*reason, *cooldown, *shadow), (TripReason::FailureRate, secs(3), false));
    assert_eq!((snapshot.state, snapshot.calls, snapshot.failures), (State::Open, 2, 2));
    for (event, left) in told[1..3].iter().zip([3, 2]) {
        let Event::CircuitBreakerRejected { retry_after, shadow, .. } = event else { unreachable!() };
        assert_eq!((*retry_after, *shadow), (Some(secs(left)), false));
    }
    assert!(matches!(&told[4], Event::CircuitBreakerOpened { reason: TripReason::TrialFailed, .. }));
    for event in &told {
        assert_eq!((event.policy(), event.kind()), (name, "circuit_breaker"));
    }
    // Told with the result that closes, not when somebody looks.
    play(&breaker, "+3s ok*2").await;
    let told = log.expect(["circuit_breaker.half_opened", "circuit_breaker.closed"]);
    let Event::CircuitBreakerClosed { snapshot, .. } = &told[1] else { unreachable!() };
    assert_eq!((snapshot.state, snapshot.calls, snapshot.failures), (State::Closed, 2, 0));
    breaker.force_open();
    let told = log.expect(["circuit_breaker.forced"]);
    assert!(matches!(&told[0], Event::CircuitBreakerForced { state: State::ForcedOpen, .. }));
    let _ = breaker.try_acquire();
    let told = log.expect(["circuit_breaker.rejected"]);
    assert!(matches!(&told[0], Event::CircuitBreakerRejected { retry_after: None, .. }));
    log.assert_finished();
}

#[tokio::test(start_paused = true)]
async fn a_half_open_breaker_that_is_full_rejects() {
    let name = unique("full");
    let config = circuit_breaker::Config::new().cooldown(secs(3)).success_threshold(1);
    let breaker = CircuitBreaker::register(name, config).unwrap();
    trip(&breaker, 10);
    resilience_tests::sleep(secs(3)).await;
    let log = EventLog::of([name]);
    let _trial = breaker.try_acquire().unwrap();
    assert!(breaker.try_acquire().is_err());
    log.expect(["circuit_breaker.half_opened", "circuit_breaker.rejected"]);
    assert_eq!(breaker.snapshot().rejected, 1);
    log.assert_finished();
}

#[tokio::test(start_paused = true)]
async fn what_a_bulkhead_tells() {
    let name = unique("bulkhead");
    let bulkhead = Bulkhead::register(name, bulkhead::Config::new().max_concurrent(1).max_wait(ms(30))).unwrap();
    let log = EventLog::of([name]);
    let _slot = bulkhead.try_acquire().unwrap();
    let _ = bulkhead.acquire().await;
    let _ = bulkhead.try_acquire();
    let told = log.expect(["bulkhead.rejected", "bulkhead.rejected"]);
    for (event, time) in told.iter().zip([ms(30), ms(0)]) {
        let Event::BulkheadRejected { waited, .. } = event else { unreachable!() };
        assert_eq!((*waited, event.policy(), event.kind()), (time, name, "bulkhead"));
    }
    log.assert_finished();
}

#[timeout("50ms", name = "names-timeout")]
async fn timed(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn what_a_timeout_tells() {
    let log = EventLog::of(["names-timeout"]);
    assert_eq!(timed(&Script::ok()).await, Ok(1));
    log.assert_finished();
    let _ = timed(&Script::hang()).await;
    let _ = Deadline::after(ms(20)).scope(timed(&Script::hang())).await;
    let told = log.expect(["timeout.elapsed", "timeout.elapsed"]);
    for (event, clipped) in told.iter().zip([false, true]) {
        let Event::TimeoutElapsed { after, inherited, .. } = event else { unreachable!() };
        assert_eq!((*after, *inherited, event.kind()), (ms(50), clipped, "timeout"));
    }
    log.assert_finished();
}

#[retry(max_attempts = attempts, base_delay = base, multiplier = multiplier, name = "names-clamped")]
async fn clamped(attempts: u32, base: Duration, multiplier: f64, body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_value_out_of_range_is_told_once() {
    let log = EventLog::of(["names-clamped"]);
    for _ in 0..3 {
        let _ = clamped(0, ms(1), 2.0, &Script::down()).await;
    }
    let told = log.take();
    let clamped: Vec<_> = told.iter().filter(|event| event.name() == "config.clamped").collect();
    let [Event::ConfigClamped { policy, kind, option, value, .. }] = clamped.as_slice() else {
        panic!("{} events", clamped.len())
    };
    assert_eq!((*policy, *kind, *option), ("names-clamped", "retry", "max_attempts"));
    assert_eq!((value.to_string().as_str(), clamped[0].kind()), ("0", "retry"));
}

#[retry(max_attempts = attempts, base_delay = "0ms", multiplier = multiplier, name = "names-clamped-twice")]
async fn clamped_twice(attempts: u32, multiplier: f64, body: &Script) -> Answer {
    body.run().await
}

/// The warning is one for each option of a site.
#[tokio::test(start_paused = true)]
async fn every_option_that_is_clamped_is_told() {
    let log = EventLog::of(["names-clamped-twice"]);
    for (attempts, multiplier) in [(0, 2.0), (2, 0.5), (0, f64::NAN)] {
        let _ = clamped_twice(attempts, multiplier, &Script::down()).await;
    }
    let options: Vec<_> = log
        .take()
        .into_iter()
        .filter_map(|event| match event {
            Event::ConfigClamped { option, .. } => Some(option),
            _ => None,
        })
        .collect();
    assert_eq!(options, ["max_attempts", "multiplier"]);
}

// ---- what an error looks like in an event ----------------------------------------------------------------------

#[derive(Debug)]
struct OnlyDebug(#[expect(dead_code, reason = "shown by Debug")] u8);
struct Mute;

impl From<resilience::Error> for OnlyDebug {
    fn from(_: resilience::Error) -> Self {
        Self(0)
    }
}

impl From<resilience::Error> for Mute {
    fn from(_: resilience::Error) -> Self {
        Self
    }
}

#[retry(max_attempts = 1, name = "names-debug")]
async fn only_debug() -> Result<(), OnlyDebug> {
    Err(OnlyDebug(7))
}

#[retry(max_attempts = 1, name = "names-mute")]
async fn mute() -> Result<(), Mute> {
    Err(Mute)
}

#[retry(max_attempts = 1, name = "names-cut")]
#[timeout("50ms", name = "names-cut-timeout")]
async fn cut() -> Answer {
    std::future::pending().await
}

#[tokio::test(start_paused = true)]
async fn an_errors_text_is_what_it_can_say() {
    let log = EventLog::of(["names-debug", "names-mute", "names-cut"]);
    let _ = (only_debug().await, mute().await, cut().await);
    let texts: Vec<_> = log
        .take()
        .into_iter()
        .map(|event| match event {
            Event::RetryExhausted { error, .. } => error,
            _ => unreachable!(),
        })
        .collect();
    assert!(texts[0].ends_with("OnlyDebug"), "the type's name, and not what is inside: {}", texts[0]);
    assert!(texts[1].ends_with("Mute"), "the type's name: {}", texts[1]);
    assert_eq!(texts[2], "`names-cut-timeout` timed out after 50ms");
}
