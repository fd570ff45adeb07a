//! Calls through a breaker for people without macros.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::CircuitBreaker;
use super::held::Held;
use crate::classify::{Class, Classify};
use crate::deadline;
use crate::error::Error;
use crate::fallible::Fallible;
use crate::guarded::BodyClock;
use crate::outcome::{Outcome, Seen};
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
        self.judged::<F, ByError<F>>(future, |_| Class::Transient)
    }

    /// As [`call`](Self::call), but an error's class decides, as with `#[circuit_breaker]`: one of the caller's is a success,
    /// a refusal of a guarded call inside is neutral; see [`Class`].
    ///
    /// # Examples
    ///
    /// ```
    /// use resilience::{CircuitBreaker, Classify, Error, circuit_breaker};
    ///
    /// #[derive(Debug, Classify)]
    /// enum LookupError {
    ///     Down,
    ///     #[caller]
    ///     Unknown,
    ///     Refused(Error),
    /// }
    ///
    /// impl From<Error> for LookupError {
    ///     fn from(error: Error) -> Self {
    ///         LookupError::Refused(error)
    ///     }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let breaker = CircuitBreaker::register("people", circuit_breaker::Config::new())?;
    /// for error in [LookupError::Down, LookupError::Unknown] {
    ///     let answer: Result<(), _> = breaker.call_classified(async { Err(error) }).await?;
    ///     assert!(answer.is_err());
    /// }
    /// assert_eq!((breaker.snapshot().calls, breaker.snapshot().failures), (2, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub fn call_classified<F>(&self, future: F) -> Call<F>
    where
        F: Future<Output: Fallible<Error: Classify>>,
    {
        self.judged::<F, ByError<F>>(future, Classify::classify)
    }

    /// As [`call`](Self::call), but `is_failure` decides: an error of which it says false is a success, since the dependency
    /// answered.
    ///
    /// It is asked about every error, refusals of guarded calls inside included, whose type nothing is known of here;
    /// [`call_classified`](Self::call_classified) keeps them apart.
    pub fn call_when<F, P>(&self, future: F, is_failure: P) -> Call<F, When<P>>
    where
        F: Future<Output: Fallible>,
        P: FnOnce(&<F::Output as Fallible>::Error) -> bool,
    {
        self.judged(future, When(is_failure))
    }

    fn judged<F, J>(&self, future: F, judge: J) -> Call<F, J>
    where
        F: Future<Output: Fallible>,
    {
        Call { future: Some(future), judge: Some(judge), state: State::new(*self), edge: Edge::new() }
    }
}

/// A predicate that decides: true is a failure.
#[derive(Clone, Copy)]
pub struct When<P>(P);

impl<P> fmt::Debug for When<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("When").finish_non_exhaustive()
    }
}

/// Who says what an error is to the breaker.
pub trait Judge<E: ?Sized> {
    #[doc(hidden)]
    fn class(self, error: &E) -> Class;
}

impl<E: ?Sized> Judge<E> for fn(&E) -> Class {
    fn class(self, error: &E) -> Class {
        self(error)
    }
}

impl<E: ?Sized, P: FnOnce(&E) -> bool> Judge<E> for When<P> {
    fn class(self, error: &E) -> Class {
        if (self.0)(error) { Class::Transient } else { Class::Caller }
    }
}

type ByError<F> = fn(&<<F as Future>::Output as Fallible>::Error) -> Class;

pin_project_lite::pin_project! {
    /// The future of [`CircuitBreaker::call`], [`CircuitBreaker::call_classified`] and [`CircuitBreaker::call_when`].
    #[must_use = "futures do nothing unless awaited"]
    pub struct Call<F, J = ByError<F>>
    where
        F: Future,
        F::Output: Fallible,
    {
        // First: it is dropped before the permit is settled. It is gone when it has ended.
        #[pin]
        future: Option<F>,
        judge: Option<J>,
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

impl<F, J> fmt::Debug for Call<F, J>
where
    F: Future,
    F::Output: Fallible,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("breaker", &self.state.breaker.name()).finish_non_exhaustive()
    }
}

impl<F, J> Future for Call<F, J>
where
    F: Future<Output: Fallible>,
    J: Judge<<F::Output as Fallible>::Error>,
{
    type Output = Result<F::Output, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let Some(future) = this.future.as_mut().as_pin_mut() else { return Poll::Pending };
        if this.state.held.is_none() {
            if let Err(refusal) = this.state.enter() {
                this.future.set(None);
                return Poll::Ready(Err(refusal));
            }
        }
        let State { held: Some(held), clock, .. } = &mut *this.state else { return Poll::Pending };
        let polling = held.polling(None);
        let witness = Witness::new();
        let heard = clock.polls();
        let polled = future.poll(context);
        clock.polled(heard, polled.is_pending());
        if polled.is_ready() {
            // It is dropped before its permit is given back: while it is there, its call is under way.
            this.future.set(None);
        }
        witness.defuse();
        drop(polling);
        let result = ready!(polled);
        // The predicate is the user's and may panic: the permit is then dropped as neutral.
        let outcome = match (result.result(), this.judge.take()) {
            (Err(error), Some(judge)) => Seen::Failed(judge.class(error)).outcome(),
            _ => Outcome::Success,
        };
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
