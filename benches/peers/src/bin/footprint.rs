//! Prints what each contender allocates: for a call, and for an instance. A program of its own, since counting
//! replaces the allocator.

use std::sync::Arc;

use allocation_counter::measure;
use resilience_benches::contenders::{Contender, bare, groups};
use resilience_benches::subject::Subject;
use resilience_instructions::body::Body;
use tokio::runtime::{Builder, Runtime};

/// The first ones set up what all share.
const WARM: u64 = 64;
const CALLS: u64 = 256;
const INSTANCES: usize = 16;

fn main() {
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    // What holds an instance here is not the contender's.
    let holder = instance(&runtime, &bare());
    for group in groups() {
        for contender in &group.contenders {
            let (allocations, bytes) = calls(&runtime, contender);
            let instance = instance(&runtime, contender) - holder;
            println!("{}\t{}\t{allocations}\t{bytes}\t{instance}", group.key, contender.name);
        }
    }
}

/// Allocations and bytes of one call.
fn calls(runtime: &Runtime, contender: &Contender) -> (u64, u64) {
    let subject = make(runtime, contender);
    let run = |count| runtime.block_on(Arc::clone(&subject).calls(count, Body::Ready));
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
