//! What looks wrong in the names of a program, and may be meant.

use std::fmt;

use super::Registry;
use super::entry::Entry;
use crate::bulkhead::Slots;
use crate::circuit_breaker::Breaker;
use crate::policy::{Policy, Shared};
use crate::rate_limit::Limiter;
use crate::retry_budget::Budget;
use crate::site::Place;
use crate::text::OneLine;

/// What [`verify`](super::verify) says of a program whose policies can be used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    warnings: Vec<Warning>,
}

/// A name that looks wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    kind: &'static str,
    name: &'static str,
    place: Place,
    /// The name that may be meant; nothing where it is that nobody configures it.
    meant: Option<&'static str>,
}

impl Report {
    /// Returns the names that look like a slip, and the budgets that nothing configures, sorted by kind and name.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    pub(super) fn of_program() -> Self {
        let mut report = Self::default();
        report.look_at(Slots::registry());
        report.look_at(Breaker::registry());
        report.look_at(Limiter::registry());
        report.look_at(Budget::registry());
        for budget in Budget::registry().all() {
            if let (Some(place), false) =
                (budget.sites().first().copied(), budget.is_configured() || report.has(budget.name()))
            {
                report.warnings.push(Warning { kind: Budget::KIND, name: budget.name(), place, meant: None });
            }
        }
        report.warnings.sort_by_key(|warning| (warning.kind, warning.name));
        report
    }

    fn has(&self, budget: &str) -> bool {
        self.warnings.iter().any(|warning| warning.kind == Budget::KIND && warning.name == budget)
    }

    fn look_at<P: Shared>(&mut self, registry: &'static Registry<P>) {
        let all = registry.named();
        for entry in &all {
            let [place] = entry.sites()[..] else { continue };
            if entry.is_configured() {
                continue;
            }
            let is_meant = |other: &&&Entry<P>| {
                (other.is_configured() || other.sites().len() > 1) && is_slip(entry.name(), other.name())
            };
            if let Some(meant) = all.iter().find(is_meant) {
                self.warnings.push(Warning { kind: P::KIND, name: entry.name(), place, meant: Some(meant.name()) });
            }
        }
    }
}

impl Warning {
    /// Returns the kind of policy, as the attribute is called; `"retry_budget"` for budgets.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns where it is given.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Returns the name that may be meant; `None` for a budget that nothing configures.
    #[must_use]
    pub fn meant(&self) -> Option<&'static str> {
        self.meant
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, name, place, meant } = self;
        write!(f, "`{}` at {place}: ", OneLine(name))?;
        match meant {
            Some(meant) => {
                write!(f, "no other {kind} has this name, and nobody configures it; is `{}` meant?", OneLine(meant))
            }
            None => write!(f, "nobody configures this {kind}: it has the defaults"),
        }
    }
}

/// The shortest name of which two letters are a slip and not another name.
const SHORTEST: usize = 5;

/// Whether one name is one or two letters away from the other, other than by its digits or by a letter at the end.
fn is_slip(name: &str, meant: &str) -> bool {
    let without_digits = |name: &str| name.chars().filter(|letter| !letter.is_ascii_digit()).collect::<String>();
    let is_longer = |long: &str, short: &str| long.strip_prefix(short).is_some_and(|end| end.chars().count() == 1);
    let long_enough = name.chars().count().min(meant.chars().count()) >= SHORTEST;
    long_enough
        && without_digits(name) != without_digits(meant)
        && !is_longer(name, meant)
        && !is_longer(meant, name)
        && distance(name, meant) <= 2
}

/// How many letters have to be changed, added or taken away (Levenshtein 1966).
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (number, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = number + 1;
        for (at, other) in to.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[at + 1];
            row[at + 1] = changed.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_counted_in_letters() {
        for (from, to, letters) in
            [("", "", 0), ("abc", "abc", 0), ("kitten", "sitting", 3), ("über", "uber", 1), ("", "ab", 2)]
        {
            assert_eq!(distance(from, to), letters, "{from} {to}");
            assert_eq!(distance(to, from), letters, "{to} {from}");
        }
    }

    #[test]
    fn a_slip_is_no_number_no_plural_and_no_short_name() {
        for (name, meant) in [("paymnets", "payments"), ("payment-s", "payments"), ("inventroy", "inventory")] {
            assert!(is_slip(name, meant) && is_slip(meant, name), "{name} {meant}");
        }
        for (name, meant) in
            [("shard-1", "shard-2"), ("order", "orders"), ("cart", "card"), ("search", "payments"), ("db-10", "db-1")]
        {
            assert!(!is_slip(name, meant) && !is_slip(meant, name), "{name} {meant}");
        }
    }
}
