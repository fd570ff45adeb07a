// Bulkhead: bounds how many calls run at once, so that one slow dependency cannot take every task with it.
//
// Not tokio's `Semaphore`: it takes a lock for each slot that comes back, has no bound on its line, and cannot shrink while
// slots are taken.

mod config;
mod held;
mod in_line;
mod slots;
#[cfg(test)]
mod slots_tests;
mod waiting;

use std::fmt;
use std::future::Future;
use std::time::Duration;

pub use config::Config;
pub use held::{Held, Slot};
pub use slots::Slots;

use crate::admission::Answer;
use crate::deadline;
use crate::error::Error;
use crate::event::{self, Event};
use crate::fused::fused;
use crate::inside;
use crate::options::ConfigError;
use crate::policy::{Shared, handle, shared};
use crate::registry::{Entry, Live, Registry};
use crate::site::Asker;
use config::Settings;
use held::{borrow, state_of};
use in_line::InLine;

static REGISTRY: Registry<Slots> = Registry::new();

shared!(Slots, Config, "bulkhead");

impl Shared for Slots {
    fn registry() -> &'static Registry<Self> {
        &REGISTRY
    }

    fn create(config: &Config) -> Self {
        Self::new(Settings::from(config))
    }

    fn apply(&self, config: &Config) {
        self.reconfigure(Settings::from(config));
    }

    fn live(entry: &'static Entry<Self>) -> Live {
        Live::Bulkhead(Bulkhead(entry).snapshot())
    }
}

/// A bulkhead at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// Slots taken; more than `max_concurrent` for a while after it was made smaller.
    pub in_flight: u32,
    /// Calls waiting in line.
    pub waiting: u32,
    /// Slots in all.
    pub max_concurrent: u32,
    /// Calls refused since the start of the program.
    pub rejected: u32,
}

handle! {
    /// A named bulkhead, shared by everything that uses its name; cheap to copy.
    ///
    /// # Examples
    ///
    /// ```
    /// use resilience::{Bulkhead, bulkhead};
    ///
    /// let bulkhead = Bulkhead::register("thumbnails", bulkhead::Config::new().max_concurrent(2))?;
    /// let slot = bulkhead.try_acquire()?;
    /// assert_eq!(bulkhead.snapshot().in_flight, 1);
    /// drop(slot);
    /// assert_eq!(bulkhead.snapshot().in_flight, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Bulkhead over Slots, called "bulkhead", kept: "calls in flight and in line stay, and a smaller number of slots takes effect as calls end"
}

impl Bulkhead {
    /// Changes the number of slots. More are free at once; fewer take effect as calls in flight end.
    ///
    /// # Errors
    ///
    /// Zero slots are refused.
    pub fn resize(&self, max_concurrent: u32) -> Result<(), ConfigError> {
        self.reconfigure(|config| config.max_concurrent(max_concurrent))
    }

    /// Returns the slots taken, the calls in line, and the calls refused.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.0.state.snapshot()
    }

    /// Takes a slot if one is free and nobody waits in line for it.
    ///
    /// # Errors
    ///
    /// [`BulkheadFull`](crate::ErrorKind::BulkheadFull); [`DeadlineExceeded`](crate::ErrorKind::DeadlineExceeded) where
    /// the deadline in force has passed; [`Misconfigured`](crate::ErrorKind::Misconfigured) where two call sites give
    /// the name different options.
    pub fn try_acquire(&self) -> Result<Permit, Error> {
        self.0.usable()?;
        deadline::check(self.0.named())?;
        let permit = take_free(self.0).or_else(|| self.0.state.pass_on().then(|| take_free(self.0)).flatten());
        permit.ok_or_else(|| refuse(self.0, Duration::ZERO, Asker::HAND))
    }

    /// Takes a slot, waiting in line for up to `max_wait`; first come, first served.
    ///
    /// # Errors
    ///
    /// As [`try_acquire`](Self::try_acquire), once `max_wait` or the deadline in force has passed, or at once where
    /// `max_queue` calls wait already.
    ///
    /// # Cancel safety
    ///
    /// A call that is dropped leaves the line; the next one moves up.
    pub fn acquire(&self) -> impl Future<Output = Result<Permit, Error>> + Send + Sync + use<> {
        let entry = self.0;
        fused(async move {
            entry.usable()?;
            deadline::check(entry.named())?;
            if let Some(permit) = take_free(entry) {
                return Ok(permit);
            }
            let slot = match queue(entry, Asker::HAND, false) {
                Answer::Now(answer) => answer,
                Answer::InLine(wait) => wait.await,
            };
            // From here on it is the permit's.
            slot.map(|slot| {
                std::mem::forget(slot);
                Permit { entry }
            })
        })
    }
}

