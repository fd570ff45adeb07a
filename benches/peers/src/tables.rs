//! The tables, in Markdown.

use comfy_table::presets::ASCII_MARKDOWN;
use comfy_table::{CellAlignment, Table};
use resilience_benches::contenders::{Group, Kind};

use crate::counts::{BARE, Counts};
use crate::footprint::Footprints;
use crate::rounds::Column;
use crate::versions::Versions;

/// What is known of the contenders besides their times.
pub(crate) struct Other<'a> {
    pub(crate) footprints: &'a Footprints,
    pub(crate) counts: &'a Counts,
    pub(crate) versions: &'a Versions,
}

impl Other<'_> {
    /// Above the body alone.
    fn instructions(&self, key: &(String, String)) -> [String; 2] {
        let bare = self.counts.iter().find(|((group, _), _)| group == BARE).map(|(_, bare)| bare);
        match (self.counts.get(key), bare) {
            (Some(own), Some(bare)) => [0, 1].map(|body| own[body].saturating_sub(bare[body]).to_string()),
            _ => [NONE; 2].map(str::to_owned),
        }
    }

    fn allocated(&self, key: &(String, String)) -> [String; 3] {
        let Some(it) = self.footprints.get(key) else { return [NONE; 3].map(str::to_owned) };
        let instance = if it.instance > 0 { it.instance.to_string() } else { NONE.to_owned() };
        [it.allocations.to_string(), it.bytes.to_string(), instance]
    }
}

const NONE: &str = "–";

pub(crate) fn of(group: &Group, columns: &[Column], other: &Other<'_>) -> String {
    let mut table = Table::new();
    table.load_preset(ASCII_MARKDOWN);
    let mut header = vec!["contender".to_owned()];
    header.extend(columns.iter().map(|column| format!("{}, ns (× ours)", column.way.title())));
    header.push("instructions".to_owned());
    header.extend((group.kind == Kind::Pass).then(|| "pending".to_owned()));
    header.extend(["allocations", "bytes a call", "bytes an instance"].map(str::to_owned));
    table.set_header(header);
    for (index, contender) in group.contenders.iter().enumerate() {
        let name = other.versions.fill(contender.name);
        let mut row = vec![if contender.ours { format!("**{name}**") } else { name }];
        for column in columns {
            let cell = &column.cells[index];
            row.push(format!("{} ({:.2})", nanoseconds(cell.above.median), cell.ratio));
        }
        let key = (group.key.to_owned(), contender.name.to_owned());
        let counts = other.instructions(&key);
        row.extend(counts.iter().take(if group.kind == Kind::Pass { 2 } else { 1 }).cloned());
        row.extend(other.allocated(&key));
        table.add_row(row);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{table}\n\n{}", bare(columns))
}

/// The body alone, and how far apart the rounds were.
fn bare(columns: &[Column]) -> String {
    let each = |column: &Column| {
        let spread = (column.cells.iter())
            .map(|cell| (cell.above.high - cell.above.low) / cell.above.median.max(1.0))
            .fold(0.0, f64::max);
        format!("{} {:.1} ns (rounds ± {:.0} %)", column.way.title(), column.bare.median, spread * 50.0)
    };
    format!("The bare await, already subtracted: {}.", columns.iter().map(each).collect::<Vec<_>>().join(", "))
}

fn nanoseconds(value: f64) -> String {
    if value < 1000.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}
