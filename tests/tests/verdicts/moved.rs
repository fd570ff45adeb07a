//! A deadline binds whoever is polled under it now: calls that are polled first without one and then inside of one, and the
//! other way round.

use std::time::Duration;

use resilience::{CircuitBreaker, Deadline, ErrorKind, Event, bulkhead, circuit_breaker, rate_limit, retry, timeout};
use resilience_tests::{Answer, Clock, EventLog, Fault, Script, Step, ms, poll_times, secs, sleep};

use crate::forms::Work;

#[timeout(limit)]
async fn within(limit: Duration, work: &mut Work<'_>) -> Answer {
    work.await
}

/// Kind and policy of the refusal.
fn refusal(answer: &Answer) -> (ErrorKind, &str) {
    let refusal = answer.as_ref().expect_err("refused").refusal().expect("a refusal");
    (refusal.kind(), refusal.policy())
}

macro_rules! bounded {
    ($($name:ident: $($attribute:meta)*;)*) => {
        $(
            $(#[$attribute])*
            async fn $name(body: &Script) -> Answer {
                body.run().await
            }
        )*
    };
}

bounded! {
    ten: circuit_breaker("moved.ten") timeout("10s", name = "ten");
    ten_asked: circuit_breaker("moved.ten asked", when = |_| true) timeout(secs(10), name = "ten");
    in_line: bulkhead("moved.in line", max_concurrent = 1, max_wait = "10s");
    limited: rate_limit("moved.limited", limit = 1, per = "10s", max_wait = "1m");
    pausing: retry(max_attempts = 2, base_delay = 10s, max_delay = 10s, jitter = "none");
    pausing_asked: retry(max_attempts = 2, base_delay = 10s, max_delay = 10s, jitter = "none", when = |_| true);
}

type Call = for<'a> fn(&'a Script) -> Work<'a>;

const TENS: [(&str, Call); 2] =
    [("moved.ten", |body| Box::pin(ten(body))), ("moved.ten asked", |body| Box::pin(ten_asked(body)))];

/// One after the other: they are about the same breakers.
#[tokio::test(start_paused = true)]
async fn a_call_is_bound_by_whoever_polls_it() {
    for (name, call) in TENS {
        let breaker = CircuitBreaker::get(name).expect("declared");
        a_call_that_comes_into_a_scope_ends_with_it(&breaker, call).await;
        a_call_that_comes_out_of_a_scope_keeps_nothing_of_it(call).await;
        breaker.reset();
        a_call_that_comes_out_of_a_callers_timeout_keeps_nothing_of_it(&breaker, call).await;
        one_deadline_after_another_binds(call).await;
    }
}

async fn a_call_that_comes_into_a_scope_ends_with_it(breaker: &CircuitBreaker, call: Call) {
    let (clock, hang) = (Clock::start(), Script::hang());
    let mut moved = call(&hang);
    assert_eq!(poll_times(moved.as_mut(), 1).await, None);
    sleep(secs(1)).await;
    let answer = Deadline::after(secs(2)).scope(&mut moved).await;
    assert_eq!((refusal(&answer), clock.elapsed()), ((ErrorKind::DeadlineExceeded, "ten"), secs(3)));
    let snapshot = breaker.snapshot();
    assert_eq!((snapshot.calls, snapshot.cut_early), (0, 1));
}

async fn a_call_that_comes_out_of_a_scope_keeps_nothing_of_it(call: Call) {
    let (clock, hang) = (Clock::start(), Script::hang());
    let mut moved = call(&hang);
    assert_eq!(poll_times(Box::pin(Deadline::after(secs(2)).scope(&mut moved)).as_mut(), 1).await, None);
    sleep(secs(1)).await;
    assert_eq!((refusal(&moved.await), clock.elapsed()), ((ErrorKind::TimedOut, "ten"), secs(10)));
}

async fn a_call_that_comes_out_of_a_callers_timeout_keeps_nothing_of_it(breaker: &CircuitBreaker, call: Call) {
    let (clock, hang) = (Clock::start(), Script::hang());
    let mut moved = call(&hang);
    let impatient = within(secs(2), &mut moved).await;
    assert_eq!((refusal(&impatient).0, clock.elapsed()), (ErrorKind::TimedOut, secs(2)));
    assert_eq!(hang.probe().in_flight(), 1, "only what waits for it was dropped");
    assert_eq!((refusal(&moved.await), clock.elapsed()), ((ErrorKind::TimedOut, "ten"), secs(10)));
    let snapshot = breaker.snapshot();
    assert_eq!((snapshot.calls, snapshot.failures, snapshot.cut_early), (1, 1, 0));
}

