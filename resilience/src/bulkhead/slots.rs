//! The slots behind a name, and the line of those who wait for one.
//!
//! Free slots and a mark that somebody waits are one number: a call takes a slot with one exchange and frees it with one
//! addition. Only where the mark is set does freeing go on to the line, which has a lock. While it is set, slots go to the
//! line alone; so whoever frees one, or joins the line, sees the other's step in the number, and nobody waits for a slot
//! that is free.

use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::Snapshot;
use super::config::Settings;
use super::waiting::{Found, Waiting};
use crate::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering};
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
    waiting: Mutex<Waiting>,
    /// Somebody may have been called and not have come yet: a hint for those who hold no lock.
    called: AtomicBool,
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
            waiting: Mutex::new(Waiting::new()),
            called: AtomicBool::new(false),
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
        let waiting = self.waiting();
        let before = self.max_concurrent.swap(max_concurrent, Ordering::Relaxed);
        self.free.fetch_add((i64::from(max_concurrent) - i64::from(before)) * SLOT, Ordering::AcqRel);
        drop(waiting);
        self.serve_line();
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
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

    /// Whether somebody may have been called and not have come yet.
    #[inline(always)]
    pub(super) fn has_called(&self) -> bool {
        self.called.load(Ordering::Relaxed)
    }

    /// Has the slots pass on of those who were called and did not come. Whether there were any.
    #[cold]
    #[inline(never)]
    pub(super) fn pass_on(&self) -> bool {
        let passes = self.has_called() && self.pass_over(&mut self.waiting());
        if passes {
            self.serve_line();
        }
        passes
    }

    fn pass_over(&self, waiting: &mut Waiting) -> bool {
        let late = if waiting.nobody_called() { 0 } else { waiting.pass_over(time::now()) };
        self.called.store(!waiting.nobody_called(), Ordering::Relaxed);
        self.free.fetch_add(late as i64 * SLOT, Ordering::AcqRel);
        late > 0
    }

    /// Whose turn it was, if there was a slot for anybody.
    fn serve_first(&self) -> Option<Option<Waker>> {
        let mut waiting = self.waiting();
        self.pass_over(&mut waiting);
        // While somebody waits nobody else makes it less.
        if waiting.nobody_in_line() || self.free.load(Ordering::Acquire) < SLOT {
            return None;
        }
        let waker = waiting.call(time::now())?;
        self.called.store(true, Ordering::Relaxed);
        self.free.fetch_sub(SLOT, Ordering::AcqRel);
        self.end_line_if_empty(&waiting);
        Some(waker)
    }

    fn end_line_if_empty(&self, waiting: &Waiting) {
        if waiting.nobody_in_line() {
            self.free.fetch_and(!LINE, Ordering::AcqRel);
        }
    }

    /// Takes a place in the line, if one is left.
    pub(super) fn join_line(&self) -> Option<Place<'_>> {
        let mut waiting = self.waiting();
        if waiting.in_line() >= self.max_queue.load(Ordering::Relaxed) as usize {
            return None;
        }
        let number = waiting.draw();
        let served = self.join(&mut waiting, number);
        Some(Place { slots: self, number, served, ended: false })
    }

    /// Joins the line, or takes a slot that is free. Which it was.
    fn join(&self, waiting: &mut Waiting, number: u64) -> bool {
        // From here on, whoever frees a slot looks at the line; what came free before is seen here.
        let free = self.free.fetch_or(LINE, Ordering::AcqRel);
        let served = free >= SLOT && waiting.nobody_in_line();
        if served {
            self.free.fetch_sub(SLOT, Ordering::AcqRel);
            self.end_line_if_empty(waiting);
        } else {
            waiting.join(number);
        }
        served
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
        self.pass_on();
        // The numbers of one moment, not of half a change.
        let waiting = self.waiting();
        let max_concurrent = self.max_concurrent.load(Ordering::Relaxed);
        let free = self.free.load(Ordering::Acquire) >> SLOT.trailing_zeros();
        Snapshot {
            in_flight: u32::try_from(i64::from(max_concurrent) - free).unwrap_or(u32::MAX),
            waiting: u32::try_from(waiting.in_line()).unwrap_or(u32::MAX),
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
    /// It has a slot, and was not in line for it.
    served: bool,
    /// The slot is the caller's.
    ended: bool,
}

impl Future for Place<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        // Copied and dropped under no lock: it is somebody else's code.
        let mut waker = Some(context.waker().clone());
        if !self.served {
            let slots = self.slots;
            let mut waiting = slots.waiting();
            let mut found = waiting.find(self.number);
            if matches!(found, Found::PassedOver) {
                self.served = slots.join(&mut waiting, self.number);
                found = waiting.find(self.number);
            }
            match found {
                Found::Called => self.served = true,
                Found::InLine(place) => mem::swap(place, &mut waker),
                Found::PassedOver => {}
            }
        }
        forget(waker);
        self.ended = self.served;
        if self.served { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Place<'_> {
    /// Has slots pass on that nobody takes: the last thing to do before it stops waiting.
    pub(super) fn pass_on(&self) -> bool {
        self.slots.pass_on()
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        let mut waiting = self.slots.waiting();
        let left = waiting.leave(self.number);
        if left.is_some() {
            self.slots.end_line_if_empty(&waiting);
        }
        let has_slot = self.served || waiting.comes(self.number);
        drop(waiting);
        forget(left.and_then(|spot| spot.waker));
        if has_slot {
            // It was this call's turn, and it does not take it.
            self.slots.give_back();
        }
    }
}
