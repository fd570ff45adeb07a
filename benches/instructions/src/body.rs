//! The body that is guarded.

use std::fmt;
use std::future::Future;
use std::hint::black_box;
use std::pin::Pin;
use std::task::{Context, Poll};

use resilience::Classify;

/// What the guarded function does, told at run time: no contender can know that it is nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Returns `Ok` at the first poll.
    Ready,
    /// Waits once, with its waker called at once: a timeout around it has to register its timer.
    Pending,
    /// Returns an error.
    Failing,
}

/// The error of the guarded function.
#[derive(Clone, Debug, Classify)]
pub enum Failure {
    /// The body failed.
    Body,
    /// A policy refused.
    Refused(resilience::Error),
}

impl From<resilience::Error> for Failure {
    fn from(error: resilience::Error) -> Self {
        Self::Refused(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Body => f.write_str("the body failed"),
            Self::Refused(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

impl Body {
    /// The body itself.
    pub fn call(self) -> Work {
        Work(self)
    }
}

/// The future of a body.
#[derive(Debug)]
#[must_use = "futures do nothing unless awaited"]
pub struct Work(Body);

impl Future for Work {
    type Output = Result<u64, Failure>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.0 {
            Body::Ready => Poll::Ready(Ok(black_box(1))),
            Body::Failing => Poll::Ready(Err(Failure::Body)),
            Body::Pending => {
                self.0 = Body::Ready;
                context.waker().wake_by_ref();
                Poll::Pending
            }
        }
    }
}
