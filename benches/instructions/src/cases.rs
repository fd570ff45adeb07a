//! The paths whose instructions are counted.

use std::future::Future;
use std::hint::black_box;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use resilience::{
    Bulkhead, CircuitBreaker, Deadline, RateLimiter, Retry, bulkhead, circuit_breaker, rate_limit, retry,
};
use resilience_instructions::body::Body::{self, Failing, Pending, Ready};
use resilience_instructions::guarded;

/// A way to call, so many times.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) calls: Box<dyn FnMut(u32)>,
}

/// The body alone, which is subtracted from the others.
pub(crate) const BARE: &str = "bare";

pub(crate) fn all() -> Vec<Case> {
    let mut cases = vec![case(BARE, || Ready.call())];
    cases.extend(attributes());
    cases.extend(handles());
    cases
}

fn attributes() -> Vec<Case> {
    finish(guarded::open(Failing)).ok();
    finish(guarded::empty(Ready)).ok();
    // Until the program ends.
    std::mem::forget(Bulkhead::get("attribute full").map(|bulkhead| bulkhead.try_acquire()));
    vec![
        case("circuit_breaker", || guarded::closed(Ready)),
        case("circuit_breaker, open", || guarded::open(Ready)),
        case("retry", || guarded::retried(Ready)),
        case("bulkhead", || guarded::bounded(Ready)),
        case("bulkhead, full", || guarded::full(Ready)),
        case("rate_limit", || guarded::limited(Ready)),
        case("rate_limit, used up", || guarded::empty(Ready)),
        case("timeout", || guarded::timed(Ready)),
        case("timeout, pending body", || guarded::timed(Pending)),
        case("stack", || guarded::stack(Ready)),
        case("stack, pending body", || guarded::stack(Pending)),
        case("stack under a deadline", || Deadline::after(Duration::from_secs(60)).scope(guarded::stack(Ready))),
    ]
}

fn handles() -> Vec<Case> {
    let breaker = CircuitBreaker::register("handle", circuit_breaker::Config::new()).expect("valid");
    let bulkhead = Bulkhead::register("handle", bulkhead::Config::new()).expect("valid");
    let limiter = RateLimiter::register("handle", rate_limit::Config::new().limit(1_000_000_000)).expect("valid");
    let retry: &Retry = Box::leak(Box::new(Retry::new(retry::Config::new())));
    vec![
        case("CircuitBreaker::call", move || breaker.call(Ready.call())),
        case("Bulkhead::try_acquire", move || async move { bulkhead.try_acquire().map(drop) }),
        case("RateLimiter::try_acquire", move || async move { limiter.try_acquire(1) }),
        case("Retry::call", move || retry.call(|| Ready.call())),
        case("Deadline::scope", || Deadline::after(Duration::from_secs(60)).scope(Body::call(Ready))),
    ]
}

fn case<F: Future>(name: &'static str, call: impl Fn() -> F + 'static) -> Case {
    let calls = move |count| {
        for _ in 0..count {
            black_box(finish(call()));
        }
    };
    Case { name, calls: Box::new(calls) }
}

/// Polls to the end: no runtime's own instructions are among those counted.
///
/// In its caller, so that a future is made where it is polled, as where it is awaited: it is not moved.
#[inline(always)]
fn finish<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}
