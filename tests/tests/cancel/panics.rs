//! Whose panic it is: the body's own is a failure, everybody else's is neutral, also with calls inside calls.

use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use resilience::{Bulkhead, CircuitBreaker, bulkhead, circuit_breaker, retry, timeout};
use resilience_tests::{Answer, Script, Step, inside_somebody_elses_panic, poll_times};

macro_rules! guarded {
    ($($function:ident $name:literal;)+) => {$(
        #[circuit_breaker($name)]
        async fn $function(work: BoxFuture<'static, Answer>) -> Answer {
            work.await
        }
    )+};
}

guarded! {
    outer "panics-outer";
    inner "panics-inner";
    beside "panics-beside";
    after "panics-after";
    argument "panics-argument";
}

/// Failures, of so many calls.
fn recorded(name: &str) -> (u32, u32) {
    let snapshot = CircuitBreaker::get(name).unwrap().snapshot();
    (snapshot.failures, snapshot.calls)
}

fn body(step: Step) -> BoxFuture<'static, Answer> {
    let script = Script::new([step]);
    Box::pin(async move { script.run().await })
}

async fn panics(call: impl Future<Output = Answer> + Send + 'static) {
    assert!(AssertUnwindSafe(call).catch_unwind().await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_panic_inside_goes_through_every_call_around_it() {
    panics(outer(Box::pin(async { inner(body(Step::Panic)).await }))).await;
    assert_eq!((recorded("panics-outer"), recorded("panics-inner")), ((1, 1), (1, 1)));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_held_beside_a_panic_is_neutral() {
    // Held inside the body that panics, and by the caller of the function whose body panics.
    panics(outer_again(Box::pin(async {
        let mut held = pin!(beside(body(Step::Hang)));
        assert!(poll_times(held.as_mut(), 1).await.is_none());
        panic!("on purpose");
    })))
    .await;
    panics(async {
        let mut held = pin!(beside(body(Step::Hang)));
        assert!(poll_times(held.as_mut(), 1).await.is_none());
        outer_again(body(Step::Panic)).await
    })
    .await;
    assert_eq!((recorded("panics-outer-again"), recorded("panics-beside")), ((2, 2), (0, 0)));
}

#[circuit_breaker("panics-outer-again")]
async fn outer_again(work: BoxFuture<'static, Answer>) -> Answer {
    work.await
}

/// The thread does not remember the panic of an earlier call.
#[tokio::test(start_paused = true)]
async fn after_a_panic_of_its_body_the_next_call_judges_for_itself() {
    panics(after(body(Step::Panic))).await;
    assert_eq!(recorded("panics-after"), (1, 1));
    let mut call = Box::pin(after(body(Step::Hang)));
    assert!(poll_times(call.as_mut(), 1).await.is_none());
    inside_somebody_elses_panic(call);
    assert_eq!(recorded("panics-after"), (1, 1));
}

type Shared = Arc<Mutex<Option<BoxFuture<'static, Answer>>>>;

#[retry(max_attempts = 2, base_delay = "0ms")]
#[circuit_breaker("panics-owner")]
async fn owner(held: Shared) -> Answer {
    let _held = held;
    panic!("on purpose")
}

/// An argument outlives the attempt that panics; what it holds is still somebody else's call.
#[tokio::test(start_paused = true)]
async fn a_call_that_is_held_by_an_argument_is_neutral() {
    let mut call: BoxFuture<'static, Answer> = Box::pin(argument(body(Step::Hang)));
    assert!(poll_times(call.as_mut(), 1).await.is_none());
    panics(owner(Arc::new(Mutex::new(Some(call))))).await;
    assert_eq!((recorded("panics-owner"), recorded("panics-argument")), ((1, 1), (0, 0)));
}

#[circuit_breaker("panics-predicate", when = |_| panic!("the predicate panics, on purpose"))]
async fn predicate(work: BoxFuture<'static, Answer>) -> Answer {
    work.await
}

/// A predicate is not the dependency.
#[tokio::test(start_paused = true)]
async fn a_panic_of_a_predicate_is_neutral() {
    panics(predicate(body(Step::Err(resilience_tests::Fault::Down)))).await;
    assert_eq!(recorded("panics-predicate"), (0, 0));
    assert_eq!(predicate(body(Step::Ok)).await, Ok(1));
    assert_eq!(recorded("panics-predicate"), (0, 1));
}

/// A body that catches the panic of a call inside has not panicked itself.
#[tokio::test(start_paused = true)]
async fn a_panic_that_the_body_catches_is_the_inner_calls_alone() {
    let catches: BoxFuture<'static, Answer> = Box::pin(async {
        panics(catching_inner(body(Step::Panic))).await;
        std::future::pending().await
    });
    let mut call = Box::pin(catching(catches));
    assert!(poll_times(call.as_mut(), 1).await.is_none());
    inside_somebody_elses_panic(call);
    assert_eq!((recorded("panics-catching"), recorded("panics-catching-inner")), ((0, 0), (1, 1)));
}

guarded! {
    catching "panics-catching";
    catching_inner "panics-catching-inner";
}

/// A waker that panics, as of a runtime that has gone wrong.
struct Broken;

impl Wake for Broken {
    fn wake(self: Arc<Self>) {
        panic!("the waker of the next in line");
    }
}

#[bulkhead("woken by a panic", max_concurrent = 1, max_wait = "1h")]
#[timeout("1h")]
async fn in_the_only_slot(wait: bool) -> Result<(), resilience::Error> {
    if wait {
        tokio::task::yield_now().await;
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_waker_that_panics_harms_no_other_call() {
    let mut quiet = Context::from_waker(Waker::noop());
    let broken = Waker::from(Arc::new(Broken));
    let mut first = pin!(in_the_only_slot(true));
    let mut second = pin!(in_the_only_slot(false));
    assert!(first.as_mut().poll(&mut quiet).is_pending());
    assert!(second.as_mut().poll(&mut Context::from_waker(&broken)).is_pending());
    let bulkhead = Bulkhead::get("woken by a panic").unwrap();
    assert_eq!((bulkhead.snapshot().in_flight, bulkhead.snapshot().waiting), (1, 1));

    let ended = first.as_mut().poll(&mut quiet);
    assert!(ended.is_ready(), "the call that freed the slot has nothing to do with it");
    first.set(in_the_only_slot(false));
    assert_eq!(bulkhead.snapshot().in_flight, 1, "the slot is the second call's");
    assert!(second.as_mut().poll(&mut quiet).is_ready());
    assert_eq!(bulkhead.snapshot().in_flight, 0);
}

/// Panics when it is dropped, unless by a panic.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("dropped on purpose");
        }
    }
}

