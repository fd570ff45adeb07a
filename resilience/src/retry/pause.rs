//! The pause between two attempts.
//!
//! No timer for no pause: a retry without delay works without one, and does not wait for the next tick. But it lets others run
//! once: a body that fails at once would else keep its thread, and could not be aborted. Timers may be late: where the
//! deadline has passed meanwhile, there is no other attempt.

use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use super::by::Named;
use crate::deadline;
use crate::error::Error;
use crate::time::{self, Sleep};

pin_project_lite::pin_project! {
    /// The pause before another attempt, as a future of its own.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless awaited"]
    pub struct Pause {
        policy: Named,
        // Others have been let run instead of a timer.
        yielded: bool,
        #[pin]
        timer: Option<Sleep>,
    }
}

impl Pause {
    pub(super) fn new(policy: Named, delay: Duration) -> Self {
        Self { policy, yielded: false, timer: timer(delay) }
    }
}

impl Future for Pause {
    type Output = Result<(), Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let this = self.project();
        if this.timer.is_none() && !mem::replace(this.yielded, true) {
            return yield_once(context);
        }
        poll_pause(this.timer.as_pin_mut(), *this.policy, context)
    }
}

/// The pause as part of a future, which has room for it all the time: in a box, as few calls come to one.
pub(super) type Timer = Pin<Box<Sleep>>;

pub(super) fn timer(delay: Duration) -> Option<Sleep> {
    (!delay.is_zero()).then(|| time::sleep_until(time::after(time::now(), delay)))
}

/// Lets others run: a pause without a timer begins with this, and ends with the next poll.
pub(super) fn yield_once<T>(context: &mut Context<'_>) -> Poll<T> {
    context.waker().wake_by_ref();
    Poll::Pending
}

/// Polls a pause with that timer, if it has one.
pub(super) fn poll_pause(
    timer: Option<Pin<&mut Sleep>>,
    policy: Named,
    context: &mut Context<'_>,
) -> Poll<Result<(), Error>> {
    if let Some(timer) = timer {
        ready!(timer.poll(context));
    }
    Poll::Ready(deadline::check(policy))
}
