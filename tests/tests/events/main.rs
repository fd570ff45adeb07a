//! What policies tell, to listeners and to `tracing`.

mod listeners;
mod names;
mod tracing_events;
