//! What the order of the attributes does.

use resilience::circuit_breaker::State;
use resilience::{
    Bulkhead, CircuitBreaker, Error, ErrorKind, Event, RetryLimit, bulkhead, circuit_breaker, retry, timeout,
};
use resilience_tests::{Answer, Clock, EventLog, Fault, Script, Step, ms, secs, trip};

fn window(name: &str) -> (u32, u32) {
    let snapshot = CircuitBreaker::get(name).unwrap().snapshot();
    (snapshot.calls, snapshot.failures)
}

#[retry(max_attempts = 8, base_delay = "0ms")]
#[circuit_breaker("order-c11", window_calls = 4, min_calls = 4, failure_rate = 0.74, cooldown = "50s")]
async fn c11(body: &Script) -> Answer {
    body.run().await
}

#[retry(max_attempts = 3, base_delay = "0ms")]
#[circuit_breaker("order-c11-three", window_calls = 4, min_calls = 4, failure_rate = 0.74, cooldown = "50s")]
async fn c11_three(body: &Script) -> Answer {
    body.run().await
}

#[retry(max_attempts = 8, base_delay = "0ms")]
#[circuit_breaker("order-c11-cut", window_calls = 4, min_calls = 4, failure_rate = 0.74, cooldown = "50s")]
#[timeout("100ms")]
async fn c11_cut(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn c11_a_retry_above_a_breaker_ends_when_it_opens() {
    let body = Script::down();
    assert_eq!(c11(&body).await, Err(Fault::Down), "the dependency's error, which is known");
    assert_eq!(body.entered(), 4);
    let body = Script::down();
    assert_eq!((c11_three(&body).await, body.entered()), (Err(Fault::Down), 3));
    let body = Script::hang();
    assert_eq!(c11_cut(&body).await.unwrap_err().kind(), Some(ErrorKind::TimedOut), "a cut is an answer, too");
    assert_eq!((body.entered(), body.probe().dropped()), (4, 4));
    // Who comes later has learnt nothing else.
    for refused in [c11(&Script::ok()).await, c11_cut(&Script::ok()).await] {
        assert_eq!(refused.unwrap_err().kind(), Some(ErrorKind::CircuitOpen));
    }
}

#[circuit_breaker("order-above", window_calls = 10)]
#[retry(max_attempts = 3, base_delay = "0ms")]
async fn breaker_above_retry(body: &Script) -> Answer {
    body.run().await
}

#[retry(max_attempts = 3, base_delay = "0ms")]
#[circuit_breaker("order-below", window_calls = 10)]
async fn breaker_below_retry(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_breaker_above_a_retry_sees_calls_and_below_it_attempts() {
    let recovers = || Script::new([Step::Err(Fault::Down), Step::Err(Fault::Down), Step::Ok]);
    assert_eq!(breaker_above_retry(&recovers()).await, Ok(3));
    assert_eq!(window("order-above"), (1, 0));
    assert_eq!(breaker_below_retry(&recovers()).await, Ok(3));
    assert_eq!(window("order-below"), (3, 2));
}

#[retry(max_attempts = 4, base_delay = "1s", jitter = "none")]
#[bulkhead("order-cx01", max_concurrent = 1, max_wait = "10s")]
async fn frugal(body: &Script) -> Answer {
    body.run().await
}

#[bulkhead("order-cx01")]
async fn frugal_neighbour(body: &Script) -> Answer {
    body.run().await
}

#[bulkhead("order-cx01-reversed", max_concurrent = 1, max_wait = "10s")]
#[retry(max_attempts = 4, base_delay = "1s", jitter = "none")]
async fn greedy(body: &Script) -> Answer {
    body.run().await
}

#[bulkhead("order-cx01-reversed")]
async fn greedy_neighbour(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn cx01_a_retry_above_a_bulkhead_frees_the_slot_for_its_pauses() {
    let (body, neighbour) = (Script::down(), Script::ok());
    let clock = Clock::start();
    let (failed, served) = tokio::join!(frugal(&body), async {
        clock.until(ms(100)).await;
        frugal_neighbour(&neighbour).await
    });
    assert_eq!((failed, served, neighbour.probe().starts()), (Err(Fault::Down), Ok(1), vec![ms(100)]));

    let (body, neighbour) = (Script::down(), Script::ok());
    let clock = Clock::start();
    let (failed, served) = tokio::join!(greedy(&body), async {
        clock.until(ms(100)).await;
        greedy_neighbour(&neighbour).await
    });
    // 1 + 2 + 4 seconds of pauses.
    assert_eq!((failed, served, neighbour.probe().starts()), (Err(Fault::Down), Ok(1), vec![secs(7)]));
}

#[timeout("1s", name = "order-cx04")]
#[retry(max_attempts = 9, base_delay = "30s", max_delay = "30s", jitter = "none")]
#[circuit_breaker("order-cx04", window_calls = 100)]
#[bulkhead("order-cx04", max_concurrent = 1, max_wait = "900ms")]
#[timeout("800ms")]
async fn bounded(body: &Script) -> Answer {
    body.run().await
}

/// The wait in line is at its end at 900 ms; a pause that does not fit is not begun, so the last error comes early.
#[tokio::test(start_paused = true)]
async fn cx04_a_timeout_on_top_bounds_everything() {
    let bulkhead = Bulkhead::get("order-cx04").unwrap();
    let clock = Clock::start();
    let slot = bulkhead.try_acquire().unwrap();
    assert_eq!(bounded(&Script::ok()).await.unwrap_err().kind(), Some(ErrorKind::BulkheadFull));
    assert_eq!(clock.elapsed(), ms(900));
    // Served after 600 ms, the body has 400 ms left, not 800.
    let (body, clock) = (Script::hang(), Clock::start());
    let (answer, ()) = tokio::join!(bounded(&body), async {
        clock.until(ms(600)).await;
        drop(slot);
    });
    let error = answer.unwrap_err().refusal().cloned().unwrap();
    assert_eq!((error.kind(), error.policy(), clock.elapsed()), (ErrorKind::TimedOut, "order-cx04", secs(1)));
    // A pause of 30 s does not fit.
    let clock = Clock::start();
    assert_eq!(bounded(&Script::down()).await, Err(Fault::Down));
    assert_eq!(clock.elapsed(), ms(0));
    assert_eq!((bulkhead.snapshot().in_flight, bulkhead.snapshot().waiting), (0, 0));
    // The body that was cut had 400 ms of the 800 that its own timeout gives: that says nothing.
    assert_eq!(window("order-cx04"), (1, 1));
    assert_eq!(CircuitBreaker::get("order-cx04").unwrap().snapshot().cut_early, 1);
}

#[circuit_breaker("order-ho05", window_calls = 4, min_calls = 2, cooldown = "1s", success_threshold = 1)]
#[bulkhead("order-ho05", max_concurrent = 1)]
async fn probing(body: &Script) -> Answer {
    body.run().await
}

#[circuit_breaker("order-ho05-outer", min_calls = 2, cooldown = "1s", success_threshold = 1)]
#[circuit_breaker("order-ho05-inner", min_calls = 2, cooldown = "2s", success_threshold = 1)]
async fn probing_two(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn ho05_a_trial_that_a_later_layer_refuses_gives_its_slot_back() {
    let (breaker, bulkhead) = (CircuitBreaker::get("order-ho05").unwrap(), Bulkhead::get("order-ho05").unwrap());
    trip(&breaker, 2);
    let clock = Clock::start();
    let slot = bulkhead.try_acquire().unwrap();
    clock.until(secs(1)).await;
    assert_eq!(probing(&Script::ok()).await.unwrap_err().kind(), Some(ErrorKind::BulkheadFull));
    assert_eq!((breaker.state(), breaker.snapshot().probes_in_flight), (State::HalfOpen, 0));
    drop(slot);
    assert_eq!((probing(&Script::ok()).await, breaker.state()), (Ok(1), State::Closed));

    let [outer, inner] = ["order-ho05-outer", "order-ho05-inner"].map(|name| CircuitBreaker::get(name).unwrap());
    trip(&outer, 2);
    trip(&inner, 2);
    let clock = Clock::start();
    clock.until(ms(1500)).await;
    let error = probing_two(&Script::ok()).await.unwrap_err().refusal().cloned().unwrap();
    assert_eq!((error.kind(), error.policy()), (ErrorKind::CircuitOpen, "order-ho05-inner"));
    clock.until(ms(2500)).await;
    assert_eq!(probing_two(&Script::ok()).await, Ok(1));
    assert_eq!((outer.state(), inner.state()), (State::Closed, State::Closed));
}

#[circuit_breaker("order-tk05", window_calls = 10, min_calls = 4)]
#[bulkhead("order-tk05", max_concurrent = 2)]
async fn panicking(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn tk05_a_panic_in_the_body_settles_everything_once() {
    let (breaker, bulkhead) = (CircuitBreaker::get("order-tk05").unwrap(), Bulkhead::get("order-tk05").unwrap());
    for panics in 1..=4 {
        let task = tokio::spawn(async { panicking(&Script::new([Step::Panic])).await });
        assert!(task.await.unwrap_err().is_panic());
        assert_eq!(window("order-tk05"), (panics, panics));
        assert_eq!(bulkhead.snapshot().in_flight, 0);
    }
    assert_eq!(breaker.state(), State::Open);
    let refused = tokio::spawn(async { panicking(&Script::ok()).await }).await.unwrap();
    assert_eq!(refused.unwrap_err().kind(), Some(ErrorKind::CircuitOpen));
    breaker.reset();
    let held = [bulkhead.try_acquire(), bulkhead.try_acquire()];
    assert!(held.iter().all(Result::is_ok));
}

#[retry(max_attempts = 2, base_delay = "0ms")]
#[circuit_breaker("order-panic", window_calls = 10)]
#[timeout("1s")]
#[bulkhead("order-panic", max_concurrent = 2)]
async fn whole(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn tk05_in_a_whole_stack() {
    let body = Script::new([Step::Panic, Step::Ok]);
    let task = tokio::spawn({
        let body = body.clone();
        async move { whole(&body).await }
    });
    assert!(task.await.unwrap_err().is_panic());
    assert_eq!((body.entered(), window("order-panic")), (1, (1, 1)));
    assert_eq!(whole(&body).await, Ok(2));
    assert_eq!(window("order-panic"), (2, 1));
}

/// What the error of a refused call says: the innermost refusal that happened, unchanged by the layers above.
#[tokio::test(start_paused = true)]
async fn a_refusal_keeps_its_name_on_the_way_up() {
    let bulkhead = Bulkhead::get("order-panic").unwrap();
    let _slots = [bulkhead.try_acquire(), bulkhead.try_acquire()];
    let error = whole(&Script::ok()).await.unwrap_err().refusal().map(Error::to_string).unwrap();
    assert!(error.contains("order-panic"), "{error}");
}

#[retry(max_attempts = 5, base_delay = "10ms", jitter = "none", name = "order-told")]
#[circuit_breaker("order-told-breaker", min_calls = 2, cooldown = "9s")]
#[timeout("50ms", name = "order-told-timeout")]
async fn told(body: &Script) -> Answer {
    body.run().await
}

/// The innermost policy tells first; the outermost, why it ends.
#[tokio::test(start_paused = true)]
async fn events_of_a_stack_come_from_the_inside_out() {
    let log = EventLog::of(["order-told", "order-told-breaker", "order-told-timeout"]);
    assert_eq!(told(&Script::hang()).await.unwrap_err().kind(), Some(ErrorKind::TimedOut));
    let events = log.expect([
        "timeout.elapsed",
        "retry.attempt_failed",
        "timeout.elapsed",
        "circuit_breaker.opened",
        "retry.exhausted",
    ]);
    let Event::RetryExhausted { attempts, limit, refused_by, .. } = &events[4] else { unreachable!() };
    assert_eq!((*attempts, *limit, *refused_by), (2, RetryLimit::Refused, Some("order-told-breaker")));
    log.assert_finished();
    // Nobody asks the breaker for what it would refuse; the next call does.
    assert_eq!(told(&Script::hang()).await.unwrap_err().kind(), Some(ErrorKind::CircuitOpen));
    log.expect(["circuit_breaker.rejected"]);
    log.assert_finished();
}
