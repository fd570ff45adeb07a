//! A permit that stands in the function, and the layer that has calls inside find it: where the user's own words decide how a
//! permit is settled, or how much is taken.

use std::fmt;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::around::{Call, Layer};
use super::body_clock::BodyClock;
use crate::classify::Class;
use crate::error::Error;
use crate::fallible::Fallible;
use crate::outcome::{self, Outcome, Seen, once};
use crate::site::Place;
use crate::{bulkhead, circuit_breaker, rate_limit};

/// What a call was let in with: plain data that somebody settles.
pub trait Settled: Copy {
    /// Notes, until it is dropped, that the call is being polled.
    type Polling<'a>
    where
        Self: 'a;

    /// Notes that the call is being polled.
    fn polling(&mut self, place: &'static Place) -> Self::Polling<'_>;

    /// The call has been let in.
    fn entered(&self, _inner: &mut dyn Call) {}

    /// Settles it for a call of which nobody says how it ended.
    fn settle_dropped(self, clock: BodyClock);
}

impl Settled for circuit_breaker::Held {
    type Polling<'a> = crate::inside::Polling<'a, Self>;

    #[inline(always)]
    fn polling(&mut self, place: &'static Place) -> Self::Polling<'_> {
        self.polling(Some(place))
    }

    #[inline(always)]
    fn entered(&self, inner: &mut dyn Call) {
        inner.is_judged(self.is_timed());
    }

    #[inline(always)]
    fn settle_dropped(self, clock: BodyClock) {
        self.settle_dropped(clock);
    }
}

impl Settled for bulkhead::Held {
    type Polling<'a> = crate::inside::Polling<'a, Self>;

    #[inline(always)]
    fn polling(&mut self, place: &'static Place) -> Self::Polling<'_> {
        self.polling(Some(place))
    }

    #[inline(always)]
    fn settle_dropped(self, _clock: BodyClock) {
        self.give_back();
    }
}

impl Settled for rate_limit::Taken {
    type Polling<'a> = ();

    #[inline(always)]
    fn polling(&mut self, _place: &'static Place) {}

    #[inline(always)]
    fn settle_dropped(self, clock: BodyClock) {
        self.settle(clock);
    }
}

/// A permit that stands in the function, and is settled once, on every exit.
#[must_use = "a permit that is dropped at once lets nobody in"]
pub struct Permit<H: Settled> {
    held: H,
    place: &'static Place,
    /// How long the body inside has run.
    clock: BodyClock,
}

impl<H: Settled> Permit<H> {
    #[inline(always)]
    pub(crate) fn new(place: &'static Place, held: H) -> Self {
        Self { held, place, clock: BodyClock::NEW }
    }
}

impl Permit<circuit_breaker::Held> {
    /// Records what the block below ended with.
    #[inline(always)]
    pub fn settle<R: Fallible>(self, result: &Result<R, Error>, classify: fn(&R::Error) -> Class) {
        match result {
            Ok(returned) => {
                // `classify` is the user's code: should it panic, the permit is dropped, with the body's panic not noted.
                let outcome = outcome::of_returned(returned, classify);
                let Self { held, clock, .. } = *ManuallyDrop::new(self);
                held.settle(outcome, || clock.timed());
            }
            Err(refusal) => self.settle_refused(refusal),
        }
    }

    /// [`settle`](Self::settle) by a predicate that may take what it looks at along.
    #[inline]
    pub fn settle_when<R: Fallible>(self, result: &Result<R, Error>, classify: impl FnOnce(&R::Error) -> Class) {
        match result {
            Ok(_) => {
                let outcome = Seen::of(result, &mut once(classify)).outcome();
                let Self { held, clock, .. } = *ManuallyDrop::new(self);
                held.settle(outcome, || clock.timed());
            }
            Err(refusal) => self.settle_refused(refusal),
        }
    }

    /// [`settle_when`](Self::settle_when) where a value may have `failed`.
    pub fn settle_when_ok<R: Fallible>(
        self,
        result: &Result<R, Error>,
        failed: bool,
        classify: impl FnOnce(&R::Error) -> Class,
    ) {
        if failed {
            let Self { held, clock, .. } = *ManuallyDrop::new(self);
            return held.settle(Outcome::Failure, || clock.timed());
        }
        self.settle_when(result, classify);
    }

    fn settle_refused(self, refusal: &Error) {
        let Self { held, clock, .. } = *ManuallyDrop::new(self);
        held.settle_refused(refusal, clock);
    }
}

impl<H: Settled> Drop for Permit<H> {
    #[inline(always)]
    fn drop(&mut self) {
        self.held.settle_dropped(self.clock);
    }
}

/// The layer of a permit that stands in the function.
pub struct Under<'a, H: Settled>(pub(super) &'a mut Permit<H>);

impl<H: Settled> Layer for Under<'_, H> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(mut self: Pin<&mut Self>, inner: &mut dyn Call, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let Permit { held, place, clock } = &mut *self.0;
        if !clock.has_begun() {
            held.entered(inner);
        }
        let polling = held.polling(place);
        let polled = inner.poll(context);
        drop(polling);
        *clock = inner.clock();
        polled
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end(mut self: Pin<&mut Self>, clock: BodyClock) {
        // It is settled where it stands.
        self.0.clock = clock;
    }
}

impl<H: Settled> fmt::Debug for Permit<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("place", self.place).finish_non_exhaustive()
    }
}

impl<H: Settled> fmt::Debug for Under<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Under").field(&self.0).finish()
    }
}
