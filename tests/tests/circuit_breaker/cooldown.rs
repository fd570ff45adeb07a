//! How long a breaker stays open, and what it says about it.

use resilience::ErrorKind;
use resilience::circuit_breaker::{Config, State};
use resilience_tests::{breaker, ms, play, secs, sleep, trip};

use super::{full_window, one_trial};

#[tokio::test(start_paused = true)]
async fn c39_refused_until_the_cooldown_is_over() {
    let breaker = breaker(full_window(5, 0.49).cooldown(secs(5)).success_threshold(4));
    play(&breaker, "err*5 refused +3s refused").await;
    assert_eq!(breaker.snapshot().rejected, 2);
    play(&breaker, "+3s invalid =half-open").await;
    let snapshot = breaker.snapshot();
    assert_eq!((snapshot.calls, snapshot.failures, snapshot.failure_rate, snapshot.rejected), (0, 0, None, 0));
}

#[tokio::test(start_paused = true)]
async fn c39_a_cooldown_of_hours_ends_on_the_millisecond() {
    let breaker = breaker(full_window(5, 0.49).cooldown(secs(7200)).max_cooldown(secs(7200)));
    play(&breaker, "err*5 +7199s +999ms refused +1ms ok").await;
}

#[tokio::test(start_paused = true)]
async fn c39_a_failed_recovery_lengthens_the_next_cooldown() {
    let breaker = breaker(full_window(5, 0.49).cooldown(secs(5)).cooldown_multiplier(1.5));
    // 5 s, then 7.5 s.
    play(&breaker, "err*5 +5s err =open +6s refused +5s ok =half-open").await;
}

#[tokio::test(start_paused = true)]
async fn cooldowns_grow_up_to_the_cap_and_start_over_after_a_recovery() {
    let config = one_trial().cooldown(secs(5)).cooldown_multiplier(2.0).max_cooldown(secs(12));
    let breaker = breaker(config);
    play(&breaker, "err*2 +4999ms refused +1ms err").await;
    for cooldown in [10, 12, 12] {
        assert_eq!(breaker.snapshot().cooldown_remaining, Some(secs(cooldown)));
        sleep(secs(cooldown) - ms(1)).await;
        play(&breaker, "refused +1ms err").await;
    }
    play(&breaker, "+12s ok =closed err*2").await;
    assert_eq!(breaker.snapshot().cooldown_remaining, Some(secs(5)));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_says_when_to_come_back() {
    let breaker = breaker(one_trial().cooldown(secs(30)));
    trip(&breaker, 2);
    for (passed, left) in [(0, 30_000), (1, 29_999), (29_998, 1)] {
        sleep(ms(passed)).await;
        let error = breaker.try_acquire().unwrap_err();
        assert_eq!((error.kind(), error.policy()), (ErrorKind::CircuitOpen, breaker.name()));
        assert_eq!(error.retry_after(), Some(ms(left)));
        assert_eq!(breaker.snapshot().cooldown_remaining, Some(ms(left)));
    }
    sleep(ms(1)).await;
    assert_eq!((breaker.state(), breaker.snapshot().cooldown_remaining), (State::HalfOpen, None));
    breaker.force_open();
    assert_eq!(breaker.try_acquire().unwrap_err().retry_after(), None);
}

#[tokio::test(start_paused = true)]
async fn the_default_cooldown_is_thirty_seconds_and_five_successes_close() {
    let breaker = breaker(Config::new());
    play(&breaker, "err*10 =open +29s +999ms refused +1ms ok*4 =half-open ok =closed").await;
}

#[tokio::test(start_paused = true)]
async fn opening_again_starts_a_whole_cooldown() {
    let breaker = breaker(one_trial());
    trip(&breaker, 2);
    sleep(secs(1)).await;
    let trial = breaker.try_acquire().unwrap();
    sleep(ms(900)).await;
    trial.record(resilience::Outcome::Failure);
    assert_eq!(breaker.snapshot().cooldown_remaining, Some(secs(1)));
    play(&breaker, "+999ms refused +1ms ok =closed").await;
}
