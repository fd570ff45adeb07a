//! The counts that hold, in a file that is part of the repository.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

/// How far a count may be off: in parts of it, and never less than so many instructions.
const TOLERANCE: f64 = 0.02;
const LEAST: f64 = 2.0;

pub(crate) struct Baseline {
    /// The compiler that it holds for.
    compiler: String,
    counts: BTreeMap<String, f64>,
}

impl Baseline {
    pub(crate) fn read() -> Result<Self, Box<dyn Error>> {
        let text = std::fs::read_to_string(path())?;
        let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let compiler = lines.next().unwrap_or_default().to_owned();
        let row = |line: &str| -> Result<(String, f64), Box<dyn Error>> {
            let (name, count) = line.rsplit_once(' ').ok_or_else(|| format!("not a count: {line}"))?;
            Ok((name.trim().to_owned(), count.parse()?))
        };
        Ok(Self { compiler, counts: lines.map(row).collect::<Result<_, _>>()? })
    }

    pub(crate) fn write(counts: &[(&'static str, f64)]) -> Result<(), Box<dyn Error>> {
        let mut text = String::from(
            "# Instructions of one call above the bare body, counted by callgrind; `.ci/run instructions` holds them.\n\
             # UPDATE_EXPECT=1 .ci/run instructions writes this file; the commit says why.\n\n",
        );
        writeln!(text, "{}\n", compiler()?)?;
        for (name, count) in counts {
            writeln!(text, "{name:<28} {count:.1}")?;
        }
        Ok(std::fs::write(path(), text)?)
    }

    /// The baseline was made by the compiler that is at hand.
    pub(crate) fn is_ours(&self) -> Result<bool, Box<dyn Error>> {
        Ok(self.compiler == compiler()?)
    }

    pub(crate) fn compiler(&self) -> &str {
        &self.compiler
    }

    /// None: it has no such case.
    pub(crate) fn of(&self, name: &str) -> Option<f64> {
        self.counts.get(name).copied()
    }

    /// Cases that are no more.
    pub(crate) fn gone<'a>(&'a self, counts: &'a [(&'static str, f64)]) -> impl Iterator<Item = &'a str> {
        self.counts.keys().map(String::as_str).filter(|name| counts.iter().all(|(counted, _)| counted != name))
    }
}

/// The count is as good as the baseline's.
pub(crate) fn holds(count: f64, baseline: f64) -> bool {
    (count - baseline).abs() <= (baseline * TOLERANCE).max(LEAST)
}

fn path() -> PathBuf {
    concat!(env!("CARGO_MANIFEST_DIR"), "/baseline.txt").into()
}

/// Instruction counts are the compiler's as much as ours.
fn compiler() -> Result<String, Box<dyn Error>> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output()?;
    Ok(format!("{} on {}", String::from_utf8(output.stdout)?.trim(), std::env::consts::ARCH))
}
