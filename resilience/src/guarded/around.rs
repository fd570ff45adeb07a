//! Layers one inside the other, around a future.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::error::Error;
use crate::site::Owner;

/// What stands around a call that ends in an `R`: no layer, or an [`Inside`].
pub trait Around<R> {
    /// Polls these layers around what is inside of them.
    fn poll<I: Inner<R>>(
        self: Pin<&mut Self>,
        inner: I,
        owner: Owner,
        context: &mut Context<'_>,
    ) -> Poll<Result<R, Error>>;
}

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

pin_project_lite::pin_project! {
    /// A layer, and what stands around it.
    pub struct Inside<O, L> {
        // Dropped first, as it stands further in.
        #[pin]
        layer: L,
        #[pin]
        outer: O,
    }
}

impl<O, L> Inside<O, L> {
    #[inline(always)]
    pub(super) fn new(layer: L, outer: O) -> Self {
        Self { layer, outer }
    }
}

impl<O, L> fmt::Debug for Inside<O, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inside").finish_non_exhaustive()
    }
}

impl<R> Around<R> for () {
    #[inline(always)]
    fn poll<I: Inner<R>>(
        self: Pin<&mut Self>,
        mut inner: I,
        owner: Owner,
        context: &mut Context<'_>,
    ) -> Poll<Result<R, Error>> {
        inner.poll(owner, context)
    }
}

impl<R, O: Around<R>, L: Layer<R>> Around<R> for Inside<O, L> {
    #[inline(always)]
    fn poll<I: Inner<R>>(
        self: Pin<&mut Self>,
        inner: I,
        owner: Owner,
        context: &mut Context<'_>,
    ) -> Poll<Result<R, Error>> {
        let Projection { layer, outer } = self.parts();
        outer.poll(Within { layer, inner }, owner, context)
    }
}

/// The parts of an [`Inside`].
struct Projection<'a, O, L> {
    layer: Pin<&'a mut L>,
    outer: Pin<&'a mut O>,
}

impl<O, L> Inside<O, L> {
    #[inline(always)]
    fn parts(self: Pin<&mut Self>) -> Projection<'_, O, L> {
        let this = self.project();
        Projection { layer: this.layer, outer: this.outer }
    }
}

/// A layer around what is inside of it, as the next one out sees it.
struct Within<'a, L, I> {
    layer: Pin<&'a mut L>,
    inner: I,
}

impl<R, L: Layer<R>, I: Inner<R>> Inner<R> for Within<'_, L, I> {
    #[inline(always)]
    fn poll(&mut self, owner: Owner, context: &mut Context<'_>) -> Poll<Result<R, Error>> {
        self.layer.as_mut().poll(&mut self.inner, owner, context)
    }

    fn end(&mut self) {
        self.inner.end();
        self.layer.as_mut().end();
    }
}

/// The guarded future, until it has ended.
pub(super) struct Leaf<'a, F>(pub(super) Pin<&'a mut Option<F>>);

impl<R, F: Future<Output = Result<R, Error>>> Inner<R> for Leaf<'_, F> {
    #[inline(always)]
    fn poll(&mut self, _owner: Owner, context: &mut Context<'_>) -> Poll<Result<R, Error>> {
        // It is there until it has ended, and then nobody polls it.
        let Some(future) = self.0.as_mut().as_pin_mut() else { return Poll::Pending };
        // An `async` block that has ended holds nothing any more.
        future.poll(context)
    }

    fn end(&mut self) {
        self.0.set(None);
    }
}
