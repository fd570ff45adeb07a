//! A call inside of another one of the same breaker: one call, one result; the innermost counts.

use resilience::circuit_breaker::State;
use resilience::{CircuitBreaker, ErrorKind, circuit_breaker, retry};
use resilience_tests::{Answer, Fault, Script, Step, breaker, poll_times, polls, secs, sleep, trip};

use crate::forms::{Guarded, Work, each_form};

/// Calls and failures in the window.
pub(crate) fn counts(breaker: &CircuitBreaker) -> (u32, u32) {
    let snapshot = breaker.snapshot();
    (snapshot.calls, snapshot.failures)
}

pub(crate) fn ok() -> Script {
    Script::ok()
}

each_form! {
    each_failure_counts_once: circuit_breaker(min_calls = 50)
    each_success_counts_once: circuit_breaker(min_calls = 50)
    an_error_that_is_swallowed_opens_all_the_same: circuit_breaker(consecutive_failures = 3)
    a_long_call_does_not_disarm_those_inside: circuit_breaker(consecutive_failures = 3)
    a_long_call_is_not_one_more: circuit_breaker(min_calls = 50)
    a_recursion_of_any_depth_counts_once: circuit_breaker(min_calls = 50)
    a_call_inside_is_refused_while_open: circuit_breaker(consecutive_failures = 2)
    neighbours_count_apart: circuit_breaker(min_calls = 50)
    a_task_of_its_own_counts_apart: circuit_breaker(min_calls = 50)
    two_inside_side_by_side_are_two_calls: circuit_breaker(min_calls = 50)
    what_says_nothing_leaves_the_word_to_those_around: circuit_breaker(min_calls = 50)
    three_levels_are_one_call: circuit_breaker(min_calls = 50)
    a_call_by_a_handle_is_one_with_those_around_and_inside: circuit_breaker(min_calls = 50)
    a_call_by_hand_is_one_of_its_own: circuit_breaker(min_calls = 50)
    a_panic_inside_is_one_failure: circuit_breaker(min_calls = 50)
}

async fn each_failure_counts_once<G: Guarded>() {
    for calls in 1..=5 {
        assert_eq!(G::call(G::call(Script::down().run())).await, Err(Fault::Down));
        assert_eq!(counts(&G::breaker()), (calls, calls));
    }
}

async fn each_success_counts_once<G: Guarded>() {
    for calls in 1..=5 {
        assert_eq!(G::call(G::call(ok().run())).await, Ok(1));
        assert_eq!(counts(&G::breaker()), (calls, 0));
    }
}

async fn an_error_that_is_swallowed_opens_all_the_same<G: Guarded>() {
    let down = Script::down();
    for _ in 0..3 {
        let swallowing = async { Ok(G::call(down.run()).await.unwrap_or(0)) };
        assert_eq!(G::call(swallowing).await, Ok(0));
    }
    assert_eq!((G::breaker().state(), down.entered()), (State::Open, 3));
}

async fn a_long_call_does_not_disarm_those_inside<G: Guarded>() {
    let down = Script::down();
    let long = async {
        for _ in 0..5 {
            let _ = G::call(down.run()).await;
            sleep(secs(1)).await;
        }
        assert_eq!(G::breaker().state(), State::Open);
        Ok(0)
    };
    assert_eq!(G::call(long).await, Ok(0));
    assert_eq!((G::breaker().state(), down.entered()), (State::Open, 3), "the fourth and the fifth were refused");
}

async fn a_long_call_is_not_one_more<G: Guarded>() {
    let body = Script::new([Step::Ok, Step::Err(Fault::Down), Step::Ok, Step::Err(Fault::Down), Step::Ok]);
    let long = async {
        for calls in 1..=5 {
            let _ = G::call(body.run()).await;
            assert_eq!(counts(&G::breaker()), (calls, calls / 2));
        }
        Err(Fault::Down)
    };
    assert_eq!(G::call(long).await, Err(Fault::Down));
    assert_eq!(counts(&G::breaker()), (5, 2));
}

pub(crate) fn deep<'a, G: Guarded>(depth: u32, body: &'a Script) -> Work<'a> {
    G::call(async move { if depth > 1 { deep::<G>(depth - 1, body).await } else { body.run().await } })
}

async fn a_recursion_of_any_depth_counts_once<G: Guarded>() {
    let down = Script::new([Step::Err(Fault::Down).after(secs(1))]);
    for (calls, depth) in [(1, 1), (2, 2), (3, 16), (4, 17), (5, 100)] {
        assert_eq!(deep::<G>(depth, &down).await, Err(Fault::Down));
        assert_eq!(counts(&G::breaker()), (calls, calls), "{depth} deep");
    }
}

async fn a_call_inside_is_refused_while_open<G: Guarded>() {
    let (breaker, body) = (G::breaker(), ok());
    let opened = async {
        trip(&breaker, 2);
        G::call(body.run()).await
    };
    assert_eq!(G::call(opened).await.expect_err("open").kind(), Some(ErrorKind::CircuitOpen));
    breaker.reset();
    let forced = async {
        breaker.force_open();
        G::call(body.run()).await
    };
    assert_eq!(G::call(forced).await.expect_err("forced open").kind(), Some(ErrorKind::CircuitOpen));
    assert_eq!(body.entered(), 0);
}

async fn neighbours_count_apart<G: Guarded>() {
    let slow = Script::new([Step::Err(Fault::Down).after(secs(1)), Step::Ok.after(secs(1))]);
    let _ = tokio::join!(G::call(slow.run()), G::call(slow.run()));
    assert_eq!(counts(&G::breaker()), (2, 1));
}

