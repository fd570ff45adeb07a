//! The layers that let a call in: circuit breaker, bulkhead, rate limit.

use std::fmt;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::around::{Call, Layer};
use super::body_clock::BodyClock;
use crate::admission::{Answer, Wait, poll_in_line};
use crate::deadline;
use crate::error::Error;
use crate::registry::Entry;
use crate::site::{Asker, Site};
use crate::{bulkhead, circuit_breaker, rate_limit};

/// A layer that holds a permit while the call is inside.
pub struct Admit<A: Admits> {
    by: A,
    state: State<A::Permit, A::Wait>,
}

/// Where the call is: with a permit inside, in line, or outside, before and after.
///
/// A permit has no destructor here: the layer settles it, which knows how long the body has run.
pub enum State<T, W> {
    /// Not let in yet, or ended.
    Outside,
    /// Waiting to be let in; left when the call is let in, refused, or ended.
    InLine(ManuallyDrop<W>),
    /// Let in with this.
    Inside(T),
}

/// Who lets calls in.
pub trait Admits: Unpin {
    /// What a call is let in with.
    type Permit: Copy + Unpin + 'static;
    /// How a call waits for it, if it ever does.
    type Wait: Waits<Self::Permit>;

    /// Lets the call in, or has it wait in line.
    ///
    /// It is told where the permit goes, so that one that is there at once is made where it stays.
    ///
    /// # Errors
    ///
    /// Why the call is refused.
    fn admit(&self, state: &mut State<Self::Permit, Self::Wait>) -> Result<(), Error>;

    /// The call has been let in.
    fn entered(_permit: &Self::Permit, _inner: &mut dyn Call) {}

    /// Polls what is inside, which finds the permit.
    fn poll_inside(
        &self,
        permit: &mut Self::Permit,
        inner: &mut dyn Call,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Error>>;

    /// Settles the permit of a call that has come to its end.
    ///
    /// Somebody else's code may panic in it: who classifies the error, with the permit still in its place, so that it is
    /// settled as a dropped call's is; and who is woken, with it gone.
    fn settle(state: &mut State<Self::Permit, Self::Wait>, ended: &Result<(), Error>, inner: &dyn Call);

    /// Settles the permit of a call that has not.
    fn settle_dropped(permit: Self::Permit, clock: BodyClock);
}

/// A wait for a `T`.
pub trait Waits<T>: Unpin {
    /// Polls it.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<T, Error>>;
}

impl<T: 'static, P: From<T>> Waits<P> for Wait<T> {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<P, Error>> {
        poll_in_line(self, context).map_ok(P::from)
    }
}

/// The wait of those who never wait: there is none, and a call's future has no room for it.
#[derive(Debug)]
pub enum Never {}

impl<T> Waits<T> for Never {
    fn poll(&mut self, _context: &mut Context<'_>) -> Poll<Result<T, Error>> {
        match *self {}
    }
}

impl<A: Admits> Admit<A> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn by(by: A) -> Self {
        Self { by, state: State::Outside }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn enter(&mut self, inner: &mut dyn Call, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        if let State::Outside = self.state {
            self.by.admit(&mut self.state)?;
        }
        if let State::InLine(_) = self.state {
            ready!(self.wait(context))?;
        }
        if let State::Inside(permit) = &self.state {
            A::entered(permit, inner);
        }
        Poll::Ready(Ok(()))
    }

    #[inline(never)]
    fn wait(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        if let State::InLine(wait) = &mut self.state {
            let answer = ready!(wait.poll(context));
            // What has ended waiting without a permit has no place in line any more.
            self.state.leave_line();
            self.state = State::Inside(answer?);
        }
        Poll::Ready(Ok(()))
    }
}

impl<A: Admits> Layer for Admit<A> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(self: Pin<&mut Self>, inner: &mut dyn Call, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let this = self.get_mut();
        if !matches!(this.state, State::Inside(_)) {
            ready!(this.enter(inner, context))?;
        }
        let State::Inside(permit) = &mut this.state else { return Poll::Pending };
        let ended = ready!(this.by.poll_inside(permit, inner, context));
        A::settle(&mut this.state, &ended, inner);
        Poll::Ready(ended)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end(self: Pin<&mut Self>, clock: BodyClock) {
        let this = self.get_mut();
        this.state.leave_line();
        this.state.leave(|permit| A::settle_dropped(permit, clock));
    }
}

impl<T, W> State<T, W> {
    /// Lets a call in that is outside.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn enter(&mut self, permit: T) {
        *self = Self::Inside(permit);
    }

    /// Lets a call out.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn leave(&mut self, settle: impl FnOnce(T))
    where
        T: Copy,
    {
        if let Self::Inside(permit) = *self {
            *self = Self::Outside;
            settle(permit);
        }
    }

    /// Gives up the place in line.
    fn leave_line(&mut self) {
        if let Self::InLine(_) = self {
            if let Self::InLine(wait) = std::mem::replace(self, Self::Outside) {
                drop(ManuallyDrop::into_inner(wait));
            }
        }
    }

    /// Takes over the answer to a call that is not let in at once.
    fn answered<A>(&mut self, answer: Answer<A>) -> Result<(), Error>
    where
        A: 'static,
        T: From<A>,
        W: From<Wait<A>>,
    {
        *self = match answer {
            Answer::Now(answer) => Self::Inside(answer?.into()),
            Answer::InLine(wait) => Self::InLine(ManuallyDrop::new(wait.into())),
        };
        Ok(())
    }
}

