//! Atomics and locks of the structures that work without a lock, or partly: std's, or loom's, which tries every
//! interleaving, under `--cfg resilience_loom`. (Not `--cfg loom`: other crates listen to that.)

#[cfg(all(test, resilience_loom))]
pub(crate) use loom::sync::{Mutex, MutexGuard, atomic};
#[cfg(not(all(test, resilience_loom)))]
pub(crate) use std::sync::{Mutex, MutexGuard, atomic};