async fn one_deadline_after_another_binds(call: Call) {
    let (clock, hang) = (Clock::start(), Script::hang());
    let mut moved = call(&hang);
    for _ in 0..3 {
        tokio::select! {
            biased;
            _ = within(secs(60), &mut moved) => unreachable!("it has ten seconds"),
            () = sleep(secs(1)) => {}
        }
        assert_eq!(poll_times(Box::pin(Deadline::after(secs(1)).scope(&mut moved)).as_mut(), 1).await, None);
    }
    let answer = Deadline::after(secs(2)).scope(&mut moved).await;
    assert_eq!((refusal(&answer), clock.elapsed()), ((ErrorKind::DeadlineExceeded, "ten"), secs(5)));
}

/// Lets a call wait, in a scope or outside of it first, and the rest of it elsewhere: how long it took.
async fn waits(mut call: Work<'_>, scoped_first: bool) -> (Answer, Duration) {
    let clock = Clock::start();
    if scoped_first {
        assert_eq!(poll_times(Box::pin(Deadline::after(secs(20)).scope(&mut call)).as_mut(), 1).await, None);
        sleep(secs(1)).await;
        let answer = call.await;
        return (answer, clock.elapsed());
    }
    assert_eq!(poll_times(call.as_mut(), 1).await, None);
    sleep(secs(1)).await;
    let answer = Deadline::after(secs(2)).scope(call).await;
    (answer, clock.elapsed())
}

#[tokio::test(start_paused = true)]
async fn a_place_in_line_is_bound_by_whoever_polls_it() {
    let (hang, body) = (Script::hang(), Script::ok());
    let mut first: Work<'_> = Box::pin(in_line(&hang));
    assert_eq!(poll_times(first.as_mut(), 1).await, None);
    let (answer, after) = waits(Box::pin(in_line(&body)), false).await;
    assert_eq!((refusal(&answer), after), ((ErrorKind::DeadlineExceeded, "moved.in line"), secs(3)));
    let (answer, after) = waits(Box::pin(in_line(&body)), true).await;
    assert_eq!((refusal(&answer), after), ((ErrorKind::BulkheadFull, "moved.in line"), secs(10)));
}

