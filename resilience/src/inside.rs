//! The guarded calls that are being polled on this thread, outermost first: which call is inside of which.
//!
//! A call inside of another one of the same state (kind, name and key) asks to be let in like any other, but it is one call
//! with it: the state counts one result, the innermost, and lends the outer call's trial slot or place instead of giving
//! another one. The two need not know each other: for the length of each poll a call puts what it can lend on this list, and
//! takes it back, with what calls inside of it had to say. So nobody points into somebody else's future, which may be dropped
//! or moved at any time; whatever is lent belongs to exactly one call.

use std::cell::{Cell, RefCell};

use crate::site::Place;

/// A call of some state, as those inside of it find it.
#[derive(Clone, Copy)]
struct Frame {
    /// Which state: its address.
    state: usize,
    /// Where the call's attribute stands.
    place: Option<&'static Place>,
    shared: Shared,
}

/// What a call shares with the calls of the same state inside of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shared {
    /// What it can lend: a breaker's trial ticket, a bulkhead's slot; [`NOTHING`], or [`LENT`] while a call inside has it.
    pub(crate) lends: u64,
    pub(crate) heard: Heard,
}

/// There is nothing to lend.
pub(crate) const NOTHING: u64 = 0;
/// What there was to lend is another call's.
pub(crate) const LENT: u64 = u64::MAX;

/// What a call has heard of those inside of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Heard(u32);

impl Heard {
    /// A call inside has recorded how it ended: the calls around it record nothing.
    const RECORDED: u32 = 1 << 31;
    /// Something has changed of what the call shares.
    const CHANGED: u32 = 1 << 30;
    /// How many calls were let in inside, and have not ended yet.
    const IN_FLIGHT: u32 = Self::CHANGED - 1;

    /// Whether there is nothing to heed.
    #[inline]
    pub(crate) fn is_nothing(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn recorded(self) -> bool {
        self.0 & Self::RECORDED != 0
    }

    /// Whether a call that was let in inside has not ended yet.
    pub(crate) fn in_flight(self) -> bool {
        self.0 & Self::IN_FLIGHT != 0
    }

    pub(crate) fn record(&mut self) {
        self.0 |= Self::RECORDED;
    }

    pub(crate) fn begin(&mut self) {
        if self.0 & Self::IN_FLIGHT < Self::IN_FLIGHT {
            self.0 += 1;
        }
    }

    pub(crate) fn end(&mut self) {
        if self.in_flight() {
            self.0 -= 1;
        }
    }
}

/// So many stand in place; calls nested deeper, as a recursion's, in a vector.
const IN_PLACE: usize = 16;

struct Calls {
    depth: Cell<usize>,
    /// Below this depth are calls that have nothing to do with the code that is running: a listener's.
    floor: Cell<usize>,
    frames: [Spot; IN_PLACE],
}

/// The place of a frame, in parts: most are written and never read.
struct Spot {
    state: Cell<usize>,
    place: Cell<Option<&'static Place>>,
    lends: Cell<u64>,
    heard: Cell<Heard>,
}

impl Spot {
    #[allow(clippy::declare_interior_mutable_const, reason = "each place has its own copy")]
    const EMPTY: Self =
        Self { state: Cell::new(0), place: Cell::new(None), lends: Cell::new(NOTHING), heard: Cell::new(Heard(0)) };

    #[inline(always)]
    fn set(&self, state: usize, place: Option<&'static Place>, Shared { lends, heard }: Shared) {
        self.state.set(state);
        self.place.set(place);
        self.lends.set(lends);
        self.heard.set(heard);
    }

    fn get(&self) -> Frame {
        let shared = Shared { lends: self.lends.get(), heard: self.heard.get() };
        Frame { state: self.state.get(), place: self.place.get(), shared }
    }
}

const NO_FRAME: Frame = Frame { state: 0, place: None, shared: Shared { lends: 0, heard: Heard(0) } };

thread_local! {
    static CALLS: Calls = const {
        Calls { depth: Cell::new(0), floor: Cell::new(0), frames: [Spot::EMPTY; IN_PLACE] }
    };
    static DEEPER: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
}

impl Calls {
    fn get(&self, at: usize) -> Frame {
        match self.frames.get(at) {
            Some(spot) => spot.get(),
            None => deeper(|frames| frames.get(at - IN_PLACE).copied()).unwrap_or(NO_FRAME),
        }
    }

    fn set(&self, at: usize, frame: Frame) {
        match self.frames.get(at) {
            Some(spot) => spot.set(frame.state, frame.place, frame.shared),
            None => set_deeper(at - IN_PLACE, frame),
        }
    }

    /// The innermost call of a state.
    fn find(&self, state: usize) -> Option<usize> {
        (self.floor.get()..self.depth.get()).rev().find(|at| self.get(*at).state == state)
    }
}

#[cold]
fn deeper<T>(look: impl FnOnce(&mut Vec<Frame>) -> Option<T>) -> Option<T> {
    DEEPER.try_with(|frames| look(&mut frames.borrow_mut())).ok().flatten()
}

#[cold]
fn set_deeper(at: usize, frame: Frame) {
    deeper(|frames| {
        frames.resize(frames.len().max(at + 1), NO_FRAME);
        frames[at] = frame;
        Some(())
    });
}

/// A permit of a call.
pub trait Shares {
    /// What it shares with calls inside.
    fn shared(&self) -> Shared;
    /// What is left of it, and what they had to say.
    fn take_back(&mut self, shared: Shared);
}

/// A call is on the list until this is dropped, which takes back what it shares.
#[derive(Debug)]
#[must_use]
pub struct Polling<'a, P: Shares> {
    permit: &'a mut P,
}