async fn a_task_of_its_own_counts_apart<G: Guarded>() {
    let spawns = async {
        let task = tokio::spawn(G::call(async { Script::down().run().await }));
        assert_eq!(task.await.expect("it ends"), Err(Fault::Down));
        Ok(0)
    };
    assert_eq!(G::call(spawns).await, Ok(0));
    assert_eq!(counts(&G::breaker()), (2, 1));
}

async fn two_inside_side_by_side_are_two_calls<G: Guarded>() {
    let slow = Script::new([Step::Err(Fault::Down).after(secs(1)), Step::Ok.after(secs(2))]);
    let both = async {
        let (first, second) = tokio::join!(G::call(slow.run()), G::call(slow.run()));
        assert_eq!((first, second), (Err(Fault::Down), Ok(2)));
        Ok(0)
    };
    assert_eq!(G::call(both).await, Ok(0));
    assert_eq!(counts(&G::breaker()), (2, 1), "and the outer one is not a third");
}

async fn what_says_nothing_leaves_the_word_to_those_around<G: Guarded>() {
    let hang = Script::hang();
    let gives_up = async {
        assert_eq!(polls(G::call(hang.run()), 1).await, None);
        Err(Fault::Down)
    };
    assert_eq!(G::call(gives_up).await, Err(Fault::Down));
    assert_eq!((counts(&G::breaker()), hang.probe().dropped()), ((1, 1), 1));
}

async fn three_levels_are_one_call<G: Guarded>() {
    let down = Script::down();
    let swallowing = async { Ok(G::call(G::call(down.run())).await.unwrap_or(0)) };
    assert_eq!(G::call(swallowing).await, Ok(0));
    assert_eq!(counts(&G::breaker()), (1, 1), "the innermost counts");
    let hang = Script::hang();
    let gives_up = async {
        assert_eq!(polls(G::call(G::call(hang.run())), 1).await, None);
        Ok(0)
    };
    assert_eq!(G::call(gives_up).await, Ok(0));
    assert_eq!(counts(&G::breaker()), (2, 1), "two that say nothing");
}

async fn a_call_by_a_handle_is_one_with_those_around_and_inside<G: Guarded>() {
    let (breaker, down) = (G::breaker(), Script::down());
    let by_handle = async { breaker.call(down.run()).await.expect("closed") };
    assert_eq!(G::call(by_handle).await, Err(Fault::Down));
    assert_eq!(counts(&breaker), (1, 1));
    let guarded = breaker.call(async { Ok(G::call(down.run()).await.unwrap_or(0)) });
    assert_eq!(guarded.await.expect("closed") as Answer, Ok(0));
    assert_eq!(counts(&breaker), (2, 2));
    let in_itself = breaker.call(async { Ok(breaker.call(down.run()).await?.unwrap_or(0)) });
    assert_eq!(in_itself.await.expect("closed") as Answer, Ok(0));
    assert_eq!(counts(&breaker), (3, 3));
}

async fn a_call_by_hand_is_one_of_its_own<G: Guarded>() {
    let breaker = G::breaker();
    let by_hand = async {
        breaker.try_acquire()?.record(resilience::Outcome::Failure);
        Ok(0)
    };
    assert_eq!(G::call(by_hand).await, Ok(0));
    assert_eq!(counts(&breaker), (2, 1));
}

async fn a_panic_inside_is_one_failure<G: Guarded>() {
    let panics = || G::call(G::call(async { Script::new([Step::Panic]).run().await }));
    assert!(tokio::spawn(panics()).await.expect_err("it panics").is_panic());
    assert_eq!(counts(&G::breaker()), (1, 1));
    let outer_panics = G::call(async {
        let hang = Script::hang();
        let mut inner = G::call(hang.run());
        assert_eq!(poll_times(inner.as_mut(), 1).await, None);
        panic!("the outer body panics");
    });
    assert!(tokio::spawn(outer_panics).await.expect_err("it panics").is_panic());
    assert_eq!(counts(&G::breaker()), (2, 2), "the panic is the outer call's");
}

#[circuit_breaker("two functions", min_calls = 50)]
async fn get(body: &Script) -> Answer {
    fetch(body).await
}

#[circuit_breaker("two functions")]
async fn fetch(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn two_functions_of_one_name_are_one_call() {
    let breaker = CircuitBreaker::get("two functions").expect("declared");
    assert_eq!(get(&Script::down()).await, Err(Fault::Down));
    assert_eq!(counts(&breaker), (1, 1));
    assert_eq!(fetch(&Script::down()).await, Err(Fault::Down));
    assert_eq!(counts(&breaker), (2, 2));
}

#[retry(max_attempts = 2, base_delay = 1s, jitter = "none")]
#[circuit_breaker("retried around", min_calls = 50)]
async fn both(body: &Script) -> Answer {
    let first = part(body).await?;
    Ok(first + part(body).await?)
}

#[circuit_breaker("retried around")]
async fn part(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn each_inner_call_of_each_attempt_counts() {
    let body = Script::new([Step::Ok, Step::Err(Fault::Down), Step::Ok]);
    assert_eq!(both(&body).await, Ok(3 + 4));
    assert_eq!(counts(&CircuitBreaker::get("retried around").expect("declared")), (4, 1));
}

#[tokio::test(start_paused = true)]
async fn calls_of_different_breakers_are_different_calls() {
    let (outer, inner) = (breaker(circuit_breaker::Config::new()), breaker(circuit_breaker::Config::new()));
    let nested = outer.call(async { Ok(inner.call(Script::down().run()).await?.unwrap_or(0)) });
    assert_eq!(nested.await.expect("closed") as Answer, Ok(0));
    assert_eq!((counts(&outer), counts(&inner)), ((1, 0), (1, 1)));
}
