// Circuit breaker: stops calling a dependency that fails, and tries again after a while.
//
// This is the shell: it locks, reads the clock and tells; the decisions are in `state.rs`, `trials.rs` and the windows.

mod acquire;
mod call;
mod call_window;
mod config;
mod gate;
mod held;
#[cfg(test)]
mod live_tests;
#[cfg(all(test, resilience_loom))]
mod loom_tests;
mod permit;
#[cfg(test)]
mod scenario;
mod snapshot;
mod state;
#[cfg(test)]
mod state_tests;
mod ticket;
mod time_window;
mod trials;
mod window;

use std::sync::PoisonError;
use std::time::Duration;

use acquire::acquire;
pub(crate) use acquire::{asked, at_once};
pub use call::{Call, Judge, When};
pub use config::Config;
pub use held::Held;
pub use permit::Permit;
pub use snapshot::{Snapshot, State, TripReason};

use crate::error::Error;
use crate::event::{Event, Outbox};
use crate::outcome::Outcome;
use crate::policy::{Shared, handle, shared};
use crate::registry::{Entry, Live, Registry};
use crate::sync::{Mutex, MutexGuard};
use crate::time::{self, Instant};
use config::Settings;
use gate::Gate;
use state::{Machine, Transition};
use ticket::Ticket;

static REGISTRY: Registry<Breaker> = Registry::new();

/// The state behind a name.
#[doc(hidden)]
#[derive(Debug)]
pub struct Breaker {
    gate: Gate,
    machine: Mutex<Machine>,
    outbox: Outbox,
}

shared!(Breaker, Config, "circuit_breaker");

impl Shared for Breaker {
    fn registry() -> &'static Registry<Self> {
        &REGISTRY
    }

    fn create(config: &Config) -> Self {
        let machine = Machine::new(Settings::from(config));
        Self { gate: Gate::new(&machine), machine: Mutex::new(machine), outbox: Outbox::default() }
    }

    fn apply(&self, config: &Config) {
        self.work(|machine| machine.reconfigure(Settings::from(config)));
    }

    fn refuses_for(entry: &'static Entry<Self>, after: Duration) -> bool {
        entry.state.refuses_for(after)
    }

    fn live(entry: &'static Entry<Self>) -> Live {
        Live::CircuitBreaker(entry.state.seen(time::now))
    }
}

impl Breaker {
    fn lock(&self) -> MutexGuard<'_, Machine> {
        // The machine's steps do not panic half-way; and a breaker must outlive whoever did.
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a reader sees who changes nothing, as an overview of the whole program, perhaps on another runtime's clock.
    fn seen(&self, now: impl FnOnce() -> Instant) -> Snapshot {
        let machine = self.lock();
        machine.snapshot(self.gate.counted(machine.generation()), now())
    }

    /// Whether it is certain that a call which comes after so long is refused. A reader changes nothing.
    fn refuses_for(&self, length: Duration) -> bool {
        self.gate.may_refuse() && self.lock().refuses_for(length, time::now)
    }

    /// After how many nanoseconds a call is slow, if that is asked for.
    fn slow_call(&self) -> Option<u64> {
        self.gate.slow_call()
    }

    /// Whether a call that ran so long is slow.
    fn is_slow(&self, ran: Option<u64>) -> bool {
        ran.is_some_and(|ran| self.gate.finds_slow(ran))
    }

    /// Counts a call that an impatient caller's deadline cut, too early to say anything about the dependency.
    fn count_cut_early(&self, ticket: Ticket) {
        self.gate.count_cut_early(ticket);
    }

    /// Works on the machine, after what was recorded and refused without its lock.
    fn work<T>(&self, work: impl FnOnce(&mut Machine) -> T) -> T {
        let mut machine = self.lock();
        machine.take_in(self.gate.close());
        let result = work(&mut machine);
        self.gate.open(&machine);
        result
    }

    /// Works on the machine; a transition that comes of it is told once the lock is released.
    fn step<T>(&self, policy: &'static str, work: impl FnOnce(&mut Machine) -> (T, Option<Transition>)) -> T {
        let (result, changed) = self.work(|machine| {
            let (result, transition) = work(machine);
            let changed = transition.is_some();
            if let Some(transition) = transition {
                self.outbox.put(told(policy, transition, machine.in_shadow()));
            }
            (result, changed)
        });
        if changed {
            self.outbox.deliver();
        }
        result
    }

    /// Takes in how a call ended, and how long its body ran, in nanoseconds, where that was taken: a call is timed where it
    /// starts while `slow_call` is set. The limit is the one in force when it ends.
    fn record(&self, policy: &'static str, ticket: Ticket, outcome: Outcome, elapsed: Option<u64>) {
        if ticket == Ticket::UNRECORDED {
            return;
        }
        if outcome == Outcome::Neutral && ticket.probe_number().is_none() {
            // Only a slow one counts; the others, which come in masses where callers give up, take no lock.
            if !self.is_slow(elapsed) {
                return;
            }
        }
        let now = || time::stamp(time::now());
        if outcome == Outcome::Success && self.gate.record_success(ticket, elapsed, now) {
            return;
        }
        self.record_by_machine(policy, ticket, outcome, elapsed);
    }

    #[inline(never)]
    fn record_by_machine(&self, policy: &'static str, ticket: Ticket, outcome: Outcome, elapsed: Option<u64>) {
        self.step(policy, |machine| {
            let slow = machine.is_slow(elapsed);
            ((), machine.record(ticket, outcome, slow, time::now))
        });
    }

