//! `#[timeout]`, on a paused clock.

use std::future::pending;
use std::sync::mpsc;
use std::time::Duration;

use resilience::{CircuitBreaker, Deadline, Error, ErrorKind, Event, circuit_breaker, retry, timeout};
use resilience_tests::{Answer, Clock, EventLog, Fault, Script, Step, ms, now, polls, secs, sleep};

#[timeout("100ms")]
async fn hundred(body: &Script) -> Answer {
    body.run().await
}

const HUNDRED: &str = concat!(module_path!(), "::hundred");

#[tokio::test(start_paused = true)]
async fn who_is_there_by_the_end_is_in_time() {
    for (took, in_time) in [(0, true), (1, true), (99, true), (100, true), (101, false)] {
        let (body, clock) = (Script::new([Step::Ok.after(ms(took))]), Clock::start());
        let answer = hundred(&body).await;
        assert_eq!(answer.is_ok(), in_time, "{took} ms");
        assert_eq!(clock.elapsed(), ms(took.min(100)));
        if let Err(error) = answer {
            let error = error.refusal().unwrap().clone();
            assert_eq!((error.kind(), error.policy(), error.retry_after()), (ErrorKind::TimedOut, HUNDRED, None));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn to06_a_failure_in_time_is_the_bodys_own() {
    for took in [0, 1, 99, 100] {
        let body = Script::new([Step::Err(Fault::Broken).after(ms(took))]);
        assert_eq!(hundred(&body).await, Err(Fault::Broken), "{took} ms");
    }
    let late = Script::new([Step::Err(Fault::Broken).after(ms(101))]);
    assert_eq!(hundred(&late).await.unwrap_err().kind(), Some(ErrorKind::TimedOut));
}

#[timeout("100ms")]
#[retry(max_attempts = 1000, base_delay = "20ms", backoff = "constant", jitter = "none")]
async fn retried_in_time(body: &Script) -> Answer {
    body.run().await
}

/// Ours does not sleep into the deadline: the last error comes as soon as no pause fits any more, every time.
#[tokio::test(start_paused = true)]
async fn to06_a_retry_that_runs_out_of_time_returns_its_last_error() {
    for _ in 0..100 {
        let (body, clock) = (Script::new([Step::Err(Fault::Down).after(ms(1))]), Clock::start());
        assert_eq!(retried_in_time(&body).await, Err(Fault::Down));
        // Attempts at 0, 21, 42, 63 and 84 ms; the next would start at 105.
        assert_eq!((body.entered(), clock.elapsed()), (5, ms(85)));
    }
    // An attempt that is under way is cut.
    let (body, clock) = (Script::new([Step::Err(Fault::Down), Step::Hang]), Clock::start());
    assert_eq!(retried_in_time(&body).await.unwrap_err().kind(), Some(ErrorKind::TimedOut));
    assert_eq!((body.probe().dropped(), clock.elapsed()), (1, ms(100)));
}

#[tokio::test(start_paused = true)]
async fn to01_the_work_is_dropped_before_anybody_hears_of_it() {
    let body = Script::hang();
    let log = EventLog::of([HUNDRED]);
    let dropped_when_told = std::sync::Arc::new(std::sync::Mutex::new(None));
    let _subscription = resilience::subscribe({
        let (body, seen, here) = (body.clone(), dropped_when_told.clone(), std::thread::current().id());
        move |event| {
            if event.policy() == HUNDRED && std::thread::current().id() == here {
                *seen.lock().unwrap() = Some(body.probe().dropped());
            }
        }
    });
    assert_eq!(hundred(&body).await.unwrap_err().kind(), Some(ErrorKind::TimedOut));
    assert_eq!((body.probe().dropped(), body.probe().finished()), (1, 0));
    assert_eq!(*dropped_when_told.lock().unwrap(), Some(1));
    let told = log.expect(["timeout.elapsed"]);
    let Event::TimeoutElapsed { after, inherited, .. } = &told[0] else { unreachable!() };
    assert_eq!((*after, *inherited), (ms(100), false));
    sleep(secs(3600)).await;
    assert_eq!((body.entered(), body.probe().finished()), (1, 0));
    log.assert_finished();
}

#[tokio::test(start_paused = true)]
async fn the_time_begins_with_the_first_poll() {
    let body = Script::new([Step::Ok.after(ms(90))]);
    let call = hundred(&body);
    sleep(secs(10)).await;
    assert_eq!(call.await, Ok(1));
}

#[tokio::test(start_paused = true)]
async fn dropped_after_every_poll() {
    for times in 0..4 {
        let body = Script::new([Step::Ok.after(ms(10)).after(ms(10))]);
        let _ = polls(hundred(&body), times).await;
        assert_eq!(body.probe().in_flight(), 0, "{times} polls");
    }
}

/// In real time: work whose awaits are always ready leaves no poll for the timer but the one the timeout makes.
#[test]
fn to03_work_that_never_yields_by_itself_is_cut() {
    #[timeout("20ms")]
    async fn greedy(semaphore: &tokio::sync::Semaphore) -> Result<(), Error> {
        while semaphore.acquire().await.is_ok() {}
        Ok(())
    }
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let semaphore = tokio::sync::Semaphore::new(1);
        let error = runtime.block_on(greedy(&semaphore)).unwrap_err();
        let _ = tell.send(error.kind());
    });
    assert_eq!(told.recv_timeout(secs(60)), Ok(ErrorKind::TimedOut));
}

#[timeout(limit, name = "given")]
async fn given(limit: Duration, body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn to04_extreme_limits() {
    let long = [Duration::MAX, secs(u64::MAX), secs(u64::MAX / 10), Duration::from_nanos(u64::MAX)];
    for limit in long {
        assert_eq!(given(limit, &Script::ok()).await, Ok(1), "{limit:?}");
        assert_eq!(given(limit, &Script::new([Step::Ok.after(secs(86_400 * 365))])).await, Ok(1), "{limit:?}");
    }
    let clock = Clock::start();
    let log = EventLog::of(["given"]);
    for limit in [Duration::from_nanos(1), Duration::ZERO] {
        assert_eq!(given(limit, &Script::ok()).await, Ok(1), "a body that is ready at once is in time");
        assert_eq!(given(limit, &Script::hang()).await.unwrap_err().kind(), Some(ErrorKind::TimedOut));
    }
    assert!(clock.elapsed() <= ms(2));
    let told = log.expect(["timeout.elapsed", "config.clamped", "timeout.elapsed"]);
    let Event::ConfigClamped { kind, option, value, .. } = &told[1] else { unreachable!() };
    assert_eq!((*kind, *option, value.to_string().as_str()), ("timeout", "duration", "0ns"));
}

#[timeout("300ms", name = "outer")]
async fn outer(inner: Duration, body: &Script) -> Answer {
    given(inner, body).await
}

#[tokio::test(start_paused = true)]
async fn an_inner_timeout_is_clipped_to_the_outer_one() {
    for (inner, kind, policy, at) in [
        (ms(100), ErrorKind::TimedOut, "given", ms(100)),
        (ms(299), ErrorKind::TimedOut, "given", ms(299)),
        // At the same moment the inner one is the first to tell.
        (ms(300), ErrorKind::TimedOut, "given", ms(300)),
        (ms(301), ErrorKind::TimedOut, "outer", ms(300)),
        (Duration::MAX, ErrorKind::TimedOut, "outer", ms(300)),
    ] {
        let (body, clock, log) = (Script::hang(), Clock::start(), EventLog::of(["given", "outer"]));
        let error = outer(inner, &body).await.unwrap_err().refusal().unwrap().clone();
        assert_eq!((error.kind(), error.policy(), clock.elapsed()), (kind, policy, at), "{inner:?}");
        let told = log.expect(["timeout.elapsed"]);
        let Event::TimeoutElapsed { after, inherited, .. } = &told[0] else { unreachable!() };
        assert_eq!((*after, *inherited), (inner.min(ms(300)), false), "{inner:?}");
    }
}

#[timeout("1h", name = "patient")]
async fn patient(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_deadline_from_outside_is_told_as_inherited() {
    let (body, clock, log) = (Script::hang(), Clock::start(), EventLog::of(["patient"]));
    let error = Deadline::after(ms(300)).scope(patient(&body)).await.unwrap_err().refusal().unwrap().clone();
    assert_eq!((error.kind(), error.policy()), (ErrorKind::DeadlineExceeded, "patient"));
    assert_eq!((clock.elapsed(), error.cut_in_flight()), (ms(300), true));
    let told = log.expect(["timeout.elapsed"]);
    let Event::TimeoutElapsed { inherited, .. } = &told[0] else { unreachable!() };
    assert!(inherited);
}

#[retry(max_attempts = 2, base_delay = "0ms", name = "two attempts")]
#[timeout("500ms")]
async fn twice(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn c19_every_attempt_has_its_own_time() {
    let (body, clock) = (Script::new([Step::Ok.after(secs(1))]), Clock::start());
    assert_eq!(twice(&body).await.unwrap_err().kind(), Some(ErrorKind::TimedOut));
    assert_eq!((body.entered(), clock.elapsed()), (2, secs(1)));

    let body = Script::new([Step::Err(Fault::Down).after(ms(10))]);
    assert_eq!(twice(&body).await, Err(Fault::Down));
    assert_eq!(body.entered(), 2);

    let (body, clock) = (Script::new([Step::Hang, Step::Ok.after(ms(499))]), Clock::start());
    assert_eq!((twice(&body).await, clock.elapsed()), (Ok(2), ms(999)));
}

#[retry(max_attempts = 3, base_delay = "0ms")]
#[timeout("500ms")]
async fn thrice(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn c25_retries_of_a_body_that_never_ends() {
    let (body, clock) = (Script::hang(), Clock::start());
    assert_eq!(thrice(&body).await.unwrap_err().kind(), Some(ErrorKind::TimedOut));
    assert_eq!((body.entered(), body.probe().dropped(), clock.elapsed()), (3, 3, ms(1500)));
}

#[circuit_breaker("timeout-c13", window_calls = 2, min_calls = 2, failure_rate = 0.74, cooldown = "50s")]
#[timeout("500ms")]
async fn tripped_by_timeouts(body: &Script) -> Answer {
    body.run().await
}

/// A cut counts whatever the errors' classes: a predicate is asked about errors only, so the second half is a deviation.
#[tokio::test(start_paused = true)]
async fn c13_timeouts_trip_the_breaker() {
    let body = Script::new([Step::Ok.after(secs(1))]);
    let mut kinds = Vec::new();
    for _ in 0..3 {
        kinds.push(tripped_by_timeouts(&body).await.unwrap_err().kind());
    }
    assert_eq!(kinds, [Some(ErrorKind::TimedOut), Some(ErrorKind::TimedOut), Some(ErrorKind::CircuitOpen)]);
    assert_eq!(body.entered(), 2);
}

#[circuit_breaker("timeout-cw11", min_calls = 10)]
#[timeout("10ms")]
async fn warm(body: &Script) -> Answer {
    body.run().await
}

#[circuit_breaker("timeout-cw09", window_calls = 10, min_calls = 5)]
#[timeout("10ms")]
async fn inside(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn cw09_cw11_an_inner_timeout_goes_through_the_window() {
    for (name, number) in [("timeout-cw11", 10), ("timeout-cw09", 5)] {
        let breaker = CircuitBreaker::get(name).unwrap();
        for call in 1..=number {
            assert_eq!(breaker.state().to_string(), "closed", "before call {call}");
            let body = Script::hang();
            let _ = if number == 10 { warm(&body).await } else { inside(&body).await };
        }
        assert_eq!(breaker.state().to_string(), "open");
    }
}

#[tokio::test(start_paused = true)]
async fn a_method_may_take_its_time_from_self() {
    struct Client {
        patience: Duration,
    }
    impl Client {
        #[timeout(self.patience * 2)]
        async fn wait(&mut self) -> Result<(), Error> {
            self.patience += ms(1);
            pending().await
        }
    }
    let mut client = Client { patience: ms(5) };
    let start = now();
    client.wait().await.unwrap_err();
    assert_eq!(now() - start, ms(10));
    client.wait().await.unwrap_err();
    assert_eq!(now() - start, ms(22));
}

#[timeout("1s")]
async fn received(mut inbox: tokio::sync::mpsc::UnboundedReceiver<u32>) -> Answer {
    Ok(inbox.recv().await.unwrap_or_default())
}

#[tokio::test(start_paused = true)]
async fn work_that_finds_no_budget_of_the_task_left_is_not_cut_for_it() {
    // More than a task's budget allows in one poll: the last ones can do nothing in it, though their values are there.
    const CALLS: usize = 300;
    let (senders, inboxes): (Vec<_>, Vec<_>) = (0..CALLS).map(|_| tokio::sync::mpsc::unbounded_channel()).unzip();
    let calls = futures::future::join_all(inboxes.into_iter().map(|inbox| Box::pin(received(inbox))));
    let task = tokio::spawn(async move { calls.await.iter().filter(|answer| answer.is_ok()).count() });
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    for sender in &senders {
        sender.send(1).unwrap();
    }
    tokio::time::advance(ms(1500)).await;
    assert_eq!(task.await.unwrap(), CALLS);
}
