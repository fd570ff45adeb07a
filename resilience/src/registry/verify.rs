//! Names that two sites configure differently.

use std::fmt;

use super::{Registry, Report};
use crate::bulkhead::Slots;
use crate::circuit_breaker::Breaker;
use crate::policy::Shared;
use crate::rate_limit::Limiter;
use crate::retry_budget::Budget;
use crate::site::Place;
use crate::text::OneLine;

/// One name to which two sites give different options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    kind: &'static str,
    name: &'static str,
    first: &'static Place,
    second: &'static Place,
}

impl Conflict {
    pub(super) fn new(kind: &'static str, name: &'static str, first: &'static Place, second: &'static Place) -> Self {
        Self { kind, name, first, second }
    }

    /// Returns the kind of policy, as the attribute is called.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Returns the name that is given different options.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the two places, in the order of the source.
    #[must_use]
    pub fn places(&self) -> [&'static Place; 2] {
        [self.first, self.second]
    }

    pub(super) fn explanation(&self) -> String {
        let Self { kind, first, second, .. } = self;
        format!(
            "{kind} is given different options at {first} and at {second}; give them at one place and only the name at the other"
        )
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", OneLine(self.name), self.explanation())
    }
}

/// A name for which nobody gives an option that it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incomplete {
    kind: &'static str,
    name: &'static str,
    option: &'static str,
    sites: Vec<&'static Place>,
}

impl Incomplete {
    pub(super) fn new(
        kind: &'static str,
        name: &'static str,
        option: &'static str,
        sites: Vec<&'static Place>,
    ) -> Self {
        Self { kind, name, option, sites }
    }

    /// Returns the kind of policy, as the attribute is called.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the option that is missing.
    #[must_use]
    pub fn option(&self) -> &'static str {
        self.option
    }
}

impl fmt::Display for Incomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, name, option, sites } = self;
        write!(f, "`{}`: {kind} needs `{option}`, and nobody gives it", OneLine(name))?;
        sites.iter().try_for_each(|place| write!(f, "; used at {place}"))
    }
}

/// Everything that [`verify`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    conflicts: Vec<Conflict>,
    incomplete: Vec<Incomplete>,
}

impl VerifyError {
    /// Returns the names that two sites configure differently, sorted by kind and name.
    #[must_use]
    pub fn conflicts(&self) -> &[Conflict] {
        &self.conflicts
    }

    /// Returns the names that lack an option they need, sorted by kind and name.
    #[must_use]
    pub fn incomplete(&self) -> &[Incomplete] {
        &self.incomplete
    }
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("policies that cannot be used:")?;
        self.conflicts.iter().try_for_each(|conflict| write!(f, "\n  {conflict}"))?;
        self.incomplete.iter().try_for_each(|incomplete| write!(f, "\n  {incomplete}"))
    }
}

impl std::error::Error for VerifyError {}

/// Checks the attributes of the whole program against each other; call it in `main`, or in a test.
///
/// A name that two sites configure differently refuses every call with
/// [`ErrorKind::Misconfigured`](crate::ErrorKind::Misconfigured); this finds it before a call does. What may be meant as it is,
/// such as a name that looks like a slip, is in the [report](Report).
///
/// # Errors
///
/// Lists every conflict with both places, and every name without an option it needs.
///
/// # Examples
///
/// ```
/// let report = resilience::verify()?;
/// for warning in report.warnings() {
///     eprintln!("{warning}");
/// }
/// # Ok::<(), resilience::VerifyError>(())
/// ```
pub fn verify() -> Result<Report, VerifyError> {
    let mut found = VerifyError { conflicts: Vec::new(), incomplete: Vec::new() };
    found.look_at(Slots::registry());
    found.look_at(Breaker::registry());
    found.look_at(Limiter::registry());
    found.look_at(Budget::registry());
    if found.conflicts.is_empty() && found.incomplete.is_empty() { Ok(Report::of_program()) } else { Err(found) }
}

impl VerifyError {
    fn look_at<P: Shared>(&mut self, registry: &Registry<P>) {
        for entry in registry.all() {
            self.conflicts.extend(entry.conflicts());
            self.incomplete.extend(entry.missing());
        }
    }
}
