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
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["run", "--release", "--quiet", "--locked", "--bin", "footprint", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let lines = String::from_utf8(output.stdout)?;
    lines.lines().map(|line| row(line).ok_or_else(|| format!("not a footprint: {line}").into())).collect()
}

fn row(line: &str) -> Option<((String, String), Footprint)> {
    let mut fields = line.split('\t');
    let key = (fields.next()?.to_owned(), fields.next()?.to_owned());
    let mut number = || fields.next()?.parse::<i64>().ok();
    let (allocations, bytes, instance) = (number()?, number()?, number()?);
    Some((key, Footprint { allocations: allocations as u64, bytes: bytes as u64, instance }))
}
