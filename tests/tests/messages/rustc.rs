//! rustc, called on one small crate: a process for each case is cheap where everything it needs is built.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The crates that a case may use.
const CRATES: [&str; 6] = ["resilience", "tokio", "tracing", "anyhow", "async_trait", "resilience_tests_every_stack"];

/// The attributes as they are without any feature of the runtime.
const WITHOUT_FEATURES: &str = "resilience_without_features";

/// What cargo has built for this test.
pub(crate) struct Libraries {
    /// Name and file.
    externs: Vec<(&'static str, PathBuf)>,
}

impl Libraries {
    /// Asks cargo where they are. After `cargo test --workspace` nothing is left to build but the macros without features;
    /// of one package alone, cargo would choose other features of the dependencies.
    pub(crate) fn find() -> Self {
        let tests = artifacts(&["--workspace", "--test", "messages"]);
        let macros = artifacts(&["--package", "resilience-macros"]);
        let file = |artifacts: &[Value], name: &str| {
            let files = artifacts.iter().filter(|artifact| artifact["target"]["name"] == name);
            let mut files = files.filter_map(|artifact| artifact["filenames"][0].as_str());
            PathBuf::from(files.next_back().unwrap_or_else(|| panic!("cargo has built no {name}")))
        };
        let mut externs: Vec<_> = CRATES.iter().map(|name| (*name, file(&tests, name))).collect();
        externs.push((WITHOUT_FEATURES, file(&macros, "resilience_macros")));
        Self { externs }
    }

    /// What rustc says of a library crate of this source; `renamed` is what the crate calls the runtime.
    pub(crate) fn check(&self, name: &str, source: &str, renamed: Option<&str>) -> Vec<Diagnostic> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("messages");
        fs::create_dir_all(&folder).expect("a folder for sources");
        let file = folder.join(format!("{name}.rs"));
        fs::write(&file, source).expect("a source is written");
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc.args([
            "--edition=2024",
            "--crate-type=lib",
            "--emit=metadata",
            "--error-format=json",
            "--crate-name=case",
        ]);
        rustc.args(["--cap-lints=forbid", "--allow=dead_code"]).arg("--out-dir").arg(folder.join(name));
        // As cargo has it in everyday work. rustc then holds fewer places for the same, and may tell twice what it tells once
        // without.
        rustc.arg("-C").arg(format!("incremental={}", folder.join("incremental").join(name).display()));
        for (krate, path) in &self.externs {
            let known = if *krate == "resilience" { renamed.unwrap_or(krate) } else { krate };
            rustc.arg("--extern").arg(format!("{known}={}", path.display()));
            rustc.arg("-L").arg(format!("dependency={}", path.parent().expect("a folder").display()));
        }
        let output = run(rustc.arg(&file));
        let lines = String::from_utf8(output.stderr).expect("rustc writes UTF-8");
        let diagnostics = lines.lines().map(|line| {
            let value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{name}: rustc says {line}"));
            Diagnostic::of(&value, file.as_os_str())
        });
        let diagnostics: Vec<_> = diagnostics.flatten().collect();
        let failed = diagnostics.iter().any(|diagnostic| diagnostic.level == "error");
        assert_eq!(failed, !output.status.success(), "{name}: rustc fails where it says an error, and only there");
        diagnostics
    }
}

/// What rustc says at one place of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Diagnostic {
    pub(crate) level: String,
    pub(crate) code: Option<String>,
    pub(crate) message: String,
    /// Line and columns, counted from 1; of a span of many lines only the first line.
    pub(crate) line: usize,
    pub(crate) columns: (usize, usize),
    pub(crate) rendered: String,
    /// The code that rustc would insert.
    pub(crate) advice: Vec<String>,
}

impl Diagnostic {
    fn of(value: &Value, file: &OsStr) -> Option<Self> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let message = text(&value["message"]);
        let sums_up = message.starts_with("aborting due to") || message.ends_with(" emitted");
        if value["$message_type"] != "diagnostic" || sums_up {
            return None;
        }
        let level = text(&value["level"]);
        if level == "failure-note" {
            return None;
        }
        let primaries = value["spans"].as_array().into_iter().flatten().filter(|span| span["is_primary"] == true);
        let mut places: Vec<_> = primaries.map(|span| place(span, file)).collect();
        // Several labels at one place are several spans.
        places.dedup();
        let [(line, columns)] = places[..] else { panic!("an error without one place: {value}") };
        let children = value["children"].as_array().into_iter().flatten();
        let spans_of_children = children.filter_map(|child| child["spans"].as_array()).flatten();
        Some(Self {
            level,
            code: value["code"]["code"].as_str().map(str::to_owned),
            message,
            line,
            columns,
            rendered: text(&value["rendered"]),
            advice: spans_of_children.map(|span| text(&span["suggested_replacement"])).collect(),
        })
    }
}

/// Line and columns of a span; what is wrong inside of another crate's macro is shown at its call.
fn place(mut span: &Value, file: &OsStr) -> (usize, (usize, usize)) {
    while span["file_name"].as_str().map(OsStr::new) != Some(file) {
        span = &span["expansion"]["span"];
        assert!(span.is_object(), "an error in another file");
    }
    let number = |key: &str| span[key].as_u64().and_then(|n| usize::try_from(n).ok()).expect("a number");
    let end = match number("line_end") == number("line_start") {
        true => number("column_end"),
        false => span["text"][0]["text"].as_str().map_or(0, |text| text.chars().count()) + 1,
    };
    (number("line_start"), (number("column_start"), end))
}

fn artifacts(of: &[&str]) -> Vec<Value> {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--offline", "--message-format=json"]).args(of).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = run(&mut cargo);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    let messages = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    messages.filter(|message| message["reason"] == "compiler-artifact").collect()
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}
