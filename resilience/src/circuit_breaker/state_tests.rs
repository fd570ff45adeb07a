//! The state machine, by scenario.
//!
//! A scenario is words: `ok err neutral slow slow_err` is a call that must pass and ends so (`err*4`: four times);
//! `refused` a call that must not pass (`refused@2s`: with that hint); `start:a … ok:a` a call that takes its time;
//! `+5s` lets time pass; `= open` is what a reader sees; `force_open disable shadow reset` are a handle's; anything
//! after `|` is the same, the bar only groups.

use std::collections::HashMap;
use std::time::Duration;

use super::config::{Config, Settings};
use super::snapshot::{Snapshot, State, TripReason};
use super::state::{Machine, Transition};
use super::ticket::{Admission, Ticket};
use crate::outcome::Outcome;
use crate::time::{self, Instant};

struct Scenario {
    machine: Machine,
    now: Instant,
    started: HashMap<String, Ticket>,
    transitions: Vec<String>,
}

impl Scenario {
    fn new(config: Config) -> Self {
        assert_eq!(config.problem(), None, "the scenario's configuration");
        Self {
            machine: Machine::new(Settings::from(&config)),
            now: time::now(),
            started: HashMap::new(),
            transitions: Vec::new(),
        }
    }

    fn play(&mut self, script: &str) -> &mut Self {
        let mut words = script.split_whitespace();
        while let Some(word) = words.next() {
            if word == "=" {
                let expected = words.next().expect("a state after `=`");
                let seen = self.machine.look(|| self.now);
                self.note(seen);
                assert_eq!(self.machine.state().as_str().replace(['-', ' '], "_"), expected, "in `{script}`");
            } else if let Some((word, times)) = word.split_once('*') {
                (0..times.parse().expect("a number")).for_each(|_| self.step(word, script));
            } else if word != "|" {
                self.step(word, script);
            }
        }
        self
    }

    fn step(&mut self, word: &str, script: &str) {
        if let Some(span) = word.strip_prefix('+') {
            self.now += duration(span);
        } else if let Some(call) = word.strip_prefix("start:") {
            let ticket = self.pass(script);
            self.started.insert(call.to_owned(), ticket);
        } else if let Some((ending, call)) = word.split_once(':') {
            let ticket = self.started.remove(call).expect("a started call");
            self.end(ticket, ending);
        } else if let Some(hint) = word.strip_prefix("refused") {
            let retry_after = self.refused(script);
            if let Some(hint) = hint.strip_prefix('@') {
                assert_eq!(retry_after, Some(duration(hint)), "`{word}` in `{script}`");
            }
        } else {
            match word {
                "force_open" => self.force(State::ForcedOpen),
                "disable" => self.force(State::Disabled),
                "shadow" => self.force(State::Shadow),
                "reset" => self.force(State::Closed),
                ending => {
                    let ticket = self.pass(script);
                    self.end(ticket, ending);
                }
            }
        }
    }

    fn pass(&mut self, script: &str) -> Ticket {
        let (admission, transition) = self.machine.admit(|| self.now);
        self.note(transition);
        match admission {
            Admission::Pass(ticket) => ticket,
            Admission::WouldRefuse { .. } => {
                self.transitions.push("would refuse".to_owned());
                Ticket::UNRECORDED
            }
            Admission::Refused { .. } => panic!("a call was refused in `{script}` after {:?}", self.transitions),
        }
    }

    fn refused(&mut self, script: &str) -> Option<Duration> {
        let (admission, transition) = self.machine.admit(|| self.now);
        self.note(transition);
        let Admission::Refused { retry_after } = admission else {
            panic!("a call passed in `{script}` after {:?}", self.transitions)
        };
        retry_after
    }

    fn end(&mut self, ticket: Ticket, ending: &str) {
        let (outcome, slow) = match ending {
            "ok" => (Outcome::Success, false),
            "err" => (Outcome::Failure, false),
            "slow" => (Outcome::Success, true),
            "slow_err" => (Outcome::Failure, true),
            "neutral" => (Outcome::Neutral, false),
            other => panic!("unknown word `{other}`"),
        };
        let transition = self.machine.record(ticket, outcome, slow, || self.now);
        self.note(transition);
    }

