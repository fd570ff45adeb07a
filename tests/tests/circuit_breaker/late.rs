//! Results that come in another state than the one their call began in.

use resilience::circuit_breaker::State;
use resilience::{CircuitBreaker, Outcome};
use resilience_tests::{Clock, EventLog, breaker, ms, play, secs, sleep, trip, unique};

use super::{full_window, one_trial};

#[tokio::test(start_paused = true)]
async fn cs01_failures_that_end_after_the_trip_move_nothing() {
    let name = unique("cs01");
    let config = resilience::circuit_breaker::Config::new().window_calls(10).min_calls(3).cooldown(secs(5));
    let breaker = CircuitBreaker::register(name, config).unwrap();
    let log = EventLog::of([name]);
    let clock = Clock::start();
    let mut calls: Vec<_> = (0..10).map(|_| breaker.try_acquire().unwrap()).collect();
    calls.drain(..3).for_each(|call| call.record(Outcome::Failure));
    for (call, at) in calls.into_iter().zip([1000, 2000, 3000, 4000, 4500, 4800, 4900]) {
        clock.until(ms(at)).await;
        call.record(Outcome::Failure);
        assert_eq!(breaker.snapshot().cooldown_remaining, Some(secs(5) - ms(at)));
    }
    log.expect(["circuit_breaker.opened"]);
    log.assert_finished();
    clock.until(secs(5)).await;
    play(&breaker, "ok").await;
    assert_eq!(breaker.state(), State::HalfOpen);
}

#[tokio::test(start_paused = true)]
async fn cs03_a_trial_of_an_earlier_half_open_state_counts_in_no_later_one() {
    for late in [Outcome::Success, Outcome::Failure, Outcome::Neutral] {
        let config = full_window(2, 0.5).cooldown(secs(1)).success_threshold(2).probe_timeout(secs(60));
        let breaker = breaker(config);
        trip(&breaker, 2);
        sleep(secs(1)).await;
        let (slow, failing) = (breaker.try_acquire().unwrap(), breaker.try_acquire().unwrap());
        failing.record(Outcome::Failure);
        sleep(secs(1)).await;
        let (q1, q2) = (breaker.try_acquire().unwrap(), breaker.try_acquire().unwrap());
        assert!(breaker.try_acquire().is_err());
        sleep(secs(3)).await;
        slow.record(late);
        assert!(breaker.try_acquire().is_err(), "{late:?} of the first period");
        assert_eq!(breaker.state(), State::HalfOpen);
        q1.record(Outcome::Success);
        assert_eq!(breaker.state(), State::HalfOpen);
        q2.record(Outcome::Success);
        assert_eq!(breaker.state(), State::Closed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_of_the_closed_state_counts_in_no_later_state() {
    let breaker = breaker(one_trial());
    let calls: Vec<_> = (0..4).map(|_| breaker.try_acquire().unwrap()).collect();
    let [open, half_open, closed, reset] = <[_; 4]>::try_from(calls).unwrap();
    trip(&breaker, 2);
    open.record(Outcome::Failure);
    play(&breaker, "=open +1s =half-open").await;
    half_open.record(Outcome::Failure);
    play(&breaker, "=half-open ok =closed").await;
    closed.record(Outcome::Failure);
    assert_eq!(breaker.snapshot().calls, 0);
    breaker.reset();
    reset.record(Outcome::Success);
    assert_eq!(breaker.snapshot().calls, 0);
}

#[tokio::test(start_paused = true)]
async fn a_call_counts_in_no_state_that_a_hand_has_set_meanwhile() {
    type Hand = fn(&CircuitBreaker);
    let hands: [(Hand, &str); 4] = [
        (CircuitBreaker::reset, "closed"),
        (CircuitBreaker::force_open, "forced open"),
        (CircuitBreaker::disable, "disabled"),
        (CircuitBreaker::shadow, "shadow"),
    ];
    for (set, state) in hands {
        let breaker = breaker(one_trial());
        let calls: Vec<_> = (0..3).map(|_| breaker.try_acquire().unwrap()).collect();
        set(&breaker);
        calls.into_iter().for_each(|call| call.record(Outcome::Failure));
        let snapshot = breaker.snapshot();
        assert_eq!((snapshot.state.to_string().as_str(), snapshot.calls), (state, 0));
    }
}
