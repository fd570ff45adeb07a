//! The deadline: who sees it, and what every policy makes of one that has passed.

use std::time::Duration;

use resilience::{
    Bulkhead, CircuitBreaker, Deadline, Error, ErrorKind, Outcome, Retry, bulkhead, circuit_breaker, fallback,
    rate_limit, retry, stale_if_error, timeout,
};
use resilience_tests::{Answer, Clock, EventLog, Fault, Script, Step, breaker, ms, secs, sleep, unique};

fn remaining() -> Option<Duration> {
    Deadline::current().map(|deadline| deadline.remaining())
}

#[tokio::test(start_paused = true)]
async fn nothing_is_in_force_outside() {
    assert_eq!(remaining(), None);
    Deadline::after(secs(1)).scope(async {}).await;
    assert_eq!(remaining(), None);
}

#[tokio::test(start_paused = true)]
async fn what_remains_shrinks_and_ends_at_zero() {
    let deadline = Deadline::after(secs(2));
    deadline
        .scope(async {
            for (passed, left) in [(ms(0), ms(2000)), (ms(500), ms(1500)), (ms(1500), ms(0)), (secs(9), ms(0))] {
                sleep(passed).await;
                assert_eq!(remaining(), Some(left));
                assert_eq!(Deadline::current(), Some(deadline));
            }
        })
        .await;
}

#[tokio::test(start_paused = true)]
async fn the_earlier_one_is_in_force() {
    Deadline::after(secs(2))
        .scope(async {
            assert_eq!(Deadline::after(secs(5)).scope(async { remaining() }).await, Some(secs(2)));
            assert_eq!(Deadline::after(secs(1)).scope(async { remaining() }).await, Some(secs(1)));
            assert_eq!(remaining(), Some(secs(2)), "and then the outer one again");
        })
        .await;
}

#[timeout("3s")]
async fn within_three() -> Result<Option<Duration>, Error> {
    sleep(secs(1)).await;
    Ok(remaining())
}

#[tokio::test(start_paused = true)]
async fn a_timeout_puts_one_in_force() {
    assert_eq!(within_three().await.unwrap(), Some(secs(2)));
    assert_eq!(Deadline::after(secs(2)).scope(within_three()).await.unwrap(), Some(secs(1)));
    assert_eq!(remaining(), None);
}

/// Futures that take turns on one thread do not see each other's deadline.
#[tokio::test(start_paused = true)]
async fn it_belongs_to_the_future_and_not_to_the_thread() {
    let watch = |expected: Option<u64>| async move {
        for passed in 0..20 {
            assert_eq!(remaining(), expected.map(|seconds| secs(seconds) - ms(passed)));
            sleep(ms(1)).await;
        }
    };
    tokio::join!(
        Deadline::after(secs(2)).scope(watch(Some(2))),
        watch(None),
        Deadline::after(secs(7)).scope(watch(Some(7))),
    );
}

#[tokio::test(start_paused = true)]
async fn it_does_not_cross_a_spawn_unless_it_is_taken_along() {
    Deadline::after(secs(2))
        .scope(async {
            assert_eq!(tokio::spawn(async { remaining() }).await.unwrap(), None);
            let deadline = Deadline::current().unwrap();
            assert_eq!(tokio::spawn(deadline.scope(async { remaining() })).await.unwrap(), Some(secs(2)));
        })
        .await;
}

#[tokio::test(start_paused = true)]
async fn it_is_put_away_when_a_future_panics() {
    let task = tokio::spawn(Deadline::after(secs(2)).scope(async { panic!("on purpose") }));
    assert!(task.await.unwrap_err().is_panic());
    assert_eq!(remaining(), None);
    let hundred = Script::new([Step::Panic]);
    let caught = futures::FutureExt::catch_unwind(std::panic::AssertUnwindSafe(async {
        #[timeout("1s")]
        async fn panics(body: &Script) -> Answer {
            body.run().await
        }
        panics(&hundred).await
    }));
    assert!(caught.await.is_err());
    assert_eq!(remaining(), None);
}

