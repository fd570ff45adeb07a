//! Asking to be let in: most calls are answered at once, and only one that must wait pays for waiting.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::deadline;
use crate::error::Error;
use crate::site::Owner;

/// A wait; boxed, as the future of every guarded call has room for it, and few calls wait.
pub(crate) type Wait<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + Sync>>;

/// The answer to a call that asks for a `T`.
#[doc(hidden)]
pub enum Answer<T: 'static> {
    /// It is let in, or refused.
    Now(Result<T, Error>),
    /// It waits.
    InLine(Wait<T>),
}

impl<T: 'static> Answer<T> {
    pub(crate) fn after(wait: impl Future<Output = Result<T, Error>> + Send + Sync + 'static) -> Self {
        Self::InLine(Box::pin(wait))
    }
}

/// The same as a future, which holds what the call was let in with.
#[must_use = "futures do nothing unless awaited"]
pub enum Admission<T: 'static> {
    /// At once; taken out by the first poll.
    Decided(Option<Result<T, Error>>),
    /// Not asked yet: it takes more than a look, and whoever else writes an answer has all of it go through memory.
    Asking(&'static dyn Asked<T>, Owner),
    /// After a wait.
    Waiting(Wait<T>),
}

impl<T: 'static> Admission<T> {
    #[inline(always)]
    pub(crate) fn decided(answer: Result<T, Error>) -> Self {
        Self::Decided(Some(answer))
    }

    #[inline(never)]
    fn ask(&mut self) {
        if let Self::Asking(site, owner) = *self {
            *self = site.ask(owner).into();
        }
    }
}

impl<T: 'static> From<Answer<T>> for Admission<T> {
    #[inline(always)]
    fn from(answer: Answer<T>) -> Self {
        match answer {
            Answer::Now(answer) => Self::decided(answer),
            Answer::InLine(wait) => Self::Waiting(wait),
        }
    }
}

impl<T: Unpin + 'static> Future for Admission<T> {
    type Output = Result<T, Error>;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // Taken apart and put together again. Handed on as it is, it would be copied, in wider pieces than it was written in
        // just before; that stalls for longer than all the rest of a bulkhead's call takes.
        let this = self.get_mut();
        if let Self::Asking(..) = this {
            this.ask();
        }
        match this {
            Self::Asking(..) => Poll::Pending,
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

/// Whom to ask for a `T`.
pub trait Asked<T: 'static>: Sync {
    /// The answer.
    fn ask(&'static self, owner: Owner) -> Answer<T>;
}

/// Time passes.
pub(crate) fn poll_in_line<T: 'static>(wait: &mut Wait<T>, context: &mut Context<'_>) -> Poll<Result<T, Error>> {
    deadline::way_in_ends();
    wait.as_mut().poll(context)
}

impl<T: 'static> fmt::Debug for Admission<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admission").finish_non_exhaustive()
    }
}

impl<T: 'static> fmt::Debug for Answer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").finish_non_exhaustive()
    }
}
