//! The slots behind a name: tokio's semaphore, a bound on its line, and slots still owed after a shrink.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

use super::Snapshot;
use super::config::Settings;
use crate::time;

/// The state behind a name.
#[doc(hidden)]
#[derive(Debug)]
pub struct Slots {
    semaphore: Semaphore,
    /// Slots that a shrink could not take because they were in use: as many are withdrawn when they come back.
    owed: AtomicU32,
    waiting: AtomicU32,
    rejected: AtomicU32,
    max_concurrent: AtomicU32,
    max_queue: AtomicU32,
    max_wait_nanos: AtomicU64,
    /// One change of the number of slots at a time.
    resizing: Mutex<()>,
}

impl Slots {
    pub(super) fn new(settings: Settings) -> Self {
        let Settings { max_wait, max_queue, .. } = settings;
        let max_concurrent = representable(settings.max_concurrent);
        Self {
            semaphore: Semaphore::new(max_concurrent as usize),
            owed: AtomicU32::new(0),
            waiting: AtomicU32::new(0),
            rejected: AtomicU32::new(0),
            max_concurrent: AtomicU32::new(max_concurrent),
            max_queue: AtomicU32::new(max_queue),
            max_wait_nanos: AtomicU64::new(time::nanos(max_wait)),
            resizing: Mutex::new(()),
        }
    }

    pub(super) fn reconfigure(&self, settings: Settings) {
        let Settings { max_wait, max_queue, .. } = settings;
        let max_concurrent = representable(settings.max_concurrent);
        self.max_queue.store(max_queue, Ordering::Relaxed);
        self.max_wait_nanos.store(time::nanos(max_wait), Ordering::Relaxed);
        let _one_at_a_time = self.resizing.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.max_concurrent.swap(max_concurrent, Ordering::Relaxed);
        if max_concurrent > before {
            self.grow(max_concurrent - before);
        } else {
            self.shrink(before - max_concurrent);
        }
    }

    fn grow(&self, more: u32) {
        // Slots still owed stay with the calls that have them.
        let mut kept = 0;
        let _ = self.owed.fetch_update(Ordering::AcqRel, Ordering::Acquire, |owed| {
            kept = owed.min(more);
            Some(owed - kept)
        });
        self.semaphore.add_permits((more - kept) as usize);
    }

    fn shrink(&self, fewer: u32) {
        self.owed.fetch_add(fewer, Ordering::AcqRel);
        self.withdraw_free();
    }

    /// Withdraws those owed slots that are free.
    ///
    /// They are taken first and counted after, so that `owed` never looks smaller than it is.
    fn withdraw_free(&self) {
        loop {
            let owed = self.owed.load(Ordering::Acquire);
            let withdrawn = u32::try_from(self.semaphore.forget_permits(owed as usize)).unwrap_or(u32::MAX);
            if withdrawn == 0 {
                return;
            }
            let before = self
                .owed
                .fetch_update(Ordering::AcqRel, Ordering::Acquire, |owed| Some(owed.saturating_sub(withdrawn)));
            // Calls that ended meanwhile may have paid a part.
            let surplus = withdrawn.saturating_sub(before.unwrap_or_default());
            self.semaphore.add_permits(surplus as usize);
        }
    }

    /// Takes on to withdraw one owed slot; false if none is owed.
    fn withdraw_owed(&self) -> bool {
        if self.owed.load(Ordering::Acquire) == 0 {
            return false;
        }
        self.owed.fetch_update(Ordering::AcqRel, Ordering::Acquire, |owed| owed.checked_sub(1)).is_ok()
    }

    pub(super) fn take_free(&self) -> bool {
        loop {
            let Ok(permit) = self.semaphore.try_acquire() else { return false };
            permit.forget();
            // A slot that came back while a shrink was under way may be free although it is owed.
            if !self.withdraw_owed() {
                return true;
            }
        }
    }

    /// Waits in line for a slot.
    pub(super) async fn wait(&self) {
        // The semaphore is never closed; were it, the slot would be missing from the count, not the caller stuck.
        if let Ok(permit) = self.semaphore.acquire().await {
            // A slot that is owed is withdrawn from the next call that ends: to give this one back would be to go to the
            // end of the line.
            permit.forget();
        }
    }

    pub(super) fn give_back(&self) {
        if !self.withdraw_owed() {
            self.semaphore.add_permits(1);
        }
    }

    /// Takes a place in the line, if one is left.
    pub(super) fn join_line(&self) -> Option<PlaceInLine<'_>> {
        let max_queue = self.max_queue.load(Ordering::Relaxed);
        self.waiting
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |waiting| (waiting < max_queue).then(|| waiting + 1))
            .ok()
            .map(|_| PlaceInLine(self))
    }

    pub(super) fn max_wait(&self) -> Duration {
        Duration::from_nanos(self.max_wait_nanos.load(Ordering::Relaxed))
    }

    pub(super) fn count_refusal(&self) {
        let _ = self.rejected.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| Some(count.saturating_add(1)));
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        // The numbers of one moment, not of half a change.
        let _no_change = self.resizing.lock().unwrap_or_else(PoisonError::into_inner);
        let max_concurrent = self.max_concurrent.load(Ordering::Acquire);
        let owed = self.owed.load(Ordering::Acquire);
        let free = u32::try_from(self.semaphore.available_permits()).unwrap_or(u32::MAX);
        Snapshot {
            in_flight: max_concurrent.saturating_add(owed).saturating_sub(free),
            waiting: self.waiting.load(Ordering::Acquire),
            max_concurrent,
            rejected: self.rejected.load(Ordering::Relaxed),
        }
    }
}

/// On 32-bit targets a semaphore holds fewer slots than a `u32` counts.
fn representable(slots: u32) -> u32 {
    slots.min(u32::try_from(Semaphore::MAX_PERMITS).unwrap_or(u32::MAX))
}

/// A call's place in the line; dropping it leaves the line.
pub(super) struct PlaceInLine<'a>(&'a Slots);

impl Drop for PlaceInLine<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}
