//! A call inside of another one of the same bulkhead has its slot, and what such calls do not share.

use std::sync::Mutex;

use resilience::{CircuitBreaker, ErrorKind, Event, RateLimiter};
use resilience_tests::{Clock, EventLog, Script, Step, poll_times, polls, secs, sleep};

use crate::forms::{Guarded, Work, each_form};
use crate::one_call::{deep, ok};

each_form! {
    one_slot_serves_a_call_of_any_depth: bulkhead(max_concurrent = 1)
    ten_slots_serve_ten_calls: bulkhead(max_concurrent = 10)
    the_second_beside_asks_for_its_own: bulkhead(max_concurrent = 1)
    one_after_the_other_have_the_same_slot: bulkhead(max_concurrent = 1)
    the_second_beside_is_served_when_the_first_ends: bulkhead(max_concurrent = 1, max_wait = "1m", max_queue = 2)
    neighbours_have_a_slot_each: bulkhead(max_concurrent = 2)
    a_task_of_its_own_has_a_slot_of_its_own: bulkhead(max_concurrent = 2)
    a_slot_is_given_back_once_whatever_ends_the_call: bulkhead(max_concurrent = 1)
    a_call_that_goes_on_elsewhere_keeps_the_slot: bulkhead(max_concurrent = 1)
    a_slot_that_a_call_inside_leaves_goes_to_the_line: bulkhead(max_concurrent = 1, max_wait = "1m")
    a_limit_counts_every_entry: rate_limit(limit = 10)
    it_is_told_once_for_each_pair: circuit_breaker(min_calls = 50)
}

/// None is taken, and so many calls can be in flight at once.
#[track_caller]
fn assert_free_slots<G: Guarded>(slots: usize) {
    let bulkhead = G::bulkhead();
    assert_eq!((bulkhead.snapshot().in_flight, bulkhead.snapshot().waiting), (0, 0));
    let taken: Vec<_> = (0..slots).map(|_| bulkhead.try_acquire().expect("a free slot")).collect();
    bulkhead.try_acquire().expect_err("not one more");
    drop(taken);
}

async fn one_slot_serves_a_call_of_any_depth<G: Guarded>() {
    for depth in [1, 2, 3, 17, 100] {
        let slow = Script::new([Step::Ok.after(secs(1))]);
        assert_eq!(deep::<G>(depth, &slow).await, Ok(1), "{depth} deep");
        assert_free_slots::<G>(1);
    }
}

async fn ten_slots_serve_ten_calls<G: Guarded>() {
    let slow = Script::new([Step::Ok.after(secs(1))]);
    let calls: Vec<_> = (0..11).map(|_| G::call(G::call(slow.run()))).collect();
    let answers = futures::future::join_all(calls).await;
    assert_eq!(answers[..10], (1..=10).map(Ok).collect::<Vec<_>>());
    assert_eq!(answers[10].clone().expect_err("an eleventh").kind(), Some(ErrorKind::BulkheadFull));
    assert_eq!(slow.probe().max_in_flight(), 10);
    assert_free_slots::<G>(10);
}

async fn the_second_beside_asks_for_its_own<G: Guarded>() {
    let slow = Script::new([Step::Ok.after(secs(1))]);
    let both = async {
        let (first, second) = tokio::join!(G::call(slow.run()), G::call(slow.run()));
        assert_eq!(second.expect_err("the slot is lent").kind(), Some(ErrorKind::BulkheadFull));
        first
    };
    assert_eq!(G::call(both).await, Ok(1));
    assert_free_slots::<G>(1);
}

async fn one_after_the_other_have_the_same_slot<G: Guarded>() {
    let body = ok();
    let three = async {
        for run in 1..=3 {
            assert_eq!(G::call(body.run()).await, Ok(run));
            assert_eq!(G::bulkhead().snapshot().in_flight, 1);
        }
        Ok(0)
    };
    assert_eq!(G::call(three).await, Ok(0));
    assert_free_slots::<G>(1);
}

async fn the_second_beside_is_served_when_the_first_ends<G: Guarded>() {
    let slow = Script::new([Step::Ok.after(secs(1))]);
    let three = async {
        let answers = tokio::join!(G::call(slow.run()), G::call(slow.run()), G::call(slow.run()));
        assert_eq!(answers, (Ok(1), Ok(2), Ok(3)));
        Ok(0)
    };
    assert_eq!(G::call(three).await, Ok(0));
    assert_eq!(slow.probe().starts(), [secs(0), secs(1), secs(2)]);
    assert_free_slots::<G>(1);
}

async fn neighbours_have_a_slot_each<G: Guarded>() {
    let slow = Script::new([Step::Ok.after(secs(1))]);
    let (first, second, third) = tokio::join!(G::call(slow.run()), G::call(slow.run()), G::call(slow.run()));
    assert_eq!((first, second), (Ok(1), Ok(2)));
    assert_eq!(third.expect_err("a third").kind(), Some(ErrorKind::BulkheadFull));
    assert_free_slots::<G>(2);
}

