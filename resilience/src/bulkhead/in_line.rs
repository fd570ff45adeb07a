//! A call that waits in line for a slot.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use super::held::{Held, Slot};
use super::slots::Place;
use super::{Slots, refuse};
use crate::deadline;
use crate::error::Error;
use crate::registry::Entry;
use crate::site::Asker;
use crate::time::{self, Instant, Sleep};

pin_project_lite::pin_project! {
    /// Waits for a slot, for `max_wait` or until the deadline of whoever polls it.
    pub(super) struct InLine {
        entry: &'static Entry<Slots>,
        asker: Asker,
        is_inner: bool,
        place: Place<'static>,
        began: Instant,
        longest: Instant,
        #[pin]
        timer: Sleep,
    }
}

impl InLine {
    pub(super) fn new(
        entry: &'static Entry<Slots>,
        asker: Asker,
        is_inner: bool,
        place: Place<'static>,
        max_wait: Duration,
    ) -> Self {
        let began = time::now();
        let longest = time::after(began, max_wait);
        Self { entry, asker, is_inner, place, began, longest, timer: time::sleep_until(longest) }
    }
}

impl Future for InLine {
    type Output = Result<Slot, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if deadline::is_up() {
            // The call is dropped right after this: a body that began now would come too late.
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let deadline = deadline::in_force();
        let mut served = Pin::new(&mut *this.place).poll(context).is_ready();
        if !served {
            let until = deadline.map_or(*this.longest, |deadline| deadline.min(*this.longest));
            if this.timer.deadline() != until {
                this.timer.as_mut().reset(until);
            }
            ready!(this.timer.as_mut().poll(context));
            // It stops waiting: now it matters whether somebody does not take what is there.
            served = this.place.pass_on() && Pin::new(&mut *this.place).poll(context).is_ready();
        }
        if served {
            let held = Held::new(this.entry);
            let slot = Slot::new(if *this.is_inner { held.inside() } else { held });
            if deadline.is_none_or(|deadline| deadline > time::now()) {
                return Poll::Ready(Ok(slot));
            }
            // It comes for nothing: the next in line can use it.
            drop(slot);
        }
        let now = time::now();
        let refusal = refuse(this.entry, now.saturating_duration_since(*this.began), *this.asker);
        let too_late = deadline.is_some_and(|deadline| deadline <= now);
        Poll::Ready(Err(if too_late { Error::deadline_exceeded(this.entry.named()) } else { refusal }))
    }
}
