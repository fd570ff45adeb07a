//! Delivers one policy's events in the order of its transitions, outside the policy's lock.

use std::sync::{Arc, PoisonError};

use super::Event;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Mutex, MutexGuard};

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
        // Not a store: loom, which proves this, lets one come before an exchange that it cannot.
        self.0.swap(false, Ordering::SeqCst);
    }
}

#[cfg(all(test, resilience_loom))]
mod interleavings {
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicU32;
    use loom::thread;

    use super::*;
    use crate::circuit_breaker::State;

    /// Whoever finds that somebody else is delivering leaves its event to them: they look again after they have ended.
    #[test]
    fn loom_no_event_is_left_behind() {
        loom::model(|| {
            let (outbox, told) = (Outbox::default(), Arc::new(AtomicU32::new(0)));
            let work = |outbox: &Outbox, told: &AtomicU32| {
                outbox.put(Event::CircuitBreakerForced { policy: "a", state: State::Closed });
                outbox.deliver_each(
                    || true,
                    |_| {
                        told.fetch_add(1, Ordering::Relaxed);
                    },
                );
            };
            let other = thread::spawn({
                let (outbox, told) = (outbox.clone(), Arc::clone(&told));
                move || work(&outbox, &told)
            });
            work(&outbox, &told);
            other.join().unwrap();
            assert_eq!(told.load(Ordering::Relaxed), 2);
            assert!(outbox.is_empty());
        });
    }
}