/// A guarded call's slot, where one is free, no moment is known as the deadline, and it is inside of no other call of the
/// bulkhead.
#[inline(always)]
pub(crate) fn at_once(entry: &'static Entry<Slots>) -> Option<Held> {
    if deadline::is_a_moment() || inside::is_inside(state_of(entry)) || !entry.state.take_free() {
        return None;
    }
    Some(Held::new(entry))
}

/// A guarded call's slot, where its deadline has not passed: that of the call around, a free one, or one it waits for.
#[inline(never)]
pub(crate) fn asked(entry: &'static Entry<Slots>, asker: Asker) -> Answer<Slot> {
    let (borrowed, around) = borrow(entry);
    if let Some(place) = around {
        event::tell_nested("bulkhead", entry.name(), asker, place);
    }
    let is_inner = around.is_some();
    if borrowed || entry.state.take_free() {
        let held = Held::new(entry);
        return Answer::Now(Ok(Slot::new(if is_inner { held.inside() } else { held })));
    }
    queue(entry, asker, is_inner)
}

/// No slot is free: joins the line, if the options allow it.
fn queue(entry: &'static Entry<Slots>, asker: Asker, is_inner: bool) -> Answer<Slot> {
    if entry.state.has_called() {
        return queue_where_slots_pass_on(entry, asker, is_inner);
    }
    join_line(entry, asker, is_inner)
}

#[cold]
#[inline(never)]
fn queue_where_slots_pass_on(entry: &'static Entry<Slots>, asker: Asker, is_inner: bool) -> Answer<Slot> {
    if entry.state.pass_on() && entry.state.take_free() {
        let held = Held::new(entry);
        return Answer::Now(Ok(Slot::new(if is_inner { held.inside() } else { held })));
    }
    join_line(entry, asker, is_inner)
}

#[inline(always)]
fn join_line(entry: &'static Entry<Slots>, asker: Asker, is_inner: bool) -> Answer<Slot> {
    let max_wait = entry.state.max_wait();
    let place = if max_wait.is_zero() { None } else { entry.state.join_line() };
    match place {
        Some(place) => Answer::after(InLine::new(entry, asker, is_inner, place, max_wait)),
        None => Answer::Now(Err(refuse(entry, Duration::ZERO, asker))),
    }
}

#[inline]
fn take_free(entry: &'static Entry<Slots>) -> Option<Permit> {
    // Not `then_some`: that makes the permit in any case, and dropping it would free a slot nobody took.
    entry.state.take_free().then(|| Permit { entry })
}

fn refuse(entry: &'static Entry<Slots>, waited: Duration, asker: Asker) -> Error {
    entry.state.count_refusal();
    event::emit(|| Event::BulkheadRejected { policy: entry.name(), function: asker.function(), waited });
    Error::bulkhead_full(entry.named())
}

/// A slot in a bulkhead; dropping it frees the slot.
#[must_use = "a slot that is dropped at once is free again"]
pub struct Permit {
    entry: &'static Entry<Slots>,
}

impl Drop for Permit {
    #[inline]
    fn drop(&mut self) {
        self.entry.state.give_back();
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("policy", &self.entry.name()).finish_non_exhaustive()
    }
}
