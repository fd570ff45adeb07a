//! What a retry has learnt is not lost: an attempt that is refused after others had failed ends the call as they did.

use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use resilience::retry_budget::Config;
use resilience::{
    Bulkhead, CircuitBreaker, Error, ErrorKind, Event, RateLimiter, RetryBudget, RetryLimit, bulkhead, circuit_breaker,
    rate_limit, retry, timeout,
};
use resilience_tests::{Answer, Clock, EventLog, Fault, Script, Step, refusal, secs, sleep, trip};

use crate::forms::Work;

type Function = (&'static str, for<'a> fn(&'a Script) -> Work<'a>);

/// `name: attributes` is a function whose policies have that name; the list has all of them.
macro_rules! functions {
    ($all:ident: $($name:ident $shared:literal: $($attribute:meta)*;)*) => {
        $(
            $(#[$attribute])*
            async fn $name(body: &Script) -> Answer {
                body.run().await
            }
        )*

        const $all: &[Function] = &[$(($shared, |body| Box::pin($name(body)))),*];
    };
}

functions! { OPENED:
    opens "opens": retry(base_delay = 1s, jitter = "none", name = "opens", budget = "opens") circuit_breaker("opens", consecutive_failures = 1, cooldown = "10s");
    opens_asked "opens asked": retry(base_delay = 1s, jitter = "none", name = "opens asked", budget = "opens asked", when = |_| true) circuit_breaker("opens asked", consecutive_failures = 1, cooldown = "10s");
    opens_apart "opens apart": retry(base_delay = 1s, jitter = "none", name = "opens apart", budget = "opens apart") circuit_breaker("opens apart", consecutive_failures = 1, cooldown = "10s", when = |_| true);
    opens_below "opens below": retry(base_delay = 1s, jitter = "none", name = "opens below", budget = "opens below") timeout("1h") bulkhead("opens below") circuit_breaker("opens below", consecutive_failures = 1, cooldown = "10s");
    opens_block "opens block": retry(base_delay = 1s, jitter = "none", name = "opens block", budget = "opens block") timeout(secs(3600)) circuit_breaker("opens block", consecutive_failures = 1, cooldown = "10s");
    opens_bound "opens bound": timeout("1h") retry(base_delay = 1s, jitter = "none", name = "opens bound", budget = "opens bound") circuit_breaker("opens bound", consecutive_failures = 1, cooldown = "10s");
}

/// The last event is the end of a retry: its limit, who refused, the attempts, and the error.
#[track_caller]
fn exhausted(log: &EventLog) -> (RetryLimit, Option<&'static str>, u32, String) {
    let events = log.take();
    let ends: Vec<_> = events.iter().filter(|event| event.name() == "retry.exhausted").collect();
    let [Event::RetryExhausted { limit, refused_by, attempts, error, .. }] = ends[..] else { panic!("{events:?}") };
    (*limit, *refused_by, *attempts, error.clone())
}

#[tokio::test(start_paused = true)]
async fn where_the_own_breaker_would_refuse_the_error_comes_back_at_once() {
    for (name, call) in OPENED {
        let budget = RetryBudget::register(name, Config::new().ratio(0.0).min_per_second(7)).unwrap();
        let (clock, log, down) = (Clock::start(), EventLog::of([name]), Script::down());
        assert_eq!(call(&down).await, Err(Fault::Down), "{name}");
        assert_eq!((clock.elapsed(), down.entered(), budget.snapshot().available), (secs(0), 1, 7), "{name}");
        assert_eq!(exhausted(&log), (RetryLimit::Refused, Some(*name), 1, "down".to_owned()));
        assert_eq!(call(&down).await.expect_err("open").kind(), Some(ErrorKind::CircuitOpen));
        assert!(log.take().iter().all(|event| event.name() == "circuit_breaker.rejected"), "a refusal is no story");
        let breaker = CircuitBreaker::get(name).expect("declared");
        assert_eq!((breaker.snapshot().failures, breaker.snapshot().rejected), (1, 1), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_breaker_that_is_half_open_by_then_is_waited_for() {
    #[retry(base_delay = 10s, max_delay = 10s, jitter = "none")]
    #[circuit_breaker("half-open by then", consecutive_failures = 1, cooldown = "10s")]
    async fn waits(body: &Script) -> Answer {
        body.run().await
    }
    let (clock, body) = (Clock::start(), Script::new([Step::Err(Fault::Down), Step::Ok]));
    assert_eq!((waits(&body).await, clock.elapsed()), (Ok(2), secs(10)));
}

functions! { LIMITED:
    limited "limited": retry(max_attempts = 2, base_delay = 1s, jitter = "none", name = "limited") rate_limit("limited", limit = 1, per = "10s", max_wait = "8s");
    limited_asked "limited asked": retry(max_attempts = 2, base_delay = 1s, jitter = "none", name = "limited asked", when = |_| true) rate_limit("limited asked", limit = 1, per = "10s", max_wait = "8s");
    limited_block "limited block": retry(max_attempts = 2, base_delay = 1s, jitter = "none", name = "limited block") rate_limit("limited block", limit = 1, per = "10s", max_wait = "8s", permits = 1);
}

#[tokio::test(start_paused = true)]
async fn where_the_limit_would_refuse_the_error_comes_back_at_once() {
    // See `moved.rs`: the limits may have been made by a clock a little ahead of this one.
    sleep(secs(60)).await;
    for (name, call) in LIMITED {
        let (clock, log) = (Clock::start(), EventLog::of([name]));
        let body = Script::new([Step::Err(Fault::Down), Step::Err(Fault::Down).after(secs(1)), Step::Ok]);
        assert_eq!(call(&body).await, Err(Fault::Down), "{name}: ten seconds are more than one and eight");
        assert_eq!((clock.elapsed(), body.entered()), (secs(0), 1));
        assert_eq!(exhausted(&log), (RetryLimit::Refused, Some(*name), 1, "down".to_owned()));
        clock.until(secs(10)).await;
        assert_eq!((call(&body).await, clock.elapsed()), (Ok(3), secs(20)), "{name}: nine are not");
    }
}

functions! { REFUSED:
    refused "refused": retry(base_delay = 3s, jitter = "none", name = "refused") circuit_breaker("refused", consecutive_failures = 5) bulkhead("refused", max_concurrent = 1) rate_limit("refused", limit = 2, per = "1h");
    refused_asked "refused asked": retry(base_delay = 3s, jitter = "none", name = "refused asked", when = |_| true) circuit_breaker("refused asked", consecutive_failures = 5) bulkhead("refused asked", max_concurrent = 1) rate_limit("refused asked", limit = 2, per = "1h");
    refused_apart "refused apart": retry(base_delay = 3s, jitter = "none", name = "refused apart") circuit_breaker("refused apart", consecutive_failures = 5, when = |_| true) bulkhead("refused apart", max_concurrent = 1) rate_limit("refused apart", limit = 2, per = "1h");
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_refuses_the_next_attempt_does_not_hide_the_error() {
    for (name, call) in REFUSED {
        let breaker = CircuitBreaker::get(name).expect("declared");
        let (slots, limiter) = (Bulkhead::get(name).expect("declared"), RateLimiter::get(name).expect("declared"));
        for by in ["breaker", "bulkhead", "limit"] {
            let (log, down) = (EventLog::of([name]), Script::down());
            let others = async {
                sleep(secs(1)).await;
                match by {
                    "breaker" => trip(&breaker, 4),
                    "bulkhead" => {
                        let slot = slots.try_acquire().expect("it is free in the pause");
                        sleep(secs(5)).await;
                        drop(slot);
                    }
                    _ => limiter.try_acquire(1).expect("one is left"),
                }
            };
            let (answer, ()) = tokio::join!(call(&down), others);
            assert_eq!((answer, down.entered()), (Err(Fault::Down), 1), "{name}, {by}");
            assert_eq!(exhausted(&log), (RetryLimit::Refused, Some(*name), 2, "down".to_owned()), "{name}, {by}");
            breaker.reset();
            sleep(secs(7200)).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_of_a_nested_function_does_not_hide_the_error() {
    #[retry(base_delay = 1s, jitter = "none", name = "nested refusal")]
    async fn one_future(body: &Script) -> Answer {
        body.run().await
    }
    #[retry(base_delay = 1s, jitter = "none", name = "nested refusal", on_retry = |_| ())]
    async fn hooked(body: &Script) -> Answer {
        body.run().await
    }
    let refused = Step::Err(Fault::Refused(refusal(ErrorKind::BulkheadFull).await));
    for call in
        [(|body| Box::pin(one_future(body))) as for<'a> fn(&'a Script) -> Work<'a>, |body| Box::pin(hooked(body))]
    {
        let (log, body) = (EventLog::of(["nested refusal"]), Script::new([Step::Err(Fault::Down), refused.clone()]));
        assert_eq!((call(&body).await, body.entered()), (Err(Fault::Down), 2));
        let (limit, _, attempts, error) = exhausted(&log);
        assert_eq!((limit, attempts, error.as_str()), (RetryLimit::Refused, 2, "down"));
        let first = Script::new([refused.clone()]);
        assert_eq!(call(&first).await.expect_err("refused").kind(), Some(ErrorKind::BulkheadFull));
        assert_eq!((first.entered(), log.take().len()), (1, 0));
    }
}

/// An error that stays on its thread.
#[derive(Debug)]
enum Stays {
    Down(Rc<str>),
    Refused(Error),
}

impl fmt::Display for Stays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Down(text) => f.write_str(text),
            Self::Refused(error) => error.fmt(f),
        }
    }
}

impl From<Error> for Stays {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

#[circuit_breaker("around what stays")]
#[retry(base_delay = 3s, jitter = "none")]
#[circuit_breaker("what stays", consecutive_failures = 5)]
async fn stays() -> Result<u32, Stays> {
    Err(Stays::Down("it broke".into()))
}

#[circuit_breaker("around what stays asked")]
#[retry(base_delay = 3s, jitter = "none", when = |_| true)]
#[circuit_breaker("what stays asked", consecutive_failures = 5)]
async fn stays_asked() -> Result<u32, Stays> {
    Err(Stays::Down("it broke".into()))
}

#[circuit_breaker("around what has no name")]
#[retry(base_delay = 3s, jitter = "none")]
#[circuit_breaker("what has no name", consecutive_failures = 5)]
async fn unnamed() -> Result<impl fmt::Display, Fault> {
    Err::<u32, _>(Fault::Down)
}

/// Opens the breaker in the pause of a call.
async fn opened_in_the_pause<T>(breaker: &str, call: impl Future<Output = T>) -> T {
    let breaker = CircuitBreaker::get(breaker).expect("declared");
    let others = async {
        sleep(secs(1)).await;
        trip(&breaker, 4);
    };
    tokio::join!(call, others).0
}

#[track_caller]
fn assert_tells(refusal: &Error, earlier: &str, around: &str) {
    assert_eq!((refusal.kind(), refusal.attempts()), (ErrorKind::CircuitOpen, Some(2)));
    assert!(refusal.to_string().contains(earlier), "{refusal}");
    let snapshot = CircuitBreaker::get(around).expect("declared").snapshot();
    assert_eq!((snapshot.calls, snapshot.failures), (1, 1), "the call ended as a failure");
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_kept_is_told_by_the_refusal() {
    let Err(Stays::Refused(refusal)) = opened_in_the_pause("what stays", stays()).await else { panic!("a refusal") };
    assert_tells(&refusal, "it broke", "around what stays");
    let asked = opened_in_the_pause("what stays asked", stays_asked()).await;
    let Err(Stays::Refused(refusal)) = asked else { panic!("a refusal") };
    assert_tells(&refusal, "it broke", "around what stays asked");
    let Err(Fault::Refused(refusal)) = opened_in_the_pause("what has no name", unnamed()).await.map(|_| ()) else {
        panic!("a refusal")
    };
    assert_tells(&refusal, "down", "around what has no name");
}

#[retry]
#[circuit_breaker]
async fn generic<T: Clone, E: Clone + From<Error>>(value: Result<T, E>) -> Result<T, E> {
    value
}

#[test]
fn futures_are_as_send_as_their_bodies() {
    fn is_send(_: &impl Send) {}
    let body = Script::ok();
    let [(_, one), ..] = REFUSED else { unreachable!() };
    is_send(&one(&body));
    is_send(&refused(&body));
    is_send(&refused_asked(&body));
    is_send(&refused_apart(&body));
    is_send(&unnamed());
    is_send(&generic::<u32, Fault>(Ok(1)));
    is_send(&resilience::Retry::new(retry::Config::new()).call(|| body.run()));
    // `stays` is not, and compiles.
    drop(stays());
}

functions! { LATE:
    late "late": circuit_breaker("late") retry(base_delay = 1s, jitter = "none", name = "late");
    late_asked "late asked": circuit_breaker("late asked") retry(base_delay = 1s, jitter = "none", name = "late asked", when = |_| true);
    late_apart "late apart": circuit_breaker("late apart", when = |_| true) retry(base_delay = 1s, jitter = "none", name = "late apart") timeout("1h");
}

/// Lets the clock jump past a pause's end, and past the deadline, before the pause is polled again.
async fn jumps<T>(after: Duration, mut call: std::pin::Pin<&mut (impl Future<Output = T> + ?Sized)>) -> T {
    assert!(resilience_tests::poll_times(call.as_mut(), 1).await.is_none());
    tokio::time::advance(after).await;
    call.await
}

#[tokio::test(start_paused = true)]
async fn a_pause_whose_timer_is_late_ends_as_the_failure_before() {
    for (name, call) in LATE {
        let (log, body) = (EventLog::of([name]), Script::new([Step::Err(Fault::Down), Step::Ok]));
        let scoped = resilience::Deadline::after(Duration::from_millis(1500)).scope(call(&body));
        let answer = jumps(secs(2), Box::pin(scoped).as_mut()).await;
        assert_eq!((answer, body.entered()), (Err(Fault::Down), 1), "{name}");
        assert_eq!(exhausted(&log), (RetryLimit::Deadline, None, 1, "down".to_owned()), "{name}");
        let snapshot = CircuitBreaker::get(name).expect("declared").snapshot();
        assert_eq!((snapshot.calls, snapshot.failures), (1, 1), "{name}");
    }
}

#[circuit_breaker("late and stays")]
#[retry(base_delay = 1s, jitter = "none")]
async fn late_and_stays() -> Result<u32, Stays> {
    Err(Stays::Down("it broke".into()))
}

#[tokio::test(start_paused = true)]
async fn and_where_that_cannot_be_kept_it_is_told() {
    let scoped = resilience::Deadline::after(Duration::from_millis(1500)).scope(late_and_stays());
    let answer = jumps(secs(2), Box::pin(scoped).as_mut()).await;
    let Err(Stays::Refused(refusal)) = answer else { panic!("a refusal") };
    assert_eq!((refusal.kind(), refusal.attempts()), (ErrorKind::DeadlineExceeded, Some(1)));
    assert!(refusal.to_string().contains("it broke"), "{refusal}");
    let snapshot = CircuitBreaker::get("late and stays").expect("declared").snapshot();
    assert_eq!((snapshot.calls, snapshot.failures), (1, 1));
}

functions! { BOUND:
    bound "bound": timeout("3s", name = "bound") retry(base_delay = 1s, jitter = "none");
    bound_asked "bound asked": timeout("3s", name = "bound asked") retry(base_delay = 1s, jitter = "none", when = |_| true);
    bound_apart "bound apart": timeout(secs(3), name = "bound apart") circuit_breaker retry(base_delay = 1s, jitter = "none") timeout("1h");
}

#[tokio::test(start_paused = true)]
async fn a_timeout_around_a_retry_tells_the_last_error() {
    for (name, call) in BOUND {
        let log = EventLog::of([name]);
        let body = Script::new([Step::Err(Fault::Down), Step::Hang]);
        let answer = call(&body).await;
        let refusal = answer.as_ref().expect_err("cut").refusal().expect("a refusal");
        assert_eq!((refusal.kind(), refusal.policy(), refusal.attempts()), (ErrorKind::TimedOut, *name, Some(2)));
        assert!(refusal.to_string().contains("down"), "{refusal}");
        let events = log.expect(["timeout.elapsed"]);
        let Event::TimeoutElapsed { attempts, error, .. } = &events[0] else { unreachable!() };
        assert_eq!((*attempts, error.as_deref()), (Some(2), Some("down")), "{name}");
        let first = call(&Script::hang()).await;
        let refusal = first.as_ref().expect_err("cut").refusal().expect("a refusal");
        assert_eq!(refusal.attempts(), Some(1), "{name}: and there is nothing to tell of the first attempt");
    }
}
