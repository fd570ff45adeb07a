//! Which attributes are ours, by their paths.

use proc_macro2::{TokenStream, TokenTree};
use syn::Path;

use crate::policy::{self, Policy};
use crate::tokens::text_of;

/// One of our attributes, by name.
#[derive(Clone, Copy)]
pub(crate) enum Ours {
    Policy(&'static Policy),
    /// A list of policies.
    Resilient,
}

impl Ours {
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            RESILIENT => Some(Self::Resilient),
            _ => policy::named(name).map(Self::Policy),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Policy(policy) => policy.name,
            Self::Resilient => RESILIENT,
        }
    }
}

pub(crate) const RESILIENT: &str = "resilient";

/// Ours by a bare name, through the runtime's path, or through a facade above it.
pub(crate) fn recognise(path: &Path, krate: Option<&TokenStream>) -> Option<Ours> {
    let (parent, name) = parent_and_name(path);
    let ours = Ours::named(&name)?;
    let known = parent.is_empty()
        || parent == "resilience"
        || krate.is_some_and(|krate| text_of(krate).trim_start_matches("::") == parent);
    (known || is_of_facade(path, krate)).then_some(ours)
}

/// `framework::retry` beside `crate = ::framework::resilience`: a framework that hands the runtime on re-exports
/// attributes where its users look for them.
pub(crate) fn is_of_facade(path: &Path, krate: Option<&TokenStream>) -> bool {
    let is_name = |token: &TokenTree| matches!(token, TokenTree::Ident(_));
    let names = krate.map_or(0, |krate| krate.clone().into_iter().filter(is_name).count());
    // A facade's path is shorter than the runtime's below it; most are not, and text costs time.
    if path.segments.len() > names {
        return false;
    }
    let (parent, _) = parent_and_name(path);
    let krate = krate.map(text_of).unwrap_or_default();
    let below = krate.trim_start_matches("::").strip_prefix(parent.as_str());
    !parent.is_empty() && below.is_some_and(|below| below.starts_with("::"))
}

/// `framework::net` and `retry` of `::framework::net::retry`.
fn parent_and_name(path: &Path) -> (String, String) {
    let text = text_of(path);
    let text = text.trim_start_matches("::");
    let (parent, name) = text.rsplit_once("::").unwrap_or(("", text));
    (parent.to_owned(), name.to_owned())
}

/// Attributes that are no macros: they may stand anywhere between ours.
pub(crate) fn is_inert(path: &Path) -> bool {
    const TOOLS: [&str; 5] = ["rustfmt", "clippy", "diagnostic", "miri", "rust_analyzer"];
    const BUILT_IN: [&str; 22] = [
        "allow",
        "automatically_derived",
        "cfg",
        "cfg_attr",
        "cold",
        "coverage",
        "deny",
        "deprecated",
        "doc",
        "expect",
        "export_name",
        "forbid",
        "ignore",
        "inline",
        "link_section",
        "must_use",
        "no_mangle",
        "optimize",
        "should_panic",
        "target_feature",
        "track_caller",
        "warn",
    ];
    match path.get_ident() {
        Some(ident) => BUILT_IN.iter().any(|name| ident == name),
        None => path.segments.first().is_some_and(|tool| TOOLS.iter().any(|name| tool.ident == name)),
    }
}
