//! Ours through attributes: each function is the body under what its name says.

use resilience::{bulkhead, circuit_breaker, rate_limit, retry, timeout};

use crate::subject::{Body, Failure};

#[circuit_breaker("attribute")]
pub(super) async fn closed(body: Body) -> Result<u64, Failure> {
    body.call().await
}

#[circuit_breaker("attribute open", consecutive_failures = 1, cooldown = "1h")]
pub(super) async fn open(body: Body) -> Result<u64, Failure> {
    body.call().await
}

#[retry]
pub(super) async fn retried(body: Body) -> Result<u64, Failure> {
    body.call().await
}

#[bulkhead("attribute")]
pub(super) async fn bounded(body: Body) -> Result<u64, Failure> {
    body.call().await
}

#[bulkhead("attribute full", max_concurrent = 1)]
pub(super) async fn full(body: Body) -> Result<u64, Failure> {
    body.call().await
}

#[rate_limit("attribute", limit = 1_000_000_000)]
pub(super) async fn limited(body: Body) -> Result<u64, Failure> {
    body.call().await
}

#[rate_limit("attribute empty", limit = 1, per = "1h")]
pub(super) async fn empty(body: Body) -> Result<u64, Failure> {
    body.call().await
}

#[timeout("60s")]
pub(super) async fn timed(body: Body) -> Result<u64, Failure> {
    body.call().await
}

#[retry]
#[circuit_breaker("attribute stack")]
#[rate_limit("attribute stack", limit = 1_000_000_000)]
#[bulkhead("attribute stack")]
#[timeout("60s")]
pub(super) async fn stack(body: Body) -> Result<u64, Failure> {
    body.call().await
}
