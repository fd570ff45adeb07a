//! Calls that use the gate while others work on the machine, in every interleaving.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, Ordering};
use loom::thread;

use super::*;
use crate::options::Options;

fn breaker(config: Config) -> &'static Entry<Breaker> {
    Entry::leak("loom", config)
}

fn permit(breaker: &'static Entry<Breaker>) -> Permit {
    acquire(breaker).expect("a closed breaker")
}

fn call(breaker: &'static Entry<Breaker>, outcome: Outcome) {
    permit(breaker).record(outcome);
}

fn seen(breaker: &'static Entry<Breaker>) -> Snapshot {
    CircuitBreaker(breaker).snapshot()
}

/// Never opens where there was a success.
fn lenient(window_calls: u32) -> Config {
    Config::new().window_calls(window_calls).min_calls(1).failure_rate(0.999_999)
}

/// Runs `one` and `other` at the same time, and waits for both.
fn at_once(one: impl FnOnce() + 'static, other: impl FnOnce()) {
    let one = thread::spawn(one);
    other();
    one.join().unwrap();
}

#[test]
fn loom_a_success_after_a_failure_is_not_ignored() {
    loom::model(|| {
        // Full and clean: successes leave no trace. A failure in it opens it at once.
        let breaker = breaker(Config::new().window_calls(2).consecutive_failures(2));
        (0..2).for_each(|_| call(breaker, Outcome::Success));
        let failed = Arc::new(AtomicBool::new(false));
        let tell = Arc::clone(&failed);
        let late = permit(breaker);
        at_once(
            move || {
                call(breaker, Outcome::Failure);
                tell.store(true, Ordering::Release);
            },
            || {
                let after = failed.load(Ordering::Acquire);
                late.record(Outcome::Success);
                if after {
                    call(breaker, Outcome::Failure);
                    assert_eq!(seen(breaker).state, State::Closed, "a success came between the failures");
                }
            },
        );
        assert!((1..=2).contains(&seen(breaker).failures));
    });
}

#[test]
fn loom_no_result_is_lost() {
    loom::model(|| {
        let breaker = breaker(lenient(8));
        call(breaker, Outcome::Success);
        at_once(
            || (0..2).for_each(|_| call(breaker, Outcome::Success)),
            || {
                call(breaker, Outcome::Failure);
                call(breaker, Outcome::Success);
            },
        );
        assert_eq!((seen(breaker).calls, seen(breaker).failures), (5, 1));
    });
}

#[test]
fn loom_a_reader_sees_what_was_recorded_before_it() {
    loom::model(|| {
        let breaker = breaker(lenient(8));
        at_once(
            || call(breaker, Outcome::Success),
            || {
                call(breaker, Outcome::Success);
                assert!((1..=2).contains(&seen(breaker).calls));
                assert!((1..=2).contains(&breaker.state.copy().snapshot(time::now()).calls));
            },
        );
        assert_eq!(seen(breaker).calls, 2);
    });
}

#[test]
fn loom_a_result_from_before_a_reset_changes_nothing() {
    loom::model(|| {
        let breaker = breaker(lenient(8));
        let before = permit(breaker);
        at_once(|| CircuitBreaker(breaker).reset(), || before.record(Outcome::Success));
        assert_eq!(seen(breaker).calls, 0);
    });
}

#[test]
fn loom_an_opening_holds_what_came_before_it_and_nothing_else() {
    loom::model(|| {
        let breaker = breaker(Config::new().window_calls(8).min_calls(2).failure_rate(0.0));
        call(breaker, Outcome::Success);
        let late = permit(breaker);
        at_once(|| call(breaker, Outcome::Failure), || late.record(Outcome::Success));
        let opened = seen(breaker);
        assert_eq!((opened.state, opened.failures), (State::Open, 1));
        assert!((2..=3).contains(&opened.calls));
    });
}

#[test]
fn loom_every_refusal_counts_in_the_state_that_refused() {
    loom::model(|| {
        let breaker = breaker(Config::new().consecutive_failures(1).cooldown(std::time::Duration::from_secs(3600)));
        call(breaker, Outcome::Failure);
        at_once(
            || drop(acquire(breaker).expect_err("open")),
            || {
                drop(acquire(breaker).expect_err("open"));
                assert!((1..=2).contains(&seen(breaker).rejected));
            },
        );
        assert_eq!(seen(breaker).rejected, 2);
        at_once(|| CircuitBreaker(breaker).force_open(), || drop(acquire(breaker).expect_err("open")));
        assert!(seen(breaker).rejected <= 1);
    });
}

#[test]
fn loom_a_cooldown_that_is_changed_is_never_seen_half() {
    loom::model(|| {
        let short = Config::new().consecutive_failures(1).cooldown(std::time::Duration::from_secs(3600));
        let breaker = breaker(short);
        call(breaker, Outcome::Failure);
        let hours = |config: Config| config.cooldown(std::time::Duration::from_secs(48 * 3600));
        at_once(
            move || {
                let longer = hours(short).max_cooldown(std::time::Duration::from_secs(48 * 3600));
                breaker.state.apply(&longer.effective());
            },
            || {
                let rest =
                    acquire(breaker).expect_err("open").retry_after().expect("a cooldown").as_secs().div_ceil(60);
                assert!(rest == 60 || rest == 48 * 60, "{rest} minutes");
            },
        );
        assert_eq!(seen(breaker).rejected, 1);
    });
}
