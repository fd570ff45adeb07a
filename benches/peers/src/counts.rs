//! Instructions per call, counted by callgrind: what holds from run to run where nanoseconds do not.

use std::collections::HashMap;
use std::error::Error;
use std::process::Command;
use std::sync::Arc;

use resilience_benches::contenders::{Contender, Group, bare, groups};
use resilience_benches::subject::Calls;
use resilience_instructions::body::Body;
use tokio::runtime::{Builder, Runtime};

use crate::args::Args;

/// Instructions per call with a body that is ready, and with one that waits, by the key of the group and the name of
/// the contender.
pub(crate) type Counts = HashMap<(String, String), [u64; 2]>;

const BODIES: [Body; 2] = [Body::Ready, Body::Pending];
/// The key of the body alone.
pub(crate) const BARE: &str = "bare";

const WARM: u64 = 64;
const CALLS: u64 = 256;

/// Runs this program under callgrind, which counts in `counted` alone and writes what it has at each of its ends.
pub(crate) fn all(args: &Args) -> Result<Counts, Box<dyn Error>> {
    if args.only_time {
        return Ok(Counts::new());
    }
    let folder = std::env::temp_dir().join(format!("resilience-benches-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let out = folder.join("counts");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no", "--toggle-collect=*::counted", "--dump-after=*::counted"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(std::env::current_exe()?)
        .arg("--count")
        .output()
        .map_err(|error| format!("valgrind counts instructions, and could not be started: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let part = |number: usize| -> Result<u64, Box<dyn Error>> {
        let dump = std::fs::read_to_string(folder.join(format!("counts.{number}")))?;
        Ok(total(&dump).ok_or("callgrind wrote no total")? / CALLS)
    };
    let mut counts = Counts::new();
    for (index, (group, contender)) in listed().into_iter().enumerate() {
        let first = 1 + index * BODIES.len();
        counts.insert((group, contender.name.to_owned()), [part(first)?, part(first + 1)?]);
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(counts)
}

/// What is counted, in its order; the body alone comes first.
fn listed() -> Vec<(String, Contender)> {
    let bare = std::iter::once((BARE.to_owned(), bare()));
    let named = |group: Group| group.contenders.into_iter().map(move |contender| (group.key.to_owned(), contender));
    bare.chain(groups().into_iter().flat_map(named)).collect()
}

fn total(dump: &str) -> Option<u64> {
    dump.lines()
        .find_map(|line| line.strip_prefix("totals:").or_else(|| line.strip_prefix("summary:")))?
        .trim()
        .parse()
        .ok()
}

/// The part that runs under callgrind.
pub(crate) fn run() {
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    for (_, contender) in listed() {
        let subject = {
            let _inside = runtime.enter();
            (contender.make)()
        };
        runtime.block_on(Arc::clone(&subject).calls(WARM, Body::Ready));
        for body in BODIES {
            counted(&runtime, Arc::clone(&subject).calls(CALLS, body));
        }
    }
}

/// Callgrind knows it by this name.
#[inline(never)]
fn counted(runtime: &Runtime, calls: Calls) {
    runtime.block_on(calls);
}
