//! A call is slow by the time that its body runs: our own queues, limits and pauses are not the dependency's.

use std::time::Duration;

use futures::future::join_all;
use resilience::circuit_breaker::{Config, State};
use resilience::{CircuitBreaker, bulkhead, circuit_breaker, rate_limit, retry, timeout};
use resilience_tests::{Answer, Fault, Script, Step, breaker, ms, polls, secs, sleep, trip};

use crate::forms::{Guarded, Work, each_form};

/// Calls, failures and slow calls in the window.
fn counts(breaker: &CircuitBreaker) -> (u32, u32, u32) {
    let snapshot = breaker.snapshot();
    (snapshot.calls, snapshot.failures, snapshot.slow_calls)
}

fn named(name: &str) -> CircuitBreaker {
    CircuitBreaker::get(name).expect("declared")
}

/// A body that takes so many milliseconds.
fn takes(millis: u64) -> Script {
    Script::new([Step::Ok.after(ms(millis))])
}

/// `name: attributes` is a function, and the list in brackets has all of them, by their breaker's name.
macro_rules! functions {
    ($all:ident: $($name:ident $breaker:literal: $($attribute:meta)*;)*) => {
        $(
            $(#[$attribute])*
            async fn $name(body: &Script) -> Answer {
                body.run().await
            }
        )*

        const $all: &[(&str, for<'a> fn(&'a Script) -> Work<'a>)] = &[$(($breaker, |body| Box::pin($name(body)))),*];
    };
}

functions! { QUEUES:
    queue "queue": circuit_breaker("queue", slow_call = "500ms") bulkhead("queue", max_concurrent = 1, max_wait = "1m", max_queue = 99);
    queue_asked "queue asked": circuit_breaker("queue asked", slow_call = "500ms", when = |_| true) bulkhead("queue asked", max_concurrent = 1, max_wait = "1m", max_queue = 99);
    queue_block "queue block": circuit_breaker("queue block", slow_call = "500ms") bulkhead("queue block", max_concurrent = 1, max_wait = "1m", max_queue = 99) rate_limit(limit = 1_000, permits = 1);
    queue_bound "queue bound": circuit_breaker("queue bound", slow_call = "500ms") timeout("1h") bulkhead("queue bound", max_concurrent = 1, max_wait = "1m", max_queue = 99);
    limit "limit": circuit_breaker("limit", slow_call = "500ms") rate_limit(limit = 10, burst = 1, max_wait = "1m");
    limit_asked "limit asked": circuit_breaker("limit asked", slow_call = "500ms", when = |_| true) rate_limit(limit = 10, burst = 1, max_wait = "1m");
    limit_block "limit block": circuit_breaker("limit block", slow_call = "500ms") rate_limit(limit = 10, burst = 1, max_wait = "1m", permits = 1);
}

/// One after the other: they are about the same breakers.
#[tokio::test(start_paused = true)]
async fn queues_limits_and_pauses() {
    the_time_in_a_queue_or_for_a_permit_does_not_count().await;
    a_call_that_is_dropped_in_a_queue_was_not_slow().await;
    pauses_do_not_count_and_attempts_add_up().await;
    a_call_that_is_dropped_in_a_pause_is_slow_by_the_work_before().await;
}

async fn the_time_in_a_queue_or_for_a_permit_does_not_count() {
    for (name, call) in QUEUES {
        let body = takes(50);
        let answers = join_all((0..40).map(|_| call(&body))).await;
        assert!(answers.iter().all(Result::is_ok), "{name}: {answers:?}");
        assert_eq!((counts(&named(name)), named(name).state()), ((40, 0, 0), State::Closed), "{name}");
        let slow = takes(501);
        call(&slow).await.expect("slow, and a success");
        assert_eq!(counts(&named(name)), (41, 0, 1), "{name}");
    }
}

async fn a_call_that_is_dropped_in_a_queue_was_not_slow() {
    for (name, call) in QUEUES {
        named(name).reset();
        let (hang, body) = (Script::hang(), Script::ok());
        let held = call(&hang);
        tokio::select! {
            biased;
            _ = held => unreachable!("it hangs"),
            answer = tokio::time::timeout(ms(99), call(&body)) => assert!(answer.is_err(), "{name}"),
        }
        assert_eq!((counts(&named(name)), body.entered()), ((0, 0, 0), 0), "{name}");
    }
}

functions! { RETRIES:
    pauses "pauses": circuit_breaker("pauses", slow_call = "500ms") retry(max_attempts = 3, base_delay = "10s", max_delay = "10s", jitter = "none");
    pauses_asked "pauses asked": circuit_breaker("pauses asked", slow_call = "500ms", when = |_| true) retry(max_attempts = 3, base_delay = "10s", max_delay = "10s", jitter = "none");
    pauses_apart "pauses apart": circuit_breaker("pauses apart", slow_call = "500ms") retry(max_attempts = 3, base_delay = "10s", max_delay = "10s", jitter = "none", when = |_| true);
    pauses_bound "pauses bound": circuit_breaker("pauses bound", slow_call = "500ms") timeout("1h") retry(max_attempts = 3, base_delay = "10s", max_delay = "10s", jitter = "none") timeout("10m");
    pauses_queue "pauses queue": circuit_breaker("pauses queue", slow_call = "500ms") retry(max_attempts = 3, base_delay = "10s", max_delay = "10s", jitter = "none") bulkhead("pauses queue");
}

async fn pauses_do_not_count_and_attempts_add_up() {
    for (name, call) in RETRIES {
        let fails = |millis| Step::Err(Fault::Down).after(ms(millis));
        let quick = Script::new([fails(200), fails(200), Step::Ok.after(ms(100))]);
        assert_eq!(call(&quick).await, Ok(3));
        assert_eq!(counts(&named(name)), (1, 0, 0), "{name}: half a second of work is not slow");
        let slow = Script::new([fails(200), fails(200), Step::Ok.after(ms(101))]);
        assert_eq!(call(&slow).await, Ok(3));
        assert_eq!(counts(&named(name)), (2, 0, 1), "{name}");
        let fails_slowly = Script::new([fails(200)]);
        assert_eq!(call(&fails_slowly).await, Err(Fault::Down));
        assert_eq!(counts(&named(name)), (3, 1, 2), "{name}: slow whether it failed or not");
    }
}

async fn a_call_that_is_dropped_in_a_pause_is_slow_by_the_work_before() {
    for (name, call) in RETRIES {
        named(name).reset();
        for (millis, expected) in [(500, (0, 0, 0)), (501, (1, 0, 1))] {
            let body = Script::new([Step::Err(Fault::Down).after(ms(millis))]);
            assert!(tokio::time::timeout(secs(9), call(&body)).await.is_err(), "it is in the pause");
            assert_eq!(counts(&named(name)), expected, "{name}, after {millis} ms");
        }
    }
}

#[retry(max_attempts = 3, base_delay = 10s, max_delay = 10s, jitter = "none")]
#[circuit_breaker("below a retry", slow_call = "500ms")]
async fn below_a_retry(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn below_a_retry_each_attempt_is_a_call() {
    let body = Script::new([Step::Err(Fault::Down).after(ms(400)), Step::Ok.after(ms(600))]);
    assert_eq!(below_a_retry(&body).await, Ok(2));
    assert_eq!(counts(&named("below a retry")), (2, 1, 1));
}

#[circuit_breaker("around a queue", slow_call = "500ms")]
async fn around(body: &Script) -> Answer {
    queued(body).await
}

#[bulkhead("queue inside", max_concurrent = 1, max_wait = "1m")]
async fn queued(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn the_queue_of_a_nested_function_counts_as_its_time() {
    let body = takes(300);
    assert_eq!(tokio::join!(around(&body), around(&body)), (Ok(1), Ok(2)));
    assert_eq!(counts(&named("around a queue")), (2, 0, 1));
}

each_form! {
    dropped_by_a_foreign_timer: circuit_breaker(slow_call = "500ms", consecutive_failures = 2)
    dropped_in_a_trial: circuit_breaker(slow_call = "500ms", consecutive_failures = 2, cooldown = "10s")
    dropped_with_another_inside: circuit_breaker(slow_call = "500ms", min_calls = 50)
    dropped_often: circuit_breaker(slow_call = "500ms", min_calls = 10)
}

/// Drops a call after so long, in one of the ways of callers.
async fn give_up<G: Guarded>(after: Duration, way: u32) {
    let call = || G::call(async { Script::hang().run().await });
    match way {
        0 => assert!(tokio::time::timeout(after, call()).await.is_err()),
        1 => tokio::select! {
            _ = call() => unreachable!("it hangs"),
            () = sleep(after) => {}
        },
        _ => {
            let task = tokio::spawn(call());
            sleep(after).await;
            task.abort();
            task.await.expect_err("aborted");
        }
    }
}

async fn dropped_by_a_foreign_timer<G: Guarded>() {
    let breaker = G::breaker();
    for way in 0..3 {
        breaker.reset();
        give_up::<G>(ms(500), way).await;
        assert_eq!(counts(&breaker), (0, 0, 0), "neutral");
        let _ = G::call(Script::down().run()).await;
        give_up::<G>(ms(501), way).await;
        assert_eq!((counts(&breaker), breaker.state()), ((2, 1, 1), State::Closed));
        let _ = G::call(Script::down().run()).await;
        assert_eq!(breaker.state(), State::Open, "the failures in a row go on");
    }
}

async fn dropped_in_a_trial<G: Guarded>() {
    let breaker = G::breaker();
    for way in 0..3 {
        breaker.reset();
        trip(&breaker, 2);
        sleep(secs(10)).await;
        give_up::<G>(ms(500), way).await;
        assert_eq!(breaker.state(), State::HalfOpen);
        give_up::<G>(ms(501), way).await;
        assert_eq!(breaker.state(), State::Open);
    }
}

async fn dropped_with_another_inside<G: Guarded>() {
    let nested = || G::call(G::call(async { Script::hang().run().await }));
    assert!(tokio::time::timeout(ms(501), nested()).await.is_err());
    assert_eq!(counts(&G::breaker()), (1, 0, 1), "one call");
}

async fn dropped_often<G: Guarded>() {
    for calls in 1..=10 {
        assert_eq!((G::breaker().state(), G::breaker().snapshot().calls), (State::Closed, calls - 1));
        give_up::<G>(secs(1), 0).await;
    }
    assert_eq!(G::breaker().state(), State::Open, "nobody waits for the answers of a dependency that hangs");
}

#[tokio::test(start_paused = true)]
async fn by_a_handle_and_by_hand_it_is_the_same() {
    let config = Config::new().slow_call(ms(500));
    for (after, expected) in [(500, (0, 0, 0)), (501, (1, 0, 1))] {
        let (by_handle, by_hand) = (breaker(config), breaker(config));
        assert!(tokio::time::timeout(ms(after), by_handle.call(Script::hang().run())).await.is_err());
        let permit = by_hand.try_acquire().expect("closed");
        sleep(ms(after)).await;
        drop(permit);
        assert_eq!((counts(&by_handle), counts(&by_hand)), (expected, expected), "after {after} ms");
    }
    let unpolled = breaker(config);
    drop(unpolled.call(Script::hang().run()));
    assert_eq!(polls(unpolled.call(Script::ok().run()), 0).await.map(|_| ()), None);
    assert_eq!(counts(&unpolled), (0, 0, 0));
}
