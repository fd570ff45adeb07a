//! The breaker's state machine. Pure: time comes in as an argument, and every step returns what changed.

use std::num::NonZeroU32;
use std::time::Duration;

use super::config::Settings;
use super::snapshot::{Snapshot, State, TripReason};
use super::ticket::{Admission, Passage, Successes, Ticket};
use super::trials::Trials;
use super::window::{Record, Tally, Window};
use crate::outcome::Outcome;
use crate::time::{self, Instant};

/// A step from one state to the next.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Transition {
    Opened { reason: TripReason, snapshot: Snapshot, cooldown: Duration },
    HalfOpened,
    Closed { snapshot: Snapshot },
}

/// What a handle has set the breaker to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Automatic,
    ForcedOpen,
    Disabled,
    Shadow,
}

#[derive(Clone, Debug)]
enum Phase {
    Closed,
    Open {
        since: Instant,
    },
    /// Boxed: a breaker is seldom half-open, and there are many of them.
    HalfOpen(Box<Trials>),
}

#[derive(Clone, Debug)]
pub(super) struct Machine {
    settings: Settings,
    mode: Mode,
    phase: Phase,
    generation: u32,
    window: Window,
    failures_in_a_row: u32,
    /// Since the breaker was last closed; the cooldown grows with it.
    failed_recoveries: u32,
    rejected: u32,
}

