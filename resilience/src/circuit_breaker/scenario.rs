//! What the tests of the state machine are written in.
//!
//! A scenario is words: `ok err neutral slow slow_err` is a call that must pass and ends so (`err*4`: four times), `left`
//! one that its caller drops after it has become slow;
//! `refused` a call that must not pass (`refused@2s`: with that hint); `start:a … ok:a` a call that takes its time;
//! `+5s` lets time pass; `= open` is what a reader sees; `force_open disable shadow reset` are a handle's; anything
//! after `|` is the same, the bar only groups.

use std::collections::HashMap;
use std::time::Duration;

use super::config::{Config, Settings};
use super::snapshot::{Snapshot, State};
use super::state::{Machine, Transition};
use super::ticket::{Admission, Counted, Ticket};
use crate::outcome::Outcome;
use crate::time::{self, Instant};

pub(super) struct Scenario {
    pub(super) machine: Machine,
    pub(super) now: Instant,
    started: HashMap<String, Ticket>,
    transitions: Vec<String>,
}

impl Scenario {
    pub(super) fn new(config: Config) -> Self {
        assert_eq!(config.problem(), None, "the scenario's configuration");
        Self {
            machine: Machine::new(Settings::from(&config)),
            now: time::now(),
            started: HashMap::new(),
            transitions: Vec::new(),
        }
    }

    pub(super) fn play(&mut self, script: &str) -> &mut Self {
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
        let (admission, transition) = self.machine.admit(None, || self.now);
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
        let (admission, transition) = self.machine.admit(None, || self.now);
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
            "left" => (Outcome::Neutral, true),
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

    pub(super) fn told(&self) -> Vec<&str> {
        self.transitions.iter().map(String::as_str).collect()
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        self.machine.snapshot(Counted::default(), self.now)
    }

    pub(super) fn change(&mut self, config: Config) -> &mut Self {
        assert_eq!(config.problem(), None, "the scenario's other configuration");
        self.machine.reconfigure(Settings::from(&config));
        self
    }
}

fn duration(text: &str) -> Duration {
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 1e-3),
        None => (text.strip_suffix('s').expect("`s` or `ms`"), 1.0),
    };
    Duration::from_secs_f64(number.parse::<f64>().expect("a number") * unit)
}

pub(super) fn check(config: Config, script: &str) {
    Scenario::new(config).play(script);
}

pub(super) fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(super) fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Small: a window of four, one trial call.
pub(super) fn small() -> Config {
    Config::new().window_calls(4).min_calls(4).failure_rate(0.5).cooldown(secs(1)).success_threshold(1)
}