    fn force(&self, policy: &'static str, state: State) {
        self.work(|machine| {
            if machine.force(state) {
                self.outbox.put(Event::CircuitBreakerForced { policy, state });
            }
        });
        self.outbox.deliver();
    }
}

fn told(policy: &'static str, transition: Transition, shadow: bool) -> Event {
    match transition {
        Transition::Opened { reason, snapshot, cooldown } => {
            Event::CircuitBreakerOpened { policy, reason, snapshot, cooldown, shadow }
        }
        Transition::HalfOpened => Event::CircuitBreakerHalfOpened { policy, shadow },
        Transition::Closed { snapshot } => Event::CircuitBreakerClosed { policy, snapshot, shadow },
    }
}

handle! {
    /// A named circuit breaker, shared by everything that uses its name; cheap to copy.
    ///
    /// # Examples
    ///
    /// ```
    /// use resilience::{CircuitBreaker, ErrorKind, Outcome, circuit_breaker};
    ///
    /// let config = circuit_breaker::Config::new().consecutive_failures(2);
    /// let breaker = CircuitBreaker::register("geocoder", config)?;
    /// for _ in 0..2 {
    ///     breaker.try_acquire()?.record(Outcome::Failure);
    /// }
    /// let error = breaker.try_acquire().unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::CircuitOpen);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    CircuitBreaker over Breaker, called "circuit breaker", kept: "a window that grows or shrinks keeps its newest results, one that changes between calls and time starts empty, and slow calls are forgotten where `slow_call` is taken away"
}

impl CircuitBreaker {
    /// Returns the state at this moment: an open breaker whose cooldown is over is half-open.
    ///
    /// Looking takes no trial slot.
    #[must_use]
    pub fn state(&self) -> State {
        self.breaker().step(self.name(), |machine| {
            let transition = machine.look(time::now);
            (machine.state(), transition)
        })
    }

    /// Returns the state and the numbers of the window.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let breaker = self.breaker();
        breaker.step(self.name(), |machine| {
            let now = time::now();
            let transition = machine.look(|| now);
            (machine.snapshot(breaker.gate.counted(machine.generation()), now), transition)
        })
    }

    /// Refuses every call until [`reset`](Self::reset), [`disable`](Self::disable) or [`shadow`](Self::shadow).
    pub fn force_open(&self) {
        self.breaker().force(self.name(), State::ForcedOpen);
    }

    /// Lets every call through and records nothing.
    pub fn disable(&self) {
        self.breaker().force(self.name(), State::Disabled);
    }

    /// Lets every call through, records, and reports what it would have done.
    pub fn shadow(&self) {
        self.breaker().force(self.name(), State::Shadow);
    }

    /// Closes the breaker and empties its window, whatever its state; results of calls in flight are dropped.
    pub fn reset(&self) {
        self.breaker().force(self.name(), State::Closed);
    }

    /// Asks to call the dependency now.
    ///
    /// Record the call's outcome on the permit. A permit that is dropped says nothing about the dependency, and gives
    /// a trial slot back.
    ///
    /// # Errors
    ///
    /// [`CircuitOpen`](crate::ErrorKind::CircuitOpen) while the breaker refuses, with the rest of the cooldown as
    /// `retry_after`; [`DeadlineExceeded`](crate::ErrorKind::DeadlineExceeded) where the deadline in force has passed;
    /// [`Misconfigured`](crate::ErrorKind::Misconfigured) where two call sites give the name different options.
    #[inline]
    pub fn try_acquire(&self) -> Result<Permit, Error> {
        self.0.usable()?;
        acquire(self.0)
    }

    fn breaker(&self) -> &'static Breaker {
        &self.0.state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_cut_early_are_counted_in_the_state_that_let_them_through() {
        let entry = Entry::leak("cut-early", Config::new().consecutive_failures(1));
        let breaker = CircuitBreaker(entry);
        let shown = || match Breaker::live(entry) {
            Live::CircuitBreaker(live) => live.cut_early,
            other => panic!("{other:?}"),
        };
        let closed = entry.state.gate.look().passes().unwrap();
        (0..3).for_each(|_| entry.state.count_cut_early(closed));
        assert_eq!((breaker.snapshot().cut_early, shown()), (3, 3));
        assert!(crate::registry::PolicySnapshot::of_entry(entry).to_string().contains("0 failed, 3 cut early"));
        breaker.try_acquire().unwrap().record(Outcome::Success);
        assert_eq!(shown(), 3, "other results leave it alone");
        breaker.try_acquire().unwrap().record(Outcome::Failure);
        entry.state.count_cut_early(closed);
        assert_eq!((breaker.snapshot().state, breaker.snapshot().cut_early, shown()), (State::Open, 0, 0));
        assert!(!crate::registry::PolicySnapshot::of_entry(entry).to_string().contains("cut early"));
        breaker.disable();
        entry.state.count_cut_early(Ticket::UNRECORDED);
        assert_eq!(shown(), 0);
    }

    #[test]
    fn a_breaker_over_a_hundred_calls_takes_three_hundred_bytes() {
        let bits_of_the_window = 2 * size_of::<u64>();
        assert!(size_of::<Breaker>() + bits_of_the_window <= 300, "{}", size_of::<Breaker>());
        assert_eq!(size_of::<Permit>(), 32);
    }
}
