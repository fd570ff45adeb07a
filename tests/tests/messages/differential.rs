//! What rustc says of a body, it says with an attribute of ours as without.

use std::fmt::Write;

use crate::rustc::{Diagnostic, Libraries};

/// The function with nothing in the attribute's place, and with each of these: one that the body passes once, one whose body
/// may run again, both with all parts in the function, one with a stand-in, and a whole stack.
const ATTRIBUTES: [(&str, &str); 6] = [
    ("timeout", "#[::resilience::timeout(\"1s\")]"),
    ("circuit_breaker", "#[::resilience::circuit_breaker(when = |_| true)]"),
    ("retry", "#[::resilience::retry]"),
    ("hooked", "#[::resilience::retry(on_retry = drop)]"),
    ("fallback", "#[::resilience::fallback(|error| Err(error))]"),
    ("resilient", "#[::resilience::resilient(circuit_breaker, bulkhead, timeout(\"1s\"))]"),
];

const PLACE: &str = "#[guard]";

/// One `mod` of the file, and what stands before the first.
pub(crate) struct Body {
    name: String,
    before: String,
    source: String,
}

pub(crate) fn bodies() -> Vec<Body> {
    let text = include_str!("bodies.rs");
    let (before, modules) = text.split_once("\nmod ").expect("there are modules");
    let body = |module: &str| Body {
        name: module.split(' ').next().unwrap_or_default().to_owned(),
        before: before.to_owned(),
        source: format!("mod {module}"),
    };
    modules.split("\nmod ").map(body).collect()
}

impl Body {
    /// Where it says something else with an attribute, and is not said to.
    pub(crate) fn differences(&self, libraries: &Libraries) -> Option<String> {
        let plain = self.said("none", "", libraries);
        assert!(!plain.is_empty(), "{}: rustc has nothing to say", self.name);
        let mut differences = String::new();
        for (name, attribute) in ATTRIBUTES {
            let guarded = self.said(name, attribute, libraries);
            let excepted = [name, "every one"].iter().any(|name| self.source.contains(&format!("// but for {name}: ")));
            if (guarded == plain) == excepted {
                let _ = write!(differences, "=== {} with {name}\n{plain:#?}\n{guarded:#?}\n", self.name);
            }
        }
        (!differences.is_empty()).then_some(differences)
    }

    fn said(&self, name: &str, attribute: &str, libraries: &Libraries) -> Vec<String> {
        let source = format!("{}\n{}", self.before, self.source.replace(PLACE, attribute));
        let said = libraries.check(&format!("body_{}_{name}", self.name), &source, None);
        let mut said: Vec<_> = said.iter().map(shown).collect();
        said.sort();
        said
    }
}

fn shown(diagnostic: &Diagnostic) -> String {
    let Diagnostic { level, code, message, line, columns, .. } = diagnostic;
    // Of what a block captures the borrow checker does not tell the name.
    let nameless = ["E0382", "E0499", "E0507", "E0515", "E0596"].map(Some).contains(&code.as_deref());
    let message = if nameless { "" } else { message };
    // It is one, and in the function.
    let message = message.replace("`async` block", "`async` function").replace("async block", "async function");
    format!("{line}:{}-{} {level} {} {message}", columns.0, columns.1, code.as_deref().unwrap_or_default())
}