#[tokio::test(start_paused = true)]
async fn a_wait_for_permits_is_bound_by_whoever_polls_it() {
    // Another test's thread may have made the limit by a clock a little ahead of this one, which has been paused since: that is over.
    sleep(secs(60)).await;
    let body = Script::ok();
    assert_eq!(limited(&body).await, Ok(1));
    let (answer, after) = waits(Box::pin(limited(&body)), false).await;
    assert_eq!((refusal(&answer), after), ((ErrorKind::RateLimited, "moved.limited"), secs(1)), "it is hopeless now");
    assert_eq!(answer.expect_err("refused").refusal().expect("a refusal").retry_after(), Some(secs(9)));
    sleep(secs(2)).await;
    let (clock, mut call) = (Clock::start(), Box::pin(limited(&body)) as Work<'_>);
    // The permit is there in seven seconds, so the deadline lets it wait; then that is nobody's any more.
    assert_eq!(poll_times(Box::pin(Deadline::after(secs(8)).scope(&mut call)).as_mut(), 1).await, None);
    sleep(secs(9)).await;
    assert_eq!((call.await, clock.elapsed()), (Ok(2), secs(9)));
}

#[tokio::test(start_paused = true)]
async fn a_place_behind_others_is_bound_by_whoever_polls_it() {
    #[rate_limit("moved.behind others", limit = 1, per = "10s", max_wait = "1m")]
    async fn behind(body: &Script) -> Answer {
        body.run().await
    }
    // Another test's thread may have made the limit by a clock a little ahead of this one, which has been paused since: that is over.
    sleep(secs(60)).await;
    let (clock, body) = (Clock::start(), Script::ok());
    assert_eq!(behind(&body).await, Ok(1));
    let (mut head, mut second): (Work<'_>, Work<'_>) = (Box::pin(behind(&body)), Box::pin(behind(&body)));
    assert_eq!(poll_times(head.as_mut(), 1).await, None);
    assert_eq!(poll_times(Box::pin(Deadline::after(secs(25)).scope(&mut second)).as_mut(), 1).await, None);
    let late = Deadline::after(secs(2)).scope(&mut second).await;
    assert_eq!((refusal(&late), clock.elapsed()), ((ErrorKind::DeadlineExceeded, "moved.behind others"), secs(2)));
    let mut third: Work<'_> = Box::pin(behind(&body));
    assert_eq!(poll_times(Box::pin(Deadline::after(secs(25)).scope(&mut third)).as_mut(), 1).await, None);
    assert_eq!(head.await, Ok(2));
    sleep(secs(20)).await;
    assert_eq!((third.await, clock.elapsed()), (Ok(3), secs(30)));
}

#[tokio::test(start_paused = true)]
async fn a_pause_is_bound_by_whoever_polls_it() {
    for call in [(|body| Box::pin(pausing(body))) as Call, |body| Box::pin(pausing_asked(body))] {
        let body = Script::new([Step::Err(Fault::Down), Step::Ok]);
        let (answer, after) = waits(call(&body), false).await;
        assert_eq!((answer, after, body.entered()), (Err(Fault::Down), secs(1), 1), "the pause is in vain");
        let body = Script::new([Step::Err(Fault::Down), Step::Ok]);
        let (answer, after) = waits(call(&body), true).await;
        assert_eq!((answer, after), (Ok(2), secs(10)));
    }
}

#[timeout("3s", name = "whole call")]
#[retry(max_attempts = 3, base_delay = 0ms)]
#[timeout("2s", name = "one attempt")]
async fn twice_bound(body: &Script) -> Answer {
    body.run().await
}

#[timeout(limit, name = "whole call")]
#[circuit_breaker("twice bound apart")]
#[timeout(secs(2), name = "one attempt")]
async fn twice_bound_apart(limit: Duration, body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn the_outer_timeout_of_a_function_tells_in_its_own_name() {
    let log = EventLog::of(["whole call", "one attempt"]);
    let (clock, hang) = (Clock::start(), Script::hang());
    let answer = twice_bound(&hang).await;
    assert_eq!((refusal(&answer), clock.elapsed()), ((ErrorKind::TimedOut, "whole call"), secs(3)));
    let events = log.expect(["timeout.elapsed", "timeout.elapsed"]);
    let told: Vec<_> = events.iter().map(elapsed).collect();
    assert_eq!(told, [("one attempt", secs(2), false), ("whole call", secs(3), false)]);
    let answer = twice_bound_apart(secs(1), &hang).await;
    assert_eq!(refusal(&answer), (ErrorKind::TimedOut, "whole call"));
    assert_eq!(elapsed(&log.expect(["timeout.elapsed"])[0]), ("whole call", secs(1), false));
    log.assert_finished();
    let cut = CircuitBreaker::get("twice bound apart").expect("declared").snapshot();
    assert_eq!((cut.calls, cut.cut_early), (0, 1), "the innermost timeout gave the body two seconds");
}

/// Name, length, and whether another's deadline came first.
fn elapsed(event: &Event) -> (&'static str, Duration, bool) {
    let Event::TimeoutElapsed { policy, after, inherited, .. } = event else { panic!("{event:?}") };
    (policy, *after, *inherited)
}

#[timeout("5s", name = "inner function")]
async fn inner(body: &Script) -> Answer {
    body.run().await
}

#[timeout(limit, name = "outer function")]
async fn outer(limit: Duration, body: &Script) -> Answer {
    inner(body).await
}

#[tokio::test(start_paused = true)]
async fn of_two_functions_the_one_whose_time_is_up_tells() {
    let (log, hang) = (EventLog::of(["outer function", "inner function"]), Script::hang());
    assert_eq!(refusal(&outer(secs(2), &hang).await), (ErrorKind::TimedOut, "outer function"));
    assert_eq!(elapsed(&log.expect(["timeout.elapsed"])[0]), ("outer function", secs(2), false));
    assert_eq!(refusal(&outer(secs(9), &hang).await), (ErrorKind::TimedOut, "inner function"));
    assert_eq!(elapsed(&log.expect(["timeout.elapsed"])[0]), ("inner function", secs(5), false));
    let scoped = Deadline::after(ms(100)).scope(outer(secs(2), &hang)).await;
    assert_eq!(refusal(&scoped), (ErrorKind::DeadlineExceeded, "inner function"));
    assert_eq!(elapsed(&log.expect(["timeout.elapsed"])[0]), ("inner function", secs(5), true));
    log.assert_finished();
}
