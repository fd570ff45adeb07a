//! An admitted call, settled exactly once.

use std::fmt;

use super::Breaker;
use super::state::Ticket;
use crate::classify::Class;
use crate::error::Error;
use crate::fallible::Fallible;
use crate::outcome::{Outcome, Seen};
use crate::registry::Entry;
use crate::time::Instant;
use crate::{deadline, unwind};

/// A call that a circuit breaker has let through.
///
/// Dropped without a record it is neutral: it gives a trial slot back and counts nowhere. It is a failure if it is
/// dropped because the guarded body panics, or because a timeout around the call expires.
#[must_use = "a permit that is dropped at once records nothing"]
pub struct Permit {
    entry: &'static Entry<Breaker>,
    /// Taken when the call is settled.
    ticket: Option<Ticket>,
    /// The call's start, where its length matters.
    started: Option<Instant>,
}

impl Permit {
    pub(super) fn new(entry: &'static Entry<Breaker>, ticket: Ticket, started: Option<Instant>) -> Self {
        Self { entry, ticket: Some(ticket), started }
    }

    /// Records how the call ended.
    ///
    /// A result counts only in the state that the permit was given in: what comes later is dropped.
    pub fn record(mut self, outcome: Outcome) {
        self.settle_as(outcome);
    }

    /// Records what the block below ended with.
    #[doc(hidden)]
    pub fn settle<R: Fallible>(self, result: &Result<R, Error>, classify: impl FnOnce(&R::Error) -> Class) {
        // `classify` is the user's code: should it panic, the permit is dropped, with the body's panic not noted.
        let outcome = Seen::of(result, classify).outcome();
        self.record(outcome);
    }

    fn settle_as(&mut self, outcome: Outcome) {
        if let Some(ticket) = self.ticket.take() {
            self.entry.state.record(self.entry.name(), ticket, outcome, self.started);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if self.ticket.is_none() {
            return;
        }
        let failed = deadline::is_passing() || unwind::by_panic_of_body();
        self.settle_as(if failed { Outcome::Failure } else { Outcome::Neutral });
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("policy", &self.entry.name()).finish_non_exhaustive()
    }
}
