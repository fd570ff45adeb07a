//! Layers one inside the other, around a future.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::error::Error;
use crate::site::Owner;

/// One policy around what is inside of it.
pub trait Layer<R> {
    /// Polls what is inside as far as the policy lets it, and makes what the policy makes of its end.
    fn poll<I: Inner<R>>(
        self: Pin<&mut Self>,
        inner: &mut I,
        owner: Owner,
        context: &mut Context<'_>,
    ) -> Poll<Result<R, Error>>;

    /// Gives back what is held for the call, which is over: a layer further out has ended it.
    fn end(self: Pin<&mut Self>);
}

/// What is inside of a layer.
pub trait Inner<R> {
    /// Polls it.
    fn poll(&mut self, owner: Owner, context: &mut Context<'_>) -> Poll<Result<R, Error>>;
    /// Drops the guarded future, then what the layers hold, from the inside out.
    fn end(&mut self);
}

/// Layers around a future that ends in an `R`: none, or a [`Nest`].
pub trait Around<R> {
    /// Polls the future under these layers.
    fn poll<F: Future<Output = Result<R, Error>>>(
        self: Pin<&mut Self>,
        future: Pin<&mut Option<F>>,
        owner: Owner,
        context: &mut Context<'_>,
    ) -> Poll<Result<R, Error>>;

    /// Gives back what they hold, from the inside out.
    fn end(self: Pin<&mut Self>);
}

impl<R> Around<R> for () {
    #[inline(always)]
    fn poll<F: Future<Output = Result<R, Error>>>(
        self: Pin<&mut Self>,
        future: Pin<&mut Option<F>>,
        _owner: Owner,
        context: &mut Context<'_>,
    ) -> Poll<Result<R, Error>> {
        // It is there until it has been ended, and then nobody polls it. An `async` block that has ended holds nothing.
        future.as_pin_mut().map_or(Poll::Pending, |future| future.poll(context))
    }

    fn end(self: Pin<&mut Self>) {}
}

pin_project_lite::pin_project! {
    /// A layer, and what is inside of it.
    pub struct Nest<L, I> {
        // Dropped first.
        #[pin]
        inner: I,
        #[pin]
        layer: L,
    }
}

impl<L, I> Nest<L, I> {
    #[inline(always)]
    pub(super) fn new(layer: L, inner: I) -> Self {
        Self { inner, layer }
    }
}

impl<R, L: Layer<R>, I: Around<R>> Around<R> for Nest<L, I> {
    #[inline(always)]
    fn poll<F: Future<Output = Result<R, Error>>>(
        self: Pin<&mut Self>,
        future: Pin<&mut Option<F>>,
        owner: Owner,
        context: &mut Context<'_>,
    ) -> Poll<Result<R, Error>> {
        let this = self.project();
        this.layer.poll(&mut Within { layers: this.inner, future }, owner, context)
    }

    fn end(self: Pin<&mut Self>) {
        let this = self.project();
        this.inner.end();
        this.layer.end();
    }
}

impl<L, I> fmt::Debug for Nest<L, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nest").finish_non_exhaustive()
    }
}

/// The future and the layers right around it, as a layer further out sees them.
struct Within<'a, A, F> {
    layers: Pin<&'a mut A>,
    future: Pin<&'a mut Option<F>>,
}

impl<R, A: Around<R>, F: Future<Output = Result<R, Error>>> Inner<R> for Within<'_, A, F> {
    #[inline(always)]
    fn poll(&mut self, owner: Owner, context: &mut Context<'_>) -> Poll<Result<R, Error>> {
        self.layers.as_mut().poll(self.future.as_mut(), owner, context)
    }

    fn end(&mut self) {
        self.future.set(None);
        self.layers.as_mut().end();
    }
}
