// Retry: calls again what failed, after a pause that grows and is spread by chance.

mod attempts;
mod backoff;
mod before;
mod by;
mod chance;
mod config;
mod limits;
mod nested;
mod one_attempt;
mod pause;

use std::any::type_name;
use std::fmt;
use std::future::Future;
use std::time::Duration;

pub use attempts::Attempts;
pub use before::{AsItIs, Keeps, Kept, NotAtAll};
pub use chance::seed_jitter;
pub use config::{Backoff, Config, Jitter};
pub(crate) use nested::aside;
pub use nested::{Attempt, Attempted, attempt};
pub use one_attempt::{OneAttempt, attempt_under};
pub use pause::Pause;

use crate::classify::{Class, Classify};
use crate::error::Error;
use crate::fallible::{self, Fallible};
use crate::fused::fused;
use crate::policy::per_call;
use crate::retry_budget::RetryBudget;

/// The kind of policy, for sites.
#[doc(hidden)]
#[derive(Debug)]
pub struct RetryPolicy(());

per_call!(RetryPolicy, Config, "retry");

/// A failed attempt that is followed by another, as `on_retry` sees it.
#[derive(Debug)]
#[non_exhaustive]
pub struct RetryAttempt<'a, E> {
    /// Which attempt failed, counted from 1.
    pub attempt: u32,
    /// The pause before the next one.
    pub delay: Duration,
    /// What it failed with; a timeout below is converted to the function's error type.
    pub error: &'a E,
}

/// What a retry without `on_retry` does: the same function for all, where a closure would be another for each.
#[doc(hidden)]
pub fn quiet<E>(_attempt: &RetryAttempt<'_, E>) {}

/// Retries for people without macros.
///
/// A value out of range is clamped to the nearest valid one; [`Config::validate`] tells beforehand.
///
/// # Examples
///
/// ```
/// use resilience::{Error, Retry, retry};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// #[derive(Debug)]
/// enum FetchError {
///     Flaky,
///     Refused(Error),
/// }
/// impl From<Error> for FetchError {
///     fn from(error: Error) -> Self {
///         FetchError::Refused(error)
///     }
/// }
///
/// let mut attempts = 0;
/// let answer = Retry::new(retry::Config::new().max_attempts(3))
///     .call(|| {
///         attempts += 1;
///         let flaky = attempts < 3;
///         async move { if flaky { Err(FetchError::Flaky) } else { Ok(attempts) } }
///     })
///     .await;
/// assert_eq!(answer.unwrap(), 3);
/// # });
/// ```
#[derive(Clone, Copy)]
pub struct Retry<C = EveryError, V = NoValue> {
    config: Config,
    classes: C,
    values: V,
    budget: Option<RetryBudget>,
    name: &'static str,
}

impl<C, V> fmt::Debug for Retry<C, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Retry").field("config", &self.config).finish_non_exhaustive()
    }
}

/// Every error is worth another attempt.
#[derive(Clone, Copy, Debug)]
pub struct EveryError(());

/// The errors' own classes decide; see [`Classify`].
#[derive(Clone, Copy, Debug)]
pub struct ByClass(());

/// A predicate decides: true is worth another attempt.
#[derive(Clone, Copy, Debug)]
pub struct When<P>(P);

/// Which errors are worth another attempt.
pub trait Classes<E> {
    #[doc(hidden)]
    fn class(&self, error: &E) -> Class;
}

impl<E> Classes<E> for EveryError {
    fn class(&self, _error: &E) -> Class {
        Class::Transient
    }
}

impl<E: Classify> Classes<E> for ByClass {
    fn class(&self, error: &E) -> Class {
        error.classify()
    }
}

impl<E, P: Fn(&E) -> bool> Classes<E> for When<P> {
    fn class(&self, error: &E) -> Class {
        if (self.0)(error) { Class::Transient } else { Class::Caller }
    }
}

/// No value is worth another attempt.
#[derive(Clone, Copy, Debug)]
pub struct NoValue(());

/// Which values are worth another attempt.
pub trait Values<T> {
    #[doc(hidden)]
    fn failed(&self, value: &T) -> bool;
}

