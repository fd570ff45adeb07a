//! A body by itself, below layers that stand in the function.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::body_clock::BodyClock;
use crate::error::Error;
use crate::unwind::Witness;

pin_project_lite::pin_project! {
    /// The user's body: its output is what "the body ran" looks like inside a stack.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless awaited"]
    pub struct Body<F> {
        clock: BodyClock,
        #[pin]
        future: F,
    }
}

#[doc(hidden)]
#[inline]
pub fn body<F: Future>(future: F) -> Body<F> {
    Body { clock: BodyClock::NEW, future }
}

impl<F: Future> Future for Body<F> {
    type Output = Result<F::Output, Error>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let witness = Witness::new();
        let heard = this.clock.polls();
        let polled = this.future.poll(context);
        this.clock.polled(heard, polled.is_pending());
        witness.defuse();
        polled.map(Ok)
    }
}
