// Circuit breaker: stops calling a dependency that fails, and tries again after a while.
//
// This is the shell: it locks, reads the clock and tells; the decisions are in `state.rs` and `window.rs`.

mod call;
mod config;
mod permit;
mod snapshot;
mod state;
#[cfg(test)]
mod state_tests;
mod window;

use std::sync::PoisonError;

pub use call::Call;
pub use config::Config;
pub use permit::Permit;
pub use snapshot::{Snapshot, State, TripReason};

use crate::deadline;
use crate::error::Error;
use crate::event::{self, Event, Outbox};
use crate::outcome::Outcome;
use crate::policy::{Shared, handle, shared};
use crate::registry::{Entry, Live, Registry};
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::{Mutex, MutexGuard};
use crate::time;
use config::Settings;
use state::{Admission, Machine, Role, Ticket, Transition};

static REGISTRY: Registry<Breaker> = Registry::new();

/// The state behind a name.
#[doc(hidden)]
#[derive(Debug)]
pub struct Breaker {
    /// A copy of what a call in the closed state needs, so that it passes without the lock: the machine's generation,
    /// shifted, and two flags. It is written under the lock.
    gate: AtomicU64,
    machine: Mutex<Machine>,
    outbox: Outbox,
}

/// In the gate: every call passes as a regular one.
const PASS: u64 = 1;
/// In the gate: the time that a call takes matters.
const TIMED: u64 = 2;
const FLAG_BITS: u32 = 2;

shared!(Breaker, Config, "circuit_breaker");

impl Shared for Breaker {
    fn registry() -> &'static Registry<Self> {
        &REGISTRY
    }

    fn create(config: &Config) -> Self {
        let machine = Machine::new(Settings::from(config));
        Self { gate: AtomicU64::new(gate(&machine)), machine: Mutex::new(machine), outbox: Outbox::default() }
    }

    fn apply(&self, config: &Config) {
        let mut machine = self.lock();
        machine.reconfigure(Settings::from(config));
        self.gate.store(gate(&machine), Ordering::Release);
    }

    fn live(entry: &'static Entry<Self>) -> Live {
        // On a copy: an overview of the whole program, perhaps on another runtime's clock, changes nothing.
        let mut machine = entry.state.lock().clone();
        let now = time::now();
        machine.look(|| now);
        Live::CircuitBreaker(machine.snapshot(now))
    }
}

fn gate(machine: &Machine) -> u64 {
    let pass = if machine.passes_all() { PASS } else { 0 };
    let timed = if machine.settings().slow_call.is_some() { TIMED } else { 0 };
    machine.generation() << FLAG_BITS | pass | timed
}

impl Breaker {
    fn lock(&self) -> MutexGuard<'_, Machine> {
        // The machine's steps do not panic half-way; and a breaker must outlive whoever did.
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on the machine; a transition that comes of it is told once the lock is released.
    fn step<T>(&self, policy: &'static str, work: impl FnOnce(&mut Machine) -> (T, Option<Transition>)) -> T {
        let (result, changed) = {
            let mut machine = self.lock();
            let (result, transition) = work(&mut machine);
            let changed = transition.is_some();
            if let Some(transition) = transition {
                self.gate.store(gate(&machine), Ordering::Release);
                let shadow = machine.in_shadow();
                self.outbox.put(told(policy, transition, shadow));
            }
            (result, changed)
        };
        if changed {
            self.outbox.deliver();
        }
        result
    }

    fn record(&self, policy: &'static str, ticket: Ticket, outcome: Outcome, started: Option<time::Instant>) {
        if ticket.role == Role::Regular && outcome == Outcome::Neutral {
            return;
        }
        // A call is timed where it starts while `slow_call` is set; the limit is the one in force when it ends.
        let elapsed = started.map(|started| time::now().saturating_duration_since(started));
        self.step(policy, |machine| {
            let slow = elapsed.zip(machine.settings().slow_call).is_some_and(|(elapsed, limit)| elapsed > limit);
            ((), machine.record(ticket, outcome, slow, time::now))
        });
    }

    fn force(&self, policy: &'static str, state: State) {
        {
            let mut machine = self.lock();
            let changed = machine.force(state);
            self.gate.store(gate(&machine), Ordering::Release);
            if changed {
                self.outbox.put(Event::CircuitBreakerForced { policy, state });
            }
        }
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
    pub fn try_acquire(&self) -> Result<Permit, Error> {
        self.0.usable()?;
        acquire(self.0)
    }

    fn breaker(&self) -> &'static Breaker {
        &self.0.state
    }
}

/// Asks to pass, in a handle's name or a site's.
pub(crate) fn acquire(entry: &'static Entry<Breaker>) -> Result<Permit, Error> {
    let policy = entry.name();
    deadline::check(policy)?;
    let gate = entry.state.gate.load(Ordering::Acquire);
    let started = (gate & TIMED != 0).then(time::now);
    if gate & PASS != 0 {
        let ticket = Ticket { generation: gate >> FLAG_BITS, role: Role::Regular };
        return Ok(Permit::new(entry, ticket, started));
    }
    let (admission, shadow_refusal) = match entry.state.step(policy, |machine| machine.admit(time::now)) {
        Admission::Pass(ticket) => (Ok(ticket), None),
        Admission::WouldRefuse { ticket, retry_after } => (Ok(ticket), Some(retry_after)),
        Admission::Refused { retry_after } => (Err(retry_after), None),
    };
    let refusal = admission.err().or(shadow_refusal);
    if let Some(retry_after) = refusal {
        let shadow = shadow_refusal.is_some();
        event::emit(|| Event::CircuitBreakerRejected { policy, retry_after, shadow });
    }
    match admission {
        Ok(ticket) => Ok(Permit::new(entry, ticket, started)),
        Err(retry_after) => Err(Error::circuit_open(policy, retry_after)),
    }
}
