//! Trial calls: how many, whose slots, what settles them.

use resilience::circuit_breaker::{Config, State};
use resilience::{Bulkhead, CircuitBreaker, ErrorKind, Event, Outcome, bulkhead as bulkheads};
use resilience_tests::{
    Answer, EventLog, Script, Step, breaker, bulkhead, call, ms, play, polls, secs, sleep, trip, unique,
};

use super::{full_window, one_trial};

#[tokio::test(start_paused = true)]
async fn ho01_a_neutral_trial_gives_its_slot_back() {
    let config = full_window(4, 0.5).cooldown(secs(1)).success_threshold(1);
    assert_eq!(play(&breaker(config), "err*4 refused +1s invalid ok =closed").await, 6);
    assert_eq!(play(&breaker(config), "err*4 +1s invalid*50 =half-open ok =closed").await, 55);
}

#[tokio::test(start_paused = true)]
async fn ho03_a_dropped_trial_gives_its_slot_back() {
    let body = Script::new([Step::Ok.after(secs(10))]);
    for way in ["outer timeout", "never polled", "polled once", "abort", "lost select"] {
        let breaker = breaker(one_trial());
        play(&breaker, "err*2 refused +1s").await;
        match way {
            "outer timeout" => assert!(tokio::time::timeout(ms(50), call(&breaker, &body)).await.is_err()),
            "never polled" => drop(call(&breaker, &body)),
            "polled once" => assert!(polls(call(&breaker, &body), 1).await.is_none()),
            "abort" => {
                let task = tokio::spawn({
                    let body = body.clone();
                    async move { call(&breaker, &body).await }
                });
                sleep(ms(1)).await;
                assert_eq!(breaker.snapshot().probes_in_flight, 1);
                task.abort();
                assert!(task.await.unwrap_err().is_cancelled());
            }
            _ => tokio::select! {
                biased;
                _ = call(&breaker, &body) => unreachable!("the body is slow"),
                () = sleep(ms(50)) => {}
            },
        }
        assert_eq!(breaker.snapshot().probes_in_flight, 0, "{way}");
        play(&breaker, "=half-open ok =closed").await;
    }
}

/// `[breaker → bulkhead]` by hand.
async fn guarded(breaker: &CircuitBreaker, bulkhead: &Bulkhead, body: &Script) -> Answer {
    let work = async {
        let _slot = bulkhead.acquire().await?;
        body.run().await
    };
    breaker.call_classified(work).await?
}

#[tokio::test(start_paused = true)]
async fn ho03_a_trial_dropped_in_an_inner_queue_gives_its_slot_back() {
    let breaker = breaker(one_trial());
    let bulkhead = bulkhead(bulkheads::Config::new().max_concurrent(1).max_wait(secs(60)));
    play(&breaker, "err*2 +1s").await;
    let taken = bulkhead.try_acquire().unwrap();
    let cut = tokio::time::timeout(ms(50), guarded(&breaker, &bulkhead, &Script::ok())).await;
    assert!(cut.is_err(), "{cut:?}");
    drop(taken);
    assert_eq!(guarded(&breaker, &bulkhead, &Script::ok()).await, Ok(1));
    play(&breaker, "=closed").await;
}

#[tokio::test(start_paused = true)]
async fn ho05_a_trial_refused_by_a_later_layer_gives_its_slot_back() {
    let breaker = breaker(one_trial());
    let bulkhead = bulkhead(bulkheads::Config::new().max_concurrent(1));
    play(&breaker, "err*2 +1s").await;
    let taken = bulkhead.try_acquire().unwrap();
    let refused = guarded(&breaker, &bulkhead, &Script::ok()).await;
    assert_eq!(refused.unwrap_err().kind(), Some(ErrorKind::BulkheadFull));
    assert_eq!(breaker.state(), State::HalfOpen);
    drop(taken);
    assert_eq!(guarded(&breaker, &bulkhead, &Script::ok()).await, Ok(1));
    play(&breaker, "=closed").await;
}

