//! Every mistake a user can make gives exactly one error: its code, its text, what it underlines, and nothing else.

mod differential;
mod expected;
mod rustc;
mod table;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};
use std::thread;

use crate::expected::Case;
use crate::rustc::Libraries;

static LIBRARIES: LazyLock<Libraries> = LazyLock::new(Libraries::find);

/// Checks every case, as many at once as there are cores.
fn check(cases: &[Case]) {
    check_each(cases, |case| case.differences(&LIBRARIES));
}

fn check_each<T: Sync>(cases: &[T], differences_of: impl Fn(&T) -> Option<String> + Sync) {
    if !resilience_tests::is_pinned_release() {
        return;
    }
    let next = AtomicUsize::new(0);
    let differences = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = differences_of(case);
                    differences.lock().unwrap().extend(found);
                }
            });
        }
    });
    let differences = differences.into_inner().unwrap();
    assert!(differences.is_empty(), "{} of {} cases:\n{}", differences.len(), cases.len(), differences.join("\n"));
}

#[test]
fn mistakes_written_by_hand() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages/cases");
    let mut cases = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        cases.extend(Case::each(&name, &fs::read_to_string(&path).unwrap()));
    }
    check(&cases);
}

#[test]
fn what_rustc_says_of_a_body_it_says_with_an_attribute() {
    check_each(&differential::bodies(), |body| body.differences(&LIBRARIES));
}

/// The mistakes of one option are in one crate, which shows them all: that is twenty times as fast.
#[test]
fn mistakes_with_every_option() {
    let cases: Vec<Case> = table::files().iter().map(|(name, text)| Case::together(name, text)).collect();
    check(&cases);
}

#[test]
#[ignore = "most of a minute: to be sure that no mistake hides what rustc says about another"]
fn mistakes_with_every_option_each_alone() {
    let cases: Vec<Case> = table::files().iter().flat_map(|(name, text)| Case::each(name, text)).collect();
    assert!(cases.len() > 700, "the table is whole");
    check(&cases);
}
