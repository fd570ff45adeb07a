//! What a window remembers and forgets.

use resilience::circuit_breaker::{Config, Snapshot};
use resilience::{CircuitBreaker, Event, Outcome};
use resilience_tests::{Clock, EventLog, breaker, ms, play, secs, sleep, unique};

use super::full_window;

fn record(breaker: &CircuitBreaker, outcome: Outcome) {
    breaker.try_acquire().expect("admitted").record(outcome);
}

fn numbers(snapshot: &Snapshot) -> (u32, u32, Option<f64>) {
    (snapshot.calls, snapshot.failures, snapshot.failure_rate)
}

#[tokio::test(start_paused = true)]
async fn c7_a_rolling_window_forgets() {
    let config = full_window(4, 0.49);
    assert_eq!(play(&breaker(config), "ok err err ok refused").await, 4);
    // After five calls the window is err ok ok err.
    assert_eq!(play(&breaker(config), "ok err ok ok err refused").await, 5);
}

/// The set-up of the scenarios of resilience4j with a window of time.
fn timed() -> Config {
    Config::new()
        .window(secs(20))
        .min_calls(5)
        .failure_rate(0.49)
        .slow_call(ms(3999))
        .slow_call_rate(0.49)
        .success_threshold(4)
        .cooldown(secs(5))
}

#[tokio::test(start_paused = true)]
async fn c37_a_success_may_be_the_result_that_opens() {
    let name = unique("c37");
    let breaker = CircuitBreaker::register(name, timed()).unwrap();
    let log = EventLog::of([name]);
    play(&breaker, "err*3 ok =closed").await;
    assert_eq!(numbers(&breaker.snapshot()), (4, 3, None));
    log.assert_finished();
    play(&breaker, "ok =open").await;
    assert_eq!(numbers(&breaker.snapshot()), (5, 3, Some(0.6)));
    log.expect(["circuit_breaker.opened"]);
    play(&breaker, "refused").await;
    assert_eq!(breaker.snapshot().rejected, 1);
    log.expect(["circuit_breaker.rejected"]);
    log.assert_finished();
}

#[tokio::test(start_paused = true)]
async fn c37_the_sixth_call_brings_the_rate_to_a_half() {
    let breaker = breaker(timed());
    play(&breaker, "ok +1s ok +1s ok +1s err +1s err =closed").await;
    assert_eq!(numbers(&breaker.snapshot()), (5, 2, Some(0.4)));
    play(&breaker, "+1s err =open").await;
    assert_eq!(numbers(&breaker.snapshot()), (6, 3, Some(0.5)));
}

/// Ours opens as soon as the verdict is in, and does not count refusals in the window.
#[tokio::test(start_paused = true)]
async fn c45_a_window_of_calls_slides() {
    let watching = breaker(full_window(10, 0.99));
    play(&watching, "ok*2 err*2").await;
    assert_eq!(numbers(&watching.snapshot()), (4, 2, None));
    play(&watching, "err*4 ok*4").await;
    assert_eq!(numbers(&watching.snapshot()), (10, 6, Some(0.6)));
    play(&watching, "ok*3").await;
    assert_eq!(numbers(&watching.snapshot()), (10, 3, Some(0.3)));
    play(&breaker(full_window(10, 0.49)), "ok*2 err*2 err*4 ok =closed ok =open").await;
}

#[tokio::test(start_paused = true)]
async fn c47_a_window_of_time_slides_and_empties() {
    let breaker =
        breaker(Config::new().window(secs(5)).min_calls(2).failure_rate(0.99).slow_call(ms(999)).slow_call_rate(0.99));
    let clock = Clock::start();
    // Time 0 of the scenario is one second after the start: its slow call has begun by then.
    let failed = breaker.try_acquire().unwrap();
    clock.until(ms(800)).await;
    let slow = breaker.try_acquire().unwrap();
    drop(failed);
    clock.until(ms(1000)).await;
    record(&breaker, Outcome::Failure);
    clock.until(ms(1100)).await;
    record(&breaker, Outcome::Success);
    assert_eq!(numbers(&breaker.snapshot()), (2, 1, Some(0.5)));
    clock.until(ms(1800)).await;
    slow.record(Outcome::Failure);
    let full = breaker.snapshot();
    assert_eq!((full.calls, full.failures, full.slow_calls), (3, 2, 1));
    clock.until(ms(5800)).await;
    assert_eq!(breaker.snapshot(), full);
    clock.until(ms(6800)).await;
    assert_eq!(numbers(&breaker.snapshot()), (0, 0, None));
    assert_eq!(breaker.snapshot().slow_calls, 0);
    clock.until(ms(6900)).await;
    record(&breaker, Outcome::Success);
    assert_eq!(numbers(&breaker.snapshot()), (1, 0, None));
}