#[tokio::test(start_paused = true)]
async fn to04_a_huge_one_is_never() {
    for duration in [Duration::MAX, secs(u64::MAX), secs(u64::MAX / 10), Duration::from_nanos(u64::MAX)] {
        let deadline = Deadline::after(duration);
        assert!(deadline.remaining() > secs(86_400 * 365), "{duration:?}");
        let body = Script::down();
        let answer = deadline.scope(Retry::new(retry::Config::new()).call(|| body.run())).await;
        assert!(answer.is_err() && body.entered() == 4);
    }
}

// ---- every policy looks at it on entry, the outermost first ----------------------------------------------------

#[retry(name = "entry retry")]
async fn by_retry(body: &Script) -> Answer {
    body.run().await
}

#[circuit_breaker("entry breaker")]
async fn by_breaker(body: &Script) -> Answer {
    body.run().await
}

#[bulkhead("entry bulkhead", max_wait = "1s")]
async fn by_bulkhead(body: &Script) -> Answer {
    body.run().await
}

#[timeout("5s", name = "entry timeout")]
async fn by_timeout(body: &Script) -> Answer {
    body.run().await
}

#[circuit_breaker("entry stack breaker")]
#[bulkhead("entry stack bulkhead")]
#[retry(name = "entry stack retry")]
#[timeout("5s", name = "entry stack timeout")]
async fn by_stack(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_passed_deadline_starts_nothing_and_the_outermost_policy_says_so() {
    let body = Script::ok();
    let log = EventLog::of_all_here();
    for passed in [Duration::ZERO, ms(1)] {
        let late = Deadline::after(ms(5));
        sleep(ms(5) + passed).await;
        for (policy, answer) in [
            ("entry retry", late.scope(by_retry(&body)).await),
            ("entry breaker", late.scope(by_breaker(&body)).await),
            ("entry bulkhead", late.scope(by_bulkhead(&body)).await),
            ("entry timeout", late.scope(by_timeout(&body)).await),
            ("entry stack breaker", late.scope(by_stack(&body)).await),
        ] {
            let error = answer.unwrap_err().refusal().unwrap().clone();
            assert_eq!((error.kind(), error.policy()), (ErrorKind::DeadlineExceeded, policy));
        }
    }
    assert_eq!(body.entered(), 0);
    assert_eq!(CircuitBreaker::get("entry breaker").unwrap().snapshot().calls, 0);
    assert_eq!(Bulkhead::get("entry bulkhead").unwrap().snapshot().in_flight, 0);
    assert!(log.take().iter().all(|event| event.name() != "timeout.elapsed"));
    // The same functions work in time.
    assert_eq!(Deadline::after(ms(1)).scope(by_stack(&body)).await, Ok(1));
}

#[tokio::test(start_paused = true)]
async fn a_handle_looks_at_it_too() {
    let breaker = breaker(circuit_breaker::Config::new());
    let late = Deadline::after(Duration::ZERO);
    let error = late.scope(async { breaker.try_acquire() }).await.unwrap_err();
    assert_eq!((error.kind(), error.policy()), (ErrorKind::DeadlineExceeded, breaker.name()));
    assert_eq!(breaker.snapshot().rejected, 0, "it was not the breaker that refused");
    let body = Script::ok();
    assert!(late.scope(breaker.call(body.run())).await.is_err());
    assert_eq!(body.entered(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_open_breaker_and_a_passed_deadline() {
    let name = unique("both");
    let breaker = CircuitBreaker::register(name, circuit_breaker::Config::new()).unwrap();
    breaker.force_open();
    let log = EventLog::of([name]);
    let error = Deadline::after(Duration::ZERO).scope(async { breaker.try_acquire() }).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    log.assert_finished();
}

// ---- what happens in flight ------------------------------------------------------------------------------------

#[circuit_breaker("flight", window_calls = 10, min_calls = 10)]
#[timeout("1h", name = "flight timeout")]
async fn in_flight(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn work_cut_early_by_an_inherited_deadline_and_work_not_started_are_neutral() {
    let breaker = CircuitBreaker::get("flight").unwrap();
    let clock = Clock::start();
    let error = Deadline::after(ms(20)).scope(in_flight(&Script::hang())).await.unwrap_err();
    assert_eq!((error.kind(), clock.elapsed()), (Some(ErrorKind::DeadlineExceeded), ms(20)));
    assert_eq!((breaker.snapshot().calls, breaker.snapshot().cut_early), (0, 1), "an hour was given");
    let error = Deadline::after(ms(0)).scope(in_flight(&Script::hang())).await.unwrap_err();
    assert_eq!(error.kind(), Some(ErrorKind::DeadlineExceeded));
    assert_eq!((breaker.snapshot().calls, breaker.snapshot().cut_early), (0, 1), "its body had not begun");
}

/// A scope alone cuts nothing.
#[tokio::test(start_paused = true)]
async fn a_scope_without_a_timeout_lets_the_body_end() {
    let breaker = breaker(circuit_breaker::Config::new());
    let clock = Clock::start();
    let answer = Deadline::after(ms(10)).scope(breaker.call(Script::new([Step::Ok.after(secs(1))]).run())).await;
    assert_eq!((answer.unwrap(), clock.elapsed()), (Ok(1), secs(1)));
    assert_eq!(breaker.snapshot().calls, 1);
    // A permit dropped after the deadline, but by somebody else's doing, is neutral.
    Deadline::after(ms(10))
        .scope(async {
            let permit = breaker.try_acquire().unwrap();
            sleep(secs(1)).await;
            drop(permit);
        })
        .await;
    assert_eq!(breaker.snapshot().calls, 1);
    breaker.try_acquire().unwrap().record(Outcome::Success);
    assert_eq!(breaker.snapshot().calls, 2);
}

#[timeout("100ms", name = "deadline-late-timer")]
#[retry(base_delay = "50ms", jitter = "none", max_attempts = 3)]
async fn late_timer(body: &Script) -> Answer {
    body.run().await
}

/// A busy thread, or a timer of whole milliseconds, may wake a retry after the deadline.
#[tokio::test(start_paused = true)]
async fn a_retry_that_wakes_late_starts_nothing() {
    let body = Script::down();
    let mut call = std::pin::pin!(late_timer(&body));
    assert!(futures::poll!(call.as_mut()).is_pending());
    tokio::time::advance(ms(500)).await;
    assert_eq!((call.await, body.entered()), (Err(Fault::Down), 1), "it ends as the failure that it is");
}

// ---- time that passes within one poll --------------------------------------------------------------------------

/// Time passes although nobody waits, as while the processor is busy.
async fn busy(duration: Duration) {
    let _ = futures::poll!(std::pin::pin!(tokio::time::advance(duration)));
}

#[retry(max_attempts = 1, name = "one-poll-retry")]
#[circuit_breaker("one-poll")]
#[bulkhead("one-poll", max_concurrent = 1, max_wait = "1h")]
#[timeout("1h", name = "one-poll-timeout")]
async fn takes(time: Duration) -> Result<(), Error> {
    busy(time).await;
    Ok(())
}

#[fallback(async |_| { busy(ms(60)).await; takes(ms(0)).await })]
#[circuit_breaker("one-poll")]
async fn else_takes() -> Result<(), Error> {
    Ok(())
}

/// The layers of one call may share a reading of the clock; calls one after the other do not, also in the same poll.
#[tokio::test(start_paused = true)]
async fn a_deadline_that_passes_between_two_calls_in_one_poll_is_noticed() {
    let breaker = CircuitBreaker::get("one-poll").unwrap();
    let bulkhead = Bulkhead::get("one-poll").unwrap();
    let passed = async |between: &str| {
        let error = takes(ms(0)).await.unwrap_err();
        assert_eq!((error.kind(), error.policy()), (ErrorKind::DeadlineExceeded, "one-poll-retry"), "{between}");
    };
    let calls = async {
        takes(ms(60)).await.unwrap();
        takes(ms(60)).await.unwrap();
        passed("bodies").await;
    };
    Deadline::after(ms(100)).scope(calls).await;

    breaker.force_open();
    let refused = async {
        assert_eq!(takes(ms(0)).await.unwrap_err().kind(), ErrorKind::CircuitOpen);
        busy(ms(100)).await;
        passed("a refusal").await;
    };
    Deadline::after(ms(100)).scope(refused).await;
    let replaced = async {
        assert_eq!(else_takes().await.unwrap_err().kind(), ErrorKind::CircuitOpen);
        busy(ms(40)).await;
        passed("a fallback").await;
    };
    Deadline::after(ms(100)).scope(replaced).await;
    breaker.reset();

    let slot = bulkhead.try_acquire().unwrap();
    let waiting = async {
        let mut in_line = std::pin::pin!(takes(ms(0)));
        assert!(futures::poll!(in_line.as_mut()).is_pending());
        busy(ms(100)).await;
        passed("a call in line").await;
        drop(slot);
        let error = in_line.await.unwrap_err();
        assert_eq!((error.kind(), error.policy()), (ErrorKind::DeadlineExceeded, "one-poll"));
    };
    Deadline::after(ms(100)).scope(waiting).await;
}

// ---- options that do more than compute -------------------------------------------------------------------------

#[retry(max_attempts = 1, name = "leaving-retry")]
#[timeout(given.clone()?)]
async fn leaves(given: Result<Duration, Error>) -> Result<(), Error> {
    Ok(())
}

#[retry(max_attempts = 1)]
#[rate_limit("leaving", limit = 1000, permits = given.clone()?)]
async fn leaves_at_a_rate(given: Result<u32, Error>) -> Result<(), Error> {
    Ok(())
}

#[retry(max_attempts = 1, order = "as_written")]
#[stale_if_error("1m", key = given.clone()?)]
async fn leaves_a_key(given: Result<u32, Error>) -> Result<(), Error> {
    Ok(())
}

#[retry(max_attempts = 1)]
#[timeout({ sleep(secs(1)).await; secs(1) })]
async fn waits() -> Result<(), Error> {
    Ok(())
}

#[timeout("5s")]
#[retry(max_attempts = 1)]
#[timeout(remaining().unwrap() / 2)]
async fn half_of_the_time(time: Duration) -> Result<(), Error> {
    sleep(time).await;
    Ok(())
}

/// An option's expression may leave the function, or wait: nobody else sees what its call has read from the clock.
#[tokio::test(start_paused = true)]
async fn a_reading_stays_with_a_call_whose_option_leaves_or_waits() {
    let passed = async |between: &str| {
        let error = takes(ms(0)).await.unwrap_err();
        assert_eq!((error.kind(), error.policy()), (ErrorKind::DeadlineExceeded, "one-poll-retry"), "{between}");
    };
    let refusal = Deadline::after(ms(0)).scope(takes(ms(0))).await.unwrap_err();
    for nth in 0..3 {
        let left = async {
            let refusal = refusal.clone();
            let left = match nth {
                0 => leaves(Err(refusal)).await,
                1 => leaves_at_a_rate(Err(refusal)).await,
                _ => leaves_a_key(Err(refusal)).await,
            };
            assert!(left.is_err());
            busy(ms(100)).await;
            passed("an option that leaves").await;
        };
        Deadline::after(ms(100)).scope(left).await;
    }
    let beside = async {
        let mut waiting = std::pin::pin!(waits());
        assert!(futures::poll!(waiting.as_mut()).is_pending());
        busy(ms(100)).await;
        passed("an option that waits").await;
    };
    Deadline::after(ms(100)).scope(beside).await;
}

/// A call of half a minute ago, on the same thread, has no say in when this one ends.
#[tokio::test(start_paused = true)]
async fn a_reading_is_gone_with_the_poll_that_made_it() {
    {
        let mut waiting = std::pin::pin!(Deadline::after(secs(10)).scope(waits()));
        assert!(futures::poll!(waiting.as_mut()).is_pending());
    }
    sleep(secs(30)).await;
    half_of_the_time(secs(2)).await.unwrap();
    assert_eq!(half_of_the_time(secs(3)).await.unwrap_err().kind(), ErrorKind::TimedOut);
}
