//! The states that a hand sets: forced open, disabled, shadow, and reset.

use resilience::circuit_breaker::{Config, State};
use resilience::{CircuitBreaker, ErrorKind, Event, Outcome};
use resilience_tests::{EventLog, play, secs, sleep, trip, unique};

use super::{full_window, one_trial};

fn logged(config: Config) -> (CircuitBreaker, EventLog) {
    let name = unique("state");
    let breaker = CircuitBreaker::register(name, config).unwrap();
    (breaker, EventLog::of([name]))
}

#[tokio::test(start_paused = true)]
async fn c43_disabled_lets_all_through_and_records_nothing() {
    let (breaker, log) = logged(full_window(4, 0.5));
    breaker.disable();
    log.expect(["circuit_breaker.forced"]);
    play(&breaker, "err*100 =disabled").await;
    let snapshot = breaker.snapshot();
    assert_eq!((snapshot.calls, snapshot.failures, snapshot.rejected), (0, 0, 0));
    log.assert_finished();
}

#[tokio::test(start_paused = true)]
async fn c43_forced_open_refuses_for_good() {
    let (breaker, log) = logged(one_trial());
    breaker.force_open();
    play(&breaker, "refused +3600s refused =forced-open").await;
    assert_eq!(breaker.snapshot().rejected, 2);
    assert_eq!(breaker.snapshot().cooldown_remaining, None);
    log.expect(["circuit_breaker.forced", "circuit_breaker.rejected", "circuit_breaker.rejected"]);
    log.assert_finished();
    breaker.reset();
    play(&breaker, "=closed ok").await;
    assert_eq!(breaker.snapshot().rejected, 0);
}

#[tokio::test(start_paused = true)]
async fn c43_shadow_counts_and_tells_and_refuses_nothing() {
    let (breaker, log) = logged(full_window(4, 0.5).cooldown(secs(10)).success_threshold(2));
    play(&breaker, "err*3").await;
    breaker.shadow();
    log.expect(["circuit_breaker.forced"]);
    assert_eq!(breaker.snapshot().calls, 0, "entering it empties the window");
    play(&breaker, "err*3 =shadow").await;
    log.assert_finished();
    // The fourth opens, as far as telling goes; the rest would have been refused.
    play(&breaker, "err*3 =shadow").await;
    let told = log.expect(["circuit_breaker.opened", "circuit_breaker.rejected", "circuit_breaker.rejected"]);
    for event in &told {
        let shadow = match event {
            Event::CircuitBreakerOpened { shadow, .. } => shadow,
            Event::CircuitBreakerRejected { shadow, retry_after, .. } => {
                assert_eq!(*retry_after, Some(secs(10)));
                shadow
            }
            _ => unreachable!(),
        };
        assert!(shadow, "{}", event.name());
    }
    assert_eq!((breaker.snapshot().failures, breaker.snapshot().rejected), (4, 2));
    // It goes through the other states in the same way.
    play(&breaker, "+10s ok*2 =shadow").await;
    log.expect(["circuit_breaker.half_opened", "circuit_breaker.closed"]);
    log.assert_finished();
}

#[tokio::test(start_paused = true)]
async fn c43_setting_a_state_again_tells_nothing() {
    let (breaker, log) = logged(one_trial());
    for (set, state) in [
        (CircuitBreaker::force_open as fn(&CircuitBreaker), State::ForcedOpen),
        (CircuitBreaker::disable, State::Disabled),
        (CircuitBreaker::shadow, State::Shadow),
        (CircuitBreaker::reset, State::Closed),
    ] {
        set(&breaker);
        set(&breaker);
        assert_eq!(breaker.state(), state);
        let told = log.expect(["circuit_breaker.forced"]);
        let [Event::CircuitBreakerForced { state: told, policy, .. }] = told.as_slice() else { unreachable!() };
        assert_eq!((*told, *policy), (state, breaker.name()));
        log.assert_finished();
    }
}

#[tokio::test(start_paused = true)]
async fn reset_closes_whatever_the_state_and_empties_the_window() {
    let (breaker, log) = logged(one_trial().cooldown(secs(5)).cooldown_multiplier(2.0));
    play(&breaker, "err ok").await;
    breaker.reset();
    assert_eq!(breaker.snapshot().calls, 0);
    log.assert_finished();

    play(&breaker, "err*2 =open").await;
    breaker.reset();
    play(&breaker, "=closed err*2 =open +5s =half-open").await;
    let trial = breaker.try_acquire().unwrap();
    breaker.reset();
    trial.record(Outcome::Failure);
    play(&breaker, "=closed ok").await;

    // The cooldown has its first length again.
    play(&breaker, "err*2 +5s err +5s refused").await;
    breaker.reset();
    trip(&breaker, 2);
    assert_eq!(breaker.snapshot().cooldown_remaining, Some(secs(5)));
}

#[tokio::test(start_paused = true)]
async fn from_every_state_into_every_other() {
    type Hand = fn(&CircuitBreaker);
    let hands: [(Hand, State); 4] = [
        (CircuitBreaker::reset, State::Closed),
        (CircuitBreaker::force_open, State::ForcedOpen),
        (CircuitBreaker::disable, State::Disabled),
        (CircuitBreaker::shadow, State::Shadow),
    ];
    let (breaker, _log) = logged(one_trial());
    for (from, _) in hands {
        for (to, state) in hands {
            from(&breaker);
            to(&breaker);
            assert_eq!(breaker.state(), state);
            let refused = breaker.try_acquire().err().map(|error| error.kind());
            assert_eq!(refused, (state == State::ForcedOpen).then_some(ErrorKind::CircuitOpen));
            breaker.reset();
            trip(&breaker, 2);
            to(&breaker);
            assert_eq!((breaker.state(), breaker.snapshot().calls), (state, 0), "from open");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_disabled_breaker_does_not_let_time_pass() {
    let (breaker, log) = logged(one_trial());
    trip(&breaker, 2);
    breaker.disable();
    sleep(secs(60)).await;
    assert_eq!(breaker.state(), State::Disabled);
    log.expect(["circuit_breaker.opened", "circuit_breaker.forced"]);
    log.assert_finished();
}
