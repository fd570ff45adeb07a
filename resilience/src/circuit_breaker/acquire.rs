//! The way of a call into a breaker: past the lock, if it can be.

use std::num::NonZeroU64;

use super::gate::Word;
use super::ticket::{Admission, Ticket};
use super::{Breaker, Permit};
use crate::deadline;
use crate::error::{Error, Wait};
use crate::event::{self, Event};
use crate::registry::Entry;
use crate::time::{self, Instant};

/// Asks to pass, in a handle's name or a site's.
#[inline]
pub(crate) fn acquire(entry: &'static Entry<Breaker>) -> Result<Permit, Error> {
    match at_once(entry) {
        Some(permit) => Ok(permit),
        None => asked(entry, deadline::look(entry.named())?),
    }
}

/// A permit, where every call passes, its length does not matter, and no moment is known as the deadline.
///
/// In the caller's code, so that the permit is made where it stays: one that is returned by way of memory is copied from
/// there, in wider pieces than it was written in just before, which takes longer than all the rest.
#[inline(always)]
pub(crate) fn at_once(entry: &'static Entry<Breaker>) -> Option<Permit> {
    if deadline::is_a_moment() {
        return None;
    }
    entry.state.gate.look().passes_untimed().map(|ticket| Permit::new(entry, ticket, None))
}

/// As [`acquire`], where a call does not just pass, and its deadline has not. The clock is not read once more where `now` is
/// what it shows.
#[inline(never)]
pub(crate) fn asked(entry: &'static Entry<Breaker>, now: Option<Instant>) -> Result<Permit, Error> {
    match ask(entry, now) {
        Ok(Pass { ticket, timed }) => Ok(Permit::new(entry, ticket, if timed { started(now) } else { None })),
        Err(retry_after) => Err(Error::circuit_open(entry.named(), retry_after)),
    }
}

/// The moment, for a call that is timed.
fn started(now: Option<Instant>) -> Option<NonZeroU64> {
    NonZeroU64::new(time::stamp(now.unwrap_or_else(time::now)).max(1))
}

/// What `ask` returns: so small that it comes in registers, and the permit above need not go through memory.
struct Pass {
    ticket: Ticket,
    timed: bool,
}

impl Pass {
    fn new(ticket: Ticket, word: Word) -> Self {
        Self { ticket, timed: word.is_timed() && ticket != Ticket::UNRECORDED }
    }
}

/// The permit above, in parts.
fn ask(entry: &'static Entry<Breaker>, now: Option<Instant>) -> Result<Pass, Wait> {
    let Breaker { gate, .. } = &entry.state;
    let word = gate.look();
    if let Some(ticket) = word.passes() {
        return Ok(Pass::new(ticket, word));
    }
    match gate.refuse(word, || now.unwrap_or_else(time::now)) {
        Some(wait) => {
            tell_rejected(entry.name(), wait, false);
            Err(wait)
        }
        None => ask_machine(entry),
    }
}

fn ask_machine(entry: &'static Entry<Breaker>) -> Result<Pass, Wait> {
    let Entry { state, .. } = entry;
    match state.step(entry.name(), |machine| machine.admit(time::now)) {
        Admission::Pass(ticket) => Ok(Pass::new(ticket, state.gate.look())),
        Admission::WouldRefuse { retry_after } => {
            tell_rejected(entry.name(), retry_after.into(), true);
            Ok(Pass { ticket: Ticket::UNRECORDED, timed: false })
        }
        Admission::Refused { retry_after } => {
            let wait = retry_after.into();
            tell_rejected(entry.name(), wait, false);
            Err(wait)
        }
    }
}

fn tell_rejected(policy: &'static str, retry_after: Wait, shadow: bool) {
    event::emit(|| Event::CircuitBreakerRejected { policy, retry_after: retry_after.get(), shadow });
}
