//! What a case expects, written into it:
//!
//! ```text
//! mod a_number_in_quotes {
//!     #[retry(max_attempts = "3")]
//!     //                     ^^^ error: `max_attempts` is a number; write it without quotes: `max_attempts = 3`
//!     async fn call() -> std::io::Result<()> {
//! ```
//!
//! The carets underline exactly what rustc underlines in the line above (of a span of many lines, its first). Behind
//! them stand level, code (`error[E0277]`) and text. A line `// | text` below says what else the rendered message has
//! in it. Everything rustc says must be expected: a case is a crate of its own.

use std::fmt::Write;

use crate::rustc::{Diagnostic, Libraries};

/// One crate: a file, or one `mod` of it.
pub(crate) struct Case {
    name: String,
    source: String,
    renamed: Option<String>,
    expected: Vec<Expected>,
}

#[derive(Debug)]
struct Expected {
    line: usize,
    columns: (usize, usize),
    /// `error[E0277]: the text`.
    says: String,
    /// What else stands in the rendered message.
    also: Vec<String>,
}

/// What no advice may name: it is no part of the contract.
const PRIVATE: &str = "__private";

impl Case {
    /// All mistakes of a file in one crate.
    pub(crate) fn together(file: &str, text: &str) -> Self {
        let expected = expected(&text.lines().collect::<Vec<_>>());
        Self { name: file.to_owned(), source: text.to_owned(), renamed: None, expected }
    }

    /// Each `mod` of a file as a crate of its own, in which all others are blank, so that lines keep their numbers.
    pub(crate) fn each(file: &str, text: &str) -> Vec<Self> {
        let lines: Vec<&str> = text.lines().collect();
        let begins = |line: &str| line.starts_with("mod ");
        let mut cases = Vec::new();
        for start in (0..lines.len()).filter(|index| begins(lines[*index])) {
            let length = lines[start..].iter().position(|line| *line == "}").expect("a module ends");
            let before = lines[..start].iter().scan(false, |inside, line| {
                *inside |= begins(line);
                let kept = if *inside { "" } else { line };
                *inside &= *line != "}";
                Some(kept)
            });
            let source: Vec<&str> = before.chain(lines[start..=start + length].iter().copied()).collect();
            let module = lines[start].trim_start_matches("mod ").trim_end_matches(" {");
            let renamed = source.iter().find_map(|line| line.trim().strip_prefix("// resilience is renamed: "));
            cases.push(Self {
                name: format!("{file}_{module}"),
                source: source.join("\n"),
                renamed: renamed.map(str::to_owned),
                expected: expected(&source),
            });
        }
        assert!(!cases.is_empty(), "{file} has cases");
        cases
    }

    /// Everything that is not as expected, as text.
    pub(crate) fn differences(&self, libraries: &Libraries) -> Option<String> {
        let mut said = libraries.check(&self.name, &self.source, self.renamed.as_deref());
        let mut differences = String::new();
        if self.expected.is_empty() {
            differences.push_str("a case expects a message\n");
        }
        for expected in &self.expected {
            match said.iter().position(|diagnostic| expected.is(diagnostic)) {
                Some(index) => {
                    let Diagnostic { rendered, advice, .. } = said.remove(index);
                    for text in expected.also.iter().filter(|text| !rendered.contains(text.as_str())) {
                        let _ = writeln!(differences, "without `{text}`:\n{rendered}");
                    }
                    if advice.iter().any(|advice| advice.contains(PRIVATE)) {
                        let _ = writeln!(differences, "advises what is private:\n{rendered}");
                    }
                }
                None => {
                    let _ = writeln!(differences, "missing at line {}: {}", expected.line, expected.says);
                }
            }
        }
        for diagnostic in &said {
            let _ = writeln!(differences, "not expected:\n{}\n{}", annotation(diagnostic), diagnostic.rendered);
        }
        (!differences.is_empty()).then(|| format!("=== {}\n{differences}", self.name))
    }
}

impl Expected {
    fn is(&self, diagnostic: &Diagnostic) -> bool {
        self.line == diagnostic.line && self.columns == diagnostic.columns && self.says == says(diagnostic)
    }
}

/// A diagnostic in the form in which cases expect it.
fn says(diagnostic: &Diagnostic) -> String {
    let Diagnostic { level, code, message, .. } = diagnostic;
    match code {
        Some(code) => format!("{level}[{code}]: {message}"),
        None => format!("{level}: {message}"),
    }
}

fn annotation(diagnostic: &Diagnostic) -> String {
    let (start, end) = diagnostic.columns;
    let carets = "^".repeat(end - start);
    format!("{:5} //{}{carets} {}", diagnostic.line, " ".repeat(start.saturating_sub(3)), says(diagnostic))
}

fn expected(lines: &[&str]) -> Vec<Expected> {
    let mut found: Vec<Expected> = Vec::new();
    let mut code = 0;
    for (index, line) in lines.iter().enumerate() {
        let comment = line.trim_start().strip_prefix("//").map(str::trim_start);
        if let Some(carets) = comment.filter(|comment| comment.starts_with('^')) {
            let says = carets.trim_start_matches('^');
            let start = line.chars().position(|letter| letter == '^').expect("carets") + 1;
            let columns = (start, start + carets.len() - says.len());
            found.push(Expected { line: code, columns, says: says.trim_start().to_owned(), also: Vec::new() });
        } else if let Some(text) = comment.and_then(|comment| comment.strip_prefix("| ")) {
            found.last_mut().expect("a message to add to").also.push(text.to_owned());
        } else {
            code = index + 1;
        }
    }
    found
}