#[tokio::test(start_paused = true)]
async fn ho05_an_inner_breaker_that_is_still_open_leaves_the_outer_one_half_open() {
    let (outer, inner) = (breaker(one_trial()), breaker(one_trial().cooldown(secs(2))));
    trip(&outer, 2);
    trip(&inner, 2);
    let body = Script::ok();
    let both = || async { outer.call_classified(call(&inner, &body)).await? };
    sleep(ms(1500)).await;
    assert_eq!(
        both().await.unwrap_err().refusal().map(|refusal| refusal.policy().to_owned()),
        Some(inner.name().into())
    );
    assert_eq!((outer.state(), inner.state(), body.entered()), (State::HalfOpen, State::Open, 0));
    sleep(secs(1)).await;
    assert_eq!(both().await, Ok(1));
    assert_eq!((outer.state(), inner.state()), (State::Closed, State::Closed));
}

#[tokio::test(start_paused = true)]
async fn c41_only_so_many_trials_at_once() {
    let breaker = breaker(full_window(5, 0.49).cooldown(secs(5)).success_threshold(4));
    let from_before = breaker.try_acquire().unwrap();
    trip(&breaker, 5);
    sleep(secs(5)).await;
    let mut trials: Vec<_> = (0..4).map(|_| breaker.try_acquire().unwrap()).collect();
    let refused = || breaker.try_acquire().unwrap_err();
    assert_eq!((refused().kind(), refused().retry_after()), (ErrorKind::CircuitOpen, None));
    // One given back lets exactly one in, be it dropped or recorded as neutral; one of the closed state lets none in.
    drop(trials.pop());
    trials.push(breaker.try_acquire().unwrap());
    refused();
    trials.pop().unwrap().record(Outcome::Neutral);
    trials.push(breaker.try_acquire().unwrap());
    refused();
    drop(from_before);
    refused();
    assert_eq!(breaker.snapshot().probes_in_flight, 4);
    trials.into_iter().for_each(|trial| trial.record(Outcome::Success));
    assert_eq!(breaker.state(), State::Closed);
}

#[tokio::test(start_paused = true)]
async fn successes_and_trials_in_flight_never_exceed_the_threshold() {
    let breaker = breaker(full_window(2, 0.5).cooldown(secs(1)).success_threshold(3).max_probes(2));
    trip(&breaker, 2);
    sleep(secs(1)).await;
    let (first, second) = (breaker.try_acquire().unwrap(), breaker.try_acquire().unwrap());
    assert!(breaker.try_acquire().is_err(), "two at once");
    first.record(Outcome::Success);
    second.record(Outcome::Success);
    // Two of three are in: one more, although two may be in flight.
    let third = breaker.try_acquire().unwrap();
    assert!(breaker.try_acquire().is_err(), "the third success is under way");
    third.record(Outcome::Success);
    assert_eq!(breaker.state(), State::Closed);
}

