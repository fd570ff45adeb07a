//! Which options need no check by the compiler: a check is a constant of its own, and every user's build pays for it.
//!
//! The ranges are the runtime's. What is left out here is what it takes in any case: a value that every option of the
//! kind takes, for an option that no other option can be at odds with. A test holds it against the runtime.

use syn::{LitFloat, LitInt};

use crate::args::Setting;
use crate::literal::Value;
use crate::options::{self, Kind};
use crate::policy::Policy;

/// The options that the runtime blames where two are at odds.
static BLAMED: [&str; 6] = ["base_delay", "window", "min_calls", "slow_call_rate", "cooldown", "max_probes"];

/// Whether the runtime takes the value, whatever else is given.
pub(crate) fn surely(policy: &Policy, setting: &Setting) -> bool {
    let Some(row) = options::find(policy, &setting.key.to_string()) else { return false };
    !BLAMED.contains(&row.key) && is_usual(row.kind, &setting.value)
}

fn is_usual(kind: Kind, value: &Value) -> bool {
    let (tokens, duration) = match value {
        Value::Variant { .. } => return true,
        Value::Literal { tokens, duration } => (tokens.clone(), duration),
        Value::Expr(_) => return false,
    };
    let number = |range: fn(f64) -> bool| {
        let number = syn::parse2::<LitFloat>(tokens.clone()).and_then(|number| number.base10_parse());
        number.is_ok_and(range)
    };
    match kind {
        Kind::Count => {
            syn::parse2::<LitInt>(tokens).and_then(|count| count.base10_parse()).is_ok_and(|count: u32| count > 0)
        }
        Kind::Duration => duration.is_some_and(|duration| !duration.is_zero()),
        Kind::Rate => number(|rate| (0.0..1.0).contains(&rate)),
        Kind::Factor => number(|factor| factor >= 1.0 && factor.is_finite()),
        _ => false,
    }
}