async fn hang_with_a_bomb() -> Answer {
    let bomb = Bomb;
    std::future::pending::<()>().await;
    drop(bomb);
    Ok(1)
}

macro_rules! cut {
    ($($function:ident: $(#[$policy:meta])*)+) => {$(
        $(#[$policy])*
        async fn $function() -> Answer {
            hang_with_a_bomb().await
        }
    )+};
}

cut! {
    cut_in_one_future: #[timeout("1s")] #[circuit_breaker("cut in one future")]
    cut_in_parts: #[timeout("1s")] #[circuit_breaker("cut in parts", when = |_| true)]
    cut_between: #[timeout("1s")] #[circuit_breaker("cut between")] #[bulkhead("cut between")]
    cut_below: #[circuit_breaker("cut below")] #[timeout("1s")]
    cut_below_in_parts: #[circuit_breaker("cut below in parts")] #[timeout(Duration::from_secs(1))]
}

#[tokio::test(start_paused = true)]
async fn work_that_panics_when_a_timeout_cuts_it_has_failed() {
    panics(cut_in_one_future()).await;
    panics(cut_in_parts()).await;
    panics(cut_between()).await;
    panics(cut_below()).await;
    panics(cut_below_in_parts()).await;
    for name in ["cut in one future", "cut in parts", "cut between", "cut below", "cut below in parts"] {
        assert_eq!(recorded(name), (1, 1), "{name}");
    }
    assert_eq!(Bulkhead::get("cut between").unwrap().snapshot().in_flight, 0);
}
