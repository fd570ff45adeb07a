//! What is left of an attempt that failed and is tried again: should the next one be refused, the call ends as this one did.

use std::fmt;
use std::marker::PhantomData;

use super::backoff::Pauses;
use crate::classify::Class;
use crate::error::Error;

/// An attempt that failed and is tried again.
pub(super) struct Before<K> {
    /// Its error's text, for a policy that cuts or refuses the next one.
    pub(super) text: String,
    pub(super) class: Class,
    /// What the pause before the next attempt grows from.
    pub(super) pauses: Pauses,
    pub(super) result: Option<K>,
}

impl<K> fmt::Debug for Before<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Before").field("text", &self.text).finish_non_exhaustive()
    }
}

/// Says how an attempt's result is kept. (Without a value, as it is found by autoref in the function.)
pub struct Keeps<K>(PhantomData<fn() -> K>);

impl<K> Keeps<K> {
    /// Says it.
    #[allow(clippy::new_without_default, reason = "made by expansions only")]
    #[must_use]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<K> fmt::Debug for Keeps<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(std::any::type_name::<K>())
    }
}

/// How a result of the type `R` is kept.
pub trait Kept<R>: Sized {
    /// Keeps it, or does not.
    fn keep(result: Result<R, Error>) -> Option<Self>;
    /// What was kept.
    fn into_result(self) -> Result<R, Error>;
}

/// As it is: it may go wherever the function's future goes.
pub struct AsItIs<R>(Result<R, Error>);

impl<R> Kept<R> for AsItIs<R> {
    fn keep(result: Result<R, Error>) -> Option<Self> {
        Some(Self(result))
    }

    fn into_result(self) -> Result<R, Error> {
        self.0
    }
}

impl<R> fmt::Debug for AsItIs<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsItIs").finish_non_exhaustive()
    }
}

/// Not at all: only the text of its error is.
#[derive(Debug)]
pub enum NotAtAll {}

impl<R> Kept<R> for NotAtAll {
    fn keep(_result: Result<R, Error>) -> Option<Self> {
        None
    }

    fn into_result(self) -> Result<R, Error> {
        match self {}
    }
}
