//! The futures of handles: polled after their end they are pending, and what they held is gone by then.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pin_project_lite::pin_project! {
    /// A future until it ends.
    pub(crate) struct Fused<F> {
        #[pin]
        future: Option<F>,
    }
}

#[inline]
pub(crate) fn fused<F: Future>(future: F) -> Fused<F> {
    Fused { future: Some(future) }
}

impl<F: Future> Future for Fused<F> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let mut this = self.project();
        let Some(future) = this.future.as_mut().as_pin_mut() else { return Poll::Pending };
        let output = ready!(future.poll(context));
        this.future.set(None);
        Poll::Ready(output)
    }
}
