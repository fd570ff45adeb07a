//! The table at the end, and what to see in it.

use std::fmt::{self, Display, Formatter};

use resilience_examples::text::{count, time};

use crate::script::Script;
use crate::summary::{Recording, Summary};

/// Prints as the numbers of the whole run, naive beside guarded.
pub(crate) struct Table<'a> {
    pub(crate) script: &'a Script,
    pub(crate) naive: &'a Recording,
    pub(crate) guarded: &'a Recording,
}

/// A pair of columns: its name, and what stands in it.
type Column = (&'static str, fn(&Summary) -> String);

const COLUMNS: [Column; 5] = [
    ("success", |summary| or_dash(summary.success(), |share| format!("{:.1} %", share * 100.0))),
    ("p50 latency", |summary| or_dash(summary.p50, time)),
    ("p99 latency", |summary| or_dash(summary.p99, time)),
    ("upstream calls", |summary| count(summary.calls)),
    ("peak in flight", |summary| count(summary.peak as usize)),
];

impl Display for Table<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { script, naive, guarded } = self;
        heading(f)?;
        for phase in script.phases() {
            row(f, phase.name, &naive.phase(phase), &guarded.phase(phase))?;
        }
        rule(f)?;
        row(f, "whole run", &naive.whole(), &guarded.whole())?;
        let after = |recording: &Recording| recording.first_good_answer(script).map_or("never".to_owned(), time);
        writeln!(
            f,
            "\nFrom the upstream's recovery to the first good answer: naive {}, guarded {}.\n\
             Success, and a good answer, is one within 1 s. Latency: until an answer or a refusal, whichever it was.\n\
             Upstream calls: those that reached it. Peak in flight: the most that it had at once.\n",
            after(naive),
            after(guarded),
        )?;
        self.conclusion(f)
    }
}

impl Table<'_> {
    /// What to see, in numbers.
    fn conclusion(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (naive, guarded) = (self.naive.whole(), self.guarded.whole());
        writeln!(
            f,
            "Of {} requests the outage cost the naive service {} and the guarded one {}.",
            count(naive.requests),
            count(naive.requests - naive.good),
            count(guarded.requests - guarded.good),
        )?;
        writeln!(
            f,
            "At the upstream, naive calls piled up to {}, guarded ones to {}.\n\
             99 in 100 naive requests were settled within {}, 99 in 100 guarded ones within {}.",
            count(naive.peak as usize),
            count(guarded.peak as usize),
            or_dash(naive.p99, time),
            or_dash(guarded.p99, time),
        )?;
        match [self.naive, self.guarded].map(|side| side.first_good_answer(self.script)) {
            [Some(naive), Some(guarded)] => writeln!(
                f,
                "Once the upstream had recovered, the guarded service was of use again after {}, the naive one after {}.",
                time(guarded),
                time(naive),
            ),
            [None, Some(guarded)] => writeln!(
                f,
                "Once the upstream had recovered, the guarded service was of use again after {}, the naive one \
                 not before the end.",
                time(guarded),
            ),
            [_, None] => Ok(()),
        }
    }
}

fn heading(f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, "{:22}", "")?;
    for (name, _) in COLUMNS {
        write!(f, " │ {name:^15}")?;
    }
    write!(f, "\n{:<13}{:>9}", "phase", "requests")?;
    for _ in COLUMNS {
        write!(f, " │ {:>7} {:>7}", "naive", "guarded")?;
    }
    writeln!(f)?;
    rule(f)
}

fn rule(f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, "{}", "─".repeat(22))?;
    for _ in COLUMNS {
        write!(f, "─┼─{}", "─".repeat(15))?;
    }
    writeln!(f)
}

fn row(f: &mut Formatter<'_>, name: &str, naive: &Summary, guarded: &Summary) -> fmt::Result {
    write!(f, "{name:<13}{:>9}", count(naive.requests))?;
    for (_, cell) in COLUMNS {
        write!(f, " │ {:>7} {:>7}", cell(naive), cell(guarded))?;
    }
    writeln!(f)
}

fn or_dash<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map_or("–".to_owned(), show)
}
