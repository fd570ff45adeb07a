//! Listeners: who they are, and how they are called without a lock.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::Event;

type Listener = dyn Fn(&Event) + Send + Sync;

/// Copied on change, so that delivery only clones the `Arc`. A listener may thus subscribe and unsubscribe others.
static LISTENERS: Mutex<Option<Arc<[Entry]>>> = Mutex::new(None);
static COUNT: AtomicUsize = AtomicUsize::new(0);
static NEXT_ID: AtomicUsize = AtomicUsize::new(0);

#[derive(Clone)]
struct Entry {
    id: usize,
    listener: Arc<Listener>,
}

/// Calls `listener` with every event of every policy, until the returned subscription is dropped.
///
/// The listener runs on the thread of the call that caused the event, after all locks are released, and must not
/// block. It may call back into the policies; one that causes, by that, the event it listens to calls itself. A panic in it is caught and reported through `tracing` at ERROR; neither
/// the call nor the other listeners notice. The transitions of one circuit breaker arrive in their order.
///
/// # Examples
///
/// ```
/// use std::sync::{Arc, atomic::{AtomicU32, Ordering}};
/// use resilience::{CircuitBreaker, circuit_breaker};
///
/// let opened = Arc::new(AtomicU32::new(0));
/// let subscription = resilience::subscribe({
///     let opened = Arc::clone(&opened);
///     move |event| {
///         if event.name() == "circuit_breaker.forced" {
///             opened.fetch_add(1, Ordering::Relaxed);
///         }
///     }
/// });
/// let breaker = CircuitBreaker::register("billing", circuit_breaker::Config::new())?;
/// breaker.force_open();
/// assert_eq!(opened.load(Ordering::Relaxed), 1);
/// drop(subscription);
/// breaker.reset();
/// assert_eq!(opened.load(Ordering::Relaxed), 1);
/// # Ok::<(), resilience::ConfigError>(())
/// ```
pub fn subscribe(listener: impl Fn(&Event) + Send + Sync + 'static) -> Subscription {
    let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
    change(|listeners| listeners.push(Entry { id, listener: Arc::new(listener) }));
    Subscription { id }
}

/// A listener's registration; dropping it ends the calls.
#[must_use = "dropping a subscription ends it at once"]
pub struct Subscription {
    id: usize,
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").finish_non_exhaustive()
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        change(|listeners| listeners.retain(|entry| entry.id != self.id));
    }
}

fn change(edit: impl FnOnce(&mut Vec<Entry>)) {
    let before;
    {
        let mut current = LISTENERS.lock().unwrap_or_else(PoisonError::into_inner);
        let mut listeners = current.as_deref().map_or_else(Vec::new, <[Entry]>::to_vec);
        edit(&mut listeners);
        COUNT.store(listeners.len(), Ordering::Release);
        before = current.replace(listeners.into());
    }
    // A listener's captured values are dropped here, outside the lock: they may unsubscribe others.
    drop(before);
}

pub(super) fn present() -> bool {
    COUNT.load(Ordering::Acquire) > 0
}

pub(super) fn call_all(event: &Event) {
    if !present() {
        return;
    }
    let Some(listeners) = LISTENERS.lock().unwrap_or_else(PoisonError::into_inner).clone() else { return };
    for Entry { listener, .. } in listeners.iter() {
        super::isolated(event, || listener(event));
    }
    // A listener that has unsubscribed itself is dropped here, with what it has captured.
    super::isolated(event, || drop(listeners));
}