impl Machine {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            mode: Mode::Automatic,
            phase: Phase::Closed,
            generation: 0,
            window: Window::new(settings.window),
            failures_in_a_row: 0,
            failed_recoveries: 0,
            rejected: 0,
        }
    }

    pub(super) fn generation(&self) -> u32 {
        self.generation
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(super) fn passage(&self) -> Passage {
        match (self.mode, &self.phase) {
            (Mode::Automatic | Mode::Shadow, Phase::Closed) => Passage::Pass(self.successes()),
            (Mode::Automatic, Phase::Open { since }) => {
                Passage::RefusedIn(*since..time::after(*since, self.cooldown()))
            }
            (Mode::ForcedOpen, _) => Passage::Refused,
            (Mode::Disabled, _) => Passage::Unrecorded,
            (Mode::Automatic, Phase::HalfOpen(_)) | (Mode::Shadow, _) => Passage::Asks,
        }
    }

    /// A success lowers both rates, or leaves them at zero. It can open only where a verdict is due that was not given:
    /// with the call that makes up `min_calls`, or after a limit was lowered.
    fn successes(&self) -> Successes {
        let Tally { calls, failures, slow_calls } = self.window.last_tally();
        let clean = failures == 0 && slow_calls == 0;
        if self.reason_to_open().is_some() || !(clean || calls >= self.settings.min_calls) {
            return Successes::Recorded;
        }
        match &self.window {
            // Its newest is a success: no failure is in a row with others.
            Window::Calls(window) if clean && window.is_full() => Successes::Ignored,
            Window::Calls(_) => Successes::Counted,
            Window::Time(window) => window.newest().map_or(Successes::Recorded, Successes::CountedIn),
        }
    }

    /// Takes in what was counted since the last step: successes, where they pass, and else refusals.
    pub(super) fn take_in(&mut self, counted: u32) {
        if counted == 0 {
            return;
        }
        if let Passage::Pass(_) = self.passage() {
            self.failures_in_a_row = 0;
            self.window.record_successes(counted);
        } else {
            self.rejected = self.rejected.saturating_add(counted);
        }
    }

    pub(super) fn in_shadow(&self) -> bool {
        self.mode == Mode::Shadow
    }

    pub(super) fn state(&self) -> State {
        match (self.mode, &self.phase) {
            (Mode::ForcedOpen, _) => State::ForcedOpen,
            (Mode::Disabled, _) => State::Disabled,
            (Mode::Shadow, _) => State::Shadow,
            (Mode::Automatic, Phase::Closed) => State::Closed,
            (Mode::Automatic, Phase::Open { .. }) => State::Open,
            (Mode::Automatic, Phase::HalfOpen(_)) => State::HalfOpen,
        }
    }

    /// Lets time pass: an open breaker whose cooldown is over is half-open from here on, trial calls that are too old
    /// lose their slots, and a success threshold lowered to what has been reached closes.
    pub(super) fn look(&mut self, now: impl FnOnce() -> Instant) -> Option<Transition> {
        let Settings { success_threshold, probe_timeout, .. } = self.settings;
        let cooldown = self.cooldown();
        match &mut self.phase {
            Phase::Closed => None,
            Phase::Open { since } => {
                if matches!(self.mode, Mode::ForcedOpen | Mode::Disabled) {
                    return None;
                }
                if now() < time::after(*since, cooldown) {
                    return None;
                }
                self.enter(Phase::HalfOpen(Box::default()));
                self.window.clear();
                Some(Transition::HalfOpened)
            }
            Phase::HalfOpen(trials) if trials.successes >= success_threshold => Some(self.close()),
            Phase::HalfOpen(trials) => {
                trials.forget_older_than(probe_timeout, now());
                None
            }
        }
    }

    pub(super) fn admit(&mut self, now: impl Fn() -> Instant) -> (Admission, Option<Transition>) {
        self.meet_clock(&now);
        let transition = self.look(&now);
        let admission = match self.mode {
            Mode::Disabled => Admission::Pass(Ticket::UNRECORDED),
            Mode::ForcedOpen => self.refuse(None),
            Mode::Automatic | Mode::Shadow => self.admit_by_phase(now),
        };
        (admission, transition)
    }

    /// A moment ahead of a call's clock is another runtime's: nobody waits longer than the cooldown from now.
    ///
    /// Only calls do this. A reader on another runtime, as a snapshot of the whole registry is, changes nothing.
    fn meet_clock(&mut self, now: impl FnOnce() -> Instant) {
        match &mut self.phase {
            Phase::Closed => {}
            Phase::Open { since } => *since = (*since).min(now()),
            Phase::HalfOpen(trials) => trials.meet_clock(now()),
        }
    }

    fn admit_by_phase(&mut self, now: impl Fn() -> Instant) -> Admission {
        let Settings { success_threshold, max_probes, .. } = self.settings;
        match &mut self.phase {
            Phase::Closed => Admission::Pass(Ticket::regular(self.generation)),
            Phase::Open { since } => {
                let over = time::after(*since, self.settings.cooldown_after(self.failed_recoveries));
                self.refuse(Some(over.saturating_duration_since(now())))
            }
            Phase::HalfOpen(trials) => {
                let in_flight = trials.in_flight();
                if in_flight < max_probes && trials.successes.saturating_add(in_flight) < success_threshold {
                    Admission::Pass(Ticket::probe(self.generation, trials.start(now())))
                } else {
                    self.refuse(None)
                }
            }
        }
    }

    fn refuse(&mut self, retry_after: Option<Duration>) -> Admission {
        self.rejected = self.rejected.saturating_add(1);
        if self.in_shadow() { Admission::WouldRefuse { retry_after } } else { Admission::Refused { retry_after } }
    }

    /// Takes in a call's result. `slow` is known only where `slow_call` is set.
    pub(super) fn record(
        &mut self,
        ticket: Ticket,
        outcome: Outcome,
        slow: bool,
        now: impl Fn() -> Instant,
    ) -> Option<Transition> {
        if ticket.generation() != self.generation {
            return None;
        }
        match ticket.probe_number() {
            None => self.record_regular(outcome, slow, now),
            Some(probe) => self.record_probe(probe, outcome, slow, now),
        }
    }

    fn record_regular(&mut self, outcome: Outcome, slow: bool, now: impl Fn() -> Instant) -> Option<Transition> {
        let failed = match outcome {
            Outcome::Neutral => return None,
            Outcome::Success => false,
            Outcome::Failure => true,
        };
        self.failures_in_a_row = if failed { self.failures_in_a_row.saturating_add(1) } else { 0 };
        self.window.record(Record { failed, slow }, &now);
        let reason = self.reason_to_open()?;
        Some(self.open(reason, now()))
    }

    fn reason_to_open(&self) -> Option<TripReason> {
        let Settings { consecutive_failures, min_calls, failure_rate, slow_call_rate, .. } = self.settings;
        if consecutive_failures.is_some_and(|limit| self.failures_in_a_row >= limit.get()) {
            return Some(TripReason::ConsecutiveFailures);
        }
        let Tally { calls, failures, slow_calls } = self.window.last_tally();
        if calls < min_calls {
            return None;
        }
        if rate(failures, calls) > failure_rate {
            Some(TripReason::FailureRate)
        } else if rate(slow_calls, calls) > slow_call_rate {
            Some(TripReason::SlowCallRate)
        } else {
            None
        }
    }

    fn record_probe(
        &mut self,
        probe: NonZeroU32,
        outcome: Outcome,
        slow: bool,
        now: impl Fn() -> Instant,
    ) -> Option<Transition> {
        let success_threshold = self.settings.success_threshold;
        let Phase::HalfOpen(trials) = &mut self.phase else { return None };
        // A probe that lost its slot is not in the list any more.
        let started = trials.end(probe)?;
        let on_time = |now: Instant| now < time::after(started, self.settings.probe_timeout);
        match outcome {
            Outcome::Neutral => None,
            Outcome::Success if !slow => {
                if !on_time(now()) {
                    return None;
                }
                trials.successes += 1;
                self.window.record(Record { failed: false, slow: false }, now);
                if trials.successes < success_threshold { None } else { Some(self.close()) }
            }
            Outcome::Success | Outcome::Failure => {
                let now = now();
                if !on_time(now) {
                    return None;
                }
                self.failed_recoveries = self.failed_recoveries.saturating_add(1);
                self.window.record(Record { failed: true, slow }, || now);
                Some(self.open(TripReason::TrialFailed, now))
            }
        }
    }

    fn open(&mut self, reason: TripReason, now: Instant) -> Transition {
        self.enter(Phase::Open { since: now });
        Transition::Opened { reason, cooldown: self.cooldown(), snapshot: self.snapshot_at(now) }
    }

    fn close(&mut self) -> Transition {
        let Tally { calls, failures, slow_calls } = self.window.last_tally();
        let snapshot = Snapshot { calls, failures, slow_calls, ..self.empty_snapshot() };
        self.start_afresh(Mode::Automatic.or_shadow(self.in_shadow()));
        Transition::Closed { snapshot: Snapshot { state: self.state(), ..snapshot } }
    }

    fn start_afresh(&mut self, mode: Mode) {
        self.mode = mode;
        self.enter(Phase::Closed);
        self.window.clear();
        self.failures_in_a_row = 0;
        self.failed_recoveries = 0;
    }

    fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        // A number comes again only after more transitions than a call in flight can see.
        self.generation = (self.generation + 1) % u32::MAX;
        self.rejected = 0;
    }

    fn cooldown(&self) -> Duration {
        self.settings.cooldown_after(self.failed_recoveries)
    }

    /// Sets the breaker to a state by hand; `Closed` is a reset. Returns whether the state is another one now.
    pub(super) fn force(&mut self, state: State) -> bool {
        let before = self.state();
        let mode = match state {
            State::ForcedOpen => Mode::ForcedOpen,
            State::Disabled => Mode::Disabled,
            State::Shadow => Mode::Shadow,
            State::Closed | State::Open | State::HalfOpen => Mode::Automatic,
        };
        if mode != self.mode || mode == Mode::Automatic {
            self.start_afresh(mode);
        }
        self.state() != before
    }

    /// Takes on other options and keeps the state. A running cooldown takes the new length.
    pub(super) fn reconfigure(&mut self, settings: Settings) {
        if settings.window != self.settings.window {
            self.window.resize(settings.window);
        }
        self.settings = settings;
    }

    pub(super) fn snapshot(&mut self, now: Instant) -> Snapshot {
        // What is too old for a window of time leaves it now; while open, the window shows why.
        if matches!(self.phase, Phase::Closed) {
            self.window.tally(|| now);
        }
        self.snapshot_at(now)
    }

    fn snapshot_at(&self, now: Instant) -> Snapshot {
        let Tally { calls, failures, slow_calls } = self.window.last_tally();
        let verdict = calls >= self.settings.min_calls && !matches!(self.phase, Phase::HalfOpen(_));
        let (probes_in_flight, cooldown_remaining) = match &self.phase {
            Phase::Closed => (0, None),
            Phase::Open { since } => {
                let over = time::after(*since, self.cooldown());
                (0, Some(over.saturating_duration_since(now).min(self.cooldown())))
            }
            Phase::HalfOpen(trials) => (trials.in_flight(), None),
        };
        Snapshot {
            calls,
            failures,
            slow_calls,
            failure_rate: verdict.then(|| rate(failures, calls)),
            slow_call_rate: (verdict && self.settings.slow_call.is_some()).then(|| rate(slow_calls, calls)),
            rejected: self.rejected,
            probes_in_flight,
            cooldown_remaining,
            ..self.empty_snapshot()
        }
    }

    fn empty_snapshot(&self) -> Snapshot {
        Snapshot {
            state: self.state(),
            calls: 0,
            failures: 0,
            slow_calls: 0,
            failure_rate: None,
            slow_call_rate: None,
            rejected: 0,
            probes_in_flight: 0,
            cooldown_remaining: None,
        }
    }
}

impl Mode {
    fn or_shadow(self, shadow: bool) -> Self {
        if shadow { Self::Shadow } else { self }
    }
}

/// The quotient is correctly rounded, and so is a literal: a rate equal to its threshold compares equal.
fn rate(part: u32, calls: u32) -> f64 {
    f64::from(part) / f64::from(calls)
}
