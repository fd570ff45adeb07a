//! The command line.

use std::time::Duration;

use clap::Parser;

use crate::script::SHORTEST;

/// A retry storm on virtual time: a fleet of clients loses its server for twenty seconds, once for each way to retry.
/// Prints a table and writes the chart target/storm.svg. The same arguments give the same output, byte for byte.
#[derive(Parser)]
#[command(name = "storm", allow_negative_numbers = true)]
pub(crate) struct Args {
    /// Clients of the server, whose capacity grows with them: 100 to 1000000
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(100..=1_000_000))]
    pub(crate) clients: u32,

    /// Where chance begins: when clients call, and how long they pause
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    /// How long one run lasts in virtual time: 60 to 600
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u32).range(SHORTEST..=600))]
    seconds: u32,

    /// Print instead what a run costs in time and memory, for 1,000 clients up to 1,000,000
    #[arg(long, conflicts_with = "clients")]
    pub(crate) scale: bool,
}

impl Args {
    pub(crate) fn length(&self) -> Duration {
        Duration::from_secs(self.seconds.into())
    }
}
