//! The load: requests that arrive at random, however the service is doing (an open loop), as they do from the
//! world outside.

use std::net::SocketAddr;
use std::time::Duration;

use axum::http::StatusCode;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use resilience_examples::clock::Clock;
use tokio::task::JoinSet;

use crate::http;
use crate::recorder::{Ending, GOOD_WITHIN, Requests};

/// How long the last requests are waited for.
const GRACE: Duration = GOOD_WITHIN.saturating_add(Duration::from_millis(500));

/// When requests are due: a Poisson process, the same for the same seed.
pub(crate) fn schedule(seed: u64, rps: u32, length: Duration) -> Vec<Duration> {
    let mut random = StdRng::seed_from_u64(seed);
    let gaps = std::iter::repeat_with(|| -(1.0 - random.random::<f64>()).ln() / f64::from(rps));
    let arrivals = gaps.scan(0.0, |time, gap| {
        *time += gap;
        Some(Duration::from_secs_f64(*time))
    });
    arrivals.take_while(|due| *due < length).collect()
}

/// Sends the requests when they are due, at most `limit` of them at once, and waits for the answers; those that
/// have none soon after the last request was sent are cut.
pub(crate) async fn drive(clock: Clock, schedule: &[Duration], service: SocketAddr, limit: usize, requests: &Requests) {
    let http = http::client();
    let url = format!("http://{service}/offer");
    let mut waiting = JoinSet::new();

    for &due in schedule {
        clock.until(due).await;
        while waiting.try_join_next().is_some() {}
        if waiting.len() >= limit {
            requests.unsent(due);
            continue;
        }
        let request = http.get(&url);
        let sent = requests.sent(due);
        waiting.spawn(async move { sent.end(send(request).await) });
    }

    tokio::select! {
        () = async { while waiting.join_next().await.is_some() {} } => {}
        () = clock.pause(GRACE) => waiting.shutdown().await,
    }
}

async fn send(request: reqwest::RequestBuilder) -> Ending {
    let Ok(answer) = request.send().await else {
        return Ending::Failed;
    };
    let status = answer.status();
    match answer.text().await {
        Ok(_) if status.is_success() => Ending::Good,
        Ok(_) if status == StatusCode::SERVICE_UNAVAILABLE => Ending::Refused,
        _ => Ending::Failed,
    }
}
