//! A call that waits in line for its permits.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::bucket::Mark;
use super::limiter::{Found, PlaceInLine};
use super::state::Denied;
use crate::deadline;
use crate::time::{self, Sleep};

pin_project_lite::pin_project! {
    /// Waits for the permits, under the deadline of whoever polls it: a call in line may be moved to another caller.
    pub(super) struct InLine {
        place: PlaceInLine<'static>,
        #[pin]
        timer: Option<Sleep>,
    }
}

impl InLine {
    pub(super) fn new(place: PlaceInLine<'static>) -> Self {
        Self { place, timer: None }
    }
}

impl Future for InLine {
    type Output = Result<Mark, Denied>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            if deadline::is_up() {
                // The call is dropped right after this: a body that began now would come too late.
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            let deadline = deadline::in_force();
            let at = match this.place.look(deadline, context.waker().clone())? {
                Found::Served(mark) => return Poll::Ready(Ok(mark)),
                Found::LooksAgain(at) => deadline.map_or(at, |deadline| deadline.min(at)),
            };
            match this.timer.as_mut().as_pin_mut() {
                Some(timer) if timer.deadline() == at => {}
                Some(timer) => timer.reset(at),
                None => this.timer.set(Some(time::sleep_until(at))),
            }
            // A timer that is up is one for a moment that has passed since the look.
            ready!(this.timer.as_mut().as_pin_mut().map_or(Poll::Pending, |timer| timer.poll(context)));
        }
    }
}
