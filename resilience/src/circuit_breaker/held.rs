//! The permit of a guarded call: it may be inside of another call of the same breaker, and others inside of it.

use std::ptr::from_ref;

use super::Breaker;
use super::ticket::Ticket;
use crate::error::{Error, Why};
use crate::guarded::BodyClock;
use crate::inside::{self, Heard, LENT, NOTHING, Polling, Shared, Shares};
use crate::outcome::{Origin, Outcome, of_cut, of_refusal};
use crate::registry::Entry;
use crate::site::Place;
use crate::{deadline, unwind};

/// What a guarded call was let in with. It has no destructor: who holds it settles it, once.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Held {
    entry: &'static Entry<Breaker>,
    ticket: Ticket,
    heard: Heard,
    marks: Marks,
}

/// What is not as with most calls. (In one number, so that they take one look.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Marks(u32);

impl Marks {
    const NONE: Self = Self(0);
    /// The time that the body takes matters.
    const TIMED: u32 = 1;
    /// The trial slot is another call's, inside of this one.
    const LENT: u32 = 1 << 1;
    /// It was let in inside of another call of this breaker.
    const INNER: u32 = 1 << 2;
    /// It is a trial call.
    const TRIAL: u32 = 1 << 3;

    fn has(self, mark: u32) -> bool {
        self.0 & mark != 0
    }
}

/// Which state calls may be inside of.
#[inline(always)]
pub(super) fn state_of(entry: &'static Entry<Breaker>) -> usize {
    from_ref(entry).addr()
}

impl Held {
    #[inline(always)]
    pub(super) fn new(entry: &'static Entry<Breaker>, ticket: Ticket, timed: bool) -> Self {
        let trial = if ticket.probe_number().is_some() { Marks::TRIAL } else { 0 };
        let timed = if timed { Marks::TIMED } else { 0 };
        Self { entry, ticket, heard: Heard::default(), marks: Marks(trial | timed) }
    }

    /// That of a call like most: no trial, and not timed.
    #[inline(always)]
    pub(super) fn regular(entry: &'static Entry<Breaker>, ticket: Ticket) -> Self {
        Self { entry, ticket, heard: Heard::default(), marks: Marks::NONE }
    }

    /// The same, inside of another call.
    pub(super) fn inside(self) -> Self {
        Self { marks: Marks(self.marks.0 | Marks::INNER), ..self }
    }

    #[cold]
    fn lends(&self) -> u64 {
        if self.is_lent() { LENT } else { self.ticket.to_bits() }
    }

    fn is_lent(self) -> bool {
        self.marks.has(Marks::LENT)
    }

    /// Whether the time that the body takes matters.
    #[inline(always)]
    pub(crate) fn is_timed(&self) -> bool {
        self.marks.has(Marks::TIMED)
    }

    /// Calls of this breaker that are polled from now on are inside of this one.
    #[inline(always)]
    pub(crate) fn polling(&mut self, place: Option<&'static Place>) -> Polling<'_, Self> {
        inside::polling(state_of(self.entry), place, self)
    }

    /// Whether there is nothing to heed but how the call ended.
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        self.heard.is_nothing() && self.marks == Marks::NONE
    }

    /// What a plain one is settled by.
    #[inline(always)]
    pub(crate) fn account(&self) -> Account {
        Account { entry: self.entry, ticket: self.ticket }
    }

    /// Records how the call ended, where no call inside has recorded how it did; and `ran` after how many nanoseconds, if that
    /// matters.
    #[inline(always)]
    pub(crate) fn settle(self, outcome: Outcome, ran: impl FnOnce() -> Option<u64>) {
        if self.is_plain() {
            self.account().settle(outcome);
        } else {
            self.settle_result(outcome, ran());
        }
    }

    #[inline(never)]
    fn settle_result(self, outcome: Outcome, ran: Option<u64>) {
        // A result that says nothing of the dependency says nothing of its speed.
        self.settle_with_others(outcome, ran.filter(|_| outcome != Outcome::Neutral));
    }

