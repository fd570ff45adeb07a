//! The state machine, by scenario: `scenario.rs` says how they are written.

use std::time::Duration;

use super::config::Config;
use super::scenario::{Scenario, check, secs, small};
use super::snapshot::{State, TripReason};
use super::state::Transition;
use super::ticket::Admission;
use crate::outcome::Outcome;

#[test]
fn the_whole_circle() {
    let mut circle = Scenario::new(small());
    circle.play(
        "err*4 = open | refused@1s +400ms refused@600ms | +600ms = half_open | ok = closed | err*3 = closed err = open",
    );
    assert_eq!(
        circle.told(),
        ["opened by failure_rate for 1s", "half-opened", "closed", "opened by failure_rate for 1s"]
    );
}

#[test]
fn opens_only_above_the_rate() {
    check(small(), "ok ok err err = closed");
    check(small(), "ok err err = closed err = open");
    // A success may be the result that completes the verdict.
    check(small(), "err err err = closed ok = open");
}

#[test]
fn cw05_the_comparison_is_exact() {
    let third = Config::new().window_calls(3).min_calls(3);
    check(third.failure_rate(1.0 / 3.0), "err ok ok = closed");
    check(third.failure_rate(0.333), "err ok ok = open");
    let hundred = Config::new().window_calls(100).min_calls(100);
    for percent in 1..100 {
        let rate = f64::from(percent) / 100.0;
        check(hundred.failure_rate(rate), &format!("ok*{} err*{percent} = closed", 100 - percent));
        check(hundred.failure_rate(rate), &format!("ok*{} err*{} = open", 99 - percent, percent + 1));
    }
    check(hundred.failure_rate(0.0), "ok*99 err = open");
}

#[test]
fn cw02_the_verdict_needs_min_calls_not_a_full_window() {
    check(Config::new().min_calls(5), "err*4 = closed err = open");
    check(Config::new(), "err*9 = closed err = open");
}

#[test]
fn consecutive_failures_do_not_wait_for_min_calls() {
    let config = Config::new().consecutive_failures(3);
    check(config, "err err ok err err = closed err = open");
    check(config, "err err neutral err = open");
}

#[test]
fn slow_calls_open_and_fail_a_trial() {
    let config = small().slow_call(secs(1)).slow_call_rate(0.5).failure_rate(0.9);
    let mut slow = Scenario::new(config);
    slow.play("slow slow ok slow = open | +1s slow = open | +1s ok = closed");
    assert_eq!(
        slow.told(),
        ["opened by slow_call_rate for 1s", "half-opened", "opened by trial_failed for 1s", "half-opened", "closed"]
    );
}

#[test]
fn ho01_a_neutral_trial_gives_its_slot_back() {
    check(small(), "err*4 +1s neutral*50 = half_open ok = closed");
}

#[test]
fn trial_calls_in_flight_and_done_never_exceed_the_threshold() {
    let config = small().success_threshold(3).max_probes(2);
    check(config, "err*4 +1s start:a start:b refused ok:a start:c refused ok:b refused = half_open ok:c = closed");
    check(config, "err*4 +1s start:a start:b err:b = open ok:a = open");
}

#[test]
fn c41_a_slot_given_back_lets_exactly_one_more_in() {
    let config = small().success_threshold(4);
    check(config, "err*4 +1s start:a start:b start:c start:d refused neutral:b start:e refused");
    // A permit of the closed state gives nothing to half-open.
    check(config, "start:old err*4 +1s start:a start:b start:c start:d refused neutral:old refused");
}

#[test]
fn cs01_late_failures_do_not_push_the_cooldown() {
    let config = Config::new().window_calls(10).min_calls(3).cooldown(secs(5)).success_threshold(1);
    let mut late = Scenario::new(config);
    late.play("start:a start:b start:c start:d | err*3 = open | +1s err:a +1s err:b +2s err:c +900ms err:d refused@100ms +100ms ok = closed");
    assert_eq!(late.told(), ["opened by failure_rate for 5s", "half-opened", "closed"]);
}

#[test]
fn cs03_a_trial_of_an_earlier_period_counts_nothing() {
    let config = small().success_threshold(2);
    check(
        config,
        "err*4 +1s start:p1 start:p2 err:p2 = open +1s start:q1 start:q2 refused ok:p1 refused ok:q1 = half_open ok:q2 = closed",
    );
}

#[test]
fn cs07_closing_starts_an_empty_window() {
    let config = Config::new().window(secs(60)).min_calls(10).cooldown(secs(1)).success_threshold(3);
    check(config, "err*10 = open +1s ok*3 = closed err*9 = closed err = open");
}

