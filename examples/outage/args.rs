//! The command line.

use std::time::Duration;

use clap::Parser;

/// One outage, lived through twice: by a plain service, and by one whose calls are guarded by `resilience`. Prints a
/// table and writes the chart target/outage.svg.
#[derive(Parser)]
#[command(name = "outage", allow_negative_numbers = true)]
pub(crate) struct Args {
    /// How long requests are sent: 5 to 300
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(5..=300))]
    seconds: u32,

    /// Requests per second that each of the two services is sent: 1 to 500
    #[arg(long, default_value_t = 80, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub(crate) rps: u32,

    /// Requests arrive at random; the same seed gives the same arrivals
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
}

impl Args {
    pub(crate) fn length(&self) -> Duration {
        Duration::from_secs(self.seconds.into())
    }
}
