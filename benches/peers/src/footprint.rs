//! What the program `footprint` prints, read.

use std::collections::HashMap;
use std::error::Error;
use std::process::Command;

use crate::args::Args;

pub(crate) struct Footprint {
    pub(crate) allocations: u64,
    pub(crate) bytes: u64,
    pub(crate) instance: i64,
}

/// By the key of the group, and the name of the contender.
pub(crate) type Footprints = HashMap<(String, String), Footprint>;

pub(crate) fn all(args: &Args) -> Result<Footprints, Box<dyn Error>> {
    if args.only_time {
        return Ok(Footprints::new());
    }
    counted("contenders")?.lines().map(|line| row(line).ok_or_else(|| wrong(line))).collect()
}

/// Bytes of one name among so many (`names`), or of one breaker with so long a window (`windows`).
pub(crate) fn grown(what: &str) -> Result<Vec<(f64, f64)>, Box<dyn Error>> {
    let number = |text: Option<&str>| text?.parse().ok();
    let row = |line: &str| {
        let mut fields = line.split('\t');
        Some((number(fields.next())?, number(fields.next())?))
    };
    counted(what)?.lines().map(|line| row(line).ok_or_else(|| wrong(line))).collect()
}

fn counted(what: &str) -> Result<String, Box<dyn Error>> {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["run", "--release", "--quiet", "--bin", "footprint", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .args(["--", what])
        .output()?;
    if output.status.success() {
        Ok(String::from_utf8(output.stdout)?)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into())
    }
}

fn wrong(line: &str) -> Box<dyn Error> {
    format!("not a footprint: {line}").into()
}

fn row(line: &str) -> Option<((String, String), Footprint)> {
    let mut fields = line.split('\t');
    let key = (fields.next()?.to_owned(), fields.next()?.to_owned());
    let mut number = || fields.next()?.parse::<i64>().ok();
    let (allocations, bytes, instance) = (number()?, number()?, number()?);
    Some((key, Footprint { allocations: allocations as u64, bytes: bytes as u64, instance }))
}
