//! One outage, lived through twice: by a naive service and by a guarded one.
//!
//! Both get the same requests over HTTP, and each calls an upstream of its own that goes through the same script:
//! healthy, slow, erroring, hanging, recovering, healthy. The two services differ in the attributes above one function:
//! see `service.rs`.
//!
//! ```text
//! cargo run --release --example outage            # 30 seconds; a table, and the chart target/outage.svg
//! cargo run --release --example outage -- --help
//! ```

mod args;
mod breaker;
mod chart;
mod driver;
mod error;
mod http;
mod progress;
mod recorder;
mod script;
mod service;
mod summary;
mod table;
mod upstream;

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use resilience_examples::clock::Clock;

use crate::args::Args;
use crate::chart::Chart;
use crate::recorder::{Load, Requests};
use crate::script::Script;
use crate::summary::Recording;
use crate::table::Table;
use crate::upstream::Upstream;

/// Where the chart goes.
const CHART: &str = "target/outage.svg";

/// A request in flight needs four file descriptors: two connections, and both ends of both are in this process.
const DESCRIPTORS_PER_REQUEST: u64 = 4;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args = resilience_examples::args::read::<Args>();
    let script = Arc::new(Script::new(args.length()));
    let schedule = driver::schedule(args.seed, args.rps, args.length());
    let capacity = upstream::capacity(args.rps);
    let limit = requests_at_once();

    // A program says this once, when it starts: no two functions give one name different options.
    resilience::verify()?;
    service::fit_bulkhead(capacity)?;

    let clock = Clock::start();
    let breaker = breaker::Log::start(clock);
    let (naive_load, guarded_load) = (Load::new(clock), Load::new(clock));
    let (naive_requests, guarded_requests) = (Requests::new(clock), Requests::new(clock));

    let upstream = |load: &Load| Upstream::new(clock, script.clone(), capacity, load.clone(), args.seed).serve();
    let naive = service::naive(upstream(&naive_load).await?).await?;
    let guarded = service::guarded(upstream(&guarded_load).await?).await?;

    tokio::select! {
        () = progress::show(clock, &script, &naive_load, &guarded_load) => {}
        _ = async { tokio::join!(
            driver::drive(clock, &schedule, naive, limit, &naive_requests),
            driver::drive(clock, &schedule, guarded, limit, &guarded_requests),
        ) } => {}
    }

    let naive = Recording { requests: naive_requests.take(), load: naive_load.take() };
    let guarded = Recording { requests: guarded_requests.take(), load: guarded_load.take() };
    println!("\n{}", Table { script: &script, naive: &naive, guarded: &guarded });

    let breaker = breaker.stretches();
    let chart = Chart { script: &script, rps: args.rps, capacity, naive: &naive, guarded: &guarded, breaker: &breaker };
    chart.draw(Path::new(CHART))?;
    println!("The policies, as the registry shows them now:\n{}", resilience::registry().snapshot());
    println!("The chart is {CHART}.");
    Ok(())
}

/// How many requests each of the two services may be sent at once: as many as there are file descriptors for.
fn requests_at_once() -> usize {
    let descriptors = rlimit::increase_nofile_limit(10_000).unwrap_or(256);
    (descriptors / DESCRIPTORS_PER_REQUEST / 2).min(1000) as usize
}
