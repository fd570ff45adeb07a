//! Names that two sites configure differently.

use std::fmt;

use super::{Entry, Registry};
use crate::bulkhead::Slots;
use crate::circuit_breaker::Breaker;
use crate::policy::Shared;
use crate::site::Place;

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
        write!(f, "`{}`: {}", self.name, self.explanation())
    }
}

/// Every conflict that [`verify`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    conflicts: Vec<Conflict>,
}

impl VerifyError {
    /// Returns the conflicts, sorted by kind and name; there is at least one.
    #[must_use]
    pub fn conflicts(&self) -> &[Conflict] {
        &self.conflicts
    }
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("conflicting policies:")?;
        self.conflicts.iter().try_for_each(|conflict| write!(f, "\n  {conflict}"))
    }
}

impl std::error::Error for VerifyError {}

/// Checks the attributes of the whole program against each other; call it in `main`, or in a test.
///
/// A name that two sites configure differently refuses every call with
/// [`ErrorKind::Misconfigured`](crate::ErrorKind::Misconfigured); this finds it before a call does.
///
/// # Errors
///
/// Lists every conflict with both places.
///
/// # Examples
///
/// ```
/// resilience::verify()?;
/// # Ok::<(), resilience::VerifyError>(())
/// ```
pub fn verify() -> Result<(), VerifyError> {
    fn conflicts<P: Shared>(registry: &Registry<P>) -> impl Iterator<Item = Conflict> + use<P> {
        registry.all().into_iter().flat_map(Entry::conflicts)
    }

    let conflicts: Vec<_> = conflicts(Slots::registry()).chain(conflicts(Breaker::registry())).collect();
    if conflicts.is_empty() { Ok(()) } else { Err(VerifyError { conflicts }) }
}