#[test]
fn cw07_the_result_that_starts_a_bucket_counts_in_its_own_verdict() {
    let config = Config::new().window(secs(10)).min_calls(3).failure_rate(0.3);
    for wait in ["500ms", "501ms", "1500ms", "9499ms"] {
        check(config, &format!("ok +500ms ok +{wait} err = open"));
    }
    // The bucket of the first call has left the window by then.
    check(config, "ok +500ms ok +9500ms err = closed");
}

#[test]
fn c37_the_fifth_call_opens_and_the_window_shows_why() {
    let config = Config::new().window(secs(20)).min_calls(5).failure_rate(0.49).cooldown(secs(5)).success_threshold(4);
    let mut opened = Scenario::new(config);
    let before = opened.play("err err err ok").snapshot();
    assert_eq!((before.state, before.calls, before.failures, before.failure_rate), (State::Closed, 4, 3, None));
    let after = opened.play("ok").snapshot();
    assert_eq!((after.state, after.calls, after.failures, after.failure_rate), (State::Open, 5, 3, Some(0.6)));
    assert_eq!(opened.play("refused").snapshot().rejected, 1);
    assert_eq!(opened.told(), ["opened by failure_rate for 5s"]);

    check(config, "ok +1s ok +1s ok +1s err +1s err = closed +1s err = open");
}

#[test]
fn c39_the_cooldown_grows_with_each_failed_recovery() {
    let config = small().cooldown(secs(5)).cooldown_multiplier(1.5).max_cooldown(secs(10));
    let mut growing = Scenario::new(config);
    growing.play(
        "err*4 +3s refused@2s +3s = half_open err | +6s refused@1500ms +1500ms err | +9999ms refused +1ms ok = closed",
    );
    growing.play("err*4 refused@5s");
    assert_eq!(
        growing.told(),
        [
            "opened by failure_rate for 5s",
            "half-opened",
            "opened by trial_failed for 7.5s",
            "half-opened",
            "opened by trial_failed for 10s",
            "half-opened",
            "closed",
            "opened by failure_rate for 5s"
        ]
    );
}

#[test]
fn c39_half_open_starts_with_empty_numbers() {
    let mut half_open = Scenario::new(small().success_threshold(3));
    half_open.play("err*4 refused refused").snapshot();
    assert_eq!(half_open.snapshot().rejected, 2);
    let snapshot = half_open.play("+1s = half_open").snapshot();
    assert_eq!((snapshot.calls, snapshot.failures, snapshot.failure_rate, snapshot.rejected), (0, 0, None, 0));
    assert_eq!(half_open.play("ok start:a").snapshot().calls, 1);
    assert_eq!(half_open.snapshot().probes_in_flight, 1);
}

#[test]
fn a_trial_older_than_its_timeout_loses_its_slot_and_counts_all_the_same() {
    let config = small().success_threshold(2).max_probes(1).probe_timeout(secs(3));
    // Exactly as old as that is not older.
    check(config, "err*4 +1s start:old refused +3s refused +1ms start:next refused");
    // Its success is one of those asked for, whether or not another one has its slot.
    check(config, "err*4 +1s start:old +4s ok:old = half_open ok = closed");
    check(config, "err*4 +1s start:old +4s start:next ok:old = half_open refused ok:next = closed");
    // Its failure opens, and what has its slot is then of an earlier state.
    check(config, "err*4 +1s start:old +4s start:next err:old = open ok:next = open +1s ok ok = closed");
    // It gives back no slot that is not its own.
    check(config, "err*4 +1s start:old +4s start:next neutral:old refused ok:next = half_open ok = closed");
    // Not after the breaker has closed, or opened and half-opened again.
    check(config, "err*4 +1s start:old +4s ok ok = closed err:old err err err = closed err = open");
    check(config, "err*4 +1s start:old +4s err = open +1s = half_open err:old ok = half_open ok = closed");
}

#[test]
fn trials_slower_than_the_cooldown_close_with_all_defaults() {
    let mut slow = Scenario::new(Config::new());
    slow.play("err*10 = open +30s = half_open");
    for call in 0..200 {
        slow.play("start:a +40s ok:a");
        let state = slow.play("").snapshot().state;
        assert_eq!(state, if call < 4 { State::HalfOpen } else { State::Closed }, "after {call}");
    }
}

#[test]
fn late_trials_do_not_pile_up() {
    let config = small().success_threshold(1000).max_probes(2).probe_timeout(secs(1));
    let mut hanging = Scenario::new(config);
    hanging.play("err*4 +1s");
    for call in 0..500 {
        hanging.play(&format!("start:{call}a start:{call}b refused"));
        assert_eq!(hanging.snapshot().probes_in_flight, 2);
        hanging.play("+1001ms");
        assert_eq!(hanging.snapshot().probes_in_flight, 0);
    }
    for call in 0..500 {
        hanging.play(&format!("ok:{call}a"));
    }
    assert_eq!(hanging.snapshot().calls, 500);
    hanging.play("err:0b = open");
}

