//! What a call costs as names, windows and threads grow: it has to stay flat.

mod chart;
mod names;
mod threads;
mod windows;

use std::error::Error;
use std::sync::Arc;

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};
use resilience_benches::subject::Subject;

use crate::args::Args;
use crate::rounds::turns;
use crate::statistics::Spread;
use crate::way::{Stage, Way};

/// The section, and the key on the command line.
pub(crate) const KEY: &str = "scale";

/// What grows, and what is drawn over it.
pub(crate) struct Panel {
    pub(crate) title: &'static str,
    /// What the axis below counts.
    pub(crate) across: &'static str,
    pub(crate) lines: Vec<Line>,
}

pub(crate) struct Line {
    pub(crate) name: &'static str,
    /// In nanoseconds a call, or in bytes.
    pub(crate) points: Vec<(f64, f64)>,
    /// Bytes are not drawn, only told.
    pub(crate) drawn: bool,
}

/// Measures all of it, draws the chart, and returns the tables.
pub(crate) fn measure(args: &Args) -> Result<String, Box<dyn Error>> {
    let stage = Stage::new();
    let _inside = stage.enter();
    let panels = [
        names::panel(&stage, args)?,
        windows::calls(&stage, args)?,
        windows::time(&stage, args),
        threads::panel(&stage, args),
    ];
    if let Some(document) = args.output() {
        chart::draw(&document.with_file_name("scale.svg"), &panels)?;
    }
    let tables: Vec<String> = panels.iter().map(Panel::table).collect();
    Ok(format!("![What a call costs as things grow](scale.svg)\n\n{}", tables.join("\n\n")))
}

impl Line {
    fn drawn(name: &'static str, points: Vec<(f64, f64)>) -> Self {
        Self { name, points, drawn: true }
    }

    fn told(name: &'static str, points: Vec<(f64, f64)>) -> Self {
        Self { name, points, drawn: false }
    }
}

impl Panel {
    fn table(&self) -> String {
        let mut across: Vec<f64> = self.lines.iter().flat_map(|line| line.points.iter().map(|point| point.0)).collect();
        across.sort_unstable_by(f64::total_cmp);
        across.dedup();
        let mut table = Table::new();
        table.load_preset(ASCII_MARKDOWN);
        table.set_header(std::iter::once(self.across.to_owned()).chain(across.iter().map(|&at| short(at))));
        for line in &self.lines {
            let value = |at: &f64| line.points.iter().find(|point| point.0 == *at).map(|point| point.1);
            let cells = across.iter().map(|at| value(at).map_or("–".to_owned(), short));
            table.add_row(std::iter::once(line.name.to_owned()).chain(cells));
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        format!("{}:\n\n{table}", self.title)
    }
}

/// With as many digits as say something.
fn short(value: f64) -> String {
    match value {
        _ if value >= 1e6 => format!("{:.0} M", value / 1e6),
        _ if value >= 1e4 => format!("{:.0} k", value / 1e3),
        _ if value >= 100.0 || value.fract() == 0.0 => format!("{value:.0}"),
        _ => format!("{value:.1}"),
    }
}

/// Nanoseconds a call, for each.
fn medians(stage: &Stage, subjects: &[(Way, Arc<dyn Subject>)], args: &Args) -> Vec<f64> {
    let borrowed: Vec<_> = subjects.iter().map(|(way, subject)| (*way, subject)).collect();
    turns(stage, &borrowed, args).iter().map(|times| Spread::of(times).median).collect()
}
