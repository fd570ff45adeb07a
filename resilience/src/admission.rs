//! Asking to be let in: most calls are answered at once, and only one that must wait pays for waiting.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::deadline;
use crate::error::Error;

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

/// Time passes.
pub(crate) fn poll_in_line<T: 'static>(wait: &mut Wait<T>, context: &mut Context<'_>) -> Poll<Result<T, Error>> {
    deadline::way_in_ends();
    wait.as_mut().poll(context)
}

impl<T: 'static> fmt::Debug for Answer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").finish_non_exhaustive()
    }
}
