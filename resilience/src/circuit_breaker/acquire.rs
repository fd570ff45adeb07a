//! The way of a call into a breaker: past the lock, if it can be.

use std::num::NonZeroU64;

use super::gate::Word;
use super::held::{Held, state_of};
use super::ticket::{Admission, Ticket};
use super::{Breaker, Permit};
use crate::deadline;
use crate::error::{Error, Wait};
use crate::event::{self, Event};
use crate::inside::{self, LENT};
use crate::registry::Entry;
use crate::site::Asker;
use crate::time::{self, Instant};

/// Asks to pass by hand: a call of its own, whatever it is inside of.
#[inline]
pub(super) fn acquire(entry: &'static Entry<Breaker>) -> Result<Permit, Error> {
    if !deadline::is_a_moment() {
        if let Some(ticket) = entry.state.gate.look().passes_untimed() {
            return Ok(Permit::new(entry, ticket, None));
        }
    }
    let now = deadline::look(entry.named())?;
    match ask(entry, now, None, Asker::HAND) {
        Ok(Pass { ticket, timed }) => Ok(Permit::new(entry, ticket, if timed { started(now) } else { None })),
        Err(retry_after) => Err(Error::circuit_open(entry.named(), retry_after)),
    }
}

/// A guarded call's permit, where every call passes, its length does not matter, no moment is known as the deadline, and it is
/// inside of no other call of the breaker.
///
/// In the caller's code, so that the permit is made where it stays: one that is returned by way of memory is copied from
/// there, in wider pieces than it was written in just before, which takes longer than all the rest.
#[inline(always)]
pub(crate) fn at_once(entry: &'static Entry<Breaker>) -> Option<Held> {
    if deadline::is_a_moment() || inside::is_inside(state_of(entry)) {
        return None;
    }
    entry.state.gate.look().passes_untimed().map(|ticket| Held::regular(entry, ticket))
}

/// The same where a call does not just pass, and its deadline has not. The clock is not read once more where `now` is what it
/// shows.
#[inline(never)]
pub(crate) fn asked(entry: &'static Entry<Breaker>, now: Option<Instant>, asker: Asker) -> Result<Held, Error> {
    let around = inside::change(state_of(entry), |outer, place| (Some(Ticket::from_bits(outer.lends)), place));
    let lends = around.and_then(|(ticket, _)| ticket);
    let Pass { ticket, timed } =
        ask(entry, now, lends, asker).map_err(|retry_after| Error::circuit_open(entry.named(), retry_after))?;
    let held = Held::new(entry, ticket, timed);
    let Some((_, place)) = around else { return Ok(held) };
    inside::change(state_of(entry), |outer, _| {
        outer.heard.begin();
        if outer.lends == ticket.to_bits() {
            outer.lends = LENT;
        }
    });
    event::tell_nested("circuit_breaker", entry.name(), asker, place);
    Ok(held.inside())
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

/// The permit above, in parts. `lends` is the ticket of the call around.
fn ask(
    entry: &'static Entry<Breaker>,
    now: Option<Instant>,
    lends: Option<Ticket>,
    asker: Asker,
) -> Result<Pass, Wait> {
    let Breaker { gate, .. } = &entry.state;
    let word = gate.look();
    if let Some(ticket) = word.passes() {
        return Ok(Pass::new(ticket, word));
    }
    match gate.refuse(word, || now.unwrap_or_else(time::now)) {
        Some(wait) => {
            tell_rejected(entry.name(), wait, false, asker);
            Err(wait)
        }
        None => ask_machine(entry, lends, asker),
    }
}

fn ask_machine(entry: &'static Entry<Breaker>, lends: Option<Ticket>, asker: Asker) -> Result<Pass, Wait> {
    let Entry { state, .. } = entry;
    match state.step(entry.name(), |machine| machine.admit(lends, time::now)) {
        Admission::Pass(ticket) => Ok(Pass::new(ticket, state.gate.look())),
        Admission::WouldRefuse { retry_after } => {
            tell_rejected(entry.name(), retry_after.into(), true, asker);
            Ok(Pass { ticket: Ticket::UNRECORDED, timed: false })
        }
        Admission::Refused { retry_after } => {
            let wait = retry_after.into();
            tell_rejected(entry.name(), wait, false, asker);
            Err(wait)
        }
    }
}

fn tell_rejected(policy: &'static str, retry_after: Wait, shadow: bool, asker: Asker) {
    event::emit(|| Event::CircuitBreakerRejected {
        policy,
        function: asker.function(),
        retry_after: retry_after.get(),
        shadow,
    });
}
