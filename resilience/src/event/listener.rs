//! Listeners: who they are, and how they are called without a lock.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{Event, turn};

/// Copied on change, so that delivery only clones the `Arc`. A listener may thus subscribe and unsubscribe others.
static LISTENERS: Mutex<Option<Arc<[Arc<Listener>]>>> = Mutex::new(None);
static COUNT: AtomicUsize = AtomicUsize::new(0);

struct Listener {
    function: Box<dyn Fn(&Event) + Send + Sync>,
    calls: Mutex<Calls>,
    /// The last call has ended after the subscription has.
    ended: Condvar,
}

struct Calls {
    running: usize,
    unsubscribed: bool,
}

impl Listener {
    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call(&self, event: &Event) {
        let mut calls = self.calls();
        if calls.unsubscribed {
            return;
        }
        calls.running += 1;
        drop(calls);
        super::isolated(event, || (self.function)(event));
        let mut calls = self.calls();
        calls.running -= 1;
        if calls.running == 0 && calls.unsubscribed {
            self.ended.notify_all();
        }
    }

    /// Calls that are running end before this returns; but a listener does not wait for others, which might wait for it.
    fn unsubscribe(&self) {
        let mut calls = self.calls();
        calls.unsubscribed = true;
        while calls.running > 0 && !turn::is_under_way() {
            calls = self.ended.wait(calls).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Calls `listener` with every event of every policy, until the returned subscription is dropped.
///
/// The listener runs on the thread of the call that caused the event, after all locks are released, and must not block. It may
/// call back into the policies: what they tell then comes after the present event, and no more than 64 events for one. A panic
/// in it is caught and reported through `tracing` at ERROR; neither the call nor the other listeners notice. The transitions of
/// one circuit breaker arrive in their order.
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
    let calls = Mutex::new(Calls { running: 0, unsubscribed: false });
    let listener = Arc::new(Listener { function: Box::new(listener), calls, ended: Condvar::new() });
    change(|listeners| listeners.push(Arc::clone(&listener)));
    Subscription { listener }
}

/// A listener's registration; dropping it ends the calls.
///
/// Once that has returned the listener is not called any more, and no call of it is running, on no thread: so whoever drops it
/// must not hold a lock that the listener takes. Dropped by a listener, it waits for no call that is running already.
#[must_use = "dropping a subscription ends it at once"]
pub struct Subscription {
    listener: Arc<Listener>,
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").finish_non_exhaustive()
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        change(|listeners| listeners.retain(|listener| !Arc::ptr_eq(listener, &self.listener)));
        self.listener.unsubscribe();
    }
}

fn change(edit: impl FnOnce(&mut Vec<Arc<Listener>>)) {
    let before;
    {
        let mut current = LISTENERS.lock().unwrap_or_else(PoisonError::into_inner);
        let mut listeners = current.as_deref().map_or_else(Vec::new, <[_]>::to_vec);
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
    listeners.iter().for_each(|listener| listener.call(event));
    // A listener that has unsubscribed itself is dropped here, with what it has captured.
    super::isolated(event, || drop(listeners));
}
