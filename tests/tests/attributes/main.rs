//! The newer attributes as users write them: every form, in every kind of function.

mod derive;
mod fallback;
mod rate_limit;
mod resilient;
mod stale;