#[test]
fn a_call_dropped_too_late_is_slow_and_no_failure() {
    let config = Config::new().window_calls(10).min_calls(4).slow_call(secs(1)).slow_call_rate(0.5);
    let mut left = Scenario::new(config);
    let seen = left.play("ok err left neutral").snapshot();
    assert_eq!((seen.calls, seen.failures, seen.slow_calls), (3, 1, 1));
    left.play("left = closed left = open");
    assert_eq!(left.told(), ["opened by slow_call_rate for 30s"]);
    // It stands between no failures, and is none of them.
    let row = config.failure_rate(0.9).consecutive_failures(3);
    check(row, "err left err = closed err = open");
    check(row, "err err left = closed ok err err = closed");
    // It fails a trial, and gives its slot back by it.
    let trial = small().slow_call(secs(1)).success_threshold(2);
    let mut failed = Scenario::new(trial);
    let opened = failed.play("err*4 +1s ok left = open").snapshot();
    assert_eq!((opened.calls, opened.failures, opened.slow_calls), (2, 0, 1));
    failed.play("+1s start:a start:b refused neutral:a ok ok:b = closed");
    assert_eq!(failed.told()[2], "opened by trial_failed for 1s");
}

#[test]
fn c43_states_set_by_hand() {
    check(small(), "disable err*10 = disabled reset = closed err*3 = closed");
    check(small(), "force_open refused +3600s refused = forced_open reset ok = closed");
    let mut forced = Scenario::new(small());
    assert_eq!(forced.play("force_open refused refused force_open").snapshot().rejected, 2);
    assert_eq!(forced.told(), ["forced forced open"], "the same state again is no change");
    let mut shadow = Scenario::new(small());
    shadow.play("err err shadow err*4 ok = shadow | +1s ok | = shadow ok");
    assert_eq!(
        shadow.told(),
        ["forced shadow", "opened by failure_rate for 1s", "would refuse", "half-opened", "closed"],
        "entering shadow starts with an empty window"
    );
}

#[test]
fn a_result_from_before_a_reset_changes_nothing() {
    check(small(), "start:a start:b start:c start:d reset err:a err:b err:c err:d = closed err*3 = closed err = open");
}

#[test]
fn c45_a_window_of_ten() {
    let config = Config::new().window_calls(10).min_calls(10).failure_rate(0.59).cooldown(secs(5));
    let mut window = Scenario::new(config);
    let four = window.play("ok ok err err").snapshot();
    assert_eq!((four.calls, four.failures, four.failure_rate), (4, 2, None));
    let ten = window.play("err err err err ok ok").snapshot();
    assert_eq!((ten.state, ten.calls, ten.failures, ten.failure_rate), (State::Open, 10, 6, Some(0.6)));
    let mut calm = Scenario::new(config.failure_rate(0.6));
    let full = calm.play("ok ok err*6 ok*4").snapshot();
    assert_eq!((full.calls, full.failures, full.failure_rate), (10, 6, Some(0.6)));
    assert_eq!(calm.play("ok*3").snapshot().failure_rate, Some(0.3));
}

#[test]
fn extreme_durations_mean_never() {
    let never = small()
        .cooldown(Duration::MAX)
        .cooldown_multiplier(1e300)
        .probe_timeout(Duration::MAX)
        .slow_call(Duration::MAX);
    check(never, "err*4 = open +3600s refused = open");
    check(never.cooldown(Duration::from_nanos(1)), "err*4 +1s start:a +3600s refused ok:a = closed");
}

#[test]
fn another_runtimes_clock_delays_nothing() {
    let mut open = Scenario::new(small());
    open.now += secs(3600);
    open.play("err*4 = open refused@1s");
    open.now -= secs(3600);
    open.play("refused@1s +1s = half_open start:lost refused");
    open.now -= secs(3600);
    open.play("refused +1s refused +1ms ok = closed");
}

#[test]
fn the_opening_event_carries_the_numbers_that_opened() {
    let mut pending = Scenario::new(Config::new().window_calls(10).min_calls(4).failure_rate(0.49));
    pending.play("start:a start:b err ok err");
    let (admission, _) = pending.machine.admit(None, || pending.now);
    let Admission::Pass(ticket) = admission else { panic!("closed") };
    let opened = pending.machine.record(ticket, Outcome::Success, false, || pending.now);
    let Some(Transition::Opened { reason, snapshot, .. }) = opened else { panic!("2 of 4 is above 49 %") };
    assert_eq!((reason, snapshot.calls, snapshot.failures), (TripReason::FailureRate, 4, 2));
    assert_eq!((snapshot.state, snapshot.failure_rate), (State::Open, Some(0.5)));
}
