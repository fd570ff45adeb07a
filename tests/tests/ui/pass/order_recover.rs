#![deny(warnings)]

use resilience::{circuit_breaker, fallback, rate_limit, retry, stale_if_error, timeout};

#[retry(order = "as_written")]
#[stale_if_error("1m")]
#[circuit_breaker]
#[fallback(value = 1)]
#[timeout("1s")]
#[rate_limit("a", limit = 1, max_wait = "1s")]
#[rate_limit("b", limit = 1)]
async fn on_purpose() -> std::io::Result<u8> {
    Ok(1)
}

#[fallback(value = 1)]
#[stale_if_error("1m")]
#[retry]
#[circuit_breaker]
async fn as_usual() -> std::io::Result<u8> {
    Ok(1)
}

fn main() {
    drop((on_purpose(), as_usual()));
}
