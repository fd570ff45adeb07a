//! Delivers one policy's events in the order of its transitions, outside the policy's lock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::Event;

/// Events are put in under the policy's lock, which fixes their order, and delivered after it. One thread delivers at a
/// time; an event put in meanwhile, also by a listener, is delivered by that same thread.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    /// Short; every policy has one, most never use it.
    queue: Mutex<Vec<Event>>,
    delivering: AtomicBool,
}

impl Outbox {
    pub(crate) fn put(&self, event: Event) {
        self.queue().push(event);
    }

    /// The caller holds no lock.
    pub(crate) fn deliver(&self) {
        while !self.queue().is_empty() {
            // Whoever is delivering looks at the queue again after putting the flag down.
            if self.delivering.swap(true, Ordering::SeqCst) {
                return;
            }
            let _down = Down(&self.delivering);
            while let Some(event) = self.take() {
                super::deliver(&event);
            }
        }
    }

    // A function of its own: as the condition of a `while let` the guard would live through the loop's body.
    fn take(&self) -> Option<Event> {
        let mut queue = self.queue();
        (!queue.is_empty()).then(|| queue.remove(0))
    }

    fn queue(&self) -> std::sync::MutexGuard<'_, Vec<Event>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Down<'a>(&'a AtomicBool);

impl Drop for Down<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}
