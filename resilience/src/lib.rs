#![doc = include_str!("../../README.md")]

// It would build, and trap at the first look at the clock.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
compile_error!(
    "resilience needs a clock, and this target has none that std can read (`std::time::Instant::now` traps there); build for one \
     with a clock, such as `wasm32-wasip1`, or leave `resilience` out with `[target.'cfg(not(target_os = \"unknown\"))'.dependencies]`"
);

mod admission;
mod arguments;
mod chain;
mod classify;
mod deadline;
#[cfg(test)]
mod deadline_tests;
mod error;
mod event;
mod fallible;
mod fused;
mod guarded;
mod inside;
#[cfg(feature = "stale")]
mod lent_key;
mod line;
mod linked;
mod name;
mod options;
mod outcome;
mod pairs;
mod policy;
mod probe;
#[cfg(test)]
mod probe_tests;
mod registry;
mod site;
mod story;
mod sync;
mod text;
mod time;
mod unwind;
mod wake;

#[doc(hidden)]
pub mod __private;
// Each policy's guide is its module's page, and the attribute's.
#[doc = include_str!("attributes/bulkhead.md")]
pub mod bulkhead;
#[doc = include_str!("attributes/circuit_breaker.md")]
pub mod circuit_breaker;
#[doc = include_str!("attributes/fallback.md")]
pub mod fallback;
#[doc = include_str!("attributes/rate_limit.md")]
pub mod rate_limit;
#[doc = include_str!("attributes/retry.md")]
pub mod retry;
#[doc = include_str!("attributes/retry_budget.md")]
pub mod retry_budget;
#[cfg(feature = "stale")]
#[doc = include_str!("attributes/stale_if_error.md")]
pub mod stale;
#[doc = include_str!("attributes/timeout.md")]
pub mod timeout;

// The pages of the attributes; their examples are tests.
#[cfg(feature = "macros")]
#[doc = include_str!("attributes/classify.md")]
pub use resilience_macros::Classify;
#[cfg(feature = "macros")]
#[doc = include_str!("attributes/bulkhead.md")]
pub use resilience_macros::bulkhead;
#[cfg(feature = "macros")]
#[doc = include_str!("attributes/circuit_breaker.md")]
pub use resilience_macros::circuit_breaker;
#[cfg(feature = "macros")]
#[doc = include_str!("attributes/fallback.md")]
pub use resilience_macros::fallback;
#[cfg(feature = "macros")]
#[doc = include_str!("attributes/rate_limit.md")]
pub use resilience_macros::rate_limit;
#[cfg(feature = "macros")]
#[doc = include_str!("attributes/resilient.md")]
pub use resilience_macros::resilient;
#[cfg(feature = "macros")]
#[doc = include_str!("attributes/retry.md")]
pub use resilience_macros::retry;
#[cfg(feature = "macros")]
#[doc = include_str!("attributes/stale_if_error.md")]
pub use resilience_macros::stale_if_error;
#[cfg(feature = "macros")]
#[doc = include_str!("attributes/timeout.md")]
pub use resilience_macros::timeout;

pub use bulkhead::Bulkhead;
pub use circuit_breaker::CircuitBreaker;
pub use classify::{Class, Classify};
pub use deadline::{Deadline, Scope};
pub use error::{Error, ErrorKind};
pub use event::{Event, RetryLimit, Subscription, subscribe};
pub use fallible::{Fallible, FromRefusal, Recoverable};
pub use options::{ConfigError, Setting, Source, Value};
pub use outcome::Outcome;
pub use rate_limit::RateLimiter;
pub use registry::{
    Conflict, Incomplete, Live, Policies, PolicySnapshot, Report, Snapshot, VerifyError, Warning, registry, verify,
};
pub use retry::{Retry, RetryAttempt};
pub use retry_budget::RetryBudget;
pub use site::Place;
pub use text::show_debug;
