//! What a run costs as the fleet grows.

use std::error::Error;

use peak_alloc::PeakAlloc;
use resilience_examples::text::{count, time};

use crate::client::Client;
use crate::record::Count;
use crate::simulation::{CLIENTS_PER_PROGRAM, Plan};
use crate::strategies::{ALL_POLICIES, FULL_JITTER};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

const FLEETS: [u32; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// Runs fleets of all sizes, and prints a line for each.
pub(crate) fn print(plan: Plan) -> Result<(), Box<dyn Error>> {
    println!(
        "{:<23} │ {:>9} │ {:>10} │ {:>8} │ {:>8} │ {:>9} │ {:>10} │ {:>11}\n{}",
        "strategy",
        "clients",
        "calls",
        "run time",
        "per call",
        "heap",
        "per client",
        "per program",
        "─".repeat(110),
    );
    for strategy in [FULL_JITTER, ALL_POLICIES] {
        for clients in FLEETS {
            let plan = Plan { clients, ..plan };
            let before = HEAP.current_usage();
            HEAP.reset_peak_usage();
            #[allow(clippy::disallowed_types, clippy::disallowed_methods, reason = "how long we wait, not the fleet")]
            let started = std::time::Instant::now();
            let pages = plan.run(&strategy)?;
            let took = started.elapsed();
            let peak = HEAP.peak_usage() - before;
            let calls: u64 = pages.series(Count::Offered).into_iter().map(u64::from).sum();
            drop(pages);
            let kept = HEAP.current_usage() - before;
            println!(
                "{:<23} │ {:>9} │ {:>10} │ {:>8} │ {:>5.2} µs │ {:>6.1} MB │ {:>8} B │ {:>9} B",
                strategy.name,
                count(clients as usize),
                count(calls as usize),
                time(took),
                took.as_secs_f64() * 1e6 / calls as f64,
                peak as f64 / 1e6,
                count(peak / clients as usize),
                count(kept / (clients / CLIENTS_PER_PROGRAM) as usize),
            );
        }
    }
    println!(
        "\nHeap: the most that the run had at once, clients, timers and server included; a client's future has {} B of \
         it.\nPer program: what stays after the run, for policies with a name live as long as the process. A program \
         of\n{CLIENTS_PER_PROGRAM} clients has one budget and one breaker.",
        future_size(Client::live),
    );
    Ok(())
}

fn future_size<A, F: Future>(_: impl FnOnce(A) -> F) -> usize {
    size_of::<F>()
}
