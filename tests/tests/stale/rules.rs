//! When a remembered value is served, and what is remembered.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt as _;
use resilience::circuit_breaker::State;
use resilience::{
    CircuitBreaker, Deadline, ErrorKind, Event, bulkhead, circuit_breaker, fallback, stale_if_error, timeout,
};
use resilience_tests::{Answer, Clock, EventLog, Fault, Script, Step, ms, polls, refusal, secs, sleep};

use super::{ages, once};

#[stale_if_error("10m", name = "rules-aged")]
async fn aged(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_value_is_served_while_it_is_younger_than_the_limit() {
    let log = EventLog::of(["rules-aged"]);
    let body = once();
    let clock = Clock::start();
    aged(&body).await.unwrap();
    log.assert_finished();
    for (at, answer) in [
        (ms(0), Ok(1)),
        (secs(599), Ok(1)),
        (ms(599_999), Ok(1)),
        (secs(600), Err(Fault::Down)),
        (secs(9999), Err(Fault::Down)),
    ] {
        clock.until(at).await;
        assert_eq!(aged(&body).await, answer, "at {at:?}");
    }
    assert_eq!(ages(&log), [0, 599_000, 599_999]);
    // A good answer is remembered anew, and its age counts from the start of its call.
    aged(&Script::new([Step::Ok.after(secs(5))])).await.unwrap();
    sleep(secs(3)).await;
    assert_eq!((aged(&body).await, ages(&log)), (Ok(1), vec![8000]));
    sleep(secs(600) - secs(8) - ms(1)).await;
    assert_eq!((aged(&body).await, ages(&log)), (Ok(1), vec![599_999]));
    sleep(ms(1)).await;
    assert_eq!(aged(&body).await, Err(Fault::Down));
}

#[stale_if_error(limit, name = "rules-computed")]
async fn computed(limit: Duration, body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn the_limit_is_computed_for_each_call() {
    let body = once();
    computed(secs(1), &body).await.unwrap();
    sleep(secs(5)).await;
    assert_eq!(computed(secs(5), &body).await, Err(Fault::Down));
    assert_eq!(computed(secs(6), &body).await, Ok(1));
    for huge in [Duration::MAX, secs(u64::MAX), Duration::from_nanos(u64::MAX)] {
        assert_eq!(computed(huge, &body).await, Ok(1));
    }
    // Zero is out of range: the nearest that is not is too short for anything.
    let log = EventLog::of(["rules-computed"]);
    assert_eq!(computed(Duration::ZERO, &body).await, Err(Fault::Down));
    log.expect(["config.clamped"]);
}

#[stale_if_error("1h", name = "rules-when", when = |fault: &Fault| *fault == Fault::NotFound)]
#[timeout("50ms")]
async fn narrowed(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn when_takes_the_place_of_the_class_and_is_not_asked_about_refusals() {
    for (step, answer) in
        [(Step::Err(Fault::NotFound), Ok(1)), (Step::Err(Fault::Down), Err(Fault::Down)), (Step::Hang, Ok(1))]
    {
        let body = Script::new([Step::Ok, step.clone()]);
        narrowed(&body).await.unwrap();
        assert_eq!(narrowed(&body).await, answer, "{step:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_caller_did_wrong_is_the_callers_to_hear() {
    #[stale_if_error("1h")]
    async fn call(body: &Script) -> Answer {
        body.run().await
    }
    call(&Script::ok()).await.unwrap();
    let of = |fault: Fault| Script::new([Step::Err(fault)]);
    assert_eq!(call(&of(Fault::NotFound)).await, Err(Fault::NotFound));
    for fault in [Fault::Down, Fault::Broken, Fault::Busy(Some(secs(1))), refusal(ErrorKind::BulkheadFull).await.into()]
    {
        assert_eq!(call(&of(fault)).await, Ok(1));
    }
}

#[stale_if_error("1h", name = "rules-open")]
#[circuit_breaker("rules-open", window_calls = 4, min_calls = 2, cooldown = "10s", success_threshold = 1)]
async fn over_breaker(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn an_open_breaker_below_serves_the_last_good_answer() {
    let breaker = CircuitBreaker::get("rules-open").unwrap();
    let log = EventLog::of(["rules-open"]);
    let body = Script::new([Step::Ok, Step::Err(Fault::Down), Step::Err(Fault::Down), Step::Ok]);
    for _ in 0..6 {
        assert_eq!(over_breaker(&body).await, Ok(1));
        sleep(secs(1)).await;
    }
    assert_eq!((body.entered(), breaker.state()), (3, State::Open));
    let refusals: Vec<_> = log
        .take()
        .into_iter()
        .filter_map(|event| match event {
            Event::StaleServed { age, refusal, .. } => Some((age, refusal)),
            _ => None,
        })
        .collect();
    let open = Some(ErrorKind::CircuitOpen);
    assert_eq!(refusals, [(secs(1), None), (secs(2), None), (secs(3), open), (secs(4), open), (secs(5), open)]);
    // Back to fresh answers when it closes.
    sleep(secs(10)).await;
    assert_eq!((over_breaker(&body).await, breaker.state()), (Ok(4), State::Closed));
}

#[stale_if_error("1h")]
#[bulkhead("rules-cancelled", max_concurrent = 1, max_wait = "1h")]
async fn cancelled(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_call_that_does_not_end_stores_nothing_and_serves_nothing() {
    let slow = Script::new([Step::Ok.after(ms(10)).after(ms(10))]);
    for times in 0..3 {
        assert!(polls(cancelled(&slow), times).await.is_none());
        assert_eq!(cancelled(&Script::down()).await, Err(Fault::Down), "{times} polls");
    }
    assert!(tokio::time::timeout(ms(19), cancelled(&slow)).await.is_err());
    assert!(AssertUnwindSafe(cancelled(&Script::new([Step::Panic]))).catch_unwind().await.is_err());
    assert_eq!(cancelled(&Script::down()).await, Err(Fault::Down));
    // One that is served something does not end by it if it is dropped before.
    cancelled(&slow).await.unwrap();
    assert!(polls(cancelled(&Script::hang()), 1).await.is_none());
    assert!(
        AssertUnwindSafe(cancelled(&Script::new([Step::Panic]))).catch_unwind().await.is_err(),
        "a panic propagates"
    );
    assert_eq!(cancelled(&Script::down()).await, Ok(slow.entered()));
}

#[stale_if_error("1h")]
#[timeout("50ms")]
async fn cut(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_cut_or_too_late_is_served_and_stores_nothing() {
    assert_eq!(cut(&Script::hang()).await.unwrap_err().kind(), Some(ErrorKind::TimedOut));
    assert_eq!(cut(&Script::down()).await, Err(Fault::Down));
    cut(&Script::ok()).await.unwrap();
    let clock = Clock::start();
    assert_eq!((cut(&Script::hang()).await, clock.elapsed()), (Ok(1), ms(50)));
    assert_eq!(Deadline::after(ms(20)).scope(cut(&Script::hang())).await, Ok(1));
    let body = Script::ok();
    assert_eq!((Deadline::after(ms(0)).scope(cut(&body)).await, body.entered()), (Ok(1), 0));
}

#[fallback(value = 1000, name = "rules-both")]
#[stale_if_error("10s", name = "rules-both")]
async fn both(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_fallback_above_is_for_when_there_is_nothing_fresh_enough() {
    let log = EventLog::of(["rules-both"]);
    let body = once();
    assert_eq!(both(&Script::down()).await, Ok(1000));
    both(&body).await.unwrap();
    assert_eq!(both(&body).await, Ok(1));
    sleep(secs(10)).await;
    assert_eq!(both(&body).await, Ok(1000), "what the fallback gives is not remembered");
    log.expect(["fallback.used", "stale.served", "fallback.used"]);
    log.assert_finished();
}

#[tokio::test(start_paused = true)]
async fn the_event_carries_the_error_that_was_replaced() {
    #[stale_if_error("1h", name = "rules-event")]
    #[timeout("50ms", name = "rules-event-timeout")]
    async fn told(body: &Script) -> Answer {
        body.run().await
    }
    let log = EventLog::of(["rules-event"]);
    told(&Script::ok()).await.unwrap();
    told(&Script::down()).await.unwrap();
    told(&Script::hang()).await.unwrap();
    let events = log.expect(["stale.served", "stale.served"]);
    let errors: Vec<_> = events
        .iter()
        .map(|event| match event {
            Event::StaleServed { error, refusal, .. } => (error.as_str(), *refusal),
            _ => unreachable!(),
        })
        .collect();
    let cut = "`rules-event-timeout` timed out after 50ms";
    assert_eq!(errors, [("down", None), (cut, Some(ErrorKind::TimedOut))]);
    assert_eq!(events[0].kind(), "stale_if_error");
}
