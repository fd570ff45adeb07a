//! Options that change under live state, and extreme ones.

use std::time::Duration;

use resilience::circuit_breaker::{Config, State};
use resilience::{CircuitBreaker, Outcome};
use resilience_tests::{breaker, ms, play, secs, sleep, trip, unique};

use super::{full_window, one_trial};

#[tokio::test(start_paused = true)]
async fn what_is_not_set_stays_and_so_does_the_window() {
    let breaker = breaker(full_window(4, 0.5).cooldown(secs(5)).success_threshold(1));
    play(&breaker, "err*2").await;
    breaker.reconfigure(|config| config.min_calls(3)).unwrap();
    assert_eq!(breaker.snapshot().calls, 2);
    play(&breaker, "err =open").await;
    breaker.reconfigure(|config| config.cooldown(secs(2))).unwrap();
    assert_eq!(breaker.snapshot().cooldown_remaining, Some(secs(2)), "a running cooldown takes the new length");
    play(&breaker, "+1s +999ms refused +1ms ok =closed err*2 ok =open").await;
}

#[tokio::test(start_paused = true)]
async fn register_replaces_what_was_registered_and_keeps_the_state() {
    let name = unique("twice");
    let breaker = CircuitBreaker::register(name, full_window(4, 0.9).cooldown(secs(1))).unwrap();
    play(&breaker, "err*3").await;
    let again = CircuitBreaker::register(name, Config::new().min_calls(4)).unwrap();
    assert_eq!(again.snapshot().calls, 3);
    // The rate is the default again, and so are the window and the cooldown.
    play(&again, "ok =open").await;
    assert_eq!(breaker.snapshot().cooldown_remaining, Some(secs(30)));
}

#[tokio::test(start_paused = true)]
async fn a_smaller_window_keeps_the_newest_results() {
    let breaker = breaker(full_window(10, 0.9));
    play(&breaker, "err*5 ok*4").await;
    breaker.reconfigure(|config| config.window_calls(5).min_calls(5)).unwrap();
    let snapshot = breaker.snapshot();
    assert_eq!((snapshot.calls, snapshot.failures), (5, 1));
    breaker.reconfigure(|config| config.window_calls(100)).unwrap();
    assert_eq!(breaker.snapshot().calls, 5);
    breaker.reconfigure(|config| config.window(secs(10))).unwrap();
    assert_eq!(breaker.snapshot().calls, 0, "between calls and time nothing can be kept");
    play(&breaker, "err*5 =open").await;
}

#[tokio::test(start_paused = true)]
async fn calls_in_flight_are_kept_across_a_change() {
    let breaker = breaker(one_trial());
    let call = breaker.try_acquire().unwrap();
    breaker.reconfigure(|config| config.failure_rate(0.1)).unwrap();
    call.record(Outcome::Failure);
    assert_eq!(breaker.snapshot().calls, 1);

    play(&breaker, "err =open +1s").await;
    let trial = breaker.try_acquire().unwrap();
    breaker.reconfigure(|config| config.cooldown(secs(9))).unwrap();
    assert_eq!(breaker.snapshot().probes_in_flight, 1);
    trial.record(Outcome::Success);
    assert_eq!(breaker.state(), State::Closed);
}

#[tokio::test(start_paused = true)]
async fn a_lower_success_threshold_does_not_wedge_a_half_open_breaker() {
    let breaker = breaker(full_window(2, 0.5).cooldown(secs(1)).success_threshold(5));
    play(&breaker, "err*2 +1s ok*3 =half-open").await;
    breaker.reconfigure(|config| config.success_threshold(2)).unwrap();
    // Three successes are more than the two that are asked for now.
    play(&breaker, "ok =closed").await;
}

#[tokio::test(start_paused = true)]
async fn a_threshold_lowered_to_what_is_in_flight_is_decided_by_what_is_in_flight() {
    let breaker = breaker(full_window(2, 0.5).cooldown(secs(1)).success_threshold(5));
    trip(&breaker, 2);
    sleep(secs(1)).await;
    let trials: Vec<_> = (0..4).map(|_| breaker.try_acquire().unwrap()).collect();
    breaker.reconfigure(|config| config.success_threshold(2)).unwrap();
    assert!(breaker.try_acquire().is_err());
    trials.into_iter().take(2).for_each(|trial| trial.record(Outcome::Success));
    assert_eq!(breaker.state(), State::Closed);
}

#[tokio::test(start_paused = true)]
async fn slow_call_may_be_switched_on_and_off() {
    let breaker = breaker(full_window(2, 0.9));
    let call = breaker.try_acquire().unwrap();
    breaker.reconfigure(|config| config.slow_call(ms(10))).unwrap();
    let timed = breaker.try_acquire().unwrap();
    sleep(ms(50)).await;
    call.record(Outcome::Success);
    assert_eq!(breaker.snapshot().slow_calls, 0, "its start is not known");
    timed.record(Outcome::Success);
    assert_eq!(breaker.snapshot().slow_calls, 1);
    // The limit in force is the one when the call ends.
    let timed = breaker.try_acquire().unwrap();
    breaker.reconfigure(|config| config.slow_call(ms(100))).unwrap();
    sleep(ms(50)).await;
    timed.record(Outcome::Success);
    assert_eq!(breaker.snapshot().slow_calls, 1);
}

