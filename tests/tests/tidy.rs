//! Things that are said in two places, held equal; and rules about source files that no lint knows.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    let file = root().join(path);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All files with that ending below a folder, but for what is built.
fn files(folder: &str, ending: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("a readable folder").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                if name != "target" && !name.starts_with('.') {
                    folders.push(path);
                }
            } else if name.ends_with(ending) {
                found.push(path.strip_prefix(root()).expect("below the root").to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no {ending} below {folder}");
    found
}

/// What stands in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_')
}

/// The policies, and the file whose `config!` table has their options.
const POLICIES: [(&str, &str); 6] = [
    ("retry", "resilience/src/retry/config.rs"),
    ("circuit_breaker", "resilience/src/circuit_breaker/config.rs"),
    ("bulkhead", "resilience/src/bulkhead/config.rs"),
    ("rate_limit", "resilience/src/rate_limit/config.rs"),
    ("timeout", "resilience/src/timeout.rs"),
    ("stale_if_error", "resilience/src/stale.rs"),
];

/// Options that are no value of a `Config`: what every policy takes, and what only the macro understands.
const MACRO_ONLY: [&str; 10] =
    ["name", "crate", "order", "when", "when_ok", "on_retry", "borrow", "budget", "permits", "key"];

fn setters(file: &str) -> BTreeSet<String> {
    let source = read(file);
    let table = source.split("config! {").nth(1).and_then(|rest| rest.split("\n}").next()).expect("a `config!` table");
    let lines = table.lines().map(str::trim).filter(|line| !line.starts_with("//") && line.ends_with(','));
    lines.filter_map(|line| line.split_once(": ")).map(|(option, _)| option.to_owned()).collect()
}

fn macro_rows(policy: &str) -> BTreeSet<String> {
    let source = read("resilience-macros/src/options.rs");
    let start = format!("row(&{}, \"", policy.to_uppercase());
    let rows = source.lines().filter_map(|line| line.trim().strip_prefix(start.as_str()));
    rows.filter_map(|row| row.split('"').next()).map(str::to_owned).collect()
}

/// A row of the README's table names its options in the third column; a default follows its option.
fn readme_options(policy: &str) -> BTreeSet<String> {
    let readme = read("README.md");
    let row = readme.lines().find(|line| line.starts_with(&format!("| `#[{policy}"))).expect("a row for every policy");
    let cell = row.trim_matches('|').split('|').nth(2).expect("three columns");
    let options = cell.split(',').filter_map(|part| quoted(part).next());
    options.filter(|word| is_word(word)).map(str::to_owned).collect()
}

fn page_options(policy: &str) -> BTreeSet<String> {
    let page = read(&format!("resilience/src/attributes/{policy}.md"));
    let table =
        page.split("# Options").nth(1).and_then(|rest| rest.split("\n# ").next()).expect("a section on options");
    let rows = table.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| option"));
    let cells = rows.filter_map(|row| row.trim_matches('|').split('|').next());
    cells
        .filter_map(|cell| quoted(cell).next())
        .map(|option| option.split('(').next().unwrap_or(option).to_owned())
        .collect()
}

fn without(options: &BTreeSet<String>, left_out: &[&str]) -> BTreeSet<String> {
    options.iter().filter(|option| !left_out.contains(&option.as_str())).cloned().collect()
}

#[test]
fn the_options_are_the_same_in_the_macro_the_runtime_the_readme_and_the_pages() {
    for (policy, file) in POLICIES {
        let setters = setters(file);
        assert!(!setters.is_empty(), "{policy} has options");
        assert_eq!(without(&macro_rows(policy), &MACRO_ONLY), setters, "{policy}: the macro's table and the setters");
        assert_eq!(without(&readme_options(policy), &MACRO_ONLY), setters, "{policy}: the README and the setters");
        // The timeout's one option has no key: it comes first.
        let keyed = without(&setters, &["duration", "max_age"]);
        assert_eq!(
            without(&page_options(policy), &MACRO_ONLY),
            keyed,
            "{policy}: the attribute's page and the setters"
        );
        let macro_only: BTreeSet<_> = macro_rows(policy).difference(&setters).cloned().collect();
        let told: BTreeSet<_> = page_options(policy).difference(&keyed).cloned().collect();
        assert_eq!(
            without(&told, &["name"]),
            without(&macro_only, &["name"]),
            "{policy}: the page tells of all others"
        );
    }
}

#[test]
fn the_events_documentation_lists_the_events() {
    let source = read("resilience/src/event/mod.rs");
    let listed: BTreeSet<&str> = source
        .lines()
        .filter_map(|line| line.strip_prefix("/// | `"))
        .filter_map(|line| line.split('`').next())
        .filter(|name| name.contains('.'))
        .collect();
    let quoted: BTreeSet<&str> =
        source.lines().filter(|line| line.contains("{ .. } => \"")).filter_map(|line| line.split('"').nth(1)).collect();
    // What is no name of an event is a kind.
    let named: BTreeSet<&str> = quoted.into_iter().filter(|name| name.contains('.')).collect();
    assert!(named.contains("circuit_breaker.opened"));
    assert_eq!(listed, named);
}

