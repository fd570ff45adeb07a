//! Layers one inside the other, around a call.
//!
//! They know nothing of the future that they guard, nor of what it ends in: their code is then compiled, and looked at by
//! rustc, once for each list of policies, and not for each function.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::error::Error;
use crate::fallible::Fallible;
use crate::outcome::{self, Outcome, Seen};
use crate::probe::{ClassBy, Classified, Sourced, Unclassified};
use crate::site::Owner;

/// What is inside of a layer.
pub trait Call {
    /// Polls it; an error is a refusal, or what a timeout says that has cut it.
    fn poll(&mut self, owner: Owner, context: &mut Context<'_>) -> Poll<Result<(), Error>>;
    /// How the guarded future has ended, as a circuit breaker sees it.
    fn outcome(&self) -> Outcome;
    /// Drops the guarded future, then what the layers hold, from the inside out.
    fn end(&mut self);
}

/// What stands around a call: one policy, several as a [`Nest`], or nothing.
pub trait Layer {
    /// Polls what is inside as far as the policy lets it; not again once it has ended.
    fn poll(
        self: Pin<&mut Self>,
        inner: &mut dyn Call,
        owner: Owner,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Error>>;

    /// Gives back what is held for the call, from the inside out: a layer further out has ended it.
    fn end(self: Pin<&mut Self>);
}

impl Layer for () {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(
        self: Pin<&mut Self>,
        inner: &mut dyn Call,
        owner: Owner,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Error>> {
        inner.poll(owner, context)
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
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn new(layer: L, inner: I) -> Self {
        Self { inner, layer }
    }
}

impl<L: Layer, I: Layer> Layer for Nest<L, I> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(
        self: Pin<&mut Self>,
        inner: &mut dyn Call,
        owner: Owner,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Error>> {
        let this = self.project();
        this.layer.poll(&mut Within { layers: this.inner, call: inner }, owner, context)
    }

    fn end(self: Pin<&mut Self>) {
        let this = self.project();
        let _last = Ended(this.layer, L::end);
        this.inner.end();
    }
}

impl<L, I> fmt::Debug for Nest<L, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nest").finish_non_exhaustive()
    }
}

/// The call and the layers right around it, as a layer further out sees them.
struct Within<'a, A> {
    layers: Pin<&'a mut A>,
    call: &'a mut dyn Call,
}

impl<A: Layer> Call for Within<'_, A> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(&mut self, owner: Owner, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.layers.as_mut().poll(self.call, owner, context)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn outcome(&self) -> Outcome {
        self.call.outcome()
    }

    fn end(&mut self) {
        let _last = Ended(self.layers.as_mut(), A::end);
        self.call.end();
    }
}

/// Ends the layers when it is dropped, also where what is inside of them panics as it is dropped: the permits they hold know
/// why the call is over as long as the timeout that has ended it is at work.
struct Ended<'a, A>(Pin<&'a mut A>, fn(Pin<&mut A>));

impl<A> Drop for Ended<'_, A> {
    fn drop(&mut self) {
        (self.1)(self.0.as_mut());
    }
}

/// The guarded future, until it has ended, and then what it has ended in.
pub(super) struct Leaf<'a, F, R, C> {
    pub(super) future: Pin<&'a mut Option<F>>,
    pub(super) result: Option<Result<R, Error>>,
    pub(super) judge: PhantomData<C>,
}

impl<R, C: Judge<R>, F: Future<Output = Result<R, Error>>> Call for Leaf<'_, F, R, C> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(&mut self, _owner: Owner, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        // It is there until it has been ended, and then nobody polls it. An `async` block that has ended holds nothing.
        let Some(future) = self.future.as_mut().as_pin_mut() else { return Poll::Pending };
        let Poll::Ready(result) = future.poll(context) else { return Poll::Pending };
        self.result = Some(result);
        Poll::Ready(Ok(()))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn outcome(&self) -> Outcome {
        self.result.as_ref().map_or(Outcome::Neutral, C::outcome)
    }

    fn end(&mut self) {
        self.future.set(None);
    }
}

/// How a call has ended for a circuit breaker around it, which a layer further in may have refused or cut.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn outcome_of(ended: &Result<(), Error>, call: &dyn Call) -> Outcome {
    match ended {
        Ok(()) => call.outcome(),
        Err(error) => Seen::of_refusal(error).outcome(),
    }
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
                #[cfg_attr(not(debug_assertions), inline(always))]
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
