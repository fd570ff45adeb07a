//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

/// Measures what a guarded call costs, beside the other crates.
#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// A rough look in about a minute; without it, figures to publish
    #[arg(long)]
    pub(crate) quick: bool,
    /// Only these groups, by key (breaker, breaker-open, retry, …)
    #[arg(long, value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// How often each contender has its turn
    #[arg(long)]
    rounds: Option<usize>,
    /// How long one turn lasts, in milliseconds: short, so that most turns are not interrupted
    #[arg(long, default_value_t = 2)]
    slice: u64,
    /// The document whose tables are replaced [default: benches/RESULTS.md, or none with --quick]
    #[arg(long)]
    output: Option<PathBuf>,
    /// What callgrind runs: each contender, once
    #[arg(long, hide = true)]
    pub(crate) count: bool,
    /// Leave out instruction counts and allocations
    #[arg(long)]
    pub(crate) only_time: bool,
}

impl Args {
    pub(crate) fn wants(&self, key: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == key)
    }

    pub(crate) fn output(&self) -> Option<PathBuf> {
        let usual = || (!self.quick).then(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../RESULTS.md").into());
        self.output.clone().or_else(usual)
    }

    pub(crate) fn rounds(&self) -> usize {
        self.rounds.unwrap_or(if self.quick { 41 } else { 301 })
    }

    pub(crate) fn slice(&self) -> Duration {
        Duration::from_millis(self.slice)
    }
}
