//! Rate limits: through their handles, and as attributes, on a paused clock.

mod absent;
mod attribute;
mod counts;
mod deadline;
mod give_back;
mod hints;
mod leave;
mod line;
mod live;
mod promise;
mod threads;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use resilience::rate_limit::Config;
use resilience::{Error, ErrorKind, RateLimiter};
use resilience_tests::Clock;
use tokio::task::JoinHandle;

/// So many permits in so long.
fn rate(limit: u32, per: Duration) -> Config {
    Config::new().limit(limit).per(per)
}

/// How many of so many calls are let through at this moment.
fn admitted(limiter: &RateLimiter, calls: u32) -> u32 {
    (0..calls).map(|_| u32::from(limiter.try_acquire(1).is_ok())).sum()
}

/// The hint of a refusal that must come now.
#[track_caller]
fn hint(limiter: &RateLimiter, permits: u32) -> Option<Duration> {
    let error = limiter.try_acquire(permits).unwrap_err();
    assert_eq!((error.kind(), error.policy()), (ErrorKind::RateLimited, limiter.name()));
    error.retry_after()
}

/// Who was served, in what order and when.
#[derive(Clone)]
struct Line {
    limiter: RateLimiter,
    clock: Clock,
    served: Arc<Mutex<Vec<(u32, Duration)>>>,
}

impl Line {
    fn new(limiter: RateLimiter) -> Self {
        Self { limiter, clock: Clock::start(), served: Arc::default() }
    }

    /// Asks for permits in a task, and returns once the task has asked.
    async fn join(&self, who: u32, permits: u32) -> JoinHandle<Result<(), Error>> {
        let line = self.clone();
        let task = tokio::spawn(async move {
            line.limiter.acquire(permits).await?;
            line.served.lock().unwrap().push((who, line.clock.elapsed()));
            Ok(())
        });
        tokio::task::yield_now().await;
        task
    }

    fn served(&self) -> Vec<(u32, Duration)> {
        self.served.lock().unwrap().clone()
    }
}

/// Waits for all of them: how many were served.
async fn count_served(tasks: Vec<JoinHandle<Result<(), Error>>>) -> u32 {
    let mut served = 0;
    for task in tasks {
        served += u32::from(task.await.unwrap().is_ok());
    }
    served
}
