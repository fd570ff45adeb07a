//! Bulkheads: through their handles, and as attributes, on a paused clock.

mod absent;
mod attribute;
mod line;
mod resize;
mod slots;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use resilience::{Bulkhead, Error};
use resilience_tests::{Clock, sleep};
use tokio::task::JoinHandle;

/// Who was served, in what order and when; everybody keeps the slot for the same while.
#[derive(Clone)]
struct Line {
    bulkhead: Bulkhead,
    keep: Duration,
    clock: Clock,
    served: Arc<Mutex<Vec<(&'static str, Duration)>>>,
}

impl Line {
    fn new(bulkhead: Bulkhead, keep: Duration) -> Self {
        Self { bulkhead, keep, clock: Clock::start(), served: Arc::default() }
    }

    /// Puts somebody in line, and returns once they stand there.
    async fn join(&self, who: &'static str) -> JoinHandle<Result<(), Error>> {
        let line = self.clone();
        let task = tokio::spawn(async move {
            let slot = line.bulkhead.acquire().await?;
            line.served.lock().unwrap().push((who, line.clock.elapsed()));
            sleep(line.keep).await;
            drop(slot);
            Ok(())
        });
        tokio::task::yield_now().await;
        task
    }

    fn served(&self) -> Vec<(&'static str, Duration)> {
        self.served.lock().unwrap().clone()
    }

    fn order(&self) -> Vec<&'static str> {
        self.served().into_iter().map(|(who, _)| who).collect()
    }
}

/// Slots taken, and calls in line.
fn load(bulkhead: &Bulkhead) -> (u32, u32) {
    let snapshot = bulkhead.snapshot();
    (snapshot.in_flight, snapshot.waiting)
}
