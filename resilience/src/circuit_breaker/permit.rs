//! An admitted call, settled exactly once.

use std::fmt;
use std::mem::ManuallyDrop;
use std::num::NonZeroU64;

use super::Breaker;
use super::ticket::Ticket;
use crate::classify::Class;
use crate::error::Error;
use crate::fallible::Fallible;
use crate::outcome::{self, Outcome, Seen, once};
use crate::registry::Entry;
use crate::{deadline, time, unwind};

/// A call that a circuit breaker has let through.
///
/// Dropped without a record it is neutral: it gives a trial slot back and counts nowhere. It is a failure if it is
/// dropped because the guarded body panics, or because a timeout around the call expires.
#[must_use = "a permit that is dropped at once records nothing"]
pub struct Permit {
    entry: &'static Entry<Breaker>,
    /// The ticket below, and above the moment of the call's start, where its length matters. In two values a permit is
    /// moved by way of registers; in three it would be copied, and copied before it is all there.
    call: u128,
}

impl Permit {
    #[inline]
    pub(super) fn new(entry: &'static Entry<Breaker>, ticket: Ticket, started: Option<NonZeroU64>) -> Self {
        Self { entry, call: u128::from(started.map_or(0, NonZeroU64::get)) << 64 | u128::from(ticket.to_bits()) }
    }

    #[inline]
    fn account(&self) -> Account {
        // The lower half, and the upper.
        let (ticket, started) = (self.call as u64, (self.call >> 64) as u64);
        Account { entry: self.entry, ticket: Ticket::from_bits(ticket), started: NonZeroU64::new(started) }
    }

    /// Records how the call ended.
    ///
    /// A result counts only in the state that the permit was given in: what comes later is dropped.
    #[inline]
    pub fn record(self, outcome: Outcome) {
        ManuallyDrop::new(self).account().settle(outcome);
    }

    /// Records what the block below ended with.
    #[doc(hidden)]
    #[inline]
    pub fn settle<R: Fallible>(self, result: &Result<R, Error>, classify: fn(&R::Error) -> Class) {
        // `classify` is the user's code: should it panic, the permit is dropped, with the body's panic not noted.
        let outcome = outcome::of(result, classify);
        self.record(outcome);
    }

    /// [`settle`](Self::settle) by a predicate that may take what it looks at along.
    #[doc(hidden)]
    #[inline]
    pub fn settle_when<R: Fallible>(self, result: &Result<R, Error>, classify: impl FnOnce(&R::Error) -> Class) {
        let outcome = Seen::of(result, &mut once(classify)).outcome();
        self.record(outcome);
    }
}

/// What a permit is settled by: a permit in parts, which may be copied and says nothing when it goes.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Account {
    entry: &'static Entry<Breaker>,
    ticket: Ticket,
    started: Option<NonZeroU64>,
}

// By value: nobody needs the place where a permit lies, and the compiler knows what is in it.
impl Account {
    #[inline]
    pub(crate) fn settle(self, outcome: Outcome) {
        let Self { entry, ticket, started } = self;
        let unchanged = started.is_none() && outcome == Outcome::Success && entry.state.gate.ignores_success(ticket);
        if !unchanged {
            entry.state.record_since(entry.name(), ticket, outcome, started);
        }
    }

    #[cold]
    #[inline(never)]
    fn settle_dropped(self) {
        let failed = deadline::is_passing() || unwind::by_panic_of_body();
        let Self { entry, ticket, started } = self;
        let outcome = if failed { Outcome::Failure } else { Outcome::Neutral };
        let elapsed = started.map(|started| time::stamp(time::now()).saturating_sub(started.get()));
        entry.state.record(entry.name(), ticket, outcome, elapsed);
    }
}

/// A permit that stays where it is: it need not fit in registers, and takes less room.
#[derive(Debug)]
#[doc(hidden)]
pub struct Held(Account);

impl Held {
    #[inline(always)]
    pub(crate) fn account(&self) -> Account {
        self.0
    }
}

impl From<Permit> for Held {
    #[inline(always)]
    fn from(permit: Permit) -> Self {
        Self(ManuallyDrop::new(permit).account())
    }
}

impl Drop for Held {
    #[inline]
    fn drop(&mut self) {
        self.0.settle_dropped();
    }
}

impl Drop for Permit {
    #[inline]
    fn drop(&mut self) {
        self.account().settle_dropped();
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("policy", &self.entry.name()).finish_non_exhaustive()
    }
}
