//! Layers one inside the other, around a call.
//!
//! They know nothing of the future that they guard, nor of what it ends in: their code is then compiled, and looked at by
//! rustc, once for each list of policies, and not for each function. What stands around them knows the future's output
//! alone: it is there once for each list and return type.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::body_clock::BodyClock;
use super::judge::Judge;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::unwind::Witness;

/// What is inside of a layer.
pub trait Call {
    /// Polls it; an error is a refusal, or what a timeout says that has cut it.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>>;
    /// How the guarded future has ended, as a circuit breaker sees it.
    fn outcome(&self) -> Outcome;
    /// How long the body has run.
    fn clock(&self) -> BodyClock;
    /// A breaker lets the call in, and asks for the time that the body takes: in any case, or should it be cut.
    fn is_judged(&mut self, timed: bool);
    /// Drops the guarded future, then what the layers hold, from the inside out; `timeout` is the length, in nanoseconds, of
    /// the timeout that ends it.
    fn end(&mut self, timeout: Option<u64>);
}

/// One policy around a call.
pub trait Layer {
    /// Polls what is inside as far as the policy lets it; not again once it has ended.
    fn poll(self: Pin<&mut Self>, inner: &mut dyn Call, context: &mut Context<'_>) -> Poll<Result<(), Error>>;

    /// Gives back what is held for a call that has not come to its end: a layer further out has ended it, or it is dropped.
    /// `clock` is that of the body.
    fn end(self: Pin<&mut Self>, clock: BodyClock);

    /// The length of a timeout, in nanoseconds.
    fn timeout(&self) -> Option<u64> {
        None
    }
}

/// All policies right around a body, or around a block: none, one, or several as a [`Nest`].
pub trait Layers {
    /// Polls what is inside as far as the policies let it; not again once it has ended.
    fn poll(self: Pin<&mut Self>, inner: &mut dyn Call, context: &mut Context<'_>) -> Poll<Result<(), Error>>;

    /// How long the body has run that is inside.
    fn clock(&self) -> BodyClock;

    /// As [`Call::is_judged`].
    fn is_judged(self: Pin<&mut Self>, timed: bool);

    /// Ends each layer, from the inside out; `timeout` is the length of the innermost one further out, in nanoseconds.
    fn end(self: Pin<&mut Self>, timeout: Option<u64>);
}

/// The innermost layer, where it is a function's body that stands inside.
#[derive(Debug)]
pub struct AtBody {
    clock: BodyClock,
}

impl AtBody {
    pub(crate) const NEW: Self = Self { clock: BodyClock::NEW };
}

impl Layers for AtBody {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(mut self: Pin<&mut Self>, inner: &mut dyn Call, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let witness = Witness::new();
        let heard = self.clock.polls();
        let polled = inner.poll(context);
        self.clock.polled(heard, polled.is_pending());
        witness.defuse();
        polled
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn clock(&self) -> BodyClock {
        self.clock
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_judged(mut self: Pin<&mut Self>, timed: bool) {
        self.clock.is_judged();
        if timed {
            self.clock.time();
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end(mut self: Pin<&mut Self>, _timeout: Option<u64>) {
        self.clock.cut();
    }
}

/// The innermost layer, where it is a block of the function that stands inside, with other layers in it.
#[derive(Debug)]
pub struct AtBlock {
    clock: BodyClock,
    /// The length of the timeout that the block is right inside of, in nanoseconds.
    timeout: Option<u64>,
}

impl AtBlock {
    pub(crate) const fn new(timeout: Option<u64>) -> Self {
        Self { clock: BodyClock::NEW, timeout }
    }
}

impl Layers for AtBlock {
    fn poll(mut self: Pin<&mut Self>, inner: &mut dyn Call, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let timeout = self.timeout;
        self.clock.poll_block(timeout, || inner.poll(context))
    }

    fn clock(&self) -> BodyClock {
        self.clock
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_judged(mut self: Pin<&mut Self>, timed: bool) {
        self.clock.is_judged();
        if timed {
            self.clock.time();
        }
    }

    fn end(mut self: Pin<&mut Self>, _timeout: Option<u64>) {
        self.clock.cut();
    }
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

impl<L: Layer, I: Layers> Layers for Nest<L, I> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(self: Pin<&mut Self>, inner: &mut dyn Call, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let this = self.project();
        this.layer.poll(&mut Within { layers: this.inner, call: inner }, context)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn clock(&self) -> BodyClock {
        self.inner.clock().within(self.layer.timeout())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_judged(self: Pin<&mut Self>, timed: bool) {
        self.project().inner.is_judged(timed);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end(self: Pin<&mut Self>, timeout: Option<u64>) {
        let this = self.project();
        let clock = this.inner.clock().within(timeout);
        let inside = this.layer.timeout().or(timeout);
        let _last = AtLast(Some(|| this.layer.end(clock)));
        this.inner.end(inside);
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

impl<A: Layers> Call for Within<'_, A> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.layers.as_mut().poll(self.call, context)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn outcome(&self) -> Outcome {
        self.call.outcome()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn clock(&self) -> BodyClock {
        self.layers.clock()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_judged(&mut self, timed: bool) {
        self.layers.as_mut().is_judged(timed);
    }

    fn end(&mut self, timeout: Option<u64>) {
        let _last = AtLast(Some(|| self.layers.as_mut().end(timeout)));
        self.call.end(timeout);
    }
}

/// What ends a layer when it is dropped, also where what is inside of it panics as it is dropped: the permits that layers hold
/// know why the call is over as long as the timeout that has ended it is at work.
struct AtLast<F: FnOnce()>(Option<F>);

impl<F: FnOnce()> Drop for AtLast<F> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn drop(&mut self) {
        if let Some(end) = self.0.take() {
            end();
        }
    }
}

/// The guarded future as what it ends in. All code that a function has for itself, beside its own, implements this.
pub trait Work<T> {
    /// Polls it, unless it has been ended.
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T>;
    /// Drops the future.
    fn end(self: Pin<&mut Self>);
}

impl<F: Future> Work<F::Output> for Option<F> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // It is there until it has been ended, and then nobody polls it. An `async` block that has ended holds nothing.
        match self.as_pin_mut() {
            Some(future) => future.poll(context),
            None => Poll::Pending,
        }
    }

    fn end(mut self: Pin<&mut Self>) {
        self.set(None);
    }
}

/// The guarded future as the innermost call, and what it has ended in.
struct Leaf<'a, T, C> {
    work: Pin<&'a mut dyn Work<T>>,
    output: Option<T>,
    judge: PhantomData<C>,
}

impl<T, C: Judge<T>> Call for Leaf<'_, T, C> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let Poll::Ready(output) = self.work.as_mut().poll(context) else { return Poll::Pending };
        self.output = Some(output);
        Poll::Ready(Ok(()))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn outcome(&self) -> Outcome {
        self.output.as_ref().map_or(Outcome::Neutral, C::outcome)
    }

    fn clock(&self) -> BodyClock {
        // The layers around know it.
        BodyClock::NEW
    }

    fn is_judged(&mut self, _timed: bool) {}

    fn end(&mut self, _timeout: Option<u64>) {
        // A destructor that panics is as much the work's as its polls are.
        let witness = Witness::new();
        self.work.as_mut().end();
        witness.defuse();
    }
}

/// Polls work under layers.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn poll_under<T, C: Judge<T>, L: Layers>(
    layers: Pin<&mut L>,
    work: Pin<&mut dyn Work<T>>,
    context: &mut Context<'_>,
) -> Poll<Result<T, Error>> {
    let mut leaf = Leaf::<_, C> { work, output: None, judge: PhantomData };
    let ended = ready!(layers.poll(&mut leaf, context));
    match (ended, leaf.output) {
        (Ok(()), Some(output)) => Poll::Ready(Ok(output)),
        (Err(refusal), _) => Poll::Ready(Err(refusal)),
        // Nothing says that it has ended and leaves nothing.
        (Ok(()), None) => Poll::Pending,
    }
}
