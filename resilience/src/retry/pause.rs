//! The pause between two attempts.
//!
//! Timers may be late, and whoever polls the pause may have another deadline than who began it: where an attempt would come
//! too late, the call ends, as the attempt before it. No pause is no timer, and does not wait for the next tick; but it lets
//! others run once: a body that fails at once would else keep its thread, and could not be aborted.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::attempts::Attempts;
use super::before::Kept;
use crate::error::Error;
use crate::time::{self, Sleep};

pin_project_lite::pin_project! {
    /// The pause before another attempt, as a future of its own.
    #[must_use = "futures do nothing unless awaited"]
    pub struct Pause<'p, 'a, K, R> {
        attempts: &'p mut Attempts<'a, K>,
        // Others have been let run instead of a timer.
        yielded: bool,
        #[pin]
        timer: Option<Sleep>,
        ends: PhantomData<fn() -> R>,
    }
}

impl<'p, 'a, K: Kept<R>, R> Pause<'p, 'a, K, R> {
    pub(super) fn new(attempts: &'p mut Attempts<'a, K>, delay: Duration) -> Self {
        Self { attempts, yielded: false, timer: timer(delay), ends: PhantomData }
    }
}

impl<K: Kept<R>, R> Future for Pause<'_, '_, K, R> {
    type Output = Option<Result<R, Error>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if this.timer.is_none() && !mem::replace(this.yielded, true) {
            return yield_once(context);
        }
        poll_pause(this.timer.as_pin_mut(), this.attempts, context)
    }
}

impl<K, R> fmt::Debug for Pause<'_, '_, K, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pause").finish_non_exhaustive()
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

/// Polls a pause with that timer, if it has one: nothing if there is another attempt.
pub(super) fn poll_pause<R, K: Kept<R>>(
    timer: Option<Pin<&mut Sleep>>,
    attempts: &mut Attempts<'_, K>,
    context: &mut Context<'_>,
) -> Poll<Option<Result<R, Error>>> {
    if let Some(timer) = timer {
        let until = timer.deadline();
        if timer.poll(context).is_pending() {
            return attempts.in_vain(until).map_or(Poll::Pending, |ended| Poll::Ready(Some(ended)));
        }
    }
    Poll::Ready(attempts.resume())
}
