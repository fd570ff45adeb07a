// The same from the best parts, by hand.
use std::num::NonZeroU32;
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use failsafe::futures::CircuitBreaker;
use governor::{Quota, RateLimiter};
use tokio::sync::Semaphore;

async fn charge(order: u64) -> Result<u64, std::io::Error> {
    if order == 0 { Err(std::io::ErrorKind::InvalidInput.into()) } else { Ok(order) }
}

fn main() {
    let order = std::env::args().count() as u64;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let backoff = ExponentialBuilder::default().with_max_times(3).with_jitter();
    let breaker = failsafe::Config::new().build();
    let limiter = RateLimiter::direct(Quota::per_second(NonZeroU32::new(1000).unwrap()));
    let slots = Semaphore::new(25);
    let refused = || std::io::Error::other("refused");
    let attempt = || {
        breaker.call(async {
            limiter.check().map_err(|_| refused())?;
            let _slot = slots.try_acquire().map_err(|_| refused())?;
            tokio::time::timeout(Duration::from_secs(3), charge(order)).await.map_err(|_| refused())?
        })
    };
    std::process::exit(runtime.block_on(attempt.retry(backoff).into_future()).is_err().into());
}
