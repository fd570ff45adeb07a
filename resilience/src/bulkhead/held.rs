//! The slot of a guarded call: it may be lent to a call inside, or be lent by one around.

use std::ptr::from_ref;

use super::Slots;
use crate::inside::{self, Heard, LENT, Polling, Shared, Shares};
use crate::registry::Entry;
use crate::site::Place;

/// What a guarded call was let in with. It has no destructor: who holds it gives it back, once.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Held {
    entry: &'static Entry<Slots>,
    /// The slot is another call's, inside of this one.
    lent: bool,
    /// It was let in inside of another call of this bulkhead.
    is_inner: bool,
}

const SLOT: u64 = 1;

/// Which state calls may be inside of.
#[inline(always)]
pub(super) fn state_of(entry: &'static Entry<Slots>) -> usize {
    from_ref(entry).addr()
}

/// Takes over the slot of the call around, if it has one to lend; else whether there is a call around at all.
pub(super) fn borrow(entry: &'static Entry<Slots>) -> (bool, Option<Option<&'static Place>>) {
    let lend = |outer: &mut Shared, place| {
        let lends = outer.lends == SLOT;
        if lends {
            outer.lends = LENT;
        }
        (lends, place)
    };
    match inside::change(state_of(entry), lend) {
        Some((lent, place)) => (lent, Some(place)),
        None => (false, None),
    }
}

impl Held {
    #[inline(always)]
    pub(super) fn new(entry: &'static Entry<Slots>) -> Self {
        Self { entry, lent: false, is_inner: false }
    }

    /// The same, inside of another call.
    pub(super) fn inside(self) -> Self {
        Self { is_inner: true, ..self }
    }

    /// Calls of this bulkhead that are polled from now on are inside of this one.
    #[inline(always)]
    pub(crate) fn polling(&mut self, place: Option<&'static Place>) -> Polling<'_, Self> {
        inside::polling(state_of(self.entry), place, self)
    }

    /// Ends the call. Its slot goes to those in line, else back to the call around that has lent it, else it is free.
    #[inline(always)]
    pub(crate) fn give_back(self) {
        if self.is_inner && self.returned() {
            return;
        }
        if !self.lent {
            self.entry.state.give_back();
        }
    }

    #[cold]
    #[inline(never)]
    fn returned(self) -> bool {
        if self.lent || self.entry.state.has_line() {
            return false;
        }
        let take_back = |outer: &mut Shared, _| {
            let returned = outer.lends == LENT;
            if returned {
                outer.lends = SLOT;
            }
            returned
        };
        inside::change(state_of(self.entry), take_back).unwrap_or(false)
    }
}

impl Shares for Held {
    #[inline(always)]
    fn shared(&self) -> Shared {
        Shared { lends: if self.lent { LENT } else { SLOT }, heard: Heard::default() }
    }

    #[inline(always)]
    fn take_back(&mut self, shared: Shared) {
        self.lent = shared.lends != SLOT;
    }
}

/// The same with a destructor, for what may be dropped at any time.
#[derive(Debug)]
#[must_use = "a slot that is dropped at once is free again"]
#[doc(hidden)]
pub struct Slot(Held);

impl Slot {
    pub(super) fn new(held: Held) -> Self {
        Self(held)
    }
}

impl From<Slot> for Held {
    fn from(slot: Slot) -> Self {
        std::mem::ManuallyDrop::new(slot).0
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.give_back();
    }
}
