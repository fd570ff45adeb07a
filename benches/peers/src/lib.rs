//! What a guarded call costs, beside the other crates: the same body, the same loop, one run.

pub mod contenders;
pub mod subject;