#[test]
fn the_cores_know_no_runtime_no_lock_and_no_chance() {
    let cores = [
        "resilience/src/circuit_breaker/state.rs",
        "resilience/src/circuit_breaker/trials.rs",
        "resilience/src/circuit_breaker/window.rs",
        "resilience/src/circuit_breaker/call_window.rs",
        "resilience/src/circuit_breaker/time_window.rs",
        "resilience/src/line.rs",
        "resilience/src/bulkhead/waiting.rs",
        "resilience/src/rate_limit/state.rs",
        "resilience/src/retry/backoff.rs",
        "resilience/src/retry_budget/account.rs",
        "resilience/src/rate_limit/bucket.rs",
        "resilience/src/outcome.rs",
    ];
    for core in cores {
        let source = read(core);
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        for foreign in ["tokio::", "Mutex", "Atomic", "rand::", "time::now", "event::", "tracing"] {
            assert!(!code.contains(foreign), "{core} mentions {foreign}");
        }
    }
}

#[test]
fn one_file_names_the_clock() {
    for file in files("resilience/src", ".rs") {
        let names_clock = read(&file).contains("tokio::time");
        assert_eq!(names_clock, file == "resilience/src/time.rs", "{file}");
    }
}

#[test]
fn paths_in_documents_exist() {
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "tests/README.md"] {
        let text = read(document);
        let paths = quoted(&text).filter(|word| {
            let top = ["resilience/", "resilience-macros/", "tests/", "examples/", ".ci/"];
            top.iter().any(|top| word.starts_with(top)) && !word.contains([' ', '*', '{'])
        });
        for path in paths {
            assert!(root().join(path).exists(), "{document} names {path}");
        }
    }
}

/// The minimum Rust version is older than `if … && let …`, and no lint tells.
#[test]
fn no_let_chains() {
    for file in files("resilience/src", ".rs").into_iter().chain(files("resilience-macros/src", ".rs")) {
        for (number, line) in read(&file).lines().enumerate() {
            let line = line.trim_start();
            let chained = line.starts_with("&& let ") || line.contains(" && let ") || line.contains("|| let ");
            assert!(!chained, "{file}:{}: {line}", number + 1);
        }
    }
}

/// Small files, whose names explain them: a file that outgrows this has two subjects.
#[test]
fn files_stay_small() {
    const MOST_LINES: usize = 500;
    for file in files("resilience/src", ".rs").into_iter().chain(files("resilience-macros/src", ".rs")) {
        let lines = read(&file).lines().count();
        assert!(lines <= MOST_LINES, "{file} has {lines} lines");
    }
}

/// A figure by the first words of its row: nanoseconds with one thread and with two.
fn measured(results: &str, section: &str, row: &str) -> (u32, u32) {
    let begin = format!("<!-- begin {section} -->");
    let table = results.split(&begin).nth(1).and_then(|rest| rest.split("<!-- end").next()).unwrap_or_default();
    let row = table.lines().find(|line| line.trim_start_matches("| ").starts_with(row));
    let cells: Vec<_> = row.unwrap_or_else(|| panic!("{section} has no row {row:?}")).split('|').collect();
    let nanos = |cell: &str| cell.trim().split(' ').next().and_then(|number| number.parse::<f64>().ok());
    let rounded = |cell: &str| nanos(cell).unwrap_or_else(|| panic!("{cell:?} is a number")).round() as u32;
    (rounded(cells[2]), rounded(cells[3]))
}

#[test]
fn the_costs_in_the_readme_are_those_of_the_results() {
    let (readme, results) = (read("README.md"), read("benches/RESULTS.md"));
    for (label, section, peer, called) in [
        ("circuit breaker, closed", "breaker", "breaker ", "breaker"),
        ("circuit breaker, open", "breaker-open", "breaker ", "breaker"),
        ("retry, first attempt succeeds", "retry", "tower ", "tower"),
        ("bulkhead", "bulkhead", "tokio ", "tokio's `Semaphore` by hand"),
        ("rate limit", "rate-limit", "governor ", "governor"),
        ("timeout, body ready", "timeout", "seatbelt ", "seatbelt"),
        ("five policies", "stack", "by hand", "by hand from the best parts"),
    ] {
        let (one, two) = measured(&results, section, "**resilience, attribute");
        let (peer_one, peer_two) = measured(&results, section, peer);
        let row = format!("| {label} | {one} | {two} | {called}: {peer_one} and {peer_two} |");
        assert!(readme.contains(&row), "the README's row is {row}");
    }
}
