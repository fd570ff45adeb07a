//! The state machine under options that change, and under the eyes of readers.

use super::config::Config;
use super::scenario::{Scenario, ms, secs, small};
use super::snapshot::{Snapshot, State};
use super::ticket::{Counted, Passage, Successes};

#[test]
fn slow_calls_decide_only_while_there_is_a_limit() {
    let plain = Config::new().window_calls(10).min_calls(4);
    let timed = plain.slow_call(secs(1)).slow_call_rate(0.5);
    for window in [|config: Config| config, |config: Config| Config { window_calls: None, ..config }.window(secs(60))] {
        let mut breaker = Scenario::new(window(timed));
        breaker.play("slow slow slow").change(window(plain)).play("ok ok err = closed");
        let seen = breaker.snapshot();
        assert_eq!((seen.calls, seen.failures, seen.slow_calls, seen.slow_call_rate), (6, 1, 0, None));
        // What it had counted does not come back with it.
        breaker.change(window(timed)).play("slow slow slow ok = closed");
        assert_eq!(breaker.snapshot().slow_calls, 3);
        // Another limit or rate is not another option: what was slow was slow.
        breaker.change(window(timed.slow_call(secs(5)).slow_call_rate(0.2))).play("ok = open");
    }
    // A success that would leave no trace in the window still breaks a row of failures.
    let row = Config::new().failure_rate(0.99).consecutive_failures(2);
    let mut narrow = Scenario::new(row.slow_call(secs(1)));
    narrow.play("ok ok ok err left").change(row.slow_call(secs(1)).window_calls(1)).change(row.window_calls(1));
    assert_eq!(narrow.machine.passage(), Passage::Pass(Successes::Counted));
    narrow.machine.take_in(1);
    assert_eq!(narrow.machine.passage(), Passage::Pass(Successes::Ignored));
    narrow.change(row).play("err = closed err = open");
}

#[test]
fn an_option_that_is_gone_decides_nothing() {
    let base = Config::new().window_calls(20).min_calls(20);
    let mut row = Scenario::new(base.consecutive_failures(3));
    row.play("err err")
        .change(base)
        .play("err err = closed")
        .change(base.consecutive_failures(3))
        .play("ok err = closed");
    let mut grown = Scenario::new(small().cooldown_multiplier(4.0));
    grown.play("err*4 +1s err refused@4s").change(small()).play("refused@1s +1s err refused@1s");
    let mut bounded = Scenario::new(small().cooldown(secs(2)).cooldown_multiplier(4.0).max_cooldown(secs(3)));
    bounded
        .play("err*4 +2s err refused@3s")
        .change(small().cooldown(secs(2)).cooldown_multiplier(4.0))
        .play("refused@8s");
    let mut probes = Scenario::new(small().success_threshold(3).max_probes(1));
    probes.play("err*4 +1s start:a refused").change(small().success_threshold(3)).play("start:b start:c refused");
    let mut timeout = Scenario::new(small().probe_timeout(ms(10)).cooldown(secs(9)));
    timeout.play("err*4 +9s start:a").change(small().cooldown(secs(9))).play("+9s refused +1ms ok = closed");
    // Between kinds of window nothing stays; failures in a row are no window.
    let mut kind = Scenario::new(base.consecutive_failures(3).min_calls(3).failure_rate(0.9));
    kind.play("err err ok")
        .change(Config::new().window(secs(60)).min_calls(2).failure_rate(0.5))
        .play("ok err = closed err = open");
    let mut half = Scenario::new(small().success_threshold(3));
    half.play("err*4 +1s ok ok").change(small().window_calls(1).min_calls(1).success_threshold(3));
    assert_eq!(half.snapshot().calls, 2, "trial calls are not counted by the window");
    half.change(Config::new().window(secs(1)).cooldown(secs(1)).success_threshold(3)).play("+5s");
    assert_eq!(half.snapshot().calls, 2);
    half.play("ok = closed");
}

#[test]
fn new_options_work_on_the_live_state() {
    let mut live = Scenario::new(small().cooldown(secs(30)));
    live.play("err*4 = open refused@30s").change(small().cooldown(secs(2)));
    live.play("refused@2s +2s ok = closed");
    live.play("err err err").change(small().window_calls(8).min_calls(6)).play("err err = closed err = open");
}

#[test]
fn a_reader_sees_what_a_call_would_find_and_changes_nothing() {
    let mut breaker = Scenario::new(Config::new().window(secs(10)).min_calls(2).cooldown(secs(5)).success_threshold(2));
    breaker.play("err ok ok err");
    let seen = |breaker: &Scenario, results, after| {
        let counted = Counted { results, cut_early: 3 };
        let Snapshot { state, calls, failures, rejected, cut_early, probes_in_flight, .. } =
            breaker.machine.snapshot(counted, breaker.now + secs(after));
        (state, calls, failures, rejected, cut_early, probes_in_flight)
    };
    assert_eq!(seen(&breaker, 5, 0), (State::Closed, 9, 2, 0, 3, 0));
    assert_eq!(seen(&breaker, 5, 10), (State::Closed, 0, 0, 0, 3, 0));
    assert_eq!(seen(&breaker, 0, 0), (State::Closed, 4, 2, 0, 3, 0), "nothing has changed");
    breaker.play("err = open refused");
    assert_eq!(seen(&breaker, 5, 0), (State::Open, 5, 3, 6, 3, 0));
    assert_eq!(seen(&breaker, 5, 4), (State::Open, 5, 3, 6, 3, 0), "it shows why it is open");
    assert_eq!(seen(&breaker, 5, 5), (State::HalfOpen, 0, 0, 0, 0, 0), "a state that nobody has entered yet");
    breaker.play("+5s ok start:a refused");
    assert_eq!(seen(&breaker, 0, 5), (State::HalfOpen, 1, 0, 1, 3, 1));
    assert_eq!(seen(&breaker, 0, 6), (State::HalfOpen, 1, 0, 1, 3, 0), "what is too old holds no slot");
    breaker.change(Config::new().success_threshold(1));
    assert_eq!(seen(&breaker, 0, 0), (State::Closed, 0, 0, 0, 0, 0), "it has reached what is asked for now");
    breaker.play("force_open refused");
    assert_eq!(seen(&breaker, 5, 0), (State::ForcedOpen, 0, 0, 6, 3, 0));
    breaker.play("shadow err*10");
    assert_eq!(seen(&breaker, 0, 30), (State::Shadow, 0, 0, 0, 0, 0));
}

#[test]
fn a_reader_whose_clock_is_behind_changes_nothing() {
    let mut open = Scenario::new(small());
    open.play("err*4 = open");
    let behind = open.now - secs(3600);
    assert_eq!(open.machine.look(|| behind), None);
    assert_eq!(open.machine.snapshot(Counted::default(), behind).cooldown_remaining, Some(secs(1)));
    open.play("+999ms refused@1ms +1ms ok = closed");
}
