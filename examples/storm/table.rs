//! The table: a line for each strategy, and what to see in them.

use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use resilience_examples::text::count;

use crate::strategies::Strategy;
use crate::summary::Summary;

/// Prints as the numbers of all runs.
pub(crate) struct Table<'a>(pub(crate) &'a [(&'a Strategy, Summary)]);

/// A column: the two lines of its heading, its width, and what stands in it.
type Column = ([&'static str; 2], usize, fn(&Summary) -> String);

const COLUMNS: [Column; 10] = [
    (["peak load,", "failing"], 10, |run| times(run.peak_failing)),
    (["peak load,", "recovered"], 10, |run| times(run.peak_after)),
    (["", "calls"], 9, |run| count(run.calls as usize)),
    (["wasted", "calls"], 9, |run| count(run.wasted as usize)),
    (["drained", "after"], 7, |run| seconds(run.drained)),
    (["collapse", "outlives it"], 11, |run| if run.collapsed { "yes" } else { "no" }.to_owned()),
    (["clients", "back after"], 10, |run| seconds(run.back)),
    (["", "requests"], 9, |run| count(run.requests as usize)),
    (["", "answered"], 16, |run| {
        let share = 100.0 * run.answered as f64 / run.requests.max(1) as f64;
        format!("{} {share:5.1} %", count(run.answered as usize))
    }),
    (["settled", "within"], 7, |run| seconds(run.settled)),
];

impl Display for Table<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for line in 0..2 {
            write!(f, "{:<23}", ["", "strategy"][line])?;
            for (heading, width, _) in COLUMNS {
                write!(f, " │ {:>width$}", heading[line])?;
            }
            writeln!(f)?;
        }
        write!(f, "{}", "─".repeat(23))?;
        for (_, width, _) in COLUMNS {
            write!(f, "─┼─{}", "─".repeat(width))?;
        }
        writeln!(f)?;
        for (strategy, run) in self.0 {
            write!(f, "{:<23}", strategy.name)?;
            for (_, width, cell) in COLUMNS {
                write!(f, " │ {:>width$}", cell(run))?;
            }
            writeln!(f)?;
        }
        f.write_str(NOTES)
    }
}

const NOTES: &str = "
Load: calls in 100 ms, in times the capacity. Its peak while failing leaves out the first 100 ms, in which all clients
lose their connections and call at once, whatever the strategy. Wasted: the server did the work after its caller had
left. Drained: the time from the recovery to the last call that failed. Collapse outlives it: in as much time as the
failure took, the recovered server answered less than half as much as before. Clients back: 9 in 10 had an answer after
the recovery. Settled: 99 in 100 requests ended within this, answered or not. A request waits out the failure where it
may retry for long; where a budget or a breaker says no, it fails at once, and its client asks again ten seconds later.
";

fn times(load: f64) -> String {
    format!("{load:.1} ×")
}

fn seconds(time: Option<Duration>) -> String {
    time.map_or("never".to_owned(), |time| format!("{:.1} s", time.as_secs_f64()))
}
