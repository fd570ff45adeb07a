//! Ours through attributes: each function is the body under what its name says.

use resilience::{bulkhead, circuit_breaker, rate_limit, retry, timeout};

use crate::body::{Body, Failure};

/// Under a closed breaker.
#[circuit_breaker("attribute")]
pub async fn closed(body: Body) -> Result<u64, Failure> {
    body.call().await
}

/// Under a breaker that one failure opens for an hour.
#[circuit_breaker("attribute open", consecutive_failures = 1, cooldown = "1h")]
pub async fn open(body: Body) -> Result<u64, Failure> {
    body.call().await
}

/// Under a retry.
#[retry]
pub async fn retried(body: Body) -> Result<u64, Failure> {
    body.call().await
}

/// Under a bulkhead with room.
#[bulkhead("attribute")]
pub async fn bounded(body: Body) -> Result<u64, Failure> {
    body.call().await
}

/// Under a bulkhead with one slot.
#[bulkhead("attribute full", max_concurrent = 1)]
pub async fn full(body: Body) -> Result<u64, Failure> {
    body.call().await
}

/// Under a rate limit that no loop reaches.
#[rate_limit("attribute", limit = 1_000_000_000)]
pub async fn limited(body: Body) -> Result<u64, Failure> {
    body.call().await
}

/// Under a rate limit of one call an hour.
#[rate_limit("attribute empty", limit = 1, per = "1h")]
pub async fn empty(body: Body) -> Result<u64, Failure> {
    body.call().await
}

/// Under a timeout far away.
#[timeout("60s")]
pub async fn timed(body: Body) -> Result<u64, Failure> {
    body.call().await
}

/// Under five policies.
#[retry]
#[circuit_breaker("attribute stack")]
#[rate_limit("attribute stack", limit = 1_000_000_000)]
#[bulkhead("attribute stack")]
#[timeout("60s")]
pub async fn stack(body: Body) -> Result<u64, Failure> {
    body.call().await
}