impl<T> Values<T> for NoValue {
    fn failed(&self, _value: &T) -> bool {
        false
    }
}

impl<T, P: Fn(&T) -> bool> Values<T> for When<P> {
    fn failed(&self, value: &T) -> bool {
        (self.0)(value)
    }
}

impl Retry {
    /// Returns a retry that takes every error for transient.
    #[must_use]
    pub const fn new(config: Config) -> Self {
        Self { config, classes: EveryError(()), values: NoValue(()), budget: None, name: "retry" }
    }
}

impl<V> Retry<EveryError, V> {
    /// Tries again only the errors for which `predicate` is true.
    ///
    /// It is asked about every error, refusals of guarded calls inside included, as nothing is known of the type here;
    /// [`classified`](Self::classified) keeps them apart.
    #[must_use]
    pub fn when<E, P: Fn(&E) -> bool>(self, predicate: P) -> Retry<When<P>, V> {
        self.by(When(predicate))
    }

    fn by<C>(self, classes: C) -> Retry<C, V> {
        Retry { config: self.config, classes, values: self.values, budget: self.budget, name: self.name }
    }

    /// Tries again by the error's own class; see [`Classify`].
    #[must_use]
    pub fn classified(self) -> Retry<ByClass, V> {
        self.by(ByClass(()))
    }
}

impl<C> Retry<C> {
    /// Tries again also what succeeds with a value for which `predicate` is true: it is then treated like an error of class
    /// [`Transient`](Class::Transient), but for being returned as it is where attempts end.
    #[must_use]
    pub fn when_ok<T, P: Fn(&T) -> bool>(self, predicate: P) -> Retry<C, When<P>> {
        let Self { config, classes, budget, name, .. } = self;
        Retry { config, classes, values: When(predicate), budget, name }
    }
}

impl<C, V> Retry<C, V> {
    /// Gives the name that events and errors show; `"retry"` by default.
    #[must_use]
    pub fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// Asks `budget` before each pause, and stops where it has nothing left.
    #[must_use]
    pub fn budget(mut self, budget: RetryBudget) -> Self {
        self.budget = Some(budget);
        self
    }

    /// Calls `attempt` and awaits its future until one succeeds, or the options say stop; the last result is returned
    /// as it is.
    ///
    /// Each future is dropped before the pause. `attempt` is an `FnMut() -> Future`: an `AsyncFnMut` would take away
    /// the `Send` of callers that borrow (rust-lang/rust#139475).
    ///
    /// # Errors
    ///
    /// The last attempt's error, or its value where that is one of [`when_ok`](Self::when_ok); or [`DeadlineExceeded`](crate::ErrorKind::DeadlineExceeded), converted, where the
    /// deadline in force had passed before the first.
    ///
    /// # Cancel safety
    ///
    /// Dropping the call drops the attempt or the pause under way; nothing runs on.
    pub fn call<F, T>(&self, mut attempt: F) -> impl Future<Output = T::Output>
    where
        F: FnMut() -> T,
        T: Future<Output: Fallible>,
        C: Classes<<T::Output as Fallible>::Error>,
        V: Values<<T::Output as Fallible>::Value>,
    {
        fused(async move {
            let mut attempts = Attempts::<NotAtAll>::of_handle(self.name, &self.config, self.budget);
            if let Err(refusal) = attempts.begin_by_handle() {
                return T::Output::refused(refusal);
            }
            loop {
                let result: Result<T::Output, Error> = Ok(nested::attempt(&mut attempts, attempt()).await);
                let mut classify = |error: &_| self.classes.class(error);
                // Without a bound on the error there is only its type to tell.
                let text = |_: &_| type_name::<<T::Output as Fallible>::Error>().to_owned();
                let failed = fallible::value(&result).is_some_and(|value| self.values.failed(value));
                let Some(delay) = attempts.next_when_ok(&result, failed, &mut classify, text, quiet, &()) else {
                    if attempts.ends_as_before() {
                        return fallible::finish(attempts.end_as_before(result));
                    }
                    return fallible::finish(result);
                };
                attempts.keep(result);
                if let Some(result) = attempts.pause(delay).await {
                    return fallible::finish(result);
                }
            }
        })
    }
}
