//! Asking to be let in: most calls are answered at once, and only one that must wait pays for waiting.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::error::Error;

/// The answer to a call that asks for a `T`, which holds what it was let in with.
///
/// Waiting is boxed: the future of every guarded call holds this, and few calls wait.
#[must_use = "futures do nothing unless awaited"]
pub enum Admission<T> {
    /// At once; taken out by the first poll.
    Decided(Option<Result<T, Error>>),
    /// After a wait.
    Waiting(Pin<Box<dyn Future<Output = Result<T, Error>> + Send + Sync>>),
}

impl<T> Admission<T> {
    #[inline]
    pub(crate) fn decided(answer: Result<T, Error>) -> Self {
        Self::Decided(Some(answer))
    }

    pub(crate) fn after(wait: impl Future<Output = Result<T, Error>> + Send + Sync + 'static) -> Self {
        Self::Waiting(Box::pin(wait))
    }
}

impl<T: Unpin> Future for Admission<T> {
    type Output = Result<T, Error>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.get_mut() {
            Self::Decided(answer) => answer.take().map_or(Poll::Pending, Poll::Ready),
            Self::Waiting(wait) => wait.as_mut().poll(context),
        }
    }
}

impl<T> fmt::Debug for Admission<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admission").finish_non_exhaustive()
    }
}
