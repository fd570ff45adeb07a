//! Futures driven by hand: polled so often and dropped, dropped in a panic of somebody else, dropped without a runtime.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;
use std::thread;

use tokio::runtime::{Builder, Runtime};

/// Polls `future` up to `times` times, as it asks for it, and drops it then: its output, if it came to one.
pub async fn polls<F: Future>(future: F, times: usize) -> Option<F::Output> {
    poll_times(Box::pin(future).as_mut(), times).await
}

/// Polls `future` up to `times` times, as it asks for it: its output, if it came to one.
pub async fn poll_times<F: Future + ?Sized>(mut future: Pin<&mut F>, times: usize) -> Option<F::Output> {
    let mut left = times;
    poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        match future.as_mut().poll(context) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending if left == 0 => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

/// Drops the value while somebody else's panic unwinds past it.
///
/// # Panics
///
/// Never: the panic is caught.
pub fn inside_somebody_elses_panic<T>(value: T) {
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let _held = value;
        panic!("somebody else's panic");
    }));
    assert!(caught.is_err());
}

/// Drops the value on a thread that has no runtime.
///
/// # Panics
///
/// If dropping it panics.
pub fn outside_of_any_runtime<T: Send>(value: T) {
    thread::scope(|scope| {
        scope.spawn(move || drop(value)).join().expect("dropping needs no runtime");
    });
}

/// A runtime with paused time, for tests that need one to themselves.
///
/// # Panics
///
/// If it cannot be made.
#[must_use]
pub fn alone() -> Runtime {
    Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime")
}
