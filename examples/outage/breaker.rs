//! The state of the guarded service's circuit breaker, now and over time.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use resilience::circuit_breaker::State;
use resilience::{CircuitBreaker, Event, Subscription};
use resilience_examples::clock::Clock;

/// A stretch of time in one state.
pub(crate) struct Stretch {
    pub(crate) begin: Duration,
    pub(crate) end: Duration,
    pub(crate) state: State,
}

/// The breaker's state at this moment, by its name.
pub(crate) fn state() -> State {
    CircuitBreaker::get("upstream").map_or(State::Closed, |breaker| breaker.state())
}

/// Writes down each change of state, as the events tell of it.
pub(crate) struct Log {
    clock: Clock,
    changes: Arc<Mutex<Vec<(Duration, State)>>>,
    _subscription: Subscription,
}

impl Log {
    pub(crate) fn start(clock: Clock) -> Self {
        let changes = Arc::new(Mutex::new(vec![(Duration::ZERO, State::Closed)]));
        let listener = {
            let changes = changes.clone();
            move |event: &Event| {
                let state = match event {
                    Event::CircuitBreakerOpened { .. } => State::Open,
                    Event::CircuitBreakerHalfOpened { .. } => State::HalfOpen,
                    Event::CircuitBreakerClosed { .. } => State::Closed,
                    _ => return,
                };
                changes.lock().expect("no writer panics").push((clock.elapsed(), state));
            }
        };
        Self { clock, changes, _subscription: resilience::subscribe(listener) }
    }

    /// The states one after another, from the beginning of the run until now.
    pub(crate) fn stretches(&self) -> Vec<Stretch> {
        let changes = self.changes.lock().expect("no writer panics");
        let ends = changes.iter().skip(1).map(|&(end, _)| end).chain([self.clock.elapsed()]);
        changes.iter().zip(ends).map(|(&(begin, state), end)| Stretch { begin, end, state }).collect()
    }
}
