//! A call that was let in by hand, settled exactly once.

use std::fmt;
use std::mem::ManuallyDrop;
use std::num::NonZeroU64;

use super::Breaker;
use super::held::Held;
use super::ticket::Ticket;
use crate::guarded::BodyClock;
use crate::outcome::Outcome;
use crate::registry::Entry;

/// A call that a circuit breaker has let through.
///
/// Dropped without a record it is neutral: it gives a trial slot back and counts nowhere, unless it was held for longer than
/// `slow_call`: then it counts as a slow call. It is a failure if it is dropped because the guarded body panics, or because a
/// timeout around the call expires, see [`circuit_breaker`](macro@crate::circuit_breaker).
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

    /// As that of a guarded call that was never inside of another one, nor another one inside of it.
    #[inline]
    fn held(&self) -> (Held, BodyClock) {
        // The lower half, and the upper.
        let (ticket, started) = (self.call as u64, (self.call >> 64) as u64);
        (Held::new(self.entry, Ticket::from_bits(ticket), started != 0), BodyClock::running_since(started))
    }

    /// Records how the call ended.
    ///
    /// A result counts only in the state that the permit was given in: what comes later is dropped.
    #[inline]
    pub fn record(self, outcome: Outcome) {
        let (held, clock) = ManuallyDrop::new(self).held();
        held.settle(outcome, || clock.timed());
    }
}

impl Drop for Permit {
    #[inline]
    fn drop(&mut self) {
        let (held, clock) = self.held();
        held.settle_dropped(clock);
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("policy", &self.entry.name()).finish_non_exhaustive()
    }
}
