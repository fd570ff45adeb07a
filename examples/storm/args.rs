//! The command line.

use std::time::Duration;

use clap::Parser;

/// A retry storm on virtual time: a fleet of clients loses its server for twenty seconds, once for each way to retry.
/// Prints a table and writes the chart target/storm.svg. The same arguments give the same output, byte for byte.
#[derive(Parser)]
#[command(name = "storm", allow_negative_numbers = true)]
pub(crate) struct Args {
    /// Clients, a hundred to a program; the server's capacity grows with them: 1000 to 1000000
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1_000..=1_000_000))]
    pub(crate) clients: u32,

    /// Decides when clients ask, and what jitter draws
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    /// Virtual seconds of a run: 60 to 600
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u32).range(60..=600))]
    seconds: u32,

    /// Longest pause between two attempts, in seconds: 1 to 60. With 5, jitter alone does not end the storm
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=60))]
    max_delay: u32,

    /// Print instead what runs cost in time and memory, for a thousand clients up to a million
    #[arg(long, conflicts_with = "clients")]
    pub(crate) scale: bool,
}

impl Args {
    pub(crate) fn length(&self) -> Duration {
        Duration::from_secs(self.seconds.into())
    }

    pub(crate) fn max_delay(&self) -> Duration {
        Duration::from_secs(self.max_delay.into())
    }
}