#[tokio::test(start_paused = true)]
async fn slow_calls_decide_nothing_once_slow_call_is_taken_away() {
    for window in [Config::new().window_calls(20), Config::new().window(secs(60))] {
        let name = unique("was-slow");
        let breaker = CircuitBreaker::register(name, window.min_calls(10).slow_call(ms(10))).unwrap();
        let slow = || async {
            let call = breaker.try_acquire().unwrap();
            sleep(ms(11)).await;
            call.record(Outcome::Success);
        };
        for _ in 0..9 {
            slow().await;
        }
        assert_eq!(breaker.snapshot().slow_calls, 9);
        let waiting = breaker.try_acquire().unwrap();
        CircuitBreaker::register(name, window.min_calls(10)).unwrap();
        sleep(ms(11)).await;
        waiting.record(Outcome::Success);
        play(&breaker, "ok*4 err ok =closed").await;
        let seen = breaker.snapshot();
        assert_eq!((seen.calls, seen.failures, seen.slow_calls, seen.slow_call_rate), (16, 1, 0, None));
        // And none of them comes back with it.
        CircuitBreaker::register(name, window.min_calls(10).slow_call(ms(10))).unwrap();
        slow().await;
        assert_eq!((breaker.state(), breaker.snapshot().slow_calls), (State::Closed, 1));
    }
}

/// TO-04 for every option of a breaker: the first calls work, whatever the length.
#[tokio::test(start_paused = true)]
async fn to04_extreme_durations() {
    let extremes = [
        Duration::MAX,
        Duration::from_secs(u64::MAX),
        Duration::from_secs(u64::MAX / 10),
        Duration::from_nanos(u64::MAX),
        Duration::from_nanos(1),
    ];
    type Set = fn(Config, Duration) -> Config;
    let options: [(&str, Set); 5] = [
        ("window", Config::window),
        ("slow_call", Config::slow_call),
        ("cooldown", Config::cooldown),
        ("max_cooldown", Config::max_cooldown),
        ("probe_timeout", Config::probe_timeout),
    ];
    for (option, set) in options {
        for extreme in extremes {
            let breaker = breaker(set(Config::new().min_calls(2), extreme));
            play(&breaker, "ok missing").await;
            for _ in 0..3 {
                sleep(ms(1)).await;
                let _ = breaker.try_acquire().map(|permit| permit.record(Outcome::Failure));
                let _ = breaker.snapshot();
            }
            sleep(ms(1)).await;
            // Time passes by whatever is short, and nothing that is long ends.
            let long = extreme > secs(1);
            let open = breaker.state() == State::Open;
            if option == "cooldown" {
                assert_eq!(open, long, "{option} = {extreme:?}");
            }
        }
        let refused = CircuitBreaker::register(unique("zero"), set(Config::new(), Duration::ZERO)).unwrap_err();
        assert_eq!(refused.option(), option);
    }
}

#[tokio::test(start_paused = true)]
async fn an_endless_cooldown_is_endless() {
    let breaker = breaker(one_trial().cooldown(Duration::MAX));
    play(&breaker, "err*2 +315360000s refused").await;
    breaker.reconfigure(|config| config.cooldown(secs(1))).unwrap();
    play(&breaker, "ok =closed").await;
}

#[tokio::test(start_paused = true)]
async fn an_extreme_multiplier_is_capped() {
    for multiplier in [1e300, f64::MAX] {
        let breaker = breaker(one_trial().cooldown(secs(5)).cooldown_multiplier(multiplier).max_cooldown(secs(60)));
        play(&breaker, "err*2 +5s err +59s refused +1s err +60s ok =closed").await;
    }
}

#[tokio::test(start_paused = true)]
async fn extreme_counts() {
    let widest = breaker(Config::new().window_calls(1 << 24).min_calls(2));
    play(&widest, "err ok err =open").await;
    for calls in [(1 << 24) + 1, u32::MAX] {
        let refused = CircuitBreaker::register(unique("counts"), Config::new().window_calls(calls)).unwrap_err();
        assert_eq!((refused.option(), refused.range()), ("window_calls", "at most 16,777,216"));
    }
    let strict = breaker(one_trial().success_threshold(u32::MAX).max_probes(u32::MAX));
    play(&strict, "err*2 +1s ok*100 =half-open err =open").await;
    let narrow = breaker(Config::new().window_calls(1));
    play(&narrow, "ok err =open").await;
    let never = breaker(Config::new().window(secs(3600)).min_calls(u32::MAX).consecutive_failures(u32::MAX));
    play(&never, "err*200 =closed").await;
}
