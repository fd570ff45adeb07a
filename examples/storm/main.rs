//! A retry storm on virtual time: thousands of clients lose their server at once, and it comes back.
//!
//! Each way to retry lives through the same script with the same seed; what the clients do about a failure is the
//! library's real code. There is no network, and no waiting: minutes pass in a second.
//!
//! ```text
//! cargo run --release --example storm               # a table, and the chart target/storm.svg
//! cargo run --release --example storm -- --scale    # what a thousand to a million clients cost
//! cargo run --release --example storm -- --help
//! ```

mod args;
mod chart;
mod client;
mod record;
mod scale;
mod script;
mod server;
mod simulation;
mod strategies;
mod summary;
mod table;

use std::error::Error;
use std::path::Path;

use crate::args::Args;
use crate::chart::Chart;
use crate::simulation::Plan;
use crate::strategies::STRATEGIES;
use crate::summary::Summary;
use crate::table::Table;

/// Where the chart goes.
const CHART: &str = "target/storm.svg";

fn main() -> Result<(), Box<dyn Error>> {
    let args = resilience_examples::args::read::<Args>();
    let plan = Plan { clients: args.clients, seed: args.seed, length: args.length(), max_delay: args.max_delay() };
    if args.scale {
        return scale::print(plan);
    }

    let mut runs = Vec::new();
    for strategy in &STRATEGIES {
        eprintln!("{} clients, {} …", plan.clients, strategy.name);
        runs.push((strategy, Summary::new(&plan, &plan.run(strategy)?)));
    }
    println!("{}", Table(&runs));
    Chart { plan: &plan, runs: &runs }.draw(Path::new(CHART))?;
    println!("The chart is {CHART}.");
    Ok(())
}
