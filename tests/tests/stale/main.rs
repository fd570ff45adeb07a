//! Stale-if-error: what is remembered, for how long, for whom, and what it is served instead of.

mod instances;
mod keys;
mod lent_keys;
mod rules;
mod starts;

use resilience::Event;
use resilience_tests::{EventLog, Fault, Script, Step};

/// Succeeds once, and fails from then on.
fn once() -> Script {
    Script::new([Step::Ok, Step::Err(Fault::Down)])
}

/// How old the values were that have been served, in milliseconds.
fn ages(log: &EventLog) -> Vec<u128> {
    let told = log.take().into_iter().filter_map(|event| match event {
        Event::StaleServed { age, .. } => Some(age.as_millis()),
        _ => None,
    });
    told.collect()
}