/// A circuit breaker, which is told how the call ended.
#[derive(Debug)]
pub struct Judging {
    pub(super) site: &'static Site<circuit_breaker::Breaker>,
}

impl Admits for Judging {
    type Permit = circuit_breaker::Held;
    type Wait = Never;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn admit(&self, state: &mut State<Self::Permit, Self::Wait>) -> Result<(), Error> {
        match self.site.bound_already().and_then(circuit_breaker::at_once) {
            Some(permit) => state.enter(permit),
            None => state.enter(breaker_asked(self.site)?),
        }
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn entered(permit: &Self::Permit, inner: &mut dyn Call) {
        inner.is_judged(permit.is_timed());
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll_inside(
        &self,
        permit: &mut Self::Permit,
        inner: &mut dyn Call,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Error>> {
        let _inside = permit.polling(Some(&self.site.place));
        inner.poll(context)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn settle(state: &mut State<Self::Permit, Self::Wait>, ended: &Result<(), Error>, inner: &dyn Call) {
        match ended {
            Ok(()) => {
                let outcome = inner.outcome();
                match state {
                    State::Inside(permit) if permit.is_plain() => {
                        let account = permit.account();
                        *state = State::Outside;
                        account.settle(outcome);
                    }
                    _ => state.leave(|permit| permit.settle(outcome, || inner.clock().timed())),
                }
            }
            Err(refusal) => state.leave(|permit| permit.settle_refused(refusal, inner.clock())),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn settle_dropped(permit: Self::Permit, clock: BodyClock) {
        permit.settle_dropped(clock);
    }
}

/// A bulkhead, whose slot is held while the call is inside.
#[derive(Debug)]
pub struct Holding {
    pub(super) site: &'static Site<bulkhead::Slots>,
}

impl Admits for Holding {
    type Permit = bulkhead::Held;
    type Wait = Wait<bulkhead::Slot>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn admit(&self, state: &mut State<Self::Permit, Self::Wait>) -> Result<(), Error> {
        match self.site.bound_already().and_then(bulkhead::at_once) {
            Some(permit) => state.enter(permit),
            None => return state.answered(bulkhead_asked(self.site)),
        }
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll_inside(
        &self,
        permit: &mut Self::Permit,
        inner: &mut dyn Call,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Error>> {
        let _inside = permit.polling(Some(&self.site.place));
        inner.poll(context)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn settle(state: &mut State<Self::Permit, Self::Wait>, _ended: &Result<(), Error>, _inner: &dyn Call) {
        match state {
            State::Inside(permit) if permit.is_plain() => {
                let slots = permit.slots();
                *state = State::Outside;
                slots.give_back();
            }
            _ => state.leave(bulkhead::Held::give_back),
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn settle_dropped(permit: Self::Permit, _clock: BodyClock) {
        permit.give_back();
    }
}

const ONE_PERMIT: u32 = 1;

/// A rate limit, of which a call takes one permit.
#[derive(Debug)]
pub struct Spending {
    pub(super) site: &'static Site<rate_limit::Limiter>,
}

impl Admits for Spending {
    type Permit = rate_limit::Taken;
    type Wait = Wait<rate_limit::Taken>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn admit(&self, state: &mut State<Self::Permit, Self::Wait>) -> Result<(), Error> {
        let entry = self.site.bound()?;
        let now = deadline::on_way_in(entry.named())?;
        match rate_limit::at_once(entry, ONE_PERMIT, now) {
            Ok(mark) => state.enter(rate_limit::Taken::new(entry, ONE_PERMIT, mark)),
            Err(unanswered) => {
                let asker = Asker::of(self.site);
                return state.answered(rate_limit::not_at_once(entry, ONE_PERMIT, unanswered, asker));
            }
        }
        Ok(())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll_inside(
        &self,
        _permit: &mut Self::Permit,
        inner: &mut dyn Call,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Error>> {
        inner.poll(context)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn settle(state: &mut State<Self::Permit, Self::Wait>, ended: &Result<(), Error>, inner: &dyn Call) {
        state.leave(|permit| {
            // A call that has come to its end well has been polled.
            if ended.is_err() {
                permit.settle(inner.clock());
            }
        });
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn settle_dropped(permit: Self::Permit, clock: BodyClock) {
        permit.settle(clock);
    }
}

/// Asks a breaker that a call does not just pass.
#[inline(never)]
pub(crate) fn breaker_asked(site: &'static Site<circuit_breaker::Breaker>) -> Result<circuit_breaker::Held, Error> {
    let entry = site.bound()?;
    circuit_breaker::asked(entry, deadline::on_way_in(entry.named())?, Asker::of(site))
}

/// Asks a bulkhead that has not been looked at, or has no room.
#[inline(never)]
pub(crate) fn bulkhead_asked(site: &'static Site<bulkhead::Slots>) -> Answer<bulkhead::Slot> {
    let in_time = |entry: &'static Entry<bulkhead::Slots>| deadline::on_way_in(entry.named()).map(|_| entry);
    match site.bound().and_then(in_time) {
        Ok(entry) => bulkhead::asked(entry, Asker::of(site)),
        Err(refusal) => Answer::Now(Err(refusal)),
    }
}

impl<A: Admits> fmt::Debug for Admit<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admit").finish_non_exhaustive()
    }
}

impl<T, W> fmt::Debug for State<T, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}
