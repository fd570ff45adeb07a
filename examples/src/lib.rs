//! What the examples share: how they read their arguments, tell the time, write numbers and draw.

pub mod args;
pub mod clock;
pub mod sheet;
pub mod text;
