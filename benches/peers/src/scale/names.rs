//! Names: from one to a hundred thousand.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use rand::seq::SliceRandom;
use resilience::{CircuitBreaker, circuit_breaker};
use resilience_benches::subject::{Subject, subject};
use resilience_benches::{SIZES, repeat};
use resilience_instructions::body::Body;

use super::{Line, Panel, medians};
use crate::args::Args;
use crate::footprint;
use crate::way::{Stage, Way};

/// A name is for ever: they are not measured in turns, but while their number grows.
pub(super) fn panel(stage: &Stage, args: &Args) -> Result<Panel, Box<dyn Error>> {
    let (mut one, mut all, mut get, mut register) = (vec![], vec![], vec![], vec![]);
    let mut breakers: Vec<(String, CircuitBreaker)> = Vec::new();
    for size in SIZES {
        let first = breakers.len();
        let names: Vec<String> = (first..size as usize).map(|index| format!("scale {index}")).collect();
        let started = Instant::now();
        for name in names {
            let breaker = CircuitBreaker::register(&name, circuit_breaker::Config::new()).expect("valid");
            breakers.push((name, breaker));
        }
        let each = started.elapsed().as_secs_f64() * 1e9 / (breakers.len() - first) as f64;
        let mut shuffled = breakers.clone();
        shuffled.shuffle(&mut rand::rng());
        let subjects = [in_turn(vec![shuffled[0].clone()]), in_turn(shuffled.clone()), looked_up(shuffled)];
        let times = medians(stage, &subjects.map(|subject| (Way::Threads(1), subject)), args);
        let size = f64::from(size);
        one.push((size, times[0]));
        all.push((size, times[1]));
        get.push((size, times[2]));
        register.push((size, each));
    }
    let lines = vec![
        Line::drawn("one of them, again and again", one),
        Line::drawn("all of them, in a random order", all),
        Line::drawn("CircuitBreaker::get of each", get),
        Line::told("CircuitBreaker::register", register),
        Line::told("bytes a name", footprint::grown("names")?),
    ];
    Ok(Panel { title: "As names grow: nanoseconds a call of a closed breaker", across: "names", lines })
}

/// Calls each once before any twice, also from one turn to the next.
fn in_turn(breakers: Vec<(String, CircuitBreaker)>) -> Arc<dyn Subject> {
    subject((AtomicUsize::new(0), breakers), |state, count, body: Body| async move {
        let (cursor, breakers) = &*state;
        let first = cursor.fetch_add(count as usize, Ordering::Relaxed) % breakers.len();
        let mut next = breakers.iter().cycle().skip(first);
        repeat!(count, async {
            let (_, breaker) = next.next().expect("a cycle has no end");
            breaker.call(body.call()).await
        })
    })
}

fn looked_up(breakers: Vec<(String, CircuitBreaker)>) -> Arc<dyn Subject> {
    subject((AtomicUsize::new(0), breakers), |state, count, _| async move {
        let (cursor, breakers) = &*state;
        let first = cursor.fetch_add(count as usize, Ordering::Relaxed) % breakers.len();
        let mut next = breakers.iter().cycle().skip(first);
        repeat!(count, async {
            let (name, _) = next.next().expect("a cycle has no end");
            CircuitBreaker::get(name).ok_or(())
        })
    })
}
