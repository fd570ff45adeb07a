//! A framework that hands `resilience` on to its users, who do not depend on it themselves.

/// The whole of it.
pub use resilience;
/// And what its users write, by name.
pub use resilience::{Classify, fallback, resilient, retry, stale_if_error, timeout};

/// Below a module of the framework.
pub mod net {
    pub use resilience as guards;
}

/// Writes a guarded function for the user of the framework.
#[macro_export]
macro_rules! guarded {
    ($(#[$meta:meta])* $vis:vis async fn $name:ident($($argument:ident: $ty:ty),*) -> $returned:ty $body:block) => {
        $(#[$meta])*
        #[$crate::resilience::retry(base_delay = 0ms, crate = $crate::resilience)]
        #[$crate::resilience::circuit_breaker]
        #[$crate::resilience::timeout("1s")]
        $vis async fn $name($($argument: $ty),*) -> $returned $body
    };
}

/// Writes a guarded method.
#[macro_export]
macro_rules! guarded_method {
    ($name:ident, $me:ident, $body:expr) => {
        #[$crate::resilient(
            retry(base_delay = 0ms),
            timeout($crate::LIMIT),
            crate = $crate::resilience
        )]
        async fn $name(&$me) -> ::std::io::Result<u32> {
            $body
        }
    };
}

/// What the framework gives a call.
pub const LIMIT: std::time::Duration = std::time::Duration::from_secs(1);
