//! Every shape of function compiles under the attributes, stays `Send`, sees its arguments as passed, and makes the
//! attempts it is given. `#[in_every_stack]` writes a module for no attribute, for a retry, for a timeout, and for all
//! policies.
//!
//! The packages in `tests/editions` compile these files as other editions.
#![deny(warnings)]
#![allow(clippy::all, reason = "odd shapes are the subject; tests/lints.rs has clippy's part")]

mod arguments;
mod attributes;
mod borrowed_errors;
mod boxed_methods;
mod clones;
mod derives;
mod generics;
mod impl_blocks;
mod lent_predicates;
mod macro_rules;
mod names;
mod patterns;
mod preludes;
mod receivers;
mod recover;
mod returned_futures;
mod returns;
mod traits;
mod values;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::future::Future;
use std::io::{Error, Result};
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use resilience::{bulkhead, circuit_breaker, retry, timeout};
use resilience_tests_every_stack::in_every_stack;
use tokio::task::yield_now;

/// The attempts of one call.
struct Attempts {
    made: AtomicU32,
    needed: u32,
}

impl Attempts {
    fn needed(needed: u32) -> &'static Self {
        Box::leak(Box::new(Self { made: AtomicU32::new(0), needed }))
    }

    /// One more attempt: its number, or an error if more are needed.
    fn next(&self) -> Result<u32> {
        let n = self.made.fetch_add(1, Ordering::SeqCst) + 1;
        if n < self.needed { Err(Error::other(format!("attempt {n}"))) } else { Ok(n) }
    }

    /// What the last of them returned.
    fn all_made<T>(&self, returned: Result<T>) -> T {
        let returned = returned.expect("the last attempt succeeds");
        assert_eq!(self.made.load(Ordering::SeqCst), self.needed, "attempts");
        returned
    }
}

/// What a call returns on another thread, as production code spawns it: `Send + 'static`. It makes that many attempts.
async fn call<T, F>(attempts: u32, call: impl FnOnce(&'static Attempts) -> F) -> T
where
    T: Send + 'static,
    F: Future<Output = Result<T>> + Send + 'static,
{
    let attempts = Attempts::needed(attempts);
    // In a box, so that only the types of the results are so many to compile.
    let call: Pin<Box<dyn Future<Output = Result<T>> + Send>> = Box::pin(call(attempts));
    attempts.all_made(tokio::spawn(call).await.expect("the task ends"))
}

/// The same on this thread, for what cannot be sent.
async fn call_here<T, F: Future<Output = Result<T>>>(attempts: u32, call: impl FnOnce(&'static Attempts) -> F) -> T {
    let attempts = Attempts::needed(attempts);
    attempts.all_made(call(attempts).await)
}
