//! What a guarded call costs, beside the other crates: the same body, the same loop, one run.

pub mod contenders;
pub mod subject;

/// How many names there are, one step after the other.
pub const SIZES: [u32; 6] = [1, 10, 100, 1_000, 10_000, 100_000];
/// How many calls a window holds.
pub const WINDOWS: [u32; 4] = [100, 1_000, 10_000, 100_000];
