//! Guarded functions, each in an object of its own, and what the registry knows of them.

/// Functions that C calls, or does not.
macro_rules! guarded {
    ($($module:ident $symbol:ident;)*) => {$(
        mod $module {
            #[resilience::circuit_breaker(cooldown = "7s")]
            #[resilience::timeout("1s")]
            async fn guarded() -> Result<u32, resilience::Error> {
                Ok(1)
            }

            /// Calls the guarded function.
            #[unsafe(no_mangle)]
            pub extern "C" fn $symbol() -> u32 {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
                runtime.map_or(0, |runtime| runtime.block_on(guarded()).unwrap_or(0))
            }
        }
    )*};
}

guarded! {
    one call_one;
    two call_two;
    three call_three;
}

/// How many breakers the registry knows; none of them has to have been called.
#[unsafe(no_mangle)]
pub extern "C" fn known_breakers() -> u32 {
    let snapshot = resilience::registry().snapshot();
    let breakers = snapshot.policies().iter().filter(|policy| policy.kind() == "circuit_breaker");
    u32::try_from(breakers.count()).unwrap_or(u32::MAX)
}
