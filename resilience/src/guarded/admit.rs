//! The layers that let a call in: circuit breaker, bulkhead, rate limit.

use std::fmt;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::around::{Call, Layer};
use super::judge::outcome_of;
use crate::admission::{Answer, Wait, poll_in_line};
use crate::deadline;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::registry::Entry;
use crate::site::{Owner, Site};
use crate::{bulkhead, circuit_breaker, rate_limit};

/// A layer that holds a permit while the call is inside.
pub struct Admit<A: Admits> {
    by: A,
    state: State<A::Permit, A::Wait>,
}

/// Where the call is: with a permit inside, in line, or outside, before and after.
pub enum State<T, W> {
    /// Not let in yet, or ended.
    Outside,
    /// Waiting to be let in.
    InLine(W),
    /// Let in with this.
    Inside(T),
}

/// Who lets calls in.
pub trait Admits: Unpin {
    /// What a call is let in with.
    type Permit: Unpin + 'static;
    /// How a call waits for it, if it ever does.
    type Wait: Waits<Self::Permit>;

    /// Lets the call in, or has it wait in line.
    ///
    /// It is told where the permit goes, so that one that is there at once is made where it stays.
    ///
    /// # Errors
    ///
    /// Why the call is refused.
    fn admit(&self, owner: Owner, state: &mut State<Self::Permit, Self::Wait>) -> Result<(), Error>;

    /// What a permit is settled by.
    type Account: Copy;

    /// What this one is settled by.
    fn account(permit: &Self::Permit) -> Self::Account;

    /// How the call has ended, if the policy asks.
    fn outcome(told: impl FnOnce() -> Outcome) -> Outcome;

    /// Settles a permit that is forgotten.
    fn settle(account: Self::Account, outcome: Outcome);
}

/// A wait for a `T`.
pub trait Waits<T>: Unpin {
    /// Polls it.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<T, Error>>;
}

impl<T: 'static> Waits<T> for Wait<T> {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<T, Error>> {
        poll_in_line(self, context)
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
    fn enter(&mut self, owner: Owner, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        if let State::Outside = self.state {
            self.by.admit(owner, &mut self.state)?;
        }
        match self.state {
            State::InLine(_) => self.wait(context),
            _ => Poll::Ready(Ok(())),
        }
    }

    #[inline(never)]
    fn wait(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        if let State::InLine(wait) = &mut self.state {
            let answer = ready!(wait.poll(context));
            // What has ended waiting without a permit has no place in line any more.
            self.state = State::Outside;
            self.state = State::Inside(answer?);
        }
        Poll::Ready(Ok(()))
    }
}

impl<A: Admits> Layer for Admit<A> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(
        self: Pin<&mut Self>,
        inner: &mut dyn Call,
        owner: Owner,
        context: &mut Context<'_>,
    ) -> Poll<Result<(), Error>> {
        let this = self.get_mut();
        if !matches!(this.state, State::Inside(_)) {
            ready!(this.enter(owner, context))?;
        }
        let ended = ready!(inner.poll(owner, context));
        // Either may be somebody else's code that panics: who classifies the error, with the permit still here to be dropped,
        // and who is woken, with it gone.
        let outcome = A::outcome(|| outcome_of(&ended, inner));
        if let State::Inside(permit) = &this.state {
            let account = A::account(permit);
            // And not taken out: it would be copied.
            mem::forget(mem::replace(&mut this.state, State::Outside));
            A::settle(account, outcome);
        }
        Poll::Ready(ended)
    }

    fn end(self: Pin<&mut Self>) {
        self.get_mut().state = State::Outside;
    }
}

impl<T, W> State<T, W> {
    /// Lets a call in that is outside.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn enter(&mut self, permit: T) {
        // Overwritten and not dropped: outside nothing is held.
        mem::forget(mem::replace(self, Self::Inside(permit)));
    }
}

