//! Which options need no check by the compiler: a check is a constant of its own, and every user's build pays for it.
//!
//! The ranges are the runtime's. What is left out here is what it takes in any case: a value that every option of the
//! kind takes, for an option that no other option can be at odds with. A test holds it against the runtime.

use crate::args::Setting;
use crate::literal::Value;
use crate::options::{self, Kind};
use crate::policy::Policy;

/// The options that the runtime blames where two are at odds.
static BLAMED: [&str; 6] = ["base_delay", "window", "min_calls", "slow_call_rate", "cooldown", "max_probes"];

/// A count that every option takes: some are bounded, by what they take in memory.
const USUAL_COUNT: u32 = 1_000_000;

/// Whether the runtime takes the value, whatever else is given.
pub(crate) fn surely(policy: &Policy, setting: &Setting) -> bool {
    let Some(row) = options::find(policy, &setting.key.to_string()) else { return false };
    !BLAMED.contains(&row.key) && is_usual(row.kind, &setting.value)
}

fn is_usual(kind: Kind, value: &Value) -> bool {
    match kind {
        Kind::Choice(_) => value.is_literal(),
        Kind::Count => value.count().is_some_and(|count| (1..=USUAL_COUNT).contains(&count)),
        Kind::Duration => value.duration().is_some_and(|duration| !duration.is_zero()),
        Kind::Rate => value.number().is_some_and(|rate| (0.0..1.0).contains(&rate)),
        Kind::Factor => value.number().is_some_and(|factor| factor >= 1.0 && factor.is_finite()),
        _ => false,
    }
}
