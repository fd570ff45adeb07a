//! Calls that pass the limit and do not come to be: they have taken nothing.

use std::time::Duration;

use resilience::{
    Bulkhead, CircuitBreaker, Deadline, ErrorKind, RateLimiter, bulkhead, circuit_breaker, rate_limit, retry, timeout,
};
use resilience_tests::{Answer, Clock, Script, ms, polls, secs, sleep};

#[rate_limit("back-bulkhead", limit = 10, per = "1h")]
#[bulkhead("back-bulkhead", max_concurrent = 1)]
async fn above_a_bulkhead(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn refused_by_a_full_bulkhead() {
    let (bulkhead, limiter) = (Bulkhead::get("back-bulkhead").unwrap(), RateLimiter::get("back-bulkhead").unwrap());
    let slot = bulkhead.try_acquire().unwrap();
    let body = Script::ok();
    for _ in 0..1000 {
        assert_eq!(above_a_bulkhead(&body).await.unwrap_err().kind(), Some(ErrorKind::BulkheadFull));
    }
    assert_eq!(limiter.snapshot().available, 10);
    drop(slot);
    above_a_bulkhead(&body).await.unwrap();
    assert_eq!((limiter.snapshot().available, limiter.snapshot().rejected), (9, 0));
}

#[rate_limit("back-breaker", limit = 10, per = "1h", permits = permits)]
#[circuit_breaker("back-breaker")]
#[timeout("5s")]
async fn above_a_breaker(permits: u32, body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn refused_by_an_open_breaker() {
    let (breaker, limiter) = (CircuitBreaker::get("back-breaker").unwrap(), RateLimiter::get("back-breaker").unwrap());
    breaker.force_open();
    for _ in 0..100 {
        assert_eq!(above_a_breaker(3, &Script::ok()).await.unwrap_err().kind(), Some(ErrorKind::CircuitOpen));
    }
    assert_eq!(limiter.snapshot().available, 10, "all of them");
    breaker.reset();
    above_a_breaker(3, &Script::ok()).await.unwrap();
    // Cut, dropped or failed after its body has begun: it is spent.
    assert!(above_a_breaker(1, &Script::hang()).await.is_err());
    let _ = polls(above_a_breaker(1, &Script::hang()), 1).await;
    let _ = above_a_breaker(1, &Script::down()).await;
    assert_eq!(limiter.snapshot().available, 4);
}

#[rate_limit("back-queue", limit = 2, per = "1h", max_wait = "2h")]
#[bulkhead("back-queue", max_concurrent = 1, max_wait = "10s", max_queue = 5)]
async fn above_a_queue(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn dropped_in_a_queue_below_it_serves_the_line_above() {
    let (bulkhead, limiter) = (Bulkhead::get("back-queue").unwrap(), RateLimiter::get("back-queue").unwrap());
    let slot = bulkhead.try_acquire().unwrap();
    let call = || {
        let body = Script::ok();
        tokio::spawn(async move { above_a_queue(&body).await })
    };
    let clock = Clock::start();
    let (dropped, refused) = (call(), call());
    sleep(ms(1)).await;
    let (next, last) = (call(), call());
    sleep(ms(1)).await;
    assert_eq!((bulkhead.snapshot().waiting, limiter.snapshot().waiting), (2, 2));
    dropped.abort();
    sleep(ms(1)).await;
    assert_eq!((bulkhead.snapshot().waiting, limiter.snapshot().waiting), (2, 1), "the head has moved up");
    // Ten seconds in the queue below, then it is full for this one.
    assert_eq!(refused.await.unwrap().unwrap_err().kind(), Some(ErrorKind::BulkheadFull));
    sleep(ms(1)).await;
    assert_eq!(limiter.snapshot().waiting, 0);
    drop(slot);
    assert_eq!((next.await.unwrap(), last.await.unwrap()), (Ok(1), Ok(1)));
    assert!(clock.elapsed() < secs(11));
    assert_eq!(limiter.snapshot().available, 0);
}

#[timeout(limit)]
#[rate_limit("back-deadline", limit = 3, per = "1h")]
#[bulkhead("back-deadline", max_concurrent = 1, max_wait = "1h")]
async fn under_a_deadline(limit: Duration, body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn cut_in_a_queue_below() {
    let (bulkhead, limiter) = (Bulkhead::get("back-deadline").unwrap(), RateLimiter::get("back-deadline").unwrap());
    let _slot = bulkhead.try_acquire().unwrap();
    for _ in 0..5 {
        assert!(under_a_deadline(secs(1), &Script::ok()).await.is_err());
        assert!(Deadline::after(ms(1)).scope(under_a_deadline(secs(1), &Script::ok())).await.is_err());
    }
    assert_eq!(limiter.snapshot().available, 3);
}

#[rate_limit("back-retry", limit = 3, per = "1h")]
#[retry(max_attempts = 3, base_delay = "1ms")]
#[bulkhead("back-retry", max_concurrent = 1)]
async fn above_a_retry(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn one_attempt_whose_body_begins_is_enough() {
    let (bulkhead, limiter) = (Bulkhead::get("back-retry").unwrap(), RateLimiter::get("back-retry").unwrap());
    let slot = bulkhead.try_acquire().unwrap();
    assert!(above_a_retry(&Script::ok()).await.is_err());
    assert_eq!(limiter.snapshot().available, 3);
    drop(slot);
    assert!(above_a_retry(&Script::down()).await.is_err());
    assert_eq!(limiter.snapshot().available, 2);
}
