//! Wakes those who wait. A waker is somebody else's code: it runs under no lock of ours, and a panic in it is no reason for the
//! next in line to wait in vain.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Waker;

pub(crate) fn wake(wakers: impl IntoIterator<Item = Waker>) {
    wakers.into_iter().for_each(|waker| isolated(|| waker.wake()));
}

/// Drops wakers that nobody needs any more.
pub(crate) fn forget(wakers: impl IntoIterator<Item = Waker>) {
    wakers.into_iter().for_each(|waker| isolated(|| drop(waker)));
}

fn isolated(code: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(code)) {
        // A payload may panic when dropped, too.
        std::mem::forget(payload);
        // Where the subscriber itself is what panics, there is nobody left to tell.
        let _ = catch_unwind(|| tracing::error!(target: "resilience", "a waker panicked"));
    }
}
