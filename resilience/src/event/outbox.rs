//! Delivers one policy's events in the order of its transitions, outside the policy's lock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Event;

/// Events are put in under the policy's lock, which fixes their order, and delivered after it. One thread delivers at a
/// time; an event put in meanwhile, also by a listener, is delivered by that same thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outbox(Arc<Contents>);

#[derive(Debug, Default)]
struct Contents {
    /// Short; every policy has one, most never use it.
    queue: Mutex<Vec<Event>>,
    delivering: AtomicBool,
}

impl Outbox {
    pub(crate) fn put(&self, event: Event) {
        self.queue().push(event);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue().is_empty()
    }

    /// Hands out one event after the other, as long as there may be one more.
    pub(super) fn deliver_each(&self, mut one_more: impl FnMut() -> bool, mut tell: impl FnMut(&Event)) {
        while !self.is_empty() {
            // Whoever is delivering looks at the queue again after putting the flag down.
            if self.0.delivering.swap(true, Ordering::SeqCst) {
                return;
            }
            let _down = Down(&self.0.delivering);
            while !self.is_empty() {
                if !one_more() {
                    return;
                }
                self.take().iter().for_each(&mut tell);
            }
        }
    }

    // A function of its own: as the condition of a `while let` the guard would live through the loop's body.
    fn take(&self) -> Option<Event> {
        let mut queue = self.queue();
        (!queue.is_empty()).then(|| queue.remove(0))
    }

    fn queue(&self) -> MutexGuard<'_, Vec<Event>> {
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Down<'a>(&'a AtomicBool);

impl Drop for Down<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}
