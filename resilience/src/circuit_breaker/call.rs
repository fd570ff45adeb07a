//! Calls through a breaker for people without macros.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::CircuitBreaker;
use super::held::Held;
use crate::deadline;
use crate::error::Error;
use crate::fallible::Fallible;
use crate::guarded::BodyClock;
use crate::outcome::Outcome;
use crate::site::Asker;
use crate::unwind::{Edge, Witness};

impl CircuitBreaker {
    /// Runs `future` if the breaker lets it, and records the result; every error is a failure.
    ///
    /// # Errors
    ///
    /// As [`try_acquire`](Self::try_acquire). The future's own error is inside the `Ok`.
    ///
    /// # Cancel safety
    ///
    /// Dropping the call drops `future`, and is neutral unless it has run for longer than `slow_call`.
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
        Call { future, judge: Some(|_| true), state: State::new(*self), edge: Edge::new() }
    }

    /// As [`call`](Self::call), but an error counts as a failure only where `is_failure` says so; else it is a success: the
    /// dependency has answered.
    ///
    /// [`Classify::is_failure`](crate::Classify::is_failure) fits here.
    pub fn call_when<F, P>(&self, future: F, is_failure: P) -> Call<F, P>
    where
        F: Future<Output: Fallible>,
        P: FnOnce(&<F::Output as Fallible>::Error) -> bool,
    {
        Call { future, judge: Some(is_failure), state: State::new(*self), edge: Edge::new() }
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
        // First: it is dropped before the permit is settled.
        #[pin]
        future: F,
        judge: Option<P>,
        state: State,
        // Last: until then it is known that the future has panicked.
        edge: Edge,
    }
}

/// The call so far. Dropped with a permit inside, it settles that.
struct State {
    breaker: CircuitBreaker,
    held: Option<Held>,
    clock: BodyClock,
}

impl State {
    fn new(breaker: CircuitBreaker) -> Self {
        Self { breaker, held: None, clock: BodyClock::NEW }
    }

    #[inline]
    fn enter(&mut self) -> Result<(), Error> {
        let entry = self.breaker.0;
        entry.usable()?;
        self.clock.is_judged();
        match super::at_once(entry) {
            Some(held) => self.held = Some(held),
            None => self.ask()?,
        }
        Ok(())
    }

    #[inline(never)]
    fn ask(&mut self) -> Result<(), Error> {
        let entry = self.breaker.0;
        let held = super::asked(entry, deadline::look(entry.named())?, Asker::HAND)?;
        if held.is_timed() {
            self.clock.time();
        }
        self.held = Some(held);
        Ok(())
    }
}

impl Drop for State {
    #[inline]
    fn drop(&mut self) {
        if let Some(held) = self.held.take() {
            held.settle_dropped(self.clock);
        }
    }
}

impl<F, P> fmt::Debug for Call<F, P>
where
    F: Future,
    F::Output: Fallible,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("breaker", &self.state.breaker.name()).finish_non_exhaustive()
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
        if this.state.held.is_none() {
            this.state.enter()?;
        }
        let State { held: Some(held), clock, .. } = &mut *this.state else { return Poll::Pending };
        let polling = held.polling(None);
        let witness = Witness::new();
        let heard = clock.polls();
        let polled = this.future.poll(context);
        clock.polled(heard, polled.is_pending());
        witness.defuse();
        drop(polling);
        let result = ready!(polled);
        // The predicate is the user's and may panic: the permit is then dropped as neutral.
        let failed = match (result.result(), this.judge.take()) {
            (Err(error), Some(is_failure)) => is_failure(error),
            _ => false,
        };
        let outcome = if failed { Outcome::Failure } else { Outcome::Success };
        if held.is_plain() {
            let account = held.account();
            this.state.held = None;
            account.settle(outcome);
        } else {
            let (held, clock) = (*held, *clock);
            this.state.held = None;
            held.settle(outcome, || clock.timed());
        }
        Poll::Ready(Ok(result))
    }
}
