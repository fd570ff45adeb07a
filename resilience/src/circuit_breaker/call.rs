//! Calls through a breaker for people without macros.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::{CircuitBreaker, Permit};
use crate::error::Error;
use crate::fallible::Fallible;
use crate::outcome::Outcome;

impl CircuitBreaker {
    /// Runs `future` if the breaker lets it, and records the result; every error is a failure.
    ///
    /// # Errors
    ///
    /// As [`try_acquire`](Self::try_acquire). The future's own error is inside the `Ok`.
    ///
    /// # Cancel safety
    ///
    /// Dropping the call drops `future` and is neutral.
    ///
    /// # Examples
    ///
    /// ```
    /// use resilience::{CircuitBreaker, Error, circuit_breaker};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let breaker = CircuitBreaker::register("weather", circuit_breaker::Config::new())?;
    /// let answer: Result<u32, Error> = breaker.call(async { Ok(21) }).await?;
    /// assert_eq!(answer?, 21);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub fn call<F>(&self, future: F) -> Call<F>
    where
        F: Future<Output: Fallible>,
    {
        Call { breaker: *self, is_failure: Some(|_| true), permit: None, future }
    }

    /// As [`call`](Self::call), but an error counts as a failure only where `is_failure` says so; else it is neutral.
    ///
    /// [`Classify::is_failure`](crate::Classify::is_failure) fits here.
    pub fn call_when<F, P>(&self, future: F, is_failure: P) -> Call<F, P>
    where
        F: Future<Output: Fallible>,
        P: FnOnce(&<F::Output as Fallible>::Error) -> bool,
    {
        Call { breaker: *self, is_failure: Some(is_failure), permit: None, future }
    }
}

type EveryError<F> = fn(&<<F as Future>::Output as Fallible>::Error) -> bool;

pin_project_lite::pin_project! {
    /// The future of [`CircuitBreaker::call`] and [`CircuitBreaker::call_when`].
    #[must_use = "futures do nothing unless awaited"]
    pub struct Call<F, P = EveryError<F>>
    where
        F: Future,
        F::Output: Fallible,
    {
        breaker: CircuitBreaker,
        is_failure: Option<P>,
        permit: Option<Permit>,
        #[pin]
        future: F,
    }
}

impl<F, P> fmt::Debug for Call<F, P>
where
    F: Future,
    F::Output: Fallible,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("breaker", &self.breaker.name()).finish_non_exhaustive()
    }
}

impl<F, P> Future for Call<F, P>
where
    F: Future<Output: Fallible>,
    P: FnOnce(&<F::Output as Fallible>::Error) -> bool,
{
    type Output = Result<F::Output, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if this.permit.is_none() {
            *this.permit = Some(this.breaker.try_acquire()?);
        }
        // Dropped with the permit still inside only if the future panics.
        let panic = PanicIsFailure(this.permit);
        let polled = this.future.poll(context);
        let Poll::Ready(result) = polled else {
            std::mem::forget(panic);
            return Poll::Pending;
        };
        let permit = panic.0.take();
        // The predicate is the user's and may panic: the permit is then dropped as neutral.
        let outcome = match (result.result(), this.is_failure.take()) {
            (Ok(_), _) => Outcome::Success,
            (Err(error), Some(is_failure)) => {
                if is_failure(error) {
                    Outcome::Failure
                } else {
                    Outcome::Neutral
                }
            }
            (Err(_), None) => Outcome::Neutral,
        };
        if let Some(permit) = permit {
            permit.record(outcome);
        }
        Poll::Ready(Ok(result))
    }
}

/// Records a failure if it is dropped with the permit still inside.
struct PanicIsFailure<'a>(&'a mut Option<Permit>);

impl Drop for PanicIsFailure<'_> {
    fn drop(&mut self) {
        if let Some(permit) = self.0.take() {
            permit.record(Outcome::Failure);
        }
    }
}
