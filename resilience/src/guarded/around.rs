//! Layers one inside the other, around a future.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::error::Error;
use crate::fallible::Fallible;
use crate::outcome::{self, Outcome};
use crate::probe::{ClassBy, Classified, Sourced, Unclassified};
use crate::site::Owner;

// `R`, what the future ends in, and `C`, who tells how it ended, are the methods' parameters and not the traits': what
// rustc has to know of a list of layers is then the same for every function, and found out once.

/// One policy around what is inside of it.
pub trait Layer {
    /// Polls what is inside as far as the policy lets it, and makes what the policy makes of its end.
    fn poll<R, C: Judge<R>, I: Inner<R>>(
        self: Pin<&mut Self>,
        inner: &mut I,
        owner: Owner,
        context: &mut Context<'_>,
    ) -> Poll<Result<R, Error>>;

    /// Gives back what is held for the call, which is over: a layer further out has ended it.
    fn end(self: Pin<&mut Self>);
}

/// Who tells a circuit breaker how a call has ended: a way to tell the class of the function's error, or nobody where no
/// layer asks.
pub trait Judge<R> {
    /// How it has ended.
    fn outcome(result: &Result<R, Error>) -> Outcome;
}

macro_rules! judges {
    ($($by:ty)*) => {
        $(
            impl<R: Fallible> Judge<R> for $by
            where
                $by: ClassBy<R::Error>,
            {
                #[inline(always)]
                fn outcome(result: &Result<R, Error>) -> Outcome {
                    outcome::of(result, <$by as ClassBy<R::Error>>::class)
                }
            }
        )*
    };
}

judges!(Classified Sourced Unclassified);

/// Nobody is asked.
#[derive(Clone, Copy, Debug)]
pub struct Unasked;

impl<R> Judge<R> for Unasked {
    fn outcome(_result: &Result<R, Error>) -> Outcome {
        Outcome::Neutral
    }
}

/// What is inside of a layer.
pub trait Inner<R> {
    /// Polls it.
    fn poll(&mut self, owner: Owner, context: &mut Context<'_>) -> Poll<Result<R, Error>>;
    /// Drops the guarded future, then what the layers hold, from the inside out.
    fn end(&mut self);
}

/// Layers around a future: none, or a [`Nest`].
pub trait Around {
    /// Polls the future under these layers.
    fn poll<R, C: Judge<R>, F: Future<Output = Result<R, Error>>>(
        self: Pin<&mut Self>,
        future: Pin<&mut Option<F>>,
        owner: Owner,
        context: &mut Context<'_>,
    ) -> Poll<Result<R, Error>>;

    /// Gives back what they hold, from the inside out.
    fn end(self: Pin<&mut Self>);
}

impl Around for () {
    #[inline(always)]
    fn poll<R, C: Judge<R>, F: Future<Output = Result<R, Error>>>(
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

impl<L: Layer, I: Around> Around for Nest<L, I> {
    #[inline(always)]
    fn poll<R, C: Judge<R>, F: Future<Output = Result<R, Error>>>(
        self: Pin<&mut Self>,
        future: Pin<&mut Option<F>>,
        owner: Owner,
        context: &mut Context<'_>,
    ) -> Poll<Result<R, Error>> {
        let this = self.project();
        let mut inner = Within::<_, _, C> { layers: this.inner, future, judge: PhantomData };
        this.layer.poll::<R, C, _>(&mut inner, owner, context)
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
struct Within<'a, A, F, C> {
    layers: Pin<&'a mut A>,
    future: Pin<&'a mut Option<F>>,
    judge: PhantomData<C>,
}

impl<R, A: Around, F: Future<Output = Result<R, Error>>, C: Judge<R>> Inner<R> for Within<'_, A, F, C> {
    #[inline(always)]
    fn poll(&mut self, owner: Owner, context: &mut Context<'_>) -> Poll<Result<R, Error>> {
        self.layers.as_mut().poll::<R, C, F>(self.future.as_mut(), owner, context)
    }

    fn end(&mut self) {
        self.future.set(None);
        self.layers.as_mut().end();
    }
}
