//! Guarded functions that call guarded functions: what rustc has to prove of the future stays within its limits.

use std::io::Result;

use resilience::{bulkhead, circuit_breaker, fallback, rate_limit, retry, timeout};

macro_rules! nested {
    ($outer:ident $inner:ident $($more:ident)*) => {
        #[fallback(value = 0)]
        #[retry]
        #[circuit_breaker]
        #[bulkhead]
        #[rate_limit(limit = 1)]
        #[timeout("1s")]
        async fn $outer() -> Result<u32> {
            Ok($inner().await? + 1)
        }
        nested!($inner $($more)*);
    };
    ($innermost:ident) => {
        async fn $innermost() -> Result<u32> {
            Ok(0)
        }
    };
}

nested!(first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth innermost);

#[tokio::test(start_paused = true)]
async fn twelve_functions_of_six_policies_are_send_without_a_higher_recursion_limit() {
    assert_eq!(tokio::spawn(first()).await.expect("the task ends").expect("nothing fails"), 12);
}