#[tokio::test(start_paused = true)]
async fn one_failed_trial_opens_again_and_the_others_count_no_more() {
    let name = unique("trials");
    let breaker = CircuitBreaker::register(name, full_window(2, 0.5).cooldown(secs(1)).success_threshold(3)).unwrap();
    trip(&breaker, 2);
    sleep(secs(1)).await;
    let log = EventLog::of([name]);
    let [a, b, c] = [(); 3].map(|()| breaker.try_acquire().unwrap());
    a.record(Outcome::Success);
    b.record(Outcome::Failure);
    assert_eq!(breaker.state(), State::Open);
    c.record(Outcome::Failure);
    let told = log.expect(["circuit_breaker.half_opened", "circuit_breaker.opened"]);
    log.assert_finished();
    let [_, Event::CircuitBreakerOpened { reason, snapshot, .. }] = told.as_slice() else { unreachable!() };
    assert_eq!(*reason, resilience::circuit_breaker::TripReason::TrialFailed);
    assert_eq!((snapshot.calls, snapshot.failures), (2, 1));
    play(&breaker, "+1s ok*3 =closed").await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_trial_is_a_failed_one() {
    let breaker =
        breaker(full_window(2, 0.5).cooldown(secs(1)).success_threshold(1).slow_call(ms(100)).slow_call_rate(0.5));
    for (took, state) in [(ms(101), State::Open), (ms(100), State::Closed)] {
        breaker.reset();
        trip(&breaker, 2);
        sleep(secs(1)).await;
        let trial = breaker.try_acquire().unwrap();
        sleep(took).await;
        trial.record(Outcome::Success);
        assert_eq!(breaker.state(), state, "{took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_trial_that_hangs_loses_its_slot_and_counts_all_the_same() {
    for late in [Outcome::Success, Outcome::Failure, Outcome::Neutral] {
        let config = full_window(2, 0.5).cooldown(secs(1)).success_threshold(2).max_probes(1).probe_timeout(secs(3));
        let breaker = breaker(config);
        trip(&breaker, 2);
        sleep(secs(1)).await;
        let hanging = breaker.try_acquire().unwrap();
        sleep(secs(3)).await;
        assert!(breaker.try_acquire().is_err(), "exactly as old is not older");
        assert_eq!(breaker.snapshot().probes_in_flight, 1);
        sleep(ms(1)).await;
        assert_eq!(breaker.snapshot().probes_in_flight, 0, "its slot is free");
        let next = breaker.try_acquire().unwrap();
        hanging.record(late);
        let state = if late == Outcome::Failure { State::Open } else { State::HalfOpen };
        assert_eq!(breaker.state(), state, "after {late:?}");
        assert!(breaker.try_acquire().is_err(), "it gives back no slot that it no longer has");
        next.record(Outcome::Success);
        let state = match late {
            Outcome::Success => State::Closed,
            Outcome::Failure => State::Open,
            Outcome::Neutral => State::HalfOpen,
        };
        assert_eq!(breaker.state(), state, "{late:?}, and a success");
    }
}

#[tokio::test(start_paused = true)]
async fn a_trial_that_ends_late_counts_whether_or_not_others_asked_meanwhile() {
    let config = full_window(2, 0.5).cooldown(secs(1)).success_threshold(1).probe_timeout(secs(3));
    for (late, state) in [(Outcome::Success, State::Closed), (Outcome::Failure, State::Open)] {
        let breaker = breaker(config);
        trip(&breaker, 2);
        sleep(secs(1)).await;
        let hanging = breaker.try_acquire().unwrap();
        sleep(secs(60)).await;
        hanging.record(late);
        assert_eq!(breaker.state(), state);
    }
}

#[tokio::test(start_paused = true)]
async fn calls_that_take_longer_than_the_cooldown_close_with_all_defaults() {
    let breaker = breaker(Config::new());
    trip(&breaker, 10);
    sleep(secs(30)).await;
    let body = Script::new(vec![Step::Ok.after(secs(40)); 200]);
    for done in 1..=200 {
        call(&breaker, &body).await.unwrap();
        assert_eq!(breaker.state(), if done < 5 { State::HalfOpen } else { State::Closed }, "after {done}");
    }
}

/// A new call each second, each of forty: those that have lost their slots let others in, and all of them count.
#[tokio::test(start_paused = true)]
async fn slow_calls_side_by_side_close_too() {
    let breaker = breaker(Config::new().success_threshold(20).max_probes(2));
    trip(&breaker, 10);
    sleep(secs(30)).await;
    let body = Script::new([Step::Ok.after(secs(40))]);
    let calls = (0..600).map(|second| {
        let body = &body;
        async move {
            sleep(secs(second)).await;
            call(&breaker, body).await.is_ok()
        }
    });
    let passed = futures::future::join_all(calls).await.into_iter().filter(|passed| *passed).count();
    assert_eq!(breaker.state(), State::Closed);
    assert!(passed > 200, "{passed} of 600, closed after some five minutes");
}

#[tokio::test(start_paused = true)]
async fn a_trial_may_take_as_long_as_the_cooldown_by_default() {
    let breaker = breaker(one_trial().cooldown(secs(7)));
    trip(&breaker, 2);
    sleep(secs(7)).await;
    let trial = breaker.try_acquire().unwrap();
    sleep(secs(7)).await;
    assert!(breaker.try_acquire().is_err());
    sleep(ms(1)).await;
    let _next = breaker.try_acquire().unwrap();
    drop(trial);
}

#[tokio::test(start_paused = true)]
async fn cs05_looking_tells_the_time_and_takes_no_slot() {
    let name = unique("cs05");
    let breaker = CircuitBreaker::register(name, one_trial().cooldown(secs(2))).unwrap();
    trip(&breaker, 2);
    let log = EventLog::of([name]);
    sleep(ms(2500)).await;
    for _ in 0..2 {
        assert_eq!((breaker.state(), breaker.snapshot().state), (State::HalfOpen, State::HalfOpen));
        assert_eq!(breaker.snapshot().probes_in_flight, 0);
    }
    log.expect(["circuit_breaker.half_opened"]);
    log.assert_finished();
    play(&breaker, "ok =closed").await;
}
