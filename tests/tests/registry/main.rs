//! Names, options and where they come from, as the registry shows them.

mod live;
mod names;
mod options;
mod refused;

use resilience::{PolicySnapshot, Source};

/// What the registry shows of a policy now.
fn shown(kind: &str, name: &str) -> Option<PolicySnapshot> {
    let snapshot = resilience::registry().snapshot();
    snapshot.policies().iter().find(|policy| policy.kind() == kind && policy.name() == name).cloned()
}

/// An option's value and source.
fn option(kind: &str, name: &str, option: &str) -> Option<(String, Source)> {
    let setting = shown(kind, name)?.option(option)?;
    Some((setting.value().to_string(), setting.source()))
}
