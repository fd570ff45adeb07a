// The same as five layers.
use std::time::Duration;

use tower::{Layer, Service, ServiceBuilder, ServiceExt};
use tower_resilience::bulkhead::BulkheadLayer;
use tower_resilience::circuitbreaker::CircuitBreakerLayer;
use tower_resilience::ratelimiter::RateLimiterLayer;
use tower_resilience::retry::RetryLayer;
use tower_resilience::timelimiter::TimeLimiterLayer;

async fn charge(order: u64) -> Result<u64, std::io::Error> {
    if order == 0 { Err(std::io::ErrorKind::InvalidInput.into()) } else { Ok(order) }
}

fn main() {
    let order = std::env::args().count() as u64;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let guarded = ServiceBuilder::new()
        .layer(CircuitBreakerLayer::builder().build().unwrap())
        .layer(RateLimiterLayer::builder().limit_for_period(1000).build().unwrap())
        .layer(BulkheadLayer::builder().max_concurrent_calls(25).build().unwrap())
        .layer(TimeLimiterLayer::builder().timeout_duration(Duration::from_secs(3)).build())
        .service(tower::service_fn(charge));
    let mut service = RetryLayer::builder().max_attempts(4).build().layer(guarded);
    let failed = runtime.block_on(async { service.ready().await.unwrap().call(order).await.is_err() });
    std::process::exit(failed.into());
}