async fn a_task_of_its_own_has_a_slot_of_its_own<G: Guarded>() {
    let spawns = async {
        let task = tokio::spawn(G::call(async { Script::hang().run().await }));
        sleep(secs(1)).await;
        assert_eq!(G::bulkhead().snapshot().in_flight, 2);
        task.abort();
        task.await.expect_err("aborted");
        assert_eq!(G::bulkhead().snapshot().in_flight, 1);
        Ok(0)
    };
    assert_eq!(G::call(spawns).await, Ok(0));
    assert_free_slots::<G>(2);
}

async fn a_slot_is_given_back_once_whatever_ends_the_call<G: Guarded>() {
    let call = || -> Work<'static> { G::call(G::call(async { Script::hang().run().await })) };
    assert_eq!(polls(call(), 1).await, None);
    assert_free_slots::<G>(1);
    tokio::time::timeout(secs(1), call()).await.expect_err("it hangs");
    assert_free_slots::<G>(1);
    let task = tokio::spawn(call());
    sleep(secs(1)).await;
    task.abort();
    task.await.expect_err("aborted");
    assert_free_slots::<G>(1);
    let panics = G::call(G::call(async { Script::new([Step::Panic.after(secs(1))]).run().await }));
    tokio::spawn(panics).await.expect_err("it panics");
    assert_free_slots::<G>(1);
    let between = G::call(async {
        for _ in 0..2 {
            let hang = Script::hang();
            assert_eq!(polls(G::call(hang.run()), 1).await, None, "the slot has come back to the call around");
        }
        Ok(0)
    });
    assert_eq!(between.await, Ok(0));
    assert_free_slots::<G>(1);
}

async fn a_call_that_goes_on_elsewhere_keeps_the_slot<G: Guarded>() {
    let moved = Mutex::new(None);
    let outer = G::call(async {
        let mut inner = G::call(async { Script::new([Step::Ok.after(secs(1))]).run().await });
        assert_eq!(poll_times(inner.as_mut(), 1).await, None);
        *moved.lock().expect("nobody panics") = Some(inner);
        Ok(0)
    });
    assert_eq!(outer.await, Ok(0));
    assert_eq!(G::bulkhead().snapshot().in_flight, 1);
    assert_eq!(G::call(ok().run()).await.expect_err("full").kind(), Some(ErrorKind::BulkheadFull));
    let inner = moved.into_inner().expect("nobody panics").expect("moved");
    assert_eq!(tokio::spawn(inner).await.expect("it ends"), Ok(1));
    assert_free_slots::<G>(1);
}

async fn a_slot_that_a_call_inside_leaves_goes_to_the_line<G: Guarded>() {
    let (clock, slow) = (Clock::start(), Script::new([Step::Ok.after(secs(1))]));
    let outer = G::call(async {
        assert_eq!(G::call(slow.run()).await, Ok(1));
        sleep(secs(10)).await;
        Ok(0)
    });
    let waits = async {
        clock.until(resilience_tests::ms(500)).await;
        G::call(slow.run()).await
    };
    assert_eq!(tokio::join!(outer, waits), (Ok(0), Ok(2)));
    assert_eq!(slow.probe().starts(), [secs(0), secs(1)], "it need not wait for the outer call's end");
    assert_free_slots::<G>(1);
}

async fn a_limit_counts_every_entry<G: Guarded>() {
    let limiter = RateLimiter::get(G::NAME).expect("a limiter of that name");
    assert_eq!(G::call(G::call(ok().run())).await, Ok(1));
    assert_eq!(limiter.snapshot().available, 8);
}

async fn it_is_told_once_for_each_pair<G: Guarded>() {
    let log = EventLog::of([G::NAME]);
    for _ in 0..3 {
        assert_eq!(deep::<G>(3, &ok()).await, Ok(1));
    }
    let [Event::PolicyNested { kind, function: Some(function), outer: Some(outer), .. }] =
        &log.expect(["policy.nested"])[..]
    else {
        panic!("a pair of functions")
    };
    log.assert_finished();
    let test = "it_is_told_once_for_each_pair";
    let (form, _) = G::NAME.split_once('.').expect("a form");
    let expected = format!("verdicts::one_slot::{test}::{form}::{test}");
    assert_eq!((*kind, function, outer), ("circuit_breaker", &expected, &expected));
    let _ = CircuitBreaker::get(G::NAME).expect("declared").call(G::call(ok().run())).await;
    let [Event::PolicyNested { function: Some(function), outer: None, .. }] = &log.expect(["policy.nested"])[..] else {
        panic!("a function inside of a call by a handle")
    };
    assert_eq!(function, &expected);
}
