//! Under a deadline: what is clipped, what is not begun, what is refused.

use std::pin::pin;
use std::time::Duration;

use resilience::{Bulkhead, CircuitBreaker, Deadline, ErrorKind, bulkhead, circuit_breaker, fallback, retry, timeout};
use resilience_tests::{Answer, Clock, Fault, Script, Step, ms, secs, sleep};
use tokio::time::advance;

#[timeout(limit, name = "deadline-outer")]
#[retry(max_attempts = 9, backoff = "constant", base_delay = "20ms", jitter = "none")]
#[timeout("150ms", name = "deadline-inner")]
async fn attempts(limit: Duration, body: &Script) -> Answer {
    body.run().await
}

/// For each limit of the whole: when it ends, how many attempts there were, and by what it ended.
#[tokio::test(start_paused = true)]
async fn an_inner_timeout_is_clipped_and_no_attempt_starts_too_late() {
    for (limit, end, bodies, kind, policy) in [
        (ms(100), ms(100), 1, ErrorKind::TimedOut, "deadline-outer"),
        // A pause that would end at the deadline is not begun.
        (ms(170), ms(150), 1, ErrorKind::TimedOut, "deadline-inner"),
        (ms(171), ms(171), 2, ErrorKind::TimedOut, "deadline-outer"),
        (ms(200), ms(200), 2, ErrorKind::TimedOut, "deadline-outer"),
        (ms(340), ms(320), 2, ErrorKind::TimedOut, "deadline-inner"),
        (ms(400), ms(400), 3, ErrorKind::TimedOut, "deadline-outer"),
    ] {
        let (body, clock) = (Script::hang(), Clock::start());
        let error = attempts(limit, &body).await.unwrap_err().refusal().cloned().unwrap();
        let ended = (clock.elapsed(), body.entered(), error.kind(), error.policy());
        assert_eq!(ended, (end, bodies, kind, policy), "{limit:?}");
        assert!(body.probe().starts().iter().all(|start| *start < limit));
    }
}

#[bulkhead("deadline-line", max_concurrent = 1, max_wait = "1h")]
async fn in_line(body: &Script) -> Answer {
    body.run().await
}

/// A slot that comes back when the deadline passes comes too late, also where the timers say "now" to both.
#[tokio::test(start_paused = true)]
async fn nobody_leaves_the_line_of_a_bulkhead_when_the_deadline_has_passed() {
    let bulkhead = Bulkhead::get("deadline-line").unwrap();
    for (freed, served) in [(ms(99), true), (ms(100), false), (ms(101), false)] {
        let slot = bulkhead.try_acquire().unwrap();
        let (body, clock) = (Script::ok(), Clock::start());
        let holder = tokio::spawn(async move {
            clock.until(freed).await;
            drop(slot);
        });
        // In the slot's way of things first, then the call's.
        tokio::task::yield_now().await;
        let answer = Deadline::after(ms(100)).scope(in_line(&body)).await;
        assert_eq!((body.entered(), clock.elapsed()), (u32::from(served), freed.min(ms(100))), "{freed:?}");
        if !served {
            assert_eq!(answer.unwrap_err().kind(), Some(ErrorKind::DeadlineExceeded));
        }
        holder.await.unwrap();
        assert_eq!((bulkhead.snapshot().in_flight, bulkhead.snapshot().waiting), (0, 0));
    }
}

#[bulkhead("deadline-woken", max_concurrent = 1, max_wait = "1h")]
async fn woken(body: &Script) -> Answer {
    body.run().await
}

/// The slot is granted in time, and the call is woken too late to use it.
#[tokio::test(start_paused = true)]
async fn a_slot_that_is_granted_too_late_is_given_back() {
    let bulkhead = Bulkhead::get("deadline-woken").unwrap();
    for (late, served) in [(ms(99), true), (ms(100), false), (ms(5000), false)] {
        let slot = bulkhead.try_acquire().unwrap();
        let body = Script::ok();
        let mut call = Box::pin(Deadline::after(ms(100)).scope(woken(&body)));
        assert!(futures::poll!(call.as_mut()).is_pending());
        drop(slot);
        let _ = futures::poll!(pin!(advance(late)));
        let answer = call.await;
        assert_eq!((answer.is_ok(), body.entered()), (served, u32::from(served)), "{late:?}");
        assert_eq!((bulkhead.snapshot().in_flight, bulkhead.snapshot().waiting), (0, 0));
    }
}

#[retry(max_attempts = 9, backoff = "constant", base_delay = "30ms", jitter = "none")]
async fn nested(body: &Script) -> Answer {
    body.run().await
}

#[timeout("100ms")]
async fn spawns(along: bool, body: &Script) -> Answer {
    let work = {
        let body = body.clone();
        async move { nested(&body).await }
    };
    let task = match Deadline::current().filter(|_| along) {
        Some(deadline) => tokio::spawn(deadline.scope(work)),
        None => tokio::spawn(work),
    };
    task.await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn across_a_spawn_it_is_heeded_if_it_is_taken_along() {
    let (body, clock) = (Script::down(), Clock::start());
    // Starts at 0, 30, 60 and 90; the next pause would end at 120.
    assert_eq!(spawns(true, &body).await, Err(Fault::Down));
    assert_eq!((body.entered(), clock.elapsed()), (4, ms(90)));
    let (body, clock) = (Script::down(), Clock::start());
    assert_eq!(spawns(false, &body).await.unwrap_err().kind(), Some(ErrorKind::TimedOut));
    assert_eq!(clock.elapsed(), ms(100));
    sleep(secs(1)).await;
    assert_eq!(body.entered(), 9, "a spawned task goes on: it is not reached");
}

#[fallback(|error| Err(error))]
#[timeout("100ms", name = "deadline-whole")]
#[circuit_breaker("deadline-failures", window_calls = 10)]
#[bulkhead("deadline-failures", max_concurrent = 1)]
async fn dropped(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn work_dropped_because_the_deadline_passed_is_a_failure_and_holds_nothing() {
    let breaker = CircuitBreaker::get("deadline-failures").unwrap();
    let body = Script::hang();
    for calls in 1..=5 {
        assert_eq!(dropped(&body).await.unwrap_err().kind(), Some(ErrorKind::TimedOut));
        let snapshot = breaker.snapshot();
        assert_eq!((snapshot.calls, snapshot.failures), (calls, calls));
        assert_eq!(Bulkhead::get("deadline-failures").unwrap().snapshot().in_flight, 0);
        assert_eq!((body.probe().dropped(), body.probe().in_flight()), (calls, 0));
    }
    // A caller who gives less than the function would says nothing, nor does one who merely goes away.
    let error = Deadline::after(ms(10)).scope(dropped(&body)).await.unwrap_err();
    assert_eq!(error.kind(), Some(ErrorKind::DeadlineExceeded));
    assert_eq!((breaker.snapshot().failures, breaker.snapshot().cut_early), (5, 1));
    assert!(tokio::time::timeout(ms(10), dropped(&body)).await.is_err());
    assert_eq!((breaker.snapshot().calls, breaker.snapshot().failures), (5, 5));
}

/// A failure in the last moment before the deadline is the body's own, and nothing follows it.
#[tokio::test(start_paused = true)]
async fn a_failure_in_time_is_the_bodys_own() {
    let body = Script::new([Step::Err(Fault::Down).after(ms(99))]);
    let answer = Deadline::after(ms(100)).scope(nested(&body)).await;
    assert_eq!((answer, body.entered()), (Err(Fault::Down), 1));
}