/// Puts a call on the list while it is being polled.
#[inline(always)]
pub(crate) fn polling<'a, P: Shares>(state: usize, place: Option<&'static Place>, permit: &'a mut P) -> Polling<'a, P> {
    CALLS.with(|calls| {
        let depth = calls.depth.get();
        let shared = permit.shared();
        match calls.frames.get(depth) {
            Some(spot) => spot.set(state, place, shared),
            None => set_deeper(depth - IN_PLACE, Frame { state, place, shared }),
        }
        calls.depth.set(depth + 1);
    });
    Polling { permit }
}

impl<P: Shares> Drop for Polling<'_, P> {
    #[inline(always)]
    fn drop(&mut self) {
        CALLS.with(|calls| {
            let depth = calls.depth.get() - 1;
            calls.depth.set(depth);
            // Whoever changes what a call shares leaves a mark.
            let unchanged = calls.frames.get(depth).is_some_and(|frame| frame.heard.get().is_nothing());
            if !unchanged {
                let Frame { state, shared, .. } = calls.get(depth);
                self.permit.take_back(shared);
                if shared.heard.recorded() {
                    pass_on(state);
                }
            }
        });
    }
}

/// What was recorded inside of a call was recorded inside of those around it, too.
#[cold]
fn pass_on(state: usize) {
    change(state, |shared, _| shared.heard.record());
}

/// Whether a call of that state is being polled on this thread.
#[inline(always)]
pub(crate) fn is_inside(state: usize) -> bool {
    CALLS.with(|calls| calls.depth.get() > calls.floor.get() && calls.find(state).is_some())
}

/// Changes what the innermost call of a state shares, if there is one.
pub(crate) fn change<T>(state: usize, change: impl FnOnce(&mut Shared, Option<&'static Place>) -> T) -> Option<T> {
    CALLS.with(|calls| {
        let at = calls.find(state)?;
        let mut frame = calls.get(at);
        let result = change(&mut frame.shared, frame.place);
        frame.shared.heard.0 |= Heard::CHANGED;
        calls.set(at, frame);
        Some(result)
    })
}

/// Runs code that is inside of none of the calls: a listener's.
pub(crate) fn aside(code: impl FnOnce()) {
    struct Restore(usize);
    impl Drop for Restore {
        fn drop(&mut self) {
            CALLS.with(|calls| calls.floor.set(self.0));
        }
    }
    let _restore = CALLS.with(|calls| Restore(calls.floor.replace(calls.depth.get())));
    code();
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Shares for Shared {
        fn shared(&self) -> Shared {
            *self
        }

        fn take_back(&mut self, shared: Shared) {
            *self = shared;
        }
    }

    fn lent(state: usize) -> Option<u64> {
        change(state, |shared, _| std::mem::take(&mut shared.lends))
    }

    fn shares(lends: u64) -> Shared {
        Shared { lends, ..Shared::default() }
    }

    #[test]
    fn what_is_lent_is_gone_for_the_lender() {
        let mut outer = shares(7);
        let polling_outer = polling(1, None, &mut outer);
        assert_eq!((lent(2), lent(1), lent(1)), (None, Some(7), Some(0)));
        drop(polling_outer);
        assert_eq!(outer.lends, 0);
        assert_eq!(lent(1), None, "it is not polled any more");
    }

    #[test]
    fn the_innermost_call_of_a_state_is_asked_and_all_around_hear_what_was_recorded() {
        let (mut first, mut other, mut second) = (shares(1), shares(2), shares(3));
        let in_first = polling(1, None, &mut first);
        let in_other = polling(2, None, &mut other);
        let in_second = polling(1, None, &mut second);
        assert_eq!(lent(1), Some(3));
        change(1, |shared, _| shared.heard.record());
        drop(in_second);
        assert_eq!(lent(1), Some(1));
        drop(in_other);
        drop(in_first);
        assert!(first.heard.recorded() && second.heard.recorded() && !other.heard.recorded());
    }

    #[test]
    fn nesting_has_no_limit() {
        fn nest(depth: u64) {
            let mut call = shares(depth);
            let inside = polling(depth as usize, None, &mut call);
            if depth < 100 {
                nest(depth + 1);
            }
            assert_eq!(lent(depth as usize), Some(depth));
            assert_eq!(
                lent(50),
                if depth > 50 {
                    Some(50)
                } else if depth == 50 {
                    Some(0)
                } else {
                    None
                }
            );
            change(50, |shared, _| shared.lends = 50);
            drop(inside);
        }
        nest(1);
        assert!(!is_inside(1));
    }

    #[test]
    fn code_aside_is_inside_of_nothing_and_leaves_the_list_as_it_was() {
        let mut call = shares(1);
        let inside = polling(1, None, &mut call);
        aside(|| {
            assert!(!is_inside(1));
            let mut own = shares(2);
            let inside = polling(1, None, &mut own);
            assert_eq!(lent(1), Some(2));
            drop(inside);
        });
        assert_eq!(lent(1), Some(1));
        drop(inside);
    }

    #[test]
    fn calls_inside_are_counted() {
        let mut heard = Heard::default();
        heard.begin();
        heard.begin();
        heard.record();
        heard.end();
        assert!(heard.in_flight() && heard.recorded());
        heard.end();
        heard.end();
        assert!(!heard.in_flight() && heard.recorded());
    }
}
