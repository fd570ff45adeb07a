//! Many threads, many rounds: what must hold for any interleaving.

mod breakers;
mod bulkheads;
mod registry;

use std::sync::atomic::{AtomicU32, Ordering};

/// Counts who is inside, and the most there ever were.
#[derive(Default)]
struct Room {
    inside: AtomicU32,
    most: AtomicU32,
}

impl Room {
    fn enter(&self) -> Inside<'_> {
        let inside = self.inside.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(inside, Ordering::SeqCst);
        Inside(self)
    }

    fn most(&self) -> u32 {
        self.most.load(Ordering::SeqCst)
    }
}

struct Inside<'a>(&'a Room);

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, Ordering::SeqCst);
    }
}
