//! The slots behind a name, and the line of those who wait for one.
//!
//! Free slots and a mark that somebody waits are one number: a call takes a slot with one exchange and frees it with one
//! addition. Only where the mark is set does freeing go on to the line, which has a lock. While it is set, slots go to the
//! line alone; so whoever frees one, or joins the line, sees the other's step in the number, and nobody waits for a slot
//! that is free.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::Snapshot;
use super::config::Settings;
use crate::line::Line;
use crate::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};
use crate::sync::{Mutex, MutexGuard};
use crate::time;
use crate::wake::{forget, wake};

/// One slot in the number.
const SLOT: i64 = 2;
/// Somebody waits.
const LINE: i64 = 1;

/// The state behind a name.
#[doc(hidden)]
#[derive(Debug)]
pub struct Slots {
    /// `free · SLOT + LINE`; below zero while more slots are taken than there are since a shrink. Changed in favour of the
    /// line, or by resizing, under the line's lock only.
    free: AtomicI64,
    line: Mutex<Line<()>>,
    rejected: AtomicU32,
    /// Changed under the line's lock, together with `free`.
    max_concurrent: AtomicU32,
    max_queue: AtomicU32,
    max_wait_nanos: AtomicU64,
}

impl Slots {
    pub(super) fn new(settings: Settings) -> Self {
        let Settings { max_concurrent, max_wait, max_queue } = settings;
        Self {
            free: AtomicI64::new(i64::from(max_concurrent) * SLOT),
            line: Mutex::new(Line::new()),
            rejected: AtomicU32::new(0),
            max_concurrent: AtomicU32::new(max_concurrent),
            max_queue: AtomicU32::new(max_queue),
            max_wait_nanos: AtomicU64::new(time::nanos(max_wait)),
        }
    }

    pub(super) fn reconfigure(&self, settings: Settings) {
        let Settings { max_concurrent, max_wait, max_queue } = settings;
        self.max_queue.store(max_queue, Ordering::Relaxed);
        self.max_wait_nanos.store(time::nanos(max_wait), Ordering::Relaxed);
        let line = self.line();
        let before = self.max_concurrent.swap(max_concurrent, Ordering::Relaxed);
        self.free.fetch_add((i64::from(max_concurrent) - i64::from(before)) * SLOT, Ordering::AcqRel);
        drop(line);
        self.serve_line();
    }

    fn line(&self) -> MutexGuard<'_, Line<()>> {
        self.line.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    #[inline]
    pub(super) fn take_free(&self) -> bool {
        let mut free = self.free.load(Ordering::Relaxed);
        while free >= SLOT && free & LINE == 0 {
            match self.free.compare_exchange_weak(free, free - SLOT, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) => free = now,
            }
        }
        false
    }

    #[inline]
    pub(crate) fn give_back(&self) {
        if self.free.fetch_add(SLOT, Ordering::AcqRel) & LINE != 0 {
            self.serve_line();
        }
    }

    /// Gives the slots that are free to those who wait, in their order.
    #[cold]
    fn serve_line(&self) {
        while let Some(waker) = self.serve_first() {
            wake(waker);
        }
    }

    /// Whose turn it was, if there was a slot for anybody.
    fn serve_first(&self) -> Option<Option<Waker>> {
        let mut line = self.line();
        // While somebody waits nobody else makes it less.
        if line.is_empty() || self.free.load(Ordering::Acquire) < SLOT {
            return None;
        }
        let waker = line.call()?.waker;
        self.free.fetch_sub(SLOT, Ordering::AcqRel);
        self.end_line_if_empty(&line);
        Some(waker)
    }

    fn end_line_if_empty(&self, line: &Line<()>) {
        if line.is_empty() {
            self.free.fetch_and(!LINE, Ordering::AcqRel);
        }
    }

    /// Takes a place in the line, if one is left.
    pub(super) fn join_line(&self) -> Option<Place<'_>> {
        let mut line = self.line();
        if line.len() >= self.max_queue.load(Ordering::Relaxed) as usize {
            return None;
        }
        let number = line.draw();
        // From here on, whoever frees a slot looks at the line; what came free before is seen here.
        let free = self.free.fetch_or(LINE, Ordering::AcqRel);
        if free >= SLOT && line.is_empty() {
            self.free.fetch_sub(SLOT, Ordering::AcqRel);
            self.end_line_if_empty(&line);
        } else {
            line.join(number, ());
        }
        Some(Place { slots: self, number, ended: false })
    }

    /// Whether somebody waits.
    pub(super) fn has_line(&self) -> bool {
        self.free.load(Ordering::Acquire) & LINE != 0
    }

    pub(super) fn max_wait(&self) -> Duration {
        Duration::from_nanos(self.max_wait_nanos.load(Ordering::Relaxed))
    }

    pub(super) fn count_refusal(&self) {
        let _ = self.rejected.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| Some(count.saturating_add(1)));
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        // The numbers of one moment, not of half a change.
        let line = self.line();
        let max_concurrent = self.max_concurrent.load(Ordering::Relaxed);
        let free = self.free.load(Ordering::Acquire) >> SLOT.trailing_zeros();
        Snapshot {
            in_flight: u32::try_from(i64::from(max_concurrent) - free).unwrap_or(u32::MAX),
            waiting: u32::try_from(line.len()).unwrap_or(u32::MAX),
            max_concurrent,
            rejected: self.rejected.load(Ordering::Relaxed),
        }
    }
}

/// A call's place in the line: a future that is ready once the call has a slot. Dropped before, it leaves the line.
#[derive(Debug)]
#[must_use = "a place that is dropped at once is lost"]
pub(super) struct Place<'a> {
    slots: &'a Slots,
    number: u64,
    /// The slot is the caller's.
    ended: bool,
}

impl Future for Place<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        // Copied and dropped under no lock: it is somebody else's code.
        let waker = context.waker().clone();
        let mut line = self.slots.line();
        if let Some(spot) = line.get_mut(self.number) {
            let before = spot.waker.replace(waker);
            drop(line);
            forget(before);
            return Poll::Pending;
        }
        drop(line);
        self.ended = true;
        Poll::Ready(())
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let mut line = self.slots.line();
        let left = line.leave(self.number);
        if left.is_some() {
            self.slots.end_line_if_empty(&line);
        }
        drop(line);
        match left {
            Some(spot) => forget(spot.waker),
            // It was this call's turn, and it does not take it.
            None => self.slots.give_back(),
        }
    }
}
