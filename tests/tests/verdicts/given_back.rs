//! Permits of a rate limit come back from calls whose body never ran.

use resilience::{Bulkhead, CircuitBreaker, Deadline, ErrorKind, RateLimiter, bulkhead, circuit_breaker, rate_limit};
use resilience_tests::{Answer, Clock, Script, Step, ms, poll_times, polls, secs, sleep};

use crate::forms::Work;

/// The name of the limit, the breaker and the bulkhead of a function; and the function.
type Function = (&'static str, for<'a> fn(&'a Script) -> Work<'a>);

macro_rules! functions {
    ($($name:ident $shared:literal: $($attribute:meta)*;)*) => {
        $(
            $(#[$attribute])*
            async fn $name(body: &Script) -> Answer {
                body.run().await
            }
        )*

        const FUNCTIONS: &[Function] = &[$(($shared, |body| Box::pin($name(body)))),*];
    };
}

functions! {
    one "back one": rate_limit("back one", limit = 10, per = "10s", max_wait = "1h") circuit_breaker("back one") bulkhead("back one", max_concurrent = 1, max_wait = "1m", max_queue = 1);
    apart "back apart": rate_limit("back apart", limit = 10, per = "10s", max_wait = "1h", permits = 1) circuit_breaker("back apart") bulkhead("back apart", max_concurrent = 1, max_wait = "1m", max_queue = 1);
    asked "back asked": rate_limit("back asked", limit = 10, per = "10s", max_wait = "1h") circuit_breaker("back asked", when = |_| true) bulkhead("back asked", max_concurrent = 1, max_wait = "1m", max_queue = 1);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_never_comes_to_its_body_uses_up_nothing() {
    for (name, call) in FUNCTIONS {
        let limiter = RateLimiter::get(name).expect("declared");
        let (breaker, slots) = (CircuitBreaker::get(name).expect("declared"), Bulkhead::get(name).expect("declared"));
        let (ok, available) = (Script::ok(), || limiter.snapshot().available);
        breaker.force_open();
        for _ in 0..20 {
            assert_eq!(call(&ok).await.expect_err("open").kind(), Some(ErrorKind::CircuitOpen), "{name}");
        }
        breaker.reset();
        assert_eq!((available(), ok.entered()), (10, 0), "{name}: refused by the breaker");
        let slot = slots.try_acquire().expect("free");
        let mut in_line = call(&ok);
        assert_eq!(poll_times(in_line.as_mut(), 1).await, None);
        assert_eq!(available(), 9, "{name}: one is in line below");
        for _ in 0..20 {
            assert_eq!(call(&ok).await.expect_err("full").kind(), Some(ErrorKind::BulkheadFull), "{name}");
        }
        assert_eq!(available(), 9, "{name}: refused by the bulkhead");
        drop(in_line);
        assert_eq!(available(), 10, "{name}: dropped in line");
        let late = Deadline::after(ms(500)).scope(call(&ok)).await;
        assert_eq!(late.expect_err("late").kind(), Some(ErrorKind::DeadlineExceeded));
        drop(slot);
        assert_eq!((available(), ok.entered()), (10, 0), "{name}: too late");
        assert_eq!(polls(call(&Script::hang()), 1).await, None);
        assert_eq!(available(), 9, "{name}: its body was polled");
        assert_eq!((call(&ok).await, available()), (Ok(1), 8), "{name}: its body ran");
    }
}

#[tokio::test(start_paused = true)]
async fn what_comes_back_fits_into_the_burst_and_wakes_the_head_of_the_line() {
    #[rate_limit("back in line", limit = 1, per = "10s", max_wait = "1h")]
    #[bulkhead("back in line", max_concurrent = 1, max_wait = "1m")]
    async fn guarded(body: &Script) -> Answer {
        body.run().await
    }
    let (limiter, slots) =
        (RateLimiter::get("back in line").expect("declared"), Bulkhead::get("back in line").expect("declared"));
    let (clock, body) = (Clock::start(), Script::new([Step::Ok]));
    let slot = slots.try_acquire().expect("free");
    let leaves = async {
        assert!(tokio::time::timeout(secs(2), guarded(&body)).await.is_err());
    };
    let waits = async {
        let answer = guarded(&body).await;
        (answer, clock.elapsed())
    };
    let frees = async {
        sleep(secs(3)).await;
        drop(slot);
    };
    let ((), (answer, at), ()) = tokio::join!(leaves, waits, frees);
    assert_eq!((answer, at), (Ok(1), secs(3)), "its permit came back after two, and not after ten; then came the slot");
    sleep(secs(60)).await;
    assert_eq!(limiter.snapshot().available, 1);
    let slot = slots.try_acquire().expect("free");
    let mut in_line: Work<'_> = Box::pin(guarded(&body));
    assert_eq!(poll_times(in_line.as_mut(), 1).await, None);
    sleep(secs(60)).await;
    assert_eq!(limiter.snapshot().available, 1, "time has brought one");
    drop((in_line, slot));
    assert_eq!(limiter.snapshot().available, 1, "and no more fit in");
}

#[tokio::test(start_paused = true)]
async fn by_hand_nothing_comes_back() {
    let limiter = resilience_tests::limiter(rate_limit::Config::new().limit(5));
    limiter.try_acquire(2).expect("there");
    limiter.acquire(2).await.expect("there");
    assert_eq!(limiter.snapshot().available, 1);
}
