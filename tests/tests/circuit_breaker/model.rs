//! A breaker beside a naive model of it: a list of results, looked through from the beginning each time.

use std::time::Duration;

use proptest::prelude::*;
use resilience::circuit_breaker::{Config, Permit, Snapshot, State};
use resilience::{CircuitBreaker, Live, Outcome, PolicySnapshot};
use resilience_tests::{Clock, alone, breaker, ms, sleep};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Window {
    Calls(usize),
    Time(Duration),
}

/// What the model knows of a breaker's options.
#[derive(Clone, Debug)]
struct Options {
    window: Window,
    min_calls: usize,
    failure_rate: f64,
    consecutive_failures: usize,
    slow_call: Option<Duration>,
    cooldown: Duration,
    success_threshold: usize,
    max_probes: usize,
    probe_timeout: Duration,
}

impl Options {
    fn config(&self) -> Config {
        let count = |number: usize| u32::try_from(number).unwrap();
        let config = match self.window {
            Window::Calls(calls) => Config::new().window_calls(count(calls)),
            Window::Time(length) => Config::new().window(length),
        };
        let config = config
            .min_calls(count(self.min_calls))
            .failure_rate(self.failure_rate)
            .consecutive_failures(count(self.consecutive_failures))
            .cooldown(self.cooldown)
            .success_threshold(count(self.success_threshold))
            .max_probes(count(self.max_probes))
            .probe_timeout(self.probe_timeout);
        self.slow_call.map_or(config, |limit| config.slow_call(limit).slow_call_rate(0.5))
    }
}

#[derive(Clone, Copy, Debug)]
struct Call {
    failed: bool,
    slow: bool,
    /// In a window of time, the bucket.
    bucket: u128,
}

/// A call in flight, as the model sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ticket {
    /// Which stay in which state let it through.
    stay: u32,
    call: u32,
    recorded: bool,
    timed: bool,
    started: Duration,
}

#[derive(Debug)]
struct Model {
    options: Options,
    state: State,
    /// In shadow, what the breaker would be.
    phase: State,
    stay: u32,
    opened: Duration,
    results: Vec<Call>,
    /// When the first of them ended.
    begun: Option<Duration>,
    in_a_row: usize,
    trials: Vec<Ticket>,
    successes: usize,
    rejected: u32,
    calls: u32,
}

impl Model {
    fn new(options: Options) -> Self {
        Self {
            options,
            state: State::Closed,
            phase: State::Closed,
            stay: 0,
            opened: Duration::ZERO,
            results: Vec::new(),
            begun: None,
            in_a_row: 0,
            trials: Vec::new(),
            successes: 0,
            rejected: 0,
            calls: 0,
        }
    }

    fn enter(&mut self, phase: State) {
        self.phase = phase;
        self.stay += 1;
        self.rejected = 0;
        if phase != State::Open {
            self.empty();
        }
        if phase == State::Closed {
            self.in_a_row = 0;
        }
        self.trials.clear();
        self.successes = 0;
    }

    fn look(&mut self, now: Duration) {
        match self.phase {
            State::Open if now >= self.opened + self.options.cooldown => self.enter(State::HalfOpen),
            State::HalfOpen if self.successes >= self.options.success_threshold => self.enter(State::Closed),
            State::HalfOpen => self.trials.retain(|trial| trial.started + self.options.probe_timeout >= now),
            _ => {}
        }
    }

    /// A call's ticket, or the wait that a refusal tells.
    fn start(&mut self, now: Duration) -> Result<Ticket, Option<Duration>> {
        self.look(now);
        self.calls += 1;
        let timed = self.options.slow_call.is_some();
        let ticket = Ticket { stay: self.stay, call: self.calls, recorded: true, timed, started: now };
        let unrecorded = Ticket { recorded: false, ..ticket };
        if self.state == State::Disabled {
            return Ok(unrecorded);
        }
        let refused = match (self.state, self.phase) {
            (State::ForcedOpen, _) => None,
            (_, State::Open) => Some(self.opened + self.options.cooldown - now),
            (_, State::HalfOpen) => {
                let Options { max_probes, success_threshold, .. } = self.options;
                if self.trials.len() < max_probes && self.successes + self.trials.len() < success_threshold {
                    self.trials.push(ticket);
                    return Ok(ticket);
                }
                None
            }
            _ => return Ok(ticket),
        };
        self.rejected += 1;
        if self.state == State::Shadow { Ok(unrecorded) } else { Err(refused) }
    }

    fn end(&mut self, ticket: Ticket, outcome: Outcome, now: Duration) {
        if !ticket.recorded || ticket.stay != self.stay {
            return;
        }
        let slow_call = self.options.slow_call.filter(|_| ticket.timed);
        let slow = slow_call.is_some_and(|limit| now - ticket.started > limit);
        let call = Call { failed: outcome == Outcome::Failure, slow, bucket: 0 };
        if self.phase == State::HalfOpen {
            return self.end_trial(ticket, outcome, call, now);
        }
        if outcome == Outcome::Neutral && !slow {
            return;
        }
        self.record(call, now);
        self.in_a_row = match outcome {
            Outcome::Success => 0,
            Outcome::Failure => self.in_a_row + 1,
            Outcome::Neutral => self.in_a_row,
        };
        let Options { min_calls, failure_rate, consecutive_failures, .. } = self.options;
        let calls = self.results.len();
        let above = |count: usize, rate: f64| calls >= min_calls && count as f64 / calls as f64 > rate;
        if self.in_a_row >= consecutive_failures || above(self.failures(), failure_rate) || above(self.slow(), 0.5) {
            self.enter(State::Open);
            self.opened = now;
        }
    }

