//! Fallbacks: what they may be, when they are used, and what they leave alone.

mod forms;
mod hierarchy;
mod numbers;
mod order;
mod rules;

use std::sync::atomic::{AtomicU32, Ordering};

use resilience_tests::{Answer, Fault};

/// What a fallback gives in the place of a failure.
const INSTEAD: u32 = 1000;

/// Counts how often a fallback is evaluated.
#[derive(Default)]
struct Instead(AtomicU32);

impl Instead {
    fn used(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }

    #[allow(clippy::unused_async, reason = "fallbacks may wait")]
    async fn of(&self, _error: Fault) -> Answer {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(INSTEAD)
    }
}
