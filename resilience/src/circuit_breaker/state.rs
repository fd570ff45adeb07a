//! The breaker's state machine. Pure: time comes in as an argument, and every step returns what changed.

use std::num::NonZeroU32;
use std::time::Duration;

use super::config::Settings;
use super::snapshot::{Snapshot, State, TripReason};
use super::ticket::{Admission, Counted, Passage, Successes, Ticket};
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

#[derive(Debug)]
enum Phase {
    Closed,
    Open {
        since: Instant,
    },
    /// Boxed: a breaker is seldom half-open, and there are many of them.
    HalfOpen(Box<Trials>),
}

#[derive(Debug)]
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
        let clean = failures == 0 && slow_calls == 0 && self.failures_in_a_row == 0;
        if self.reason_to_open().is_some() || !(clean || calls >= self.settings.min_calls) {
            return Successes::Recorded;
        }
        match &self.window {
            Window::Calls(window) if clean && window.is_full() => Successes::Ignored,
            Window::Calls(_) => Successes::Counted,
            Window::Time(window) => window.newest().map_or(Successes::Recorded, Successes::CountedIn),
        }
    }

    /// Takes in what was counted since the last step.
    pub(super) fn take_in(&mut self, counted: u32) {
        let (successes, refusals) = self.counted(counted);
        if successes > 0 {
            self.failures_in_a_row = 0;
            self.window.record_successes(successes);
        }
        self.rejected = self.rejected.saturating_add(refusals);
    }

    /// What is counted without the lock: successes, where all calls pass, and else refusals.
    fn counted(&self, number: u32) -> (u32, u32) {
        let all_pass = matches!(self.phase, Phase::Closed) && matches!(self.mode, Mode::Automatic | Mode::Shadow);
        if all_pass { (number, 0) } else { (0, number) }
    }

    pub(super) fn in_shadow(&self) -> bool {
        self.mode == Mode::Shadow
    }

    pub(super) fn state(&self) -> State {
        self.shown(match &self.phase {
            Phase::Closed => State::Closed,
            Phase::Open { .. } => State::Open,
            Phase::HalfOpen(_) => State::HalfOpen,
        })
    }

    /// What a reader sees of the state that is, or would be, the breaker's own.
    fn shown(&self, own: State) -> State {
        match self.mode {
            Mode::Automatic => own,
            Mode::ForcedOpen => State::ForcedOpen,
            Mode::Disabled => State::Disabled,
            Mode::Shadow => State::Shadow,
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
            Phase::HalfOpen(trials) if trials.successes >= success_threshold => {
                let successes = trials.successes;
                Some(self.close(successes))
            }
            Phase::HalfOpen(trials) => {
                trials.forget_older_than(probe_timeout, now());
                None
            }
        }
    }

    /// Answers a call that asks to pass. Inside of a call that lends its trial slot it needs none of its own.
    pub(super) fn admit(
        &mut self,
        lends: Option<Ticket>,
        now: impl Fn() -> Instant,
    ) -> (Admission, Option<Transition>) {
        self.meet_clock(&now);
        let transition = self.look(&now);
        let admission = match self.mode {
            Mode::Disabled => Admission::Pass(Ticket::UNRECORDED),
            Mode::ForcedOpen => self.refuse(None),
            Mode::Automatic | Mode::Shadow => match lends.filter(|ticket| self.is_trial(*ticket)) {
                Some(trial) => Admission::Pass(trial),
                None => self.admit_by_phase(now),
            },
        };
        (admission, transition)
    }

    /// Whether the ticket is that of a trial call of the present half-open state.
    fn is_trial(&self, ticket: Ticket) -> bool {
        matches!(self.phase, Phase::HalfOpen(_))
            && ticket.generation() == self.generation
            && ticket.probe_number().is_some()
    }

    /// Whether it is certain that a call which comes after so long is refused.
    pub(super) fn refuses_for(&self, length: Duration, now: impl FnOnce() -> Instant) -> bool {
        match (self.mode, &self.phase) {
            (Mode::ForcedOpen, _) => true,
            (Mode::Automatic, Phase::Open { since }) => {
                time::after(now(), length) < time::after(*since, self.cooldown())
            }
            _ => false,
        }
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

    /// Whether a call of that length, in nanoseconds, is slow.
    pub(super) fn is_slow(&self, elapsed: Option<u64>) -> bool {
        elapsed.zip(self.settings.slow).is_some_and(|(elapsed, slow)| elapsed > slow.limit.get())
    }

    /// Takes in a call's result. A neutral one that is slow is a call that its caller dropped too late to say nothing: it
    /// was slow, and did not fail.
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
        match outcome {
            Outcome::Neutral if slow => {}
            Outcome::Neutral => return None,
            Outcome::Success => self.failures_in_a_row = 0,
            Outcome::Failure => self.failures_in_a_row = self.failures_in_a_row.saturating_add(1),
        }
        self.window.record(Record { failed: outcome == Outcome::Failure, slow }, &now);
        let reason = self.reason_to_open()?;
        Some(self.open(reason, now()))
    }

    fn reason_to_open(&self) -> Option<TripReason> {
        let Settings { consecutive_failures, min_calls, failure_rate, slow, .. } = self.settings;
        if consecutive_failures.is_some_and(|limit| self.failures_in_a_row >= limit.get()) {
            return Some(TripReason::ConsecutiveFailures);
        }
        let Tally { calls, failures, slow_calls } = self.window.last_tally();
        if calls < min_calls {
            return None;
        }
        if rate(failures, calls) > failure_rate {
            Some(TripReason::FailureRate)
        } else if slow.is_some_and(|slow| rate(slow_calls, calls) > slow.rate) {
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
        // One that took too long has lost its slot to others, and counts all the same: the dependency has answered.
        trials.give_back(probe);
        match outcome {
            Outcome::Neutral if !slow => None,
            Outcome::Success if !slow => {
                trials.successes += 1;
                let successes = trials.successes;
                self.window.record(Record { failed: false, slow: false }, now);
                (successes >= success_threshold).then(|| self.close(successes))
            }
            Outcome::Success | Outcome::Failure | Outcome::Neutral => {
                let now = now();
                self.failed_recoveries = self.failed_recoveries.saturating_add(1);
                self.window.record(Record { failed: outcome != Outcome::Neutral, slow }, || now);
                Some(self.open(TripReason::TrialFailed, now))
            }
        }
    }

    fn open(&mut self, reason: TripReason, now: Instant) -> Transition {
        self.enter(Phase::Open { since: now });
        Transition::Opened { reason, cooldown: self.cooldown(), snapshot: self.snapshot(Counted::default(), now) }
    }

    /// After so many successful trial calls.
    fn close(&mut self, successes: u32) -> Transition {
        self.start_afresh(self.mode);
        Transition::Closed { snapshot: Snapshot { calls: successes, ..empty(self.state()) } }
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
        if self.settings.slow.is_some() && settings.slow.is_none() {
            // What an option has counted goes with it: no reader sees it, and nothing decides by it, also where it comes back.
            self.window.forget_slow();
        }
        self.settings = settings;
    }

    /// What a reader sees: the state and its numbers as of that moment, with what was counted without the lock. Nothing
    /// changes, and nothing is copied.
    pub(super) fn snapshot(&self, Counted { results, cut_early }: Counted, now: Instant) -> Snapshot {
        let Settings { success_threshold, probe_timeout, .. } = self.settings;
        let (successes, refusals) = self.counted(results);
        let rejected = self.rejected.saturating_add(refusals);
        match &self.phase {
            Phase::Closed => Snapshot { rejected, cut_early, ..self.numbers(self.window.tally(successes, now)) },
            Phase::Open { since } => {
                let cooldown = self.cooldown();
                let rest = time::after(*since, cooldown).saturating_duration_since(now).min(cooldown);
                if rest.is_zero() {
                    return empty(self.shown(State::HalfOpen));
                }
                // The window shows why, however old it is.
                let why = self.numbers(self.window.last_tally());
                Snapshot { rejected, cut_early, cooldown_remaining: Some(rest), ..why }
            }
            Phase::HalfOpen(trials) if trials.successes >= success_threshold => empty(self.shown(State::Closed)),
            Phase::HalfOpen(trials) => Snapshot {
                calls: trials.successes,
                rejected,
                cut_early,
                probes_in_flight: trials.in_flight_at(probe_timeout, now),
                ..empty(self.state())
            },
        }
    }

    fn numbers(&self, Tally { calls, failures, slow_calls }: Tally) -> Snapshot {
        let verdict = calls >= self.settings.min_calls;
        Snapshot {
            calls,
            failures,
            slow_calls,
            failure_rate: verdict.then(|| rate(failures, calls)),
            slow_call_rate: (verdict && self.settings.slow.is_some()).then(|| rate(slow_calls, calls)),
            ..empty(self.state())
        }
    }
}

fn empty(state: State) -> Snapshot {
    Snapshot {
        state,
        calls: 0,
        failures: 0,
        slow_calls: 0,
        failure_rate: None,
        slow_call_rate: None,
        rejected: 0,
        cut_early: 0,
        probes_in_flight: 0,
        cooldown_remaining: None,
    }
}

/// The quotient is correctly rounded, and so is a literal: a rate equal to its threshold compares equal.
fn rate(part: u32, calls: u32) -> f64 {
    f64::from(part) / f64::from(calls)
}
