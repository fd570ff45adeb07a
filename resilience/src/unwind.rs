//! Tells a panic of the body from a panic of somebody else that merely drops the call.
//!
//! `thread::panicking` is true in both. The body's future notes on the way out that it panicked; the edge of the call,
//! which is dropped last, forgets it again, so that a call further out judges for itself.

use std::cell::Cell;

use crate::deadline;

thread_local! {
    static BODY_PANICKED: Cell<bool> = const { Cell::new(false) };
}

/// Whether the value being dropped is dropped by a panic of the body it guards.
pub(crate) fn by_panic_of_body() -> bool {
    std::thread::panicking() && BODY_PANICKED.try_with(Cell::get).unwrap_or(false)
}

/// Runs code that has nothing to do with the body whose panic may be unwinding: a listener's.
pub(crate) fn aside(code: impl FnOnce()) {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            let _ = BODY_PANICKED.try_with(|panicked| panicked.set(self.0));
        }
    }
    let _restore = Restore(BODY_PANICKED.try_with(|panicked| panicked.replace(false)).unwrap_or(false));
    code();
}

/// Stands around a poll of the body, or its end, and notes a panic that passes through it, unless defused.
pub(crate) struct Witness(());

impl Witness {
    #[inline]
    pub(crate) fn new() -> Self {
        deadline::way_in_ends();
        Self(())
    }

    #[inline]
    pub(crate) fn defuse(self) {
        std::mem::forget(self);
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        // Only an unwinding poll leaves it to be dropped.
        let _ = BODY_PANICKED.try_with(|panicked| panicked.set(true));
    }
}

/// The outermost value of a guarded call.
#[derive(Debug)]
pub struct Edge(());

impl Edge {
    #[doc(hidden)]
    #[must_use]
    #[allow(clippy::new_without_default, reason = "made by expansions only")]
    pub const fn new() -> Self {
        Self(())
    }
}

impl Drop for Edge {
    #[inline]
    fn drop(&mut self) {
        if std::thread::panicking() {
            deadline::way_in_ends();
            let _ = BODY_PANICKED.try_with(|panicked| panicked.set(false));
        }
    }
}
