//! When a breaker opens: rates, thresholds, what counts.

use std::time::Duration;

use resilience::circuit_breaker::{Config, TripReason};
use resilience::{CircuitBreaker, Event, Outcome};
use resilience_tests::{EventLog, Script, breaker, call, ms, play, secs, sleep, unique};

use super::full_window;

#[tokio::test(start_paused = true)]
async fn c1_opens_after_a_full_failing_window() {
    let breaker = breaker(full_window(4, 0.74).cooldown(secs(50)).success_threshold(2));
    assert_eq!(play(&breaker, "err*4 refused*3").await, 4);
}

#[tokio::test(start_paused = true)]
async fn c3_one_success_closes_where_one_is_asked_for() {
    let breaker = breaker(full_window(4, 0.74).cooldown(secs(1)).success_threshold(1));
    assert_eq!(play(&breaker, "err*4 refused +2s ok err*4 refused").await, 9);
}

#[tokio::test(start_paused = true)]
async fn c5_the_opening_call_may_be_a_success() {
    let breaker = breaker(full_window(4, 0.74).cooldown(secs(1)).success_threshold(1));
    assert_eq!(play(&breaker, "err*3 ok refused +2s ok err*3 ok refused").await, 9);
}

/// Ours decides by a predicate; what it does not call a failure is a success, since the dependency answered.
#[tokio::test(start_paused = true)]
async fn c9_a_predicate_says_which_errors_count() {
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Thrown {
        Other,
        E0,
        E0S,
        E1,
        E1S,
        E2,
        E2S,
        Runtime,
        Fatal,
    }
    use Thrown::*;
    impl From<resilience::Error> for Thrown {
        fn from(_: resilience::Error) -> Self {
            Fatal
        }
    }
    let is = |thrown: Thrown, class: Thrown| match class {
        E0 => matches!(thrown, E0 | E0S | E1 | E1S | E2 | E2S),
        E1 => matches!(thrown, E1 | E1S | E2 | E2S),
        E2 => matches!(thrown, E2 | E2S),
        class => thrown == class,
    };
    let first = move |thrown: &Thrown| (is(*thrown, E0) || is(*thrown, E2)) && !is(*thrown, E1);
    let second = move |thrown: &Thrown| *thrown != Fatal && !is(*thrown, E0) && !is(*thrown, E2);
    for (thrown, refused_by_first, refused_by_second) in [
        (Other, false, true),
        (E0, true, false),
        (E1, false, false),
        (E2, false, false),
        (E2S, false, false),
        (E1S, false, false),
        (E0S, true, false),
        (Runtime, false, true),
        (Fatal, false, false),
    ] {
        let config = full_window(1, 0.99);
        let by_first = breaker(config);
        let by_second = breaker(config);
        let _ = by_first.call_when(async { Err::<(), _>(thrown) }, first).await;
        let _ = by_second.call_when(async { Err::<(), _>(thrown) }, second).await;
        assert_eq!(by_first.try_acquire().is_err(), refused_by_first, "{thrown:?}, first column");
        assert_eq!(by_second.try_acquire().is_err(), refused_by_second, "{thrown:?}, second column");
        assert_eq!((by_first.snapshot().calls, by_second.snapshot().calls), (1, 1), "{thrown:?} is counted");
    }
}

#[tokio::test(start_paused = true)]
async fn cw02_the_minimum_decides_not_the_size_of_the_window() {
    let given = breaker(Config::new().window_calls(100).min_calls(5).failure_rate(0.5));
    assert_eq!(play(&given, "err*5 refused").await, 5);
    let default = breaker(Config::new().min_calls(5));
    assert_eq!(play(&default, "err*5 refused").await, 5);
}

#[tokio::test(start_paused = true)]
async fn cw05_a_rate_must_exceed_its_threshold_exactly() {
    for (config, line) in [
        (full_window(4, 0.99), "err*4 =open"),
        (full_window(20, 0.5), "err*10 ok*10 =closed"),
        (full_window(20, 0.5), "err*11 ok*9 =open"),
        (full_window(20, 0.49), "err*10 ok*10 =open"),
        (full_window(20, 0.49), "err*9 ok*11 =closed"),
        (full_window(3, 0.3333), "err ok*2 =open"),
        (full_window(3, 0.3334), "err ok*2 =closed"),
        (full_window(3, 1.0 / 3.0), "err ok*2 =closed"),
        (full_window(10, 0.1), "err ok*9 =closed"),
        (full_window(10, 0.3), "err*3 ok*7 =closed"),
        (full_window(10, 0.7), "err*7 ok*3 =closed"),
        (full_window(100, 0.29), "err*29 ok*71 =closed"),
        (full_window(100, 0.57), "err*57 ok*43 =closed"),
        // A rate of 0 opens at the first failure once there are enough calls, and never without one.
        (full_window(3, 0.0), "ok*2 err =open"),
        (full_window(3, 0.0), "ok*9 =closed"),
    ] {
        play(&breaker(config), line).await;
    }
    for rate in [1.0, 1.01, -0.01, f64::NAN, f64::INFINITY] {
        let refused = CircuitBreaker::register(unique("never"), Config::new().failure_rate(rate));
        assert_eq!(refused.unwrap_err().option(), "failure_rate", "{rate}");
    }
}

