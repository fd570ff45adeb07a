//! An option's value, and the layer that gave it.

use std::fmt;
use std::time::Duration;

/// The value of an option, as the registry shows it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A count of calls, attempts or permits.
    Count(u32),
    /// A rate or a factor.
    Number(f64),
    /// A length of time.
    Duration(Duration),
    /// One of a few words: `"full"`.
    Choice(&'static str),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => count.fmt(f),
            Self::Number(number) => number.fmt(f),
            // `Duration` has no `Display`; its `Debug` is what people write: `1.5s`, `200ms`.
            Self::Duration(duration) => fmt::Debug::fmt(duration, f),
            Self::Choice(word) => f.pad(word),
        }
    }
}

/// The layer an effective value came from, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Source {
    /// The library's default.
    Default,
    /// An attribute in the code.
    Attribute,
    /// `register` or `reconfigure`.
    Runtime,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Default => "default",
            Self::Attribute => "attribute",
            Self::Runtime => "run-time API",
        })
    }
}

/// An option's effective value and where it came from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    pub(crate) name: &'static str,
    pub(crate) value: Value,
    pub(crate) source: Source,
}

impl Setting {
    /// Returns the option's name, as it is written in an attribute.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the value in effect.
    #[must_use]
    pub fn value(&self) -> Value {
        self.value
    }

    /// Returns the layer that gave the value.
    #[must_use]
    pub fn source(&self) -> Source {
        self.source
    }
}