    fn end_trial(&mut self, ticket: Ticket, outcome: Outcome, call: Call, now: Duration) {
        // One that is not among them any more has lost its slot, and counts all the same.
        self.trials.retain(|trial| *trial != ticket);
        if outcome == Outcome::Neutral && !call.slow {
            return;
        }
        if call.failed || call.slow {
            self.record(Call { failed: outcome != Outcome::Neutral, ..call }, now);
            self.enter(State::Open);
            self.opened = now;
            return;
        }
        self.record(call, now);
        self.successes += 1;
        if self.successes >= self.options.success_threshold {
            self.enter(State::Closed);
        }
    }

    fn record(&mut self, call: Call, now: Duration) {
        self.begun.get_or_insert(now);
        let bucket = self.bucket(now);
        self.results.push(Call { bucket, ..call });
        self.keep_newest(bucket);
    }

    fn bucket(&self, now: Duration) -> u128 {
        match (self.options.window, self.begun) {
            (Window::Time(length), Some(begun)) => (now - begun).as_nanos() / tenth(length),
            _ => 0,
        }
    }

    /// As of a moment in that bucket.
    fn keep_newest(&mut self, bucket: u128) {
        match self.options.window {
            Window::Calls(calls) => {
                let surplus = self.results.len().saturating_sub(calls);
                self.results.drain(..surplus);
            }
            Window::Time(_) => self.results.retain(|call| call.bucket + 10 > bucket),
        }
    }

    fn empty(&mut self) {
        self.results.clear();
        self.begun = None;
    }

    /// Calls, failures and slow calls, to a reader in that bucket, who changes nothing.
    fn numbers_in(&self, bucket: u128) -> (usize, usize, usize) {
        let seen = || {
            self.results
                .iter()
                .filter(|call| matches!(self.options.window, Window::Calls(_)) || call.bucket + 10 > bucket)
        };
        (seen().count(), seen().filter(|call| call.failed).count(), seen().filter(|call| call.slow).count())
    }

    fn failures(&self) -> usize {
        self.results.iter().filter(|call| call.failed).count()
    }

    fn slow(&self) -> usize {
        self.results.iter().filter(|call| call.slow).count()
    }

    fn force(&mut self, state: State) {
        if state != self.state || state == State::Closed {
            self.state = state;
            self.enter(State::Closed);
        }
    }

    fn change(&mut self, options: Options) {
        let before = std::mem::replace(&mut self.options, options).window;
        match (before, self.options.window) {
            (Window::Calls(_), Window::Calls(_)) => {}
            (Window::Time(before), Window::Time(length)) => {
                let moved = |call: &mut Call| call.bucket = call.bucket * tenth(before) / tenth(length);
                self.results.iter_mut().for_each(moved);
            }
            _ => self.empty(),
        }
        if self.options.slow_call.is_none() {
            self.results.iter_mut().for_each(|call| call.slow = false);
        }
        self.keep_newest(self.results.last().map_or(0, |newest| newest.bucket));
    }

    fn shown(&self) -> State {
        if self.state == State::Closed { self.phase } else { self.state }
    }
}

fn tenth(length: Duration) -> u128 {
    length.as_nanos() / 10
}

#[derive(Clone, Debug)]
enum Step {
    Start,
    /// Ends one of the calls in flight.
    End(usize, Outcome),
    /// So many calls that end at once, the one after the other.
    Calls(usize, Outcome),
    Wait(u64),
    Force(State),
    Change(Options),
    Look,
}

fn options() -> impl Strategy<Value = Options> {
    let calls = (1usize..140).prop_flat_map(|calls| (Just(Window::Calls(calls)), 1..=calls));
    let time = (1u64..300, 1usize..140).prop_map(|(length, min_calls)| (Window::Time(ms(length)), min_calls));
    let window = prop_oneof![calls, time];
    let rates =
        (prop::sample::select(vec![0.0, 0.2, 0.5, 0.9, 0.99]), 1usize..30, prop::option::of((1u64..40).prop_map(ms)));
    let trials = (1usize..5).prop_flat_map(|threshold| (Just(threshold), 1..=threshold, 1u64..200, 1u64..200));
    (window, rates, trials).prop_map(
        |((window, min_calls), (failure_rate, consecutive_failures, slow_call), trials)| {
            let (success_threshold, max_probes, cooldown, probe_timeout) = trials;
            Options {
                window,
                min_calls,
                failure_rate,
                consecutive_failures,
                slow_call,
                cooldown: ms(cooldown),
                success_threshold,
                max_probes,
                probe_timeout: ms(probe_timeout),
            }
        },
    )
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let outcome = || prop::sample::select(vec![Outcome::Success, Outcome::Success, Outcome::Failure, Outcome::Neutral]);
    let state = prop::sample::select(vec![State::Closed, State::ForcedOpen, State::Disabled, State::Shadow]);
    let step = prop_oneof![
        8 => Just(Step::Start),
        8 => (any::<usize>(), outcome()).prop_map(|(call, outcome)| Step::End(call, outcome)),
        4 => (1usize..300).prop_map(|calls| Step::Calls(calls, Outcome::Success)),
        2 => (1usize..5, outcome()).prop_map(|(calls, outcome)| Step::Calls(calls, outcome)),
        4 => (1u64..60).prop_map(Step::Wait),
        1 => state.prop_map(Step::Force),
        1 => options().prop_map(Step::Change),
        3 => Just(Step::Look),
    ];
    prop::collection::vec(step, 1..120)
}