#[tokio::test(start_paused = true)]
async fn cw11_a_first_failure_opens_nothing() {
    let default = breaker(Config::new());
    play(&default, "err =closed").await;
    play(&breaker(Config::new()), "err*9 =closed err =open").await;
    play(&breaker(Config::new().min_calls(10)), "err*9 =closed err =open").await;
}

#[tokio::test(start_paused = true)]
async fn cw09_a_callers_cancellation_is_no_failure() {
    let breaker = breaker(Config::new().window_calls(10).min_calls(5).failure_rate(0.5));
    let body = Script::hang();
    for round in 0..1000 {
        match round % 3 {
            0 => assert!(tokio::time::timeout(ms(10), call(&breaker, &body)).await.is_err()),
            1 => tokio::select! {
                () = sleep(ms(10)) => {}
                _ = call(&breaker, &body) => unreachable!("the body hangs"),
            },
            _ => {
                let task = tokio::spawn({
                    let body = body.clone();
                    async move { call(&breaker, &body).await }
                });
                sleep(ms(10)).await;
                task.abort();
                assert!(task.await.unwrap_err().is_cancelled());
            }
        }
    }
    assert_eq!((body.entered(), body.probe().dropped()), (1000, 1000));
    let snapshot = breaker.snapshot();
    assert_eq!((snapshot.calls, snapshot.failures, snapshot.rejected), (0, 0, 0));
    play(&breaker, "=closed err*4 =closed err =open").await;
}

#[tokio::test(start_paused = true)]
async fn what_the_class_makes_of_an_error() {
    // Permanent errors are failures; those of class `Caller` are not counted at all.
    play(&breaker(full_window(4, 0.5)), "broken*3 ok =open").await;
    let lenient = breaker(full_window(4, 0.5));
    play(&lenient, "missing*100 err*2 ok*2 =closed").await;
    assert_eq!(lenient.snapshot().calls, 4);
}

#[tokio::test(start_paused = true)]
async fn consecutive_failures_do_not_wait_for_the_minimum() {
    let config = Config::new().consecutive_failures(3);
    let log_name = unique("in-a-row");
    let named = CircuitBreaker::register(log_name, config).unwrap();
    let log = EventLog::of([log_name]);
    play(&named, "err*2 missing err*2 invalid err =open").await;
    let opened = log.expect(["circuit_breaker.opened"]);
    let [Event::CircuitBreakerOpened { reason, snapshot, .. }] = opened.as_slice() else { unreachable!() };
    assert_eq!(*reason, TripReason::ConsecutiveFailures);
    assert_eq!((snapshot.calls, snapshot.failures, snapshot.failure_rate), (6, 5, None));
    // A success in between starts the count anew.
    play(&breaker(config), "err*2 ok err*2 ok err*2 =closed").await;
    play(&breaker(config.consecutive_failures(1)), "err =open").await;
}

#[tokio::test(start_paused = true)]
async fn slow_calls_open_whether_they_failed_or_not() {
    let config = full_window(4, 0.9).slow_call(ms(100)).slow_call_rate(0.5);
    let record = |breaker: CircuitBreaker, took: Duration, outcome| async move {
        let permit = breaker.try_acquire().unwrap();
        sleep(took).await;
        permit.record(outcome);
    };
    // Exactly at the limit is not slow; half of the calls is not more than half.
    let patient = breaker(config);
    for took in [ms(100), ms(101), ms(101), ms(1)] {
        record(patient, took, Outcome::Success).await;
    }
    assert_eq!((patient.snapshot().slow_calls, patient.snapshot().slow_call_rate), (2, Some(0.5)));
    play(&patient, "=closed").await;

    let name = unique("slow");
    let slow = CircuitBreaker::register(name, config).unwrap();
    let log = EventLog::of([name]);
    record(slow, ms(500), Outcome::Failure).await;
    record(slow, ms(500), Outcome::Success).await;
    record(slow, ms(500), Outcome::Neutral).await;
    record(slow, ms(0), Outcome::Success).await;
    play(&slow, "=closed").await;
    record(slow, ms(101), Outcome::Success).await;
    play(&slow, "=open").await;
    let opened = log.expect(["circuit_breaker.opened"]);
    let [Event::CircuitBreakerOpened { reason, snapshot, .. }] = opened.as_slice() else { unreachable!() };
    assert_eq!(*reason, TripReason::SlowCallRate);
    assert_eq!((snapshot.calls, snapshot.failures, snapshot.slow_calls), (4, 1, 3));
    assert_eq!((snapshot.failure_rate, snapshot.slow_call_rate), (Some(0.25), Some(0.75)));
}

#[tokio::test(start_paused = true)]
async fn without_slow_call_no_call_is_slow() {
    let breaker = breaker(full_window(2, 0.9));
    for _ in 0..4 {
        let permit = breaker.try_acquire().unwrap();
        sleep(secs(3600)).await;
        permit.record(Outcome::Success);
    }
    let snapshot = breaker.snapshot();
    assert_eq!((snapshot.slow_calls, snapshot.slow_call_rate, snapshot.failure_rate), (0, None, Some(0.0)));
    play(&breaker, "=closed").await;
}
