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
    marks: Marks,
}

/// What is not as with most calls. (In one number, so that they take one look.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Marks(u64);

impl Marks {
    const NONE: Self = Self(0);
    /// The slot is another call's, inside of this one.
    const LENT: u64 = 1;
    /// It was let in inside of another call of this bulkhead.
    const INNER: u64 = 1 << 1;

    fn has(self, mark: u64) -> bool {
        self.0 & mark != 0
    }
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
        Self { entry, marks: Marks::NONE }
    }

    /// The same, inside of another call.
    pub(super) fn inside(self) -> Self {
        Self { marks: Marks(self.marks.0 | Marks::INNER), ..self }
    }

    /// Calls of this bulkhead that are polled from now on are inside of this one.
    #[inline(always)]
    pub(crate) fn polling(&mut self, place: Option<&'static Place>) -> Polling<'_, Self> {
        inside::polling(state_of(self.entry), place, self)
    }

    /// Whether the slot is just given back.
    #[inline(always)]
    pub(crate) fn is_plain(&self) -> bool {
        self.marks == Marks::NONE
    }

    /// What the slot is one of.
    #[inline(always)]
    pub(crate) fn slots(&self) -> &'static Slots {
        &self.entry.state
    }

    /// Ends the call. Its slot goes to those in line, else back to the call around that has lent it, else it is free.
    #[inline(always)]
    pub(crate) fn give_back(self) {
        if self.marks == Marks::NONE {
            self.entry.state.give_back();
        } else {
            self.give_back_or_return();
        }
    }

    #[cold]
    #[inline(never)]
    fn give_back_or_return(self) {
        if self.marks.has(Marks::INNER) && self.returned() {
            return;
        }
        if !self.marks.has(Marks::LENT) {
            self.entry.state.give_back();
        }
    }

    fn returned(self) -> bool {
        if self.marks.has(Marks::LENT) || self.entry.state.has_line() {
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
        Shared { lends: if self.marks.has(Marks::LENT) { LENT } else { SLOT }, heard: Heard::default() }
    }

    #[inline(always)]
    fn take_back(&mut self, shared: Shared) {
        if shared.lends == SLOT {
            self.marks.0 &= !Marks::LENT;
        } else {
            self.marks.0 |= Marks::LENT;
        }
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
