//! What a call is told when it asks to pass, and what it holds on to if it may.

use std::num::NonZeroU32;
use std::ops::Range;
use std::time::Duration;

use crate::time::Instant;

/// What an admitted call shows when its result is recorded: one word, as permits are moved through every layer.
///
/// Above, the generation: the result counts only in the state that the ticket was given in. Below, the number of a trial
/// call; a regular one, recorded in the window, has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticket(u64);

impl Ticket {
    /// A call that is let through without being recorded: no generation has this number.
    pub(super) const UNRECORDED: Self = Self::regular(u32::MAX);

    #[inline]
    pub(super) const fn regular(generation: u32) -> Self {
        Self((generation as u64) << 32)
    }

    pub(super) fn probe(generation: u32, number: NonZeroU32) -> Self {
        Self(Self::regular(generation).0 | u64::from(number.get()))
    }

    #[inline]
    pub(super) const fn to_bits(self) -> u64 {
        self.0
    }

    #[inline]
    pub(super) const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    pub(super) fn generation(self) -> u32 {
        (self.0 >> 32) as u32
    }

    pub(super) fn probe_number(self) -> Option<NonZeroU32> {
        // The lower half.
        NonZeroU32::new(self.0 as u32)
    }
}

/// What every call finds until the machine changes: it needs not ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Passage {
    /// It passes as a regular one.
    Pass(Successes),
    /// It passes and is not recorded.
    Unrecorded,
    Refused,
    /// It is refused within this time.
    RefusedIn(Range<Instant>),
    Asks,
}

/// What was counted without the machine's lock, and is not in the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counted {
    /// Successes, where all calls pass, and else refusals.
    pub(super) results: u32,
    /// Calls that were cut early in the present state.
    pub(super) cut_early: u32,
}

/// What becomes of a success that was not slow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Successes {
    /// It is recorded at once: it may open the breaker.
    Recorded,
    /// It changes the window only, and may be taken in later, with others.
    Counted,
    /// The same, at a moment within this time.
    CountedIn(Range<Instant>),
    /// It changes nothing: the window is full of its like.
    Ignored,
}

/// The answer to a call that asks to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    Pass(Ticket),
    Refused {
        retry_after: Option<Duration>,
    },
    /// In shadow: passes without being recorded, although it would be refused.
    WouldRefuse {
        retry_after: Option<Duration>,
    },
}
