#![deny(warnings)]

/// A facade, as a framework would have it.
pub mod facade {
    pub use resilience::*;
}

use facade::{retry, timeout};

#[retry(crate = crate::facade, jitter = "none")]
#[crate::facade::circuit_breaker]
#[timeout("1s")]
async fn through_the_facade(text: String) -> std::io::Result<String> {
    Ok(text)
}

#[macro_export]
macro_rules! guarded {
    ($name:ident) => {
        #[$crate::facade::retry(crate = $crate::facade)]
        #[timeout("1s", crate = $crate::facade)]
        async fn $name() -> std::io::Result<u8> {
            Ok(1)
        }
    };
}

guarded!(made);

fn main() {
    drop(through_the_facade(String::new()));
    drop(made());
}
