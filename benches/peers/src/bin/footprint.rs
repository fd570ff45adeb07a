//! Prints what is allocated: by each contender, for a call and for an instance (`contenders`); for a name among many
//! (`names`); for a window (`windows`). A program of its own, since counting replaces the allocator.

use std::sync::Arc;

use allocation_counter::measure;
use resilience::{CircuitBreaker, Outcome, circuit_breaker};
use resilience_benches::contenders::{Contender, bare, groups};
use resilience_benches::subject::Subject;
use resilience_benches::{SIZES, WINDOWS};
use resilience_instructions::body::Body;
use tokio::runtime::{Builder, Runtime};

/// The first ones set up what all share.
const WARM: u64 = 64;
const CALLS: u64 = 256;
const INSTANCES: usize = 16;

fn main() {
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    match std::env::args().nth(1).as_deref() {
        Some(what @ ("names" | "windows")) => {
            // The first name makes the table, and what else all share.
            register("first", circuit_breaker::Config::new());
            if what == "names" { names() } else { windows() }
        }
        _ => contenders(&runtime),
    }
}

fn contenders(runtime: &Runtime) {
    // What holds an instance here is not the contender's.
    let holder = instance(runtime, &bare());
    for group in groups() {
        for contender in &group.contenders {
            let (allocations, bytes) = calls(runtime, contender);
            let instance = instance(runtime, contender) - holder;
            println!("{}\t{}\t{allocations}\t{bytes}\t{instance}", group.key, contender.name);
        }
    }
}

/// The table of names grows in jumps: each step begins where the last one ended.
fn names() {
    let mut before = 0;
    let mut bytes = 0;
    for count in SIZES {
        let grown = measure(|| {
            for index in before..count {
                register(&format!("name {index}"), circuit_breaker::Config::new());
            }
        });
        bytes += grown.bytes_current;
        before = count;
        println!("{count}\t{}", bytes / i64::from(count));
    }
}

fn windows() {
    for calls in WINDOWS {
        let full = measure(|| {
            let breaker = register(&format!("window {calls}"), circuit_breaker::Config::new().window_calls(calls));
            for _ in 0..calls {
                if let Ok(permit) = breaker.try_acquire() {
                    permit.record(Outcome::Success);
                }
            }
        });
        println!("{calls}\t{}", full.bytes_current);
    }
}

fn register(name: &str, config: circuit_breaker::Config) -> CircuitBreaker {
    CircuitBreaker::register(name, config).expect("a valid configuration")
}

/// Allocations and bytes of one call.
fn calls(runtime: &Runtime, contender: &Contender) -> (u64, u64) {
    let subject = make(runtime, contender);
    let run = |count| {
        runtime.block_on(Arc::clone(&subject).calls(count, Body::Ready));
    };
    run(WARM);
    // The loop itself is in a box, once.
    let (none, all) = (measure(|| run(0)), measure(|| run(CALLS)));
    ((all.count_total - none.count_total) / CALLS, (all.bytes_total - none.bytes_total) / CALLS)
}

/// Bytes that stay allocated for one instance.
fn instance(runtime: &Runtime, contender: &Contender) -> i64 {
    // The first one makes what all share.
    let mut instances = Vec::with_capacity(INSTANCES + 1);
    instances.push(make(runtime, contender));
    measure(|| instances.extend((0..INSTANCES).map(|_| make(runtime, contender)))).bytes_current / INSTANCES as i64
}

fn make(runtime: &Runtime, contender: &Contender) -> Arc<dyn Subject> {
    let _inside = runtime.enter();
    (contender.make)()
}
