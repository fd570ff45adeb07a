//! What policies tell, to listeners and to `tracing`.

mod listeners;
mod names;
mod panicking_texts;
mod reentrant;
mod tracing_events;
