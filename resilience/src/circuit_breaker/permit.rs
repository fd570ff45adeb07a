//! An admitted call, settled exactly once.

use std::fmt;
use std::mem::ManuallyDrop;
use std::num::NonZeroU64;

use super::Breaker;
use super::ticket::Ticket;
use crate::classify::Class;
use crate::error::Error;
use crate::fallible::Fallible;
use crate::outcome::{Outcome, Seen, once};
use crate::registry::Entry;
use crate::{deadline, unwind};

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

    /// Records how the call ended.
    ///
    /// A result counts only in the state that the permit was given in: what comes later is dropped.
    #[inline]
    pub fn record(self, outcome: Outcome) {
        ManuallyDrop::new(self).settle_as(outcome);
    }

    /// Records what the block below ended with.
    #[doc(hidden)]
    #[inline]
    pub fn settle<R: Fallible>(self, result: &Result<R, Error>, mut classify: fn(&R::Error) -> Class) {
        self.settle_seen(result, &mut classify);
    }

    /// [`settle`](Self::settle) by a predicate that may take what it looks at along.
    #[doc(hidden)]
    #[inline]
    pub fn settle_when<R: Fallible>(self, result: &Result<R, Error>, classify: impl FnOnce(&R::Error) -> Class) {
        self.settle_seen(result, &mut once(classify));
    }

    #[inline]
    fn settle_seen<R: Fallible>(self, result: &Result<R, Error>, classify: &mut dyn FnMut(&R::Error) -> Class) {
        // `classify` is the user's code: should it panic, the permit is dropped, with the body's panic not noted.
        let outcome = Seen::of(result, classify).outcome();
        self.record(outcome);
    }

    #[inline]
    fn settle_as(&self, outcome: Outcome) {
        let ticket = Ticket::from_bits(self.call as u64);
        let started = NonZeroU64::new((self.call >> 64) as u64);
        let Entry { state, .. } = self.entry;
        let unchanged = started.is_none() && outcome == Outcome::Success && state.gate.ignores_success(ticket);
        if !unchanged {
            // By value: a permit that is lent lies in memory from the start.
            state.record(self.entry.name(), ticket, outcome, started);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let failed = deadline::is_passing() || unwind::by_panic_of_body();
        self.settle_as(if failed { Outcome::Failure } else { Outcome::Neutral });
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("policy", &self.entry.name()).finish_non_exhaustive()
    }
}