    fn settle_with_others(self, outcome: Outcome, ran: Option<u64>) {
        let Self { entry, ticket, .. } = self;
        // Who is inside has told, or has the trial slot and will.
        let is_told = self.heard.recorded() || self.is_lent();
        let (outcome, ran) = if is_told { (Outcome::Neutral, None) } else { (outcome, ran) };
        let says = outcome != Outcome::Neutral || entry.state.is_slow(ran);
        if self.marks.has(Marks::INNER) && self.told_outer(says) {
            return;
        }
        if !self.is_lent() {
            entry.state.record(entry.name(), ticket, outcome, ran);
        }
    }

    /// Tells the call around that this one has ended; whether that has taken back the trial slot, unused.
    fn told_outer(self, says: bool) -> bool {
        let tell = |outer: &mut Shared, _| {
            outer.heard.end();
            if says {
                outer.heard.record();
                return false;
            }
            let returned = !self.is_lent() && self.ticket.probe_number().is_some() && outer.lends == LENT;
            if returned {
                outer.lends = self.ticket.to_bits();
            }
            returned
        };
        inside::change(state_of(self.entry), tell).unwrap_or(false)
    }

    /// Records a call that was refused, or cut, by a layer inside.
    #[inline(never)]
    pub(crate) fn settle_refused(self, refusal: &Error, clock: BodyClock) {
        match refusal.why() {
            Why::CutShort => self.settle_cut(clock, refusal.origin()),
            _ => self.settle(of_refusal(refusal), || clock.timed()),
        }
    }

    /// Records a call that was dropped before its end.
    #[cold]
    #[inline(never)]
    pub(crate) fn settle_dropped(self, clock: BodyClock) {
        if self.heard.in_flight() {
            // Who is inside is dropped, too, and says what there is to say; or goes on elsewhere.
            self.settle_with_others(Outcome::Neutral, None);
        } else if unwind::by_panic_of_body() {
            self.settle(Outcome::Failure, || clock.timed());
        } else if let Some(origin) = deadline::passing_by() {
            self.settle_cut(clock, origin);
        } else {
            self.settle_with_others(Outcome::Neutral, clock.timed());
        }
    }

    /// Records a call that ended because a deadline passed.
    fn settle_cut(self, clock: BodyClock, origin: Origin) {
        let slow_call = self.entry.state.slow_call();
        let outcome = of_cut(clock.has_begun(), clock.ran(), slow_call, clock.own_timeout(), origin);
        if outcome == Outcome::Failure {
            self.settle(outcome, || clock.timed());
        } else {
            if clock.has_begun() && self.heard.is_nothing() {
                self.entry.state.count_cut_early(self.ticket);
            }
            self.settle(outcome, || None);
        }
    }
}

/// A plain permit in parts: copied as a whole it would be read in wider pieces than it was written in just before, which takes
/// longer than all the rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Account {
    entry: &'static Entry<Breaker>,
    ticket: Ticket,
}

impl Account {
    #[inline(always)]
    pub(crate) fn settle(self, outcome: Outcome) {
        let Self { entry, ticket } = self;
        let unchanged = outcome == Outcome::Success && entry.state.gate.ignores_success(ticket);
        if !unchanged {
            entry.state.record(entry.name(), ticket, outcome, None);
        }
    }
}

impl Shares for Held {
    #[inline(always)]
    fn shared(&self) -> Shared {
        let lends = if self.marks.has(Marks::TRIAL) { self.lends() } else { NOTHING };
        Shared { lends, heard: self.heard }
    }

    #[inline(always)]
    fn take_back(&mut self, shared: Shared) {
        self.heard = shared.heard;
        if self.marks.has(Marks::TRIAL) {
            if shared.lends == LENT {
                self.marks.0 |= Marks::LENT;
            } else {
                self.marks.0 &= !Marks::LENT;
                // Perhaps that of a call inside which had a slot of its own.
                self.ticket = Ticket::from_bits(shared.lends);
            }
        }
    }
}
