//! Asking to be let in: most calls are answered at once, and only one that must wait pays for waiting.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::deadline;
use crate::error::Error;

type Wait<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + Sync>>;

/// The answer to a call that asks for a `T`, which holds what it was let in with.
///
/// Waiting is boxed: the future of every guarded call holds this, and few calls wait.
#[must_use = "futures do nothing unless awaited"]
pub enum Admission<T> {
    /// At once; taken out by the first poll.
    Decided(Option<Result<T, Error>>),
    /// After a wait.
    Waiting(Wait<T>),
}

impl<T> Admission<T> {
    #[inline(always)]
    pub(crate) fn decided(answer: Result<T, Error>) -> Self {
        Self::Decided(Some(answer))
    }

    pub(crate) fn after(wait: impl Future<Output = Result<T, Error>> + Send + Sync + 'static) -> Self {
        Self::Waiting(Box::pin(wait))
    }
}

impl<T: Unpin> Future for Admission<T> {
    type Output = Result<T, Error>;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // Taken apart and put together again. Handed on as it is, it would be copied, in wider pieces than it was written in
        // just before; that stalls for longer than all the rest of a bulkhead's call takes.
        match self.get_mut() {
            Self::Decided(answer) => match answer.take() {
                Some(Ok(admitted)) => Poll::Ready(Ok(admitted)),
                Some(Err(refusal)) => Poll::Ready(Err(refusal)),
                None => Poll::Pending,
            },
            Self::Waiting(wait) => match poll_in_line(wait, context) {
                Poll::Ready(Ok(admitted)) => Poll::Ready(Ok(admitted)),
                Poll::Ready(Err(refusal)) => Poll::Ready(Err(refusal)),
                Poll::Pending => Poll::Pending,
            },
        }
    }
}

/// Time passes.
fn poll_in_line<T>(wait: &mut Wait<T>, context: &mut Context<'_>) -> Poll<Result<T, Error>> {
    deadline::way_in_ends();
    wait.as_mut().poll(context)
}

impl<T> fmt::Debug for Admission<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admission").finish_non_exhaustive()
    }
}
