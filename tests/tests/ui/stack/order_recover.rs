use resilience::{circuit_breaker, fallback, rate_limit, retry, stale_if_error, timeout};

#[retry]
#[fallback(value = 1)]
async fn fallback_below_retry() -> std::io::Result<u8> {
    Ok(1)
}

#[timeout("9s")]
#[circuit_breaker]
#[retry]
#[stale_if_error("1m")]
async fn stale_below_circuit_breaker() -> std::io::Result<u8> {
    Ok(1)
}

#[timeout("1s")]
#[rate_limit("order-recover", limit = 1, max_wait = "1s")]
async fn waits_too_long() -> std::io::Result<u8> {
    Ok(1)
}

#[fallback(value = 1)]
#[stale_if_error("1m")]
#[fallback(value = 2)]
#[stale_if_error("2m")]
async fn twice() -> std::io::Result<u8> {
    Ok(1)
}

#[rate_limit(limit = 1)]
#[rate_limit("order-recover")]
async fn unnamed() -> std::io::Result<u8> {
    Ok(1)
}

#[fallback(value = 1)]
#[retry(order = "as_written")]
#[fallback(value = 2)]
async fn as_written_lifts_no_duplicates() -> std::io::Result<u8> {
    Ok(1)
}

fn main() {}
