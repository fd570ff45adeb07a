#![deny(warnings)]

/// A facade, as a framework would have it.
pub mod facade {
    pub use resilience::*;
}

use facade::{Classify, fallback, resilient, retry, stale_if_error, timeout};

#[retry(crate = crate::facade, jitter = "none")]
#[crate::facade::circuit_breaker]
#[timeout("1s")]
async fn through_the_facade(text: String) -> std::io::Result<String> {
    Ok(text)
}

#[fallback(value = text.len(), crate = crate::facade)]
#[stale_if_error("1m", key = text)]
#[retry(budget = "a")]
#[crate::facade::rate_limit("a", limit = 1)]
async fn recovered(text: &str) -> std::io::Result<usize> {
    Ok(text.len())
}

#[resilient(retry, timeout("1s"), crate = crate::facade)]
#[crate::facade::bulkhead]
async fn listed() -> std::io::Result<u8> {
    Ok(1)
}

#[derive(Classify)]
#[classify(crate = crate::facade)]
#[allow(dead_code)]
enum Fault<T> {
    #[overloaded(retry_after = 0)]
    Busy(std::time::Duration),
    #[classify(transparent)]
    Inner(T),
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
    drop((recovered(""), listed()));
    let fault: Fault<std::io::Error> = Fault::Busy(std::time::Duration::ZERO);
    assert!(facade::Classify::is_failure(&fault));
}
