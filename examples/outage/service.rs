//! The service: it answers `GET /offer` with a price that it asks the upstream for.
//!
//! There are two of it. They differ in one thing only: the attributes above [`Prices::guarded`].

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::routing::get;
use resilience::{Bulkhead, ConfigError, bulkhead, circuit_breaker, retry, timeout};

use crate::error::PriceError;
use crate::http;

/// A client of the upstream.
pub(crate) struct Prices {
    http: reqwest::Client,
    url: String,
}

impl Prices {
    /// The plain call: what one writes first.
    async fn naive(&self) -> Result<String, PriceError> {
        let answer = self.http.get(&self.url).send().await?.error_for_status()?;
        Ok(answer.text().await?)
    }

    /// The same call, guarded. The topmost attribute is the outermost, so from top to bottom:
    ///
    /// * whoever waits for us waits one second, attempts and pauses included;
    /// * an error is worth two more attempts, after a short and random pause;
    /// * an upstream that fails again and again is left alone for a second, then tried with a few calls;
    /// * we never wait for more of its answers at once than it has workers; a call that does not fit waits a moment;
    /// * an attempt that takes ten times as long as usual is given up.
    #[timeout("1s")]
    #[retry(max_attempts = 3, base_delay = "50ms", max_delay = "200ms")]
    #[circuit_breaker("upstream", failure_rate = 0.5, consecutive_failures = 10, cooldown = "1s")]
    #[bulkhead("upstream", max_concurrent = 10, max_wait = "100ms")]
    #[timeout("500ms")]
    async fn guarded(&self) -> Result<String, PriceError> {
        let answer = self.http.get(&self.url).send().await?.error_for_status()?;
        Ok(answer.text().await?)
    }
}

/// Starts the naive service.
pub(crate) async fn naive(upstream: SocketAddr) -> std::io::Result<SocketAddr> {
    let offer = async |State(prices): State<Arc<Prices>>| prices.naive().await;
    http::serve(Router::new().route("/offer", get(offer)).with_state(prices(upstream))).await
}

/// Starts the guarded service.
pub(crate) async fn guarded(upstream: SocketAddr) -> std::io::Result<SocketAddr> {
    let offer = async |State(prices): State<Arc<Prices>>| prices.guarded().await;
    http::serve(Router::new().route("/offer", get(offer)).with_state(prices(upstream))).await
}

/// Gives the bulkhead as many slots as the upstream has workers. The ten of the attribute fit the default load; options
/// can be changed at any time, under calls in flight.
pub(crate) fn fit_bulkhead(workers: u32) -> Result<(), ConfigError> {
    match Bulkhead::get("upstream") {
        Some(bulkhead) if bulkhead.snapshot().max_concurrent != workers => bulkhead.resize(workers),
        _ => Ok(()),
    }
}

fn prices(upstream: SocketAddr) -> Arc<Prices> {
    Arc::new(Prices { http: http::client(), url: format!("http://{upstream}/price") })
}
