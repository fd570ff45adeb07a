//! The upstream: an HTTP server with so many workers and a queue before them, which acts out the script.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use resilience_examples::clock::Clock;
use tokio::sync::Semaphore;

use crate::http;
use crate::recorder::Load;
use crate::script::Script;

/// What one call costs a worker while all is well.
const SERVICE_TIME: Duration = Duration::from_millis(50);

/// The share of the workers that the load keeps busy while all is well.
const UTILISATION: f64 = 0.4;

/// Calls that wait cost too (memory, connections, context switches): so many of them per worker make each call
/// take twice as long.
const WAITING_THAT_DOUBLES: f64 = 100.0;

/// One server. Each of the two services has its own, so that neither feels what the other does.
pub(crate) struct Upstream {
    clock: Clock,
    script: Arc<Script>,
    workers: Semaphore,
    load: Load,
    capacity: u32,
    random: Mutex<StdRng>,
}

/// How many calls at once an upstream is sized for that gets so many requests per second.
pub(crate) fn capacity(rps: u32) -> u32 {
    let busy = f64::from(rps) * SERVICE_TIME.as_secs_f64();
    (busy / UTILISATION).ceil() as u32
}

impl Upstream {
    pub(crate) fn new(clock: Clock, script: Arc<Script>, capacity: u32, load: Load, seed: u64) -> Self {
        Self {
            clock,
            script,
            workers: Semaphore::new(capacity as usize),
            load,
            capacity,
            random: Mutex::new(StdRng::seed_from_u64(seed)),
        }
    }

    /// Serves on a free port of the loopback device until the program ends.
    pub(crate) async fn serve(self) -> std::io::Result<SocketAddr> {
        let routes = Router::new().route("/price", get(answer)).with_state(Arc::new(self));
        http::serve(routes).await
    }

    /// Does the work of one call.
    async fn work(self: Arc<Self>) -> Result<&'static str, StatusCode> {
        let _counted = self.load.enter();
        let _worker = self.workers.acquire().await.expect("never closed");

        let phase = self.script.at(self.clock.elapsed());
        if phase.hangs() {
            self.clock.until(phase.end).await;
        }

        let now = self.clock.elapsed();
        let phase = self.script.at(now);
        let (spread, luck) = {
            let mut random = self.random.lock().expect("no draw panics");
            (random.random_range(0.8..1.2), random.random::<f64>())
        };
        let waiting = f64::from(self.load.in_flight().saturating_sub(self.capacity));
        let drag = 1.0 + waiting / (f64::from(self.capacity) * WAITING_THAT_DOUBLES);
        self.clock.pause(SERVICE_TIME.mul_f64(phase.slowness(now) * spread * drag)).await;

        if luck < phase.error_rate() { Err(StatusCode::INTERNAL_SERVER_ERROR) } else { Ok("12.50") }
    }
}

/// The work is a task of its own: it goes on when the caller leaves, as a query does in a database whose client
/// has gone.
async fn answer(State(upstream): State<Arc<Upstream>>) -> Result<&'static str, StatusCode> {
    tokio::spawn(upstream.work()).await.unwrap_or(Err(StatusCode::INTERNAL_SERVER_ERROR))
}
