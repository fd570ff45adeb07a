#![deny(warnings)]

use resilience::{bulkhead, circuit_breaker, timeout};

#[timeout("1s", order = "as_written")]
#[bulkhead("a", max_wait = "2s")]
#[bulkhead("b")]
#[circuit_breaker("a")]
#[circuit_breaker("b")]
#[timeout("1s")]
async fn on_purpose() -> std::io::Result<u8> {
    Ok(1)
}

fn main() {
    drop(on_purpose());
}