/// Both, and the calls in flight through them.
struct Pair {
    breaker: CircuitBreaker,
    model: Model,
    in_flight: Vec<(Permit, Ticket)>,
    clock: Clock,
}

impl Pair {
    fn new(options: Options) -> Self {
        let breaker = breaker(options.config());
        Self { breaker, model: Model::new(options), in_flight: Vec::new(), clock: Clock::start() }
    }

    fn start(&mut self) -> Option<(Permit, Ticket)> {
        match (self.breaker.try_acquire(), self.model.start(self.clock.elapsed())) {
            (Ok(permit), Ok(ticket)) => Some((permit, ticket)),
            (Err(error), Err(wait)) => {
                assert_eq!(error.retry_after(), wait);
                None
            }
            (Ok(_), Err(_)) => panic!("a call passed that the model refuses: {:?}", self.model),
            (Err(error), Ok(_)) => panic!("{error}, but the model lets the call pass: {:?}", self.model),
        }
    }

    fn end(&mut self, (permit, ticket): (Permit, Ticket), outcome: Outcome) {
        match outcome {
            Outcome::Neutral => drop(permit),
            outcome => permit.record(outcome),
        }
        self.model.end(ticket, outcome, self.clock.elapsed());
    }

    async fn step(&mut self, step: Step) {
        match step {
            Step::Start => {
                let started = self.start();
                self.in_flight.extend(started);
            }
            Step::End(call, outcome) => {
                if !self.in_flight.is_empty() {
                    let call = self.in_flight.swap_remove(call % self.in_flight.len());
                    self.end(call, outcome);
                }
            }
            Step::Calls(calls, outcome) => {
                for _ in 0..calls {
                    if let Some(call) = self.start() {
                        self.end(call, outcome);
                    }
                }
            }
            Step::Wait(millis) => sleep(ms(millis)).await,
            Step::Force(state) => {
                match state {
                    State::ForcedOpen => self.breaker.force_open(),
                    State::Disabled => self.breaker.disable(),
                    State::Shadow => self.breaker.shadow(),
                    _ => self.breaker.reset(),
                }
                self.model.force(state);
            }
            Step::Change(options) => {
                CircuitBreaker::register(self.breaker.name(), options.config()).unwrap();
                self.model.change(options);
            }
            Step::Look => self.compare(),
        }
    }

    fn compare(&mut self) {
        let (seen, now) = (self.breaker.snapshot(), self.clock.elapsed());
        self.model.look(now);
        let model = &self.model;
        let numbers = (seen.calls as usize, seen.failures as usize, seen.slow_calls as usize);
        let expected = match model.phase {
            State::Closed => model.numbers_in(model.bucket(now)),
            State::HalfOpen => (model.successes, 0, 0),
            // The window shows why.
            _ => model.numbers_in(0),
        };
        assert_eq!(numbers, expected, "{model:?}");
        assert_eq!((seen.state, seen.rejected), (model.shown(), model.rejected), "{model:?}");
        assert_eq!(seen.probes_in_flight as usize, model.trials.len(), "{model:?}");
        let remaining = (model.phase == State::Open).then(|| model.opened + model.options.cooldown - now);
        assert_eq!(seen.cooldown_remaining, remaining, "{model:?}");
    }
}

proptest! {
    #[test]
    fn a_breaker_is_a_list_of_results(options in options(), steps in steps()) {
        alone().block_on(async {
            let mut pair = Pair::new(options);
            for step in steps {
                pair.step(step).await;
            }
            // The overview of the whole program changes nothing, and shows the same.
            let shown = overview(pair.breaker.name());
            pair.compare();
            assert_eq!(shown, pair.breaker.snapshot());
        });
    }
}

fn overview(name: &str) -> Snapshot {
    let all = resilience::registry().snapshot();
    let mut breakers = all.policies().iter().filter(|policy| policy.kind() == "circuit_breaker");
    match breakers.find(|policy| policy.name() == name).and_then(PolicySnapshot::live) {
        Some(Live::CircuitBreaker(live)) => live.clone(),
        other => panic!("{other:?}"),
    }
}
