//! A trial call of a half-open breaker with others inside of it: one slot, one result.

use std::sync::Mutex;

use resilience::circuit_breaker::State;
use resilience::{CircuitBreaker, ErrorKind};
use resilience_tests::{Script, Step, inside_somebody_elses_panic, poll_times, polls, secs, sleep, trip};

use crate::forms::{Guarded, each_form};
use crate::one_call::{deep, ok};

/// Opens it, and lets the cooldown of ten seconds pass.
async fn half_open(breaker: &CircuitBreaker) {
    trip(breaker, 2);
    sleep(secs(10)).await;
    assert_eq!(breaker.state(), State::HalfOpen);
}

/// So many trial calls may be in flight at once, none is, and none has succeeded.
#[track_caller]
fn assert_free_trial_slots(breaker: &CircuitBreaker, slots: usize) {
    assert_eq!((breaker.state(), breaker.snapshot().calls), (State::HalfOpen, 0));
    let trials: Vec<_> = (0..slots).map(|_| breaker.try_acquire().expect("a free slot")).collect();
    breaker.try_acquire().expect_err("not one more");
    drop(trials);
}

each_form! {
    half_open_closes_after_so_many_calls: circuit_breaker(consecutive_failures = 2, cooldown = "10s", success_threshold = 3)
    a_call_takes_one_trial_slot: circuit_breaker(consecutive_failures = 2, cooldown = "10s", success_threshold = 2)
    a_recursive_trial_takes_one_slot: circuit_breaker(consecutive_failures = 2, cooldown = "10s", success_threshold = 2, max_probes = 1)
    neighbours_are_two_trials: circuit_breaker(consecutive_failures = 2, cooldown = "10s", success_threshold = 2)
    a_trial_that_is_dropped_is_settled_once: circuit_breaker(consecutive_failures = 2, cooldown = "10s", success_threshold = 2, max_probes = 1)
    a_trial_that_goes_on_elsewhere_takes_the_slot_along: circuit_breaker(consecutive_failures = 2, cooldown = "10s", success_threshold = 2, max_probes = 1)
}

async fn half_open_closes_after_so_many_calls<G: Guarded>() {
    let breaker = G::breaker();
    half_open(&breaker).await;
    for successes in 0..3 {
        assert_eq!((breaker.state(), breaker.snapshot().calls), (State::HalfOpen, successes));
        assert_eq!(G::call(G::call(ok().run())).await, Ok(1));
    }
    assert_eq!(breaker.state(), State::Closed);
}

async fn a_call_takes_one_trial_slot<G: Guarded>() {
    let breaker = G::breaker();
    half_open(&breaker).await;
    let hang = Script::hang();
    let (mut first, mut second) = (G::call(G::call(hang.run())), G::call(G::call(hang.run())));
    assert_eq!(poll_times(first.as_mut(), 1).await, None);
    assert_eq!(poll_times(second.as_mut(), 1).await, None);
    assert_eq!(hang.probe().in_flight(), 2, "two calls have two slots");
    let third = G::call(G::call(hang.run())).await;
    assert_eq!(third.expect_err("no third slot").kind(), Some(ErrorKind::CircuitOpen));
    drop((first, second));
    assert_free_trial_slots(&breaker, 2);
}

async fn a_recursive_trial_takes_one_slot<G: Guarded>() {
    let breaker = G::breaker();
    half_open(&breaker).await;
    let slow = Script::new([Step::Ok.after(secs(1))]);
    assert_eq!(polls(deep::<G>(100, &slow), 1).await, None);
    assert_free_trial_slots(&breaker, 1);
    for successes in 1..=2 {
        assert_eq!(breaker.state(), State::HalfOpen);
        assert_eq!(deep::<G>(100, &slow).await, Ok(successes + 1));
    }
    assert_eq!(breaker.state(), State::Closed);
}

async fn neighbours_are_two_trials<G: Guarded>() {
    let breaker = G::breaker();
    half_open(&breaker).await;
    let slow = Script::new([Step::Ok.after(secs(1))]);
    let (first, second, third) = tokio::join!(G::call(slow.run()), G::call(slow.run()), G::call(slow.run()));
    assert_eq!((first, second), (Ok(1), Ok(2)));
    assert_eq!(third.expect_err("two slots").kind(), Some(ErrorKind::CircuitOpen));
    assert_eq!(breaker.state(), State::Closed);
}

async fn a_trial_that_is_dropped_is_settled_once<G: Guarded>() {
    let (breaker, hang) = (G::breaker(), Script::hang());
    half_open(&breaker).await;
    let call = || G::call(G::call(async { Script::hang().run().await }));
    assert_eq!(polls(G::call(G::call(hang.run())), 1).await, None);
    assert_free_trial_slots(&breaker, 1);
    tokio::select! {
        _ = call() => unreachable!("it hangs"),
        () = sleep(secs(1)) => {}
    }
    assert_free_trial_slots(&breaker, 1);
    let task = tokio::spawn(call());
    sleep(secs(1)).await;
    task.abort();
    assert!(task.await.expect_err("aborted").is_cancelled());
    assert_free_trial_slots(&breaker, 1);
    let mut unwound = call();
    assert_eq!(poll_times(unwound.as_mut(), 1).await, None);
    inside_somebody_elses_panic(unwound);
    assert_free_trial_slots(&breaker, 1);
    let inside_only = async {
        assert_eq!(polls(G::call(Script::hang().run()), 1).await, None);
        assert_eq!(polls(G::call(Script::hang().run()), 1).await, None, "the slot has come back to the call around");
        std::future::pending().await
    };
    assert_eq!(polls(G::call(inside_only), 1).await, None);
    assert_free_trial_slots(&breaker, 1);
}

async fn a_trial_that_goes_on_elsewhere_takes_the_slot_along<G: Guarded>() {
    let breaker = G::breaker();
    half_open(&breaker).await;
    let moved = Mutex::new(None);
    let outer = G::call(async {
        let mut inner = G::call(async { Script::new([Step::Ok.after(secs(1))]).run().await });
        assert_eq!(poll_times(inner.as_mut(), 1).await, None);
        *moved.lock().expect("nobody panics") = Some(inner);
        Ok(0)
    });
    assert_eq!(outer.await, Ok(0));
    assert_eq!(breaker.snapshot().calls, 0, "who has the slot says how the trial goes");
    breaker.try_acquire().expect_err("the slot is taken");
    let inner = moved.into_inner().expect("nobody panics").expect("moved");
    assert_eq!(tokio::spawn(inner).await.expect("it ends"), Ok(1));
    assert_eq!((breaker.state(), breaker.snapshot().calls), (State::HalfOpen, 1));
    assert!(breaker.try_acquire().is_ok(), "the slot is free");
}
