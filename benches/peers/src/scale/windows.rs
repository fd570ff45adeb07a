//! Windows: of calls, and of time.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use resilience::{CircuitBreaker, circuit_breaker};
use resilience_benches::subject::{Subject, body_service, service, subject};
use resilience_benches::{WINDOWS, repeat};
use resilience_instructions::body::Body;
use tower::Layer as _;
use tower_resilience::circuitbreaker::{CircuitBreakerLayer, SlidingWindowType};

use super::{Line, Panel, medians};
use crate::args::Args;
use crate::footprint;
use crate::way::{Stage, Way};

pub(super) fn calls(stage: &Stage, args: &Args) -> Result<Panel, Box<dyn Error>> {
    let ours = WINDOWS.map(|calls| breaker(&format!("window of {calls}"), config().window_calls(calls)));
    let peers = WINDOWS.map(of_tower_resilience);
    for (subject, calls) in ours.iter().chain(&peers).zip(WINDOWS.iter().chain(&WINDOWS)) {
        // A window that is not yet full says nothing.
        stage.nanoseconds(Way::Threads(1), subject, u64::from(*calls));
    }
    let one = |subject: Arc<dyn Subject>| (Way::Threads(1), subject);
    let times = medians(stage, &ours.map(one), args);
    // Each of these turns takes as long as it takes, not two milliseconds: fewer must do.
    let theirs = peers
        .iter()
        .map(|peer| (0..5).map(|_| stage.nanoseconds(Way::Threads(1), peer, 20)).fold(f64::INFINITY, f64::min));
    let over = |values: Vec<f64>| WINDOWS.iter().map(|&calls| f64::from(calls)).zip(values).collect();
    let lines = vec![
        Line::drawn("resilience, window of so many calls", over(times)),
        Line::drawn("tower-resilience, so many calls in a window of time", over(theirs.collect())),
        Line::told("bytes of our window's breaker", footprint::grown("windows")?),
    ];
    Ok(Panel { title: "As the window grows: nanoseconds a call", across: "calls in the window", lines })
}

/// The loop calls as fast as it can; windows from a tenth of a microsecond to a second then have, in each of their ten
/// buckets, as many calls as a window of ten seconds has at so many calls a second.
pub(super) fn time(stage: &Stage, args: &Args) -> Panel {
    const LENGTHS: [u64; 8] = [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000];
    const BUCKETS: f64 = 10.0;
    let subjects = LENGTHS.map(|length| {
        let config = config().window(Duration::from_nanos(length));
        (Way::Threads(1), breaker(&format!("window of {length} ns"), config))
    });
    let times = medians(stage, &subjects, args);
    let rate = |(length, nanoseconds): (&u64, f64)| (*length as f64 / BUCKETS / nanoseconds, nanoseconds);
    let points: Vec<(f64, f64)> = LENGTHS.iter().zip(times).map(rate).collect();
    let lines = vec![Line::drawn("resilience, window of time", points)];
    Panel { title: "As a window of time fills: nanoseconds a call", across: "calls a second, window of 10 s", lines }
}

fn config() -> circuit_breaker::Config {
    circuit_breaker::Config::new()
}

fn breaker(name: &str, config: circuit_breaker::Config) -> Arc<dyn Subject> {
    let breaker = CircuitBreaker::register(name, config).expect("valid");
    subject(breaker, |breaker, count, body: Body| async move { repeat!(count, breaker.call(body.call())) })
}

/// A log of all calls in the window, read from end to end by each call.
fn of_tower_resilience(calls: u32) -> Arc<dyn Subject> {
    let layer = CircuitBreakerLayer::builder()
        .sliding_window_type(SlidingWindowType::TimeBased)
        .sliding_window_duration(Duration::from_secs(3600))
        .minimum_number_of_calls(calls as usize)
        .build()
        .expect("valid");
    service(layer.layer(body_service()))
}
