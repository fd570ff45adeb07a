//! The error type of the scripted bodies: one variant for each class, and the refusals.

use std::fmt;
use std::time::Duration;

use resilience::{Class, Classify, Error, ErrorKind};

/// What a scripted body fails with.
#[derive(Clone, Debug)]
pub enum Fault {
    /// `Class::Transient`.
    Down,
    /// `Class::Overloaded`, with the wait it asks for.
    Busy(Option<Duration>),
    /// `Class::Permanent`.
    Broken,
    /// `Class::Caller`.
    NotFound,
    /// A policy refused the call or cut it.
    Refused(Error),
}

/// What a scripted body returns: the number of its run, counted from 1.
pub type Answer = Result<u32, Fault>;

impl Fault {
    /// The kind of the refusal, if it is one.
    #[must_use]
    pub fn kind(&self) -> Option<ErrorKind> {
        self.refusal().map(Error::kind)
    }

    /// The refusal, if it is one.
    #[must_use]
    pub fn refusal(&self) -> Option<&Error> {
        match self {
            Self::Refused(error) => Some(error),
            _ => None,
        }
    }
}

/// Refusals are equal if kind and policy are.
impl PartialEq for Fault {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Down, Self::Down) | (Self::Broken, Self::Broken) | (Self::NotFound, Self::NotFound) => true,
            (Self::Busy(a), Self::Busy(b)) => a == b,
            (Self::Refused(a), Self::Refused(b)) => a.kind() == b.kind() && a.policy() == b.policy(),
            _ => false,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Down => f.write_str("down"),
            Self::Busy(_) => f.write_str("busy"),
            Self::Broken => f.write_str("broken"),
            Self::NotFound => f.write_str("not found"),
            Self::Refused(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Fault {}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl Classify for Fault {
    fn classify(&self) -> Class {
        match self {
            Self::Down => Class::Transient,
            Self::Busy(retry_after) => Class::Overloaded { retry_after: *retry_after },
            Self::Broken => Class::Permanent,
            Self::NotFound => Class::Caller,
            Self::Refused(error) => error.classify(),
        }
    }
}
