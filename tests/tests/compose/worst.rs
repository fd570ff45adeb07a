//! CX-04: all seven attributes on one function, every one of them at its worst.

use resilience::{
    Bulkhead, CircuitBreaker, ErrorKind, RateLimiter, bulkhead, circuit_breaker, fallback, rate_limit, retry,
    stale_if_error, timeout,
};
use resilience_tests::{Answer, Clock, EventLog, Fault, Script, Step, ms, secs, sleep};

#[timeout("1s", name = "worst-whole", order = "as_written")]
#[fallback(|_| { sleep(secs(30)).await; Ok(1000) })]
#[stale_if_error("1h")]
#[retry(max_attempts = 100, base_delay = "30s", max_delay = "30s", jitter = "none")]
#[circuit_breaker("worst", window_calls = 100, slow_call = "30s")]
#[rate_limit("worst", limit = 1, per = "30s", max_wait = "30s")]
#[bulkhead("worst", max_concurrent = 1, max_wait = "30s")]
#[timeout("30s", name = "worst-attempt")]
async fn worst(body: &Script) -> Answer {
    body.run().await
}

/// What the call meets first.
#[derive(Debug, Clone, Copy)]
enum Meets {
    Limit,
    Line,
    Hang,
    Pause,
    Open,
}

#[tokio::test(start_paused = true)]
async fn cx04_all_seven_at_their_worst_end_with_the_timeout_on_top() {
    let breaker = CircuitBreaker::get("worst").unwrap();
    let bulkhead = Bulkhead::get("worst").unwrap();
    let limiter = RateLimiter::get("worst").unwrap();
    let log = EventLog::of(["worst-whole"]);
    for meets in [Meets::Limit, Meets::Line, Meets::Hang, Meets::Pause, Meets::Open] {
        sleep(secs(60)).await;
        let slot = matches!(meets, Meets::Line).then(|| bulkhead.try_acquire().unwrap());
        let body = match meets {
            Meets::Limit => {
                limiter.try_acquire(1).unwrap();
                Script::ok()
            }
            Meets::Line => Script::ok(),
            Meets::Hang => Script::hang(),
            Meets::Pause => Script::new([Step::Err(Fault::Down).after(ms(500))]),
            Meets::Open => {
                breaker.force_open();
                Script::ok()
            }
        };
        let clock = Clock::start();
        let error = worst(&body).await.unwrap_err().refusal().cloned().unwrap();
        // Whatever was in the way, what takes thirty seconds then is the fallback, and the timeout on top ends that.
        assert_eq!((error.kind(), error.policy()), (ErrorKind::TimedOut, "worst-whole"), "{meets:?}");
        assert_eq!(clock.elapsed(), secs(1), "{meets:?}: exactly");
        log.expect(["timeout.elapsed"]);
        drop(slot);
        let held = (bulkhead.snapshot().in_flight, bulkhead.snapshot().waiting, limiter.snapshot().waiting);
        assert_eq!((held, breaker.snapshot().probes_in_flight), ((0, 0, 0), 0), "{meets:?}");
        assert_eq!(body.probe().in_flight(), 0);
        breaker.reset();
    }
    sleep(secs(60)).await;
    assert_eq!(worst(&Script::ok()).await, Ok(1), "all of it works afterwards");
}
