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
                assert!((1..=2).contains(&breaker.state.seen(time::now).calls));
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
        let breaker = breaker(Config::new().consecutive_failures(1).cooldown(Duration::from_secs(3600)));
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
fn loom_a_call_cut_early_counts_in_the_state_that_let_it_through() {
    loom::model(|| {
        let breaker = breaker(lenient(8));
        let ticket = breaker.state.gate.look().passes().expect("a closed breaker");
        let cut = move || breaker.state.count_cut_early(ticket);
        at_once(cut, || {
            cut();
            assert!((1..=2).contains(&seen(breaker).cut_early));
        });
        assert_eq!(seen(breaker).cut_early, 2);
        at_once(cut, || CircuitBreaker(breaker).reset());
        assert_eq!(seen(breaker).cut_early, 0);
    });
}

#[test]
fn loom_a_call_dropped_too_late_is_judged_by_one_of_the_limits_in_force() {
    let limit = |nanos| lenient(8).slow_call(Duration::from_nanos(nanos)).slow_call_rate(0.999_999);
    loom::model(move || {
        let breaker = breaker(limit(10));
        let ticket = breaker.state.gate.look().passes().expect("a closed breaker");
        at_once(
            move || breaker.state.apply(&limit(u64::MAX).effective()),
            || breaker.state.record("loom", ticket, Outcome::Neutral, Some(11)),
        );
        let Snapshot { calls, slow_calls, .. } = seen(breaker);
        assert!([(0, 0), (1, 1)].contains(&(calls, slow_calls)), "{slow_calls} of {calls}");
        // Long after both: the new one decides.
        breaker.state.record("loom", ticket, Outcome::Neutral, Some(11));
        assert_eq!(seen(breaker).calls, calls);
    });
}

#[test]
fn loom_a_refusal_by_the_old_cooldown_comes_before_the_new_one() {
    let hour = Duration::from_secs(3600);
    loom::model(move || {
        let options = |cooldown| Config::new().consecutive_failures(1).cooldown(cooldown).max_cooldown(hour * 48);
        let breaker = breaker(options(hour));
        call(breaker, Outcome::Failure);
        let rest = thread::spawn(|| acquire(breaker).expect_err("open").retry_after().expect("a cooldown"));
        breaker.state.apply(&options(hour * 48).effective());
        let refused_by_then = seen(breaker).rejected;
        let rest = rest.join().unwrap();
        assert_eq!(seen(breaker).rejected, 1);
        assert!(rest > hour || refused_by_then == 1, "still {rest:?} to wait");
    });
}

#[test]
fn loom_a_slow_call_is_judged_by_the_options_it_is_recorded_under() {
    let limit = |nanos| Config::new().slow_call(Duration::from_nanos(nanos));
    loom::model(move || {
        let breaker = breaker(limit(u64::MAX).window_calls(2).min_calls(2));
        (0..2).for_each(|_| call(breaker, Outcome::Success));
        breaker.state.apply(&limit(1).window_calls(2).min_calls(2).effective());
        let timed = permit(breaker);
        at_once(
            move || breaker.state.apply(&limit(u64::MAX).window_calls(4).effective()),
            || timed.record(Outcome::Success),
        );
        let Snapshot { calls, slow_calls, .. } = seen(breaker);
        // Slow, and in the place of another one; or not slow, and one more.
        assert!([(2, 1), (3, 0)].contains(&(calls, slow_calls)), "{slow_calls} of {calls}");
    });
}

/// A success that finds the bucket of its moment gone is not taken for one of the next.
#[test]
fn loom_a_success_counts_in_the_bucket_of_its_moment() {
    let second = Duration::from_secs(1);
    loom::model(move || {
        let breaker = breaker(Config::new().window(second * 10).min_calls(1).failure_rate(0.999_999));
        let Breaker { gate, .. } = &breaker.state;
        let start = time::now();
        let record = |at: Instant| {
            let ticket = gate.look().passes().expect("a closed breaker");
            let counted = gate.record_success(ticket, None, || time::stamp(at));
            if !counted {
                breaker.state.step("loom", |machine| ((), machine.record(ticket, Outcome::Success, false, || at)));
            }
            counted
        };
        assert!(!record(start), "there is no bucket yet");
        let early = thread::spawn(move || {
            let ticket = gate.look().passes().expect("a closed breaker");
            let now = start + second / 2;
            gate.record_success(ticket, None, || time::stamp(now))
        });
        record(start + second);
        let early = early.join().unwrap();
        let all = 2 + u32::from(early);
        assert_eq!(breaker.state.seen(|| start + second).calls, all);
        // The first bucket has left.
        assert_eq!(breaker.state.seen(|| start + second * 10).calls, 1);
    });
}