impl<T> State<T, Wait<T>> {
    /// Takes over the answer to a call that is not let in at once.
    fn answered(&mut self, answer: Answer<T>) -> Result<(), Error> {
        *self = match answer {
            Answer::Now(answer) => Self::Inside(answer?),
            Answer::InLine(wait) => Self::InLine(wait),
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
    fn admit(&self, owner: Owner, state: &mut State<Self::Permit, Self::Wait>) -> Result<(), Error> {
        match self.site.bound_already().and_then(circuit_breaker::at_once) {
            Some(permit) => state.enter(permit.into()),
            None => state.enter(breaker_asked(self.site, owner)?.into()),
        }
        Ok(())
    }

    type Account = circuit_breaker::Account;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn account(permit: &Self::Permit) -> Self::Account {
        permit.account()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn outcome(told: impl FnOnce() -> Outcome) -> Outcome {
        told()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn settle(account: Self::Account, outcome: Outcome) {
        account.settle(outcome);
    }
}

/// A bulkhead, whose slot is held while the call is inside.
#[derive(Debug)]
pub struct Holding {
    pub(super) site: &'static Site<bulkhead::Slots>,
}

impl Admits for Holding {
    type Permit = bulkhead::Permit;
    type Wait = Wait<bulkhead::Permit>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn admit(&self, owner: Owner, state: &mut State<Self::Permit, Self::Wait>) -> Result<(), Error> {
        match self.site.bound_already().and_then(bulkhead::at_once) {
            Some(permit) => state.enter(permit),
            None => return state.answered(bulkhead_asked(self.site, owner)),
        }
        Ok(())
    }

    type Account = &'static bulkhead::Slots;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn account(permit: &Self::Permit) -> Self::Account {
        permit.slots()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn outcome(_told: impl FnOnce() -> Outcome) -> Outcome {
        Outcome::Neutral
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn settle(slots: Self::Account, _outcome: Outcome) {
        slots.give_back();
    }
}

const ONE_PERMIT: u32 = 1;

/// A rate limit, of which a call takes one permit.
#[derive(Debug)]
pub struct Spending {
    pub(super) site: &'static Site<rate_limit::Limiter>,
}

impl Admits for Spending {
    // What was taken is gone.
    type Permit = ();
    type Wait = Wait<()>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn admit(&self, owner: Owner, state: &mut State<(), Self::Wait>) -> Result<(), Error> {
        let entry = self.site.bound(owner)?;
        let now = deadline::on_way_in(entry.named())?;
        match rate_limit::at_once(entry, ONE_PERMIT, now) {
            Ok(_mark) => state.enter(()),
            Err(unanswered) => return state.answered(spent(rate_limit::not_at_once(entry, ONE_PERMIT, unanswered))),
        }
        Ok(())
    }

    type Account = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn account((): &()) {}

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn outcome(_told: impl FnOnce() -> Outcome) -> Outcome {
        Outcome::Neutral
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn settle((): (), _outcome: Outcome) {}
}

/// Nothing is given back yet.
pub(crate) fn spent(answer: Answer<rate_limit::Taken>) -> Answer<()> {
    match answer {
        Answer::Now(answer) => Answer::Now(answer.map(rate_limit::Taken::spent)),
        Answer::InLine(wait) => Answer::after(async move { wait.await.map(rate_limit::Taken::spent) }),
    }
}

/// Asks a breaker that a call does not just pass.
#[inline(never)]
pub(crate) fn breaker_asked(
    site: &'static Site<circuit_breaker::Breaker>,
    owner: Owner,
) -> Result<circuit_breaker::Permit, Error> {
    let entry = site.bound(owner)?;
    circuit_breaker::asked(entry, deadline::on_way_in(entry.named())?)
}

/// Asks a bulkhead that has not been looked at, or has no room.
#[inline(never)]
pub(crate) fn bulkhead_asked(site: &'static Site<bulkhead::Slots>, owner: Owner) -> Answer<bulkhead::Permit> {
    let in_time = |entry: &'static Entry<bulkhead::Slots>| deadline::on_way_in(entry.named()).map(|_| entry);
    match site.bound(owner).and_then(in_time) {
        Ok(entry) => bulkhead::acquire(entry),
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
