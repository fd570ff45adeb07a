//! The attribute.

use std::time::Duration;

use resilience::circuit_breaker::State;
use resilience::rate_limit::Config;
use resilience::{
    CircuitBreaker, ErrorKind, Event, RateLimiter, Value, bulkhead, circuit_breaker, rate_limit, retry, timeout,
};
use resilience_tests::{Answer, Clock, EventLog, Fault, Script, Step, ms, polls, secs, trip};

use super::admitted;

#[rate_limit(limit = 3, per = "1s")]
async fn private(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_refused_call_does_not_run_and_says_when_to_come_back() {
    let body = Script::ok();
    for run in 1..=3 {
        assert_eq!(private(&body).await, Ok(run));
    }
    let error = private(&body).await.unwrap_err().refusal().cloned().unwrap();
    assert_eq!((error.kind(), error.retry_after()), (ErrorKind::RateLimited, Some(Duration::from_nanos(333_333_334))));
    assert_eq!((error.policy(), body.entered()), (concat!(module_path!(), "::private"), 3));
}

/// One site gives the options, the other the name: in any order of first use.
mod shared {
    use super::*;

    #[rate_limit("attribute-shared")]
    pub(super) async fn names(body: &Script) -> Answer {
        body.run().await
    }

    #[rate_limit("attribute-shared", limit = 3, per = "10s")]
    pub(super) async fn gives(body: &Script) -> Answer {
        body.run().await
    }
}

#[tokio::test(start_paused = true)]
async fn rg03_a_name_is_one_limit_and_stays_as_declared() {
    let limiter = RateLimiter::get("attribute-shared").unwrap();
    let body = Script::ok();
    let mut ran = 0;
    for call in 0..5 {
        let answer = if call % 2 == 0 { shared::names(&body).await } else { shared::gives(&body).await };
        ran += u32::from(answer.is_ok());
    }
    assert_eq!((ran, limiter.snapshot().rejected), (3, 2));
    // Whatever the run-time API gave is taken back: what the attribute declares is in force again.
    RateLimiter::register("attribute-shared", Config::new().limit(50)).unwrap();
    RateLimiter::register("attribute-shared", Config::new()).unwrap();
    let clock = Clock::start();
    clock.until(secs(60)).await;
    assert_eq!(admitted(&limiter, 10), 3);
}

#[rate_limit("attribute-weighed", limit = 10, max_wait = "1s", permits = items.len() as u32)]
async fn weighed(items: &[u8], body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn permits_are_computed_for_each_call() {
    let (body, clock) = (Script::ok(), Clock::start());
    weighed(&[0; 7], &body).await.unwrap();
    weighed(&[0; 3], &body).await.unwrap();
    assert_eq!(clock.elapsed(), ms(0));
    weighed(&[0; 5], &body).await.unwrap();
    assert_eq!(clock.elapsed(), ms(500));
    let never = weighed(&[0; 11], &body).await.unwrap_err().refusal().cloned().unwrap();
    assert_eq!((never.kind(), never.retry_after(), body.entered()), (ErrorKind::RateLimited, None, 3));
}

#[rate_limit("attribute-weightless", limit = 2, per = "1h", permits = permits)]
async fn weightless(permits: u32, body: &Script) -> Answer {
    body.run().await
}

/// A call that takes none would not be limited at all, and nobody would know.
#[tokio::test(start_paused = true)]
async fn a_call_takes_one_permit_at_least() {
    let log = EventLog::of(["attribute-weightless"]);
    let body = Script::ok();
    for call in 1..=2 {
        assert_eq!(weightless(0, &body).await, Ok(call));
    }
    assert_eq!(weightless(0, &body).await.unwrap_err().kind(), Some(ErrorKind::RateLimited));
    assert_eq!(body.entered(), 2);
    let told = log.expect(["config.clamped", "rate_limit.rejected"]);
    let Event::ConfigClamped { kind, option, value, .. } = &told[0] else { unreachable!() };
    assert_eq!((*kind, *option, *value), ("rate_limit", "permits", Value::Count(0)), "once for the function");
    assert!(matches!(told[1], Event::RateLimitRejected { permits: 1, .. }));
}

#[retry(max_attempts = 5, base_delay = "0ms")]
#[rate_limit("attribute-retried", limit = 3, per = "1h")]
async fn retried(body: &Script) -> Answer {
    body.run().await
}

#[rate_limit("attribute-outside", limit = 3, per = "1h")]
#[retry(max_attempts = 5, base_delay = "0ms")]
async fn limited_outside(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn below_a_retry_each_attempt_takes_a_permit_and_a_refusal_ends_it() {
    let body = Script::down();
    assert_eq!(retried(&body).await, Err(Fault::Down), "the error that was learnt");
    assert_eq!(body.entered(), 3);
    let body = Script::down();
    for calls in 1..=3 {
        assert_eq!((limited_outside(&body).await, body.entered()), (Err(Fault::Down), calls * 5));
    }
    assert_eq!(limited_outside(&body).await.unwrap_err().kind(), Some(ErrorKind::RateLimited));
}

#[circuit_breaker("attribute-ho05", min_calls = 2, cooldown = "1s", success_threshold = 1)]
#[rate_limit("attribute-ho05", limit = 1, per = "10s")]
async fn probing(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn ho05_a_trial_that_the_limit_refuses_gives_its_slot_back() {
    let breaker = CircuitBreaker::get("attribute-ho05").unwrap();
    let limiter = RateLimiter::get("attribute-ho05").unwrap();
    trip(&breaker, 2);
    limiter.try_acquire(1).unwrap();
    let clock = Clock::start();
    clock.until(secs(1)).await;
    for _ in 0..5 {
        assert_eq!(probing(&Script::ok()).await.unwrap_err().kind(), Some(ErrorKind::RateLimited));
        assert_eq!((breaker.state(), breaker.snapshot().probes_in_flight), (State::HalfOpen, 0));
    }
    clock.until(secs(10)).await;
    assert_eq!((probing(&Script::ok()).await, breaker.state()), (Ok(1), State::Closed));
}

#[timeout("1s")]
#[rate_limit("attribute-bounded", limit = 1, per = "2s", max_wait = "500ms")]
async fn bounded(body: &Script) -> Answer {
    body.run().await
}

#[timeout(limit, name = "attribute-hurried")]
#[rate_limit("attribute-hurried", limit = 1, per = "2s", max_wait = "1h")]
async fn hurried(limit: Duration, body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_beyond_the_timeout_above() {
    let (body, clock) = (Script::ok(), Clock::start());
    bounded(&body).await.unwrap();
    assert_eq!(bounded(&body).await.unwrap_err().kind(), Some(ErrorKind::RateLimited));
    hurried(secs(1), &body).await.unwrap();
    for limit in [ms(1), ms(1999), secs(2)] {
        let error = hurried(limit, &body).await.unwrap_err().refusal().cloned().unwrap();
        assert_eq!((error.kind(), error.retry_after()), (ErrorKind::RateLimited, Some(secs(2))));
    }
    assert_eq!((clock.elapsed(), body.entered()), (ms(0), 2));
    hurried(ms(2001), &body).await.unwrap();
    assert_eq!(clock.elapsed(), secs(2));
}

#[bulkhead("attribute-held", max_concurrent = 1)]
#[rate_limit("attribute-held", limit = 1, per = "1s", max_wait = "1h")]
async fn held(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn dropped_in_line_it_has_taken_nothing_and_frees_what_is_above() {
    let bulkhead = resilience::Bulkhead::get("attribute-held").unwrap();
    let limiter = RateLimiter::get("attribute-held").unwrap();
    let body = Script::new([Step::Ok]);
    held(&body).await.unwrap();
    for times in 1..4 {
        let _ = polls(held(&body), 1).await;
        assert_eq!((bulkhead.snapshot().in_flight, limiter.snapshot().waiting), (0, 0), "{times}");
    }
    let clock = Clock::start();
    held(&body).await.unwrap();
    assert_eq!((clock.elapsed(), body.entered()), (secs(1), 2));
}
