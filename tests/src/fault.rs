//! The error type of the scripted bodies: one variant for each class, and the refusals.

use std::fmt;
use std::time::Duration;

use resilience::{Class, Classify, Deadline, Error, ErrorKind, bulkhead, circuit_breaker, rate_limit, timeout};

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
    /// `Class::Local`.
    Invalid,
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
            (Self::Down, Self::Down) | (Self::Broken, Self::Broken) => true,
            (Self::NotFound, Self::NotFound) | (Self::Invalid, Self::Invalid) => true,
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
            Self::Invalid => f.write_str("invalid"),
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
            Self::Invalid => Class::Local,
            Self::Refused(error) => error.classify(),
        }
    }
}

#[timeout("1ms")]
async fn hangs() -> Result<(), Error> {
    std::future::pending().await
}

/// What a nested call ends with that an inherited deadline cuts while it runs.
///
/// # Panics
///
/// If it is not cut.
pub async fn cut_by_deadline() -> Error {
    let error = Deadline::after(Duration::from_micros(500)).scope(hangs()).await.expect_err("it hangs");
    assert!(error.kind() == ErrorKind::DeadlineExceeded && error.cut_in_flight());
    error
}

/// A refusal of that kind, got the honest way.
///
/// # Panics
///
/// If nothing here refuses so.
pub async fn refusal(kind: ErrorKind) -> Error {
    let refused = match kind {
        ErrorKind::CircuitOpen => {
            let breaker = crate::breaker(circuit_breaker::Config::new());
            breaker.force_open();
            breaker.try_acquire().err()
        }
        ErrorKind::BulkheadFull => {
            let bulkhead = crate::bulkhead(bulkhead::Config::new().max_concurrent(1));
            let slot = bulkhead.try_acquire();
            bulkhead.try_acquire().err().filter(|_| slot.is_ok())
        }
        ErrorKind::RateLimited => {
            let limiter = crate::limiter(rate_limit::Config::new().limit(1));
            limiter.try_acquire(1).and_then(|()| limiter.try_acquire(1)).err()
        }
        ErrorKind::DeadlineExceeded => Deadline::after(Duration::ZERO).scope(hangs()).await.err(),
        ErrorKind::TimedOut => hangs().await.err(),
        _ => None,
    };
    refused.expect("a refusal of that kind")
}
