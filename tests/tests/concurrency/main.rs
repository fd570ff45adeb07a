//! Many threads, many rounds: what must hold for any interleaving.

mod breakers;
mod bulkheads;
mod registry;

use std::sync::atomic::{AtomicU32, Ordering};

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

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
