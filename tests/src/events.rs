//! What was told, in order.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use resilience::{Event, Subscription};

/// The events of some policies from its making on; those that a test has expected are taken out.
#[derive(Debug)]
pub struct EventLog {
    events: Arc<Mutex<VecDeque<Event>>>,
    _subscription: Subscription,
}

impl EventLog {
    /// Records what the policies of these names tell on this thread.
    #[must_use]
    pub fn of<const N: usize>(policies: [&'static str; N]) -> Self {
        let here = thread::current().id();
        Self::filtered(move |event| thread::current().id() == here && policies.contains(&event.policy()))
    }

    /// Records what the policies of these names tell on any thread.
    #[must_use]
    pub fn anywhere<const N: usize>(policies: [&'static str; N]) -> Self {
        Self::filtered(move |event| policies.contains(&event.policy()))
    }

    /// Records what every policy tells on this thread.
    #[must_use]
    pub fn of_all_here() -> Self {
        let here = thread::current().id();
        Self::filtered(move |_| thread::current().id() == here)
    }

    fn filtered(wanted: impl Fn(&Event) -> bool + Send + Sync + 'static) -> Self {
        let events = Arc::<Mutex<VecDeque<Event>>>::default();
        let subscription = resilience::subscribe({
            let events = Arc::clone(&events);
            move |event| {
                if wanted(event) {
                    lock(&events).push_back(event.clone());
                }
            }
        });
        Self { events, _subscription: subscription }
    }

    /// Takes the next events, which must have these names.
    ///
    /// # Panics
    ///
    /// If they have not.
    #[track_caller]
    pub fn expect<const N: usize>(&self, names: [&str; N]) -> Vec<Event> {
        let mut events = lock(&self.events);
        let number = N.min(events.len());
        let taken: Vec<_> = events.drain(..number).collect();
        drop(events);
        assert_eq!(names_of(&taken), names, "the next events");
        taken
    }

    /// Asserts that no event is left.
    ///
    /// # Panics
    ///
    /// If one is.
    #[track_caller]
    pub fn assert_finished(&self) {
        let left: Vec<_> = lock(&self.events).iter().cloned().collect();
        assert!(left.is_empty(), "events that nobody expected: {:?}", names_of(&left));
    }

    /// Takes all events.
    #[must_use]
    pub fn take(&self) -> Vec<Event> {
        lock(&self.events).drain(..).collect()
    }
}

fn lock(events: &Mutex<VecDeque<Event>>) -> MutexGuard<'_, VecDeque<Event>> {
    events.lock().unwrap_or_else(PoisonError::into_inner)
}

fn names_of(events: &[Event]) -> Vec<&'static str> {
    events.iter().map(Event::name).collect()
}
