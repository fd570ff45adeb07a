// Circuit breaker: stops calling a dependency that fails, and tries again after a while.
//
// This is the shell: it locks, reads the clock and tells; the decisions are in `state.rs`, `trials.rs` and the windows.

mod acquire;
mod call;
mod call_window;
mod config;
mod gate;
#[cfg(all(test, resilience_loom))]
mod loom_tests;
mod permit;
mod snapshot;
mod state;
#[cfg(test)]
mod state_tests;
mod ticket;
mod time_window;
mod trials;
mod window;

use std::num::NonZeroU64;
use std::sync::PoisonError;

pub(crate) use acquire::{acquire, asked, at_once};
pub use call::{Call, Judge, When};
pub use config::Config;
pub use permit::Permit;
pub(crate) use permit::{Account, Held};
pub use snapshot::{Snapshot, State, TripReason};

use crate::error::Error;
use crate::event::{Event, Outbox};
use crate::outcome::Outcome;
use crate::policy::{Shared, handle, shared};
use crate::registry::{Entry, Live, Registry};
use crate::sync::{Mutex, MutexGuard};
use crate::time;
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

    fn live(entry: &'static Entry<Self>) -> Live {
        // On a copy: an overview of the whole program, perhaps on another runtime's clock, changes nothing.
        let mut machine = entry.state.copy();
        let now = time::now();
        machine.look(|| now);
        Live::CircuitBreaker(machine.snapshot(now))
    }
}

impl Breaker {
    fn lock(&self) -> MutexGuard<'_, Machine> {
        // The machine's steps do not panic half-way; and a breaker must outlive whoever did.
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn copy(&self) -> Machine {
        let machine = self.lock();
        let mut copy = machine.clone();
        copy.take_in(self.gate.counted());
        copy
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

    fn record(&self, policy: &'static str, ticket: Ticket, outcome: Outcome, started: Option<NonZeroU64>) {
        if ticket == Ticket::UNRECORDED || (ticket.probe_number().is_none() && outcome == Outcome::Neutral) {
            return;
        }
        // A call is timed where it starts while `slow_call` is set; the limit is the one in force when it ends.
        let ended = started.map(|_| time::stamp(time::now()));
        let elapsed = started.zip(ended).map(|(started, ended)| ended.saturating_sub(started.get()));
        let now = || ended.unwrap_or_else(|| time::stamp(time::now()));
        if outcome == Outcome::Success && self.gate.record_success(ticket, elapsed, now) {
            return;
        }
        self.step(policy, |machine| {
            let slow = elapsed.zip(machine.settings().slow_call).is_some_and(|(elapsed, limit)| elapsed > limit.get());
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
    CircuitBreaker over Breaker, called "circuit breaker", kept: "a window that grows or shrinks keeps its newest results, and one that changes between calls and time starts empty"
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
        self.breaker().step(self.name(), |machine| {
            let now = time::now();
            let transition = machine.look(|| now);
            (machine.snapshot(now), transition)
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
    fn a_breaker_over_a_hundred_calls_takes_three_hundred_bytes() {
        let bits_of_the_window = 2 * size_of::<u64>();
        assert!(size_of::<Breaker>() + bits_of_the_window <= 300, "{}", size_of::<Breaker>());
        assert_eq!(size_of::<Permit>(), 32);
    }
}
