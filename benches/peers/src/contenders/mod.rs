//! Everything that is measured, in groups that do the same.

mod breaker;
mod bulkhead;
mod floor;
mod rate_limit;
mod retry;
mod stack;
mod timeout;

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Waker};

use resilience_instructions::body::Body;

use crate::repeat;
use crate::subject::{Subject, subject};

/// Contenders that do the same.
pub struct Group {
    /// The key on the command line.
    pub key: &'static str,
    /// What it is in words.
    pub title: &'static str,
    /// What becomes of the calls.
    pub kind: Kind,
    /// Who takes part.
    pub contenders: Vec<Contender>,
}

/// What becomes of a group's calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// They do one thing and call the body.
    Floor,
    /// They pass.
    Pass,
    /// They are refused: what the body would do makes no difference.
    Refused,
}

/// One way to guard a call.
pub struct Contender {
    /// How it is called in tables; `{crate}` is the crate's version.
    pub name: &'static str,
    /// Ours, or a peer's.
    pub ours: bool,
    /// Makes one instance, ready to be called. Called inside a tokio runtime.
    pub make: fn() -> Arc<dyn Subject>,
}

fn ours(name: &'static str, make: fn() -> Arc<dyn Subject>) -> Contender {
    Contender { name, ours: true, make }
}

fn peer(name: &'static str, make: fn() -> Arc<dyn Subject>) -> Contender {
    Contender { name, ours: false, make }
}

/// What every figure is given above: the body, awaited.
pub fn bare() -> Contender {
    peer("bare await", || subject((), |_, count, body: Body| async move { repeat!(count, body.call()) }))
}

/// All groups.
#[must_use]
pub fn groups() -> Vec<Group> {
    vec![
        Group { key: "floor", title: "What the machine takes", kind: Kind::Floor, contenders: floor::all() },
        Group { key: "breaker", title: "Circuit breaker, closed", kind: Kind::Pass, contenders: breaker::closed() },
        Group { key: "breaker-open", title: "Circuit breaker, open", kind: Kind::Refused, contenders: breaker::open() },
        Group {
            key: "retry",
            title: "Retry, success at the first attempt",
            kind: Kind::Pass,
            contenders: retry::first(),
        },
        Group { key: "bulkhead", title: "Bulkhead, with room", kind: Kind::Pass, contenders: bulkhead::free() },
        Group { key: "bulkhead-full", title: "Bulkhead, full", kind: Kind::Refused, contenders: bulkhead::full() },
        Group { key: "rate-limit", title: "Rate limit, within it", kind: Kind::Pass, contenders: rate_limit::within() },
        Group {
            key: "rate-limit-empty",
            title: "Rate limit, used up",
            kind: Kind::Refused,
            contenders: rate_limit::empty(),
        },
        Group { key: "timeout", title: "Timeout", kind: Kind::Pass, contenders: timeout::all() },
        Group { key: "stack", title: "The whole stack: five policies", kind: Kind::Pass, contenders: stack::all() },
    ]
}

/// A name of its own for each instance of ours: a name is for ever, and shared by all who use it.
fn fresh() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("handle {}", COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Runs a future to its end, to bring an instance into its state.
fn settle<T>(future: impl Future<Output = T>) -> T {
    // Not by a runtime: `make` is called inside one. The futures here never wait.
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}