#[tokio::test(start_paused = true)]
async fn c47_the_rate_of_slow_calls() {
    let breaker = breaker(Config::new().window(secs(5)).min_calls(5).slow_call(secs(4)));
    let (slow_ok, slow_err) = (breaker.try_acquire().unwrap(), breaker.try_acquire().unwrap());
    sleep(secs(10)).await;
    slow_ok.record(Outcome::Success);
    slow_err.record(Outcome::Failure);
    for _ in 0..3 {
        let quick = breaker.try_acquire().unwrap();
        sleep(ms(100)).await;
        quick.record(Outcome::Success);
    }
    let snapshot = breaker.snapshot();
    assert_eq!((snapshot.calls, snapshot.slow_calls, snapshot.slow_call_rate), (5, 2, Some(0.4)));
}

#[tokio::test(start_paused = true)]
async fn cw07_the_result_that_begins_a_bucket_is_in_its_own_verdict() {
    let config = Config::new().window(secs(10)).min_calls(3).failure_rate(0.3).cooldown(secs(1));
    for at in [500, 999, 1000, 1001, 1999, 2000, 5000, 9000, 9999] {
        let breaker = breaker(config);
        let clock = Clock::start();
        record(&breaker, Outcome::Success);
        clock.until(ms(500)).await;
        record(&breaker, Outcome::Success);
        clock.until(ms(at)).await;
        record(&breaker, Outcome::Failure);
        assert_eq!(breaker.state().to_string(), "open", "at {at} ms");
        assert_eq!(numbers(&breaker.snapshot()), (3, 1, Some(1.0 / 3.0)), "at {at} ms");
    }
    // The window is ten buckets of a second: with the eleventh the first leaves as a whole.
    let breaker = breaker(config);
    let clock = Clock::start();
    record(&breaker, Outcome::Success);
    clock.until(ms(500)).await;
    record(&breaker, Outcome::Success);
    clock.until(secs(10)).await;
    record(&breaker, Outcome::Failure);
    assert_eq!(numbers(&breaker.snapshot()), (1, 1, None));
    assert_eq!(breaker.state().to_string(), "closed");
}

#[tokio::test(start_paused = true)]
async fn cs07_closing_starts_an_empty_window() {
    // Ours opens again at the first failed trial call, so all four succeed.
    let breaker =
        breaker(Config::new().window(secs(60)).min_calls(10).failure_rate(0.5).cooldown(secs(1)).success_threshold(4));
    play(&breaker, "err*10 =open +1s ok*4 =closed").await;
    assert_eq!(numbers(&breaker.snapshot()), (0, 0, None));
    play(&breaker, "err*9 =closed err =open").await;
}

#[tokio::test(start_paused = true)]
async fn ev09_events_carry_the_numbers_that_decided() {
    let name = unique("ev09");
    let config = Config::new().min_calls(4).failure_rate(0.49).cooldown(secs(1)).success_threshold(2);
    let breaker = CircuitBreaker::register(name, config).unwrap();
    let log = EventLog::of([name]);
    let pending: Vec<_> = (0..6).map(|_| breaker.try_acquire().unwrap()).collect();
    play(&breaker, "err ok err ok").await;
    pending.into_iter().for_each(|permit| permit.record(Outcome::Success));
    let opened = log.expect(["circuit_breaker.opened"]);
    let [Event::CircuitBreakerOpened { snapshot, cooldown, .. }] = opened.as_slice() else { unreachable!() };
    assert_eq!((numbers(snapshot), *cooldown), ((4, 2, Some(0.5)), secs(1)));
    assert_eq!(snapshot.state.to_string(), "open");

    play(&breaker, "+1s ok*2 =closed").await;
    let told = log.expect(["circuit_breaker.half_opened", "circuit_breaker.closed"]);
    let [_, Event::CircuitBreakerClosed { snapshot, .. }] = told.as_slice() else { unreachable!() };
    assert_eq!((snapshot.calls, snapshot.failures, snapshot.state.to_string().as_str()), (2, 0, "closed"));
    log.assert_finished();
}