    fn force(&mut self, state: State) {
        if self.machine.force(state) {
            self.transitions.push(format!("forced {state}"));
        }
    }

    fn note(&mut self, transition: Option<Transition>) {
        match transition {
            Some(Transition::Opened { reason, cooldown, .. }) => {
                self.transitions.push(format!("opened by {} for {cooldown:?}", reason.as_str()));
            }
            Some(Transition::HalfOpened) => self.transitions.push("half-opened".to_owned()),
            Some(Transition::Closed { .. }) => self.transitions.push("closed".to_owned()),
            None => {}
        }
    }

    fn told(&self) -> Vec<&str> {
        self.transitions.iter().map(String::as_str).collect()
    }

    fn snapshot(&mut self) -> Snapshot {
        self.machine.snapshot(self.now)
    }
}

fn duration(text: &str) -> Duration {
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 1e-3),
        None => (text.strip_suffix('s').expect("`s` or `ms`"), 1.0),
    };
    Duration::from_secs_f64(number.parse::<f64>().expect("a number") * unit)
}

fn check(config: Config, script: &str) {
    Scenario::new(config).play(script);
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Small: a window of four, one trial call.
fn small() -> Config {
    Config::new().window_calls(4).min_calls(4).failure_rate(0.5).cooldown(secs(1)).success_threshold(1)
}

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
fn a_trial_older_than_its_timeout_loses_its_slot_and_its_say() {
    let config = small().probe_timeout(secs(3));
    check(
        config,
        "err*4 +1s start:lost refused +2900ms refused +100ms start:next ok:lost = half_open ok:next = closed",
    );
    check(config, "err*4 +1s start:lost +3s err:lost = half_open ok = closed");
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
fn new_options_work_on_the_live_state() {
    let mut live = Scenario::new(small().cooldown(secs(30)));
    live.play("err*4 = open refused@30s");
    live.machine.reconfigure(Settings::from(&small().cooldown(secs(2))));
    live.play("refused@2s +2s ok = closed");
    live.play("err err err");
    live.machine.reconfigure(Settings::from(&small().window_calls(8).min_calls(6)));
    live.play("err err = closed err = open");
}

#[test]
fn extreme_durations_mean_never() {
    let never = small()
        .cooldown(Duration::MAX)
        .cooldown_multiplier(1e300)
        .probe_timeout(Duration::MAX)
        .slow_call(Duration::MAX);
    check(never, "err*4 = open +3600s refused = open");
    check(never.cooldown(Duration::from_nanos(1)), "err*4 +1s start:a +3600s ok:a = closed");
}

#[test]
fn another_runtimes_clock_delays_nothing() {
    let mut open = Scenario::new(small());
    open.now += secs(3600);
    open.play("err*4 = open refused@1s");
    open.now -= secs(3600);
    open.play("refused@1s +1s = half_open start:lost refused");
    open.now -= secs(3600);
    open.play("refused +1s ok = closed");
}

#[test]
fn a_reader_whose_clock_is_behind_changes_nothing() {
    let mut open = Scenario::new(small());
    open.play("err*4 = open");
    let behind = open.now - secs(3600);
    assert_eq!(open.machine.look(|| behind), None);
    assert_eq!(open.machine.snapshot(behind).cooldown_remaining, Some(secs(1)));
    open.play("+999ms refused@1ms +1ms ok = closed");
}

#[test]
fn the_opening_event_carries_the_numbers_that_opened() {
    let mut pending = Scenario::new(Config::new().window_calls(10).min_calls(4).failure_rate(0.49));
    pending.play("start:a start:b err ok err");
    let (admission, _) = pending.machine.admit(|| pending.now);
    let Admission::Pass(ticket) = admission else { panic!("closed") };
    let opened = pending.machine.record(ticket, Outcome::Success, false, || pending.now);
    let Some(Transition::Opened { reason, snapshot, .. }) = opened else { panic!("2 of 4 is above 49 %") };
    assert_eq!((reason, snapshot.calls, snapshot.failures), (TripReason::FailureRate, 4, 2));
    assert_eq!((snapshot.state, snapshot.failure_rate), (State::Open, Some(0.5)));
}
