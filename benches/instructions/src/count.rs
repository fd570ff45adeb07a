//! Counting, by callgrind.

use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};

use crate::cases::{self, BARE};

/// Set in the process that runs under callgrind.
pub(crate) const INSIDE: &str = "RESILIENCE_COUNTED";

const WARM: u32 = 100;
const CALLS: u32 = 1000;
const MILLION: u32 = 1_000_000;

/// The part that runs under callgrind.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    // Timers need one.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let _inside = runtime.enter();
    for mut case in cases::all() {
        // What is done once, and a window's first round.
        (case.calls)(WARM);
        counted(&mut case.calls);
    }
    Ok(())
}

/// Makes so many million calls of one case.
pub(crate) fn repeat(name: &str, millions: u32) -> Result<ExitCode, Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let _inside = runtime.enter();
    let mut all = cases::all();
    let Some(case) = all.iter_mut().find(|case| case.name == name) else {
        let names: Vec<_> = all.iter().map(|case| case.name).collect();
        return Err(format!("no case `{name}`; there are: {}", names.join("; ")).into());
    };
    for _ in 0..millions {
        (case.calls)(MILLION);
    }
    Ok(ExitCode::SUCCESS)
}

/// Callgrind knows it by this name, counts inside it alone, and writes what it has at each of its ends.
#[inline(never)]
fn counted(calls: &mut Box<dyn FnMut(u32)>) {
    calls(CALLS);
}

/// Instructions of one call of each case, above the bare body.
pub(crate) fn all() -> Result<Vec<(&'static str, f64)>, Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("resilience-instructions-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let counts = under_callgrind(&folder);
    std::fs::remove_dir_all(&folder)?;
    let counts = counts?;
    let bare = counts.iter().find(|(name, _)| *name == BARE).map_or(0.0, |(_, count)| *count);
    Ok(counts.into_iter().filter(|(name, _)| *name != BARE).map(|(name, count)| (name, count - bare)).collect())
}

fn under_callgrind(folder: &Path) -> Result<Vec<(&'static str, f64)>, Box<dyn Error>> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no", "--toggle-collect=*::counted", "--dump-after=*::counted"])
        .arg(format!("--callgrind-out-file={}", folder.join("counts").display()))
        .arg(std::env::current_exe()?)
        .env(INSIDE, "1")
        .output()
        .map_err(|error| format!("valgrind, of the package of that name, could not be started: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let part = |(index, case): (usize, cases::Case)| {
        let dump = std::fs::read_to_string(folder.join(format!("counts.{}", index + 1)))?;
        let total = dump.lines().find_map(|line| line.strip_prefix("totals:")).ok_or("callgrind wrote no total")?;
        Ok((case.name, total.trim().parse::<f64>()? / f64::from(CALLS)))
    };
    cases::all().into_iter().enumerate().map(part).collect()
}
