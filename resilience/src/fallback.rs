// Fallback: something else in the place of a failed result.

use crate::classify::Class;
use crate::deadline;
use crate::error::{Error, ErrorKind};
use crate::event::{self, Event};
use crate::fallible::{Fallible, Recoverable, error_text};
use crate::name::Name;
use crate::options::{ConfigError, Options, Value};
use crate::outcome::{Seen, once};
use crate::policy::per_call;
use crate::site::Site;

/// The options of a fallback: none of them is a value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Config(());

impl Config {
    /// Returns the configuration.
    #[must_use]
    pub const fn new() -> Self {
        Self(())
    }
}

impl Options for Config {
    const EMPTY: Self = Self(());

    fn overlay(self, over: Self) -> Self {
        over
    }

    fn effective(self) -> Self {
        self
    }

    fn list(&self) -> Vec<(&'static str, Option<Value>)> {
        Vec::new()
    }

    fn error(&self, _name: &str) -> Option<ConfigError> {
        None
    }
}

/// The kind of policy, for sites.
#[doc(hidden)]
#[derive(Debug)]
pub struct FallbackPolicy(());

per_call!(FallbackPolicy, Config, "fallback");

/// What becomes of a result.
#[doc(hidden)]
#[derive(Debug)]
pub enum Recovery<R, E> {
    /// It stays as it is.
    Keep(Result<R, Error>),
    /// Something takes its place; the error is the function's own, a refusal converted.
    Replace(E),
}

/// The fallback layer: looks at what the block below ended with.
pub(crate) fn recover<R: Recoverable>(
    site: &'static Site<FallbackPolicy>,
    classify: impl FnOnce(&R::Error) -> Class,
    text: fn(&R::Error) -> String,
    result: Result<R, Error>,
) -> Recovery<R, R::Error> {
    // A site without shared state always has a name; it is known by that from the first call on.
    let policy = site.bound().map_or("fallback", Name::as_str);
    deadline::way_in_ends();
    let seen = Seen::of(&result, &mut once(classify));
    if !seen.is_recovered() {
        return Recovery::Keep(result);
    }
    let class = seen.class();
    event::emit(|| Event::FallbackUsed { policy, error: error_text(&result, text), class, refusal: refusal(&result) });
    match result.unwrap_or_else(R::refused).into_result() {
        Err(error) => Recovery::Replace(error),
        // A type whose refusals are no errors: there is nothing to replace.
        Ok(value) => Recovery::Keep(Ok(R::success(value))),
    }
}

/// [`recover`] where a value may have `failed`: an error that says so is then what is replaced.
pub(crate) fn recover_when_ok<R: Recoverable>(
    site: &'static Site<FallbackPolicy>,
    classify: impl FnOnce(&R::Error) -> Class,
    text: fn(&R::Error) -> String,
    failed: bool,
    result: Result<R, Error>,
) -> Recovery<R, R::Error> {
    if !failed {
        return recover(site, classify, text, result);
    }
    let policy = site.bound().unwrap_or_else(|_| "fallback".into());
    match recover(site, classify, text, Err(Error::failed_value(policy))) {
        // Not even an error could be made of it.
        Recovery::Keep(_) => Recovery::Keep(result),
        replaced => replaced,
    }
}

/// What a policy below did, if the result is a refusal.
pub(crate) fn refusal<R: Fallible>(result: &Result<R, Error>) -> Option<ErrorKind> {
    result.as_ref().err().map(Error::kind)
}
