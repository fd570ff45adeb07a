//! Guarded functions to be measured, here and beside the peers.

pub mod body;
pub mod guarded;
