//! Where it stands among the other policies.

use resilience::{
    Bulkhead, CircuitBreaker, Outcome, RateLimiter, bulkhead, circuit_breaker, fallback, rate_limit, resilient, retry,
    timeout,
};
use resilience_tests::{Answer, Clock, EventLog, Script, ms, trip};

use super::{INSTEAD, Instead};

#[retry(max_attempts = 3, base_delay = "0ms", order = "as_written")]
#[fallback(|error| instead.of(error).await)]
async fn inside_retry(instead: &Instead, body: &Script) -> Answer {
    body.run().await
}

#[fallback(|error| instead.of(error).await)]
#[retry(max_attempts = 3, base_delay = "0ms")]
async fn outside_retry(instead: &Instead, body: &Script) -> Answer {
    body.run().await
}

#[circuit_breaker("order-inside", window_calls = 10, order = "as_written")]
#[fallback(|error| instead.of(error).await)]
async fn inside_breaker(instead: &Instead, body: &Script) -> Answer {
    body.run().await
}

#[fallback(|error| instead.of(error).await)]
#[circuit_breaker("order-outside", window_calls = 10)]
async fn outside_breaker(instead: &Instead, body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn fb01_inside_it_hides_failures_from_what_is_outside() {
    let instead = Instead::default();
    let body = Script::down();
    assert_eq!(inside_retry(&instead, &body).await, Ok(INSTEAD));
    assert_eq!((body.entered(), instead.used()), (1, 1));
    let body = Script::down();
    assert_eq!(outside_retry(&instead, &body).await, Ok(INSTEAD));
    assert_eq!((body.entered(), instead.used()), (3, 2));

    let window = |name| {
        let snapshot = CircuitBreaker::get(name).unwrap().snapshot();
        (snapshot.calls, snapshot.failures)
    };
    inside_breaker(&instead, &Script::down()).await.unwrap();
    outside_breaker(&instead, &Script::down()).await.unwrap();
    assert_eq!((window("order-inside"), window("order-outside")), ((1, 0), (1, 1)));
}

#[fallback(|error| instead.of(error).await, name = "order-refused")]
#[circuit_breaker("order-refused", min_calls = 1)]
#[rate_limit("order-refused", limit = 1, per = "1h")]
#[bulkhead("order-refused", max_concurrent = 1)]
async fn refused(instead: &Instead, body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn every_refusal_below_is_replaced() {
    let instead = Instead::default();
    let log = EventLog::of(["order-refused"]);
    let breaker = CircuitBreaker::get("order-refused").unwrap();
    let bulkhead = Bulkhead::get("order-refused").unwrap();
    let body = Script::ok();
    let slot = bulkhead.try_acquire().unwrap();
    assert_eq!(refused(&instead, &body).await, Ok(INSTEAD));
    drop(slot);
    RateLimiter::get("order-refused").unwrap().try_acquire(1).unwrap();
    assert_eq!(refused(&instead, &body).await, Ok(INSTEAD), "the one permit is taken");
    trip(&breaker, 1);
    assert_eq!(refused(&instead, &body).await, Ok(INSTEAD));
    assert_eq!((body.entered(), instead.used()), (0, 3));
    log.expect([
        "bulkhead.rejected",
        "fallback.used",
        "rate_limit.rejected",
        "fallback.used",
        "circuit_breaker.opened",
        "circuit_breaker.rejected",
        "fallback.used",
    ]);
    log.assert_finished();
}

/// A call that is replaced has still failed, for the breaker: it opens, and the fallback goes on.
#[tokio::test(start_paused = true)]
async fn the_breaker_below_opens_all_the_same() {
    #[resilient(
        fallback(value = INSTEAD),
        circuit_breaker("order-opens", window_calls = 4, min_calls = 4, cooldown = "1h")
    )]
    async fn call(body: &Script) -> Answer {
        body.run().await
    }
    let body = Script::down();
    for _ in 0..10 {
        assert_eq!(call(&body).await, Ok(INSTEAD));
    }
    assert_eq!(body.entered(), 4);
    let breaker = CircuitBreaker::get("order-opens").unwrap();
    assert_eq!(breaker.snapshot().rejected, 6);
    breaker.reset();
    breaker.try_acquire().unwrap().record(Outcome::Success);
    assert_eq!(call(&Script::ok()).await, Ok(1));
}

/// C25 (d): a body that never ends, cut and replaced when its time is over.
#[tokio::test(start_paused = true)]
async fn c25_a_fallback_takes_the_place_of_a_timeout() {
    #[fallback(value = INSTEAD)]
    #[timeout("500ms")]
    #[bulkhead("order-c25", max_concurrent = 1)]
    async fn call(body: &Script) -> Answer {
        body.run().await
    }
    let (body, clock) = (Script::hang(), Clock::start());
    assert_eq!((call(&body).await, clock.elapsed()), (Ok(INSTEAD), ms(500)));
    assert_eq!((body.probe().in_flight(), Bulkhead::get("order-c25").unwrap().snapshot().in_flight), (0, 0));
}
