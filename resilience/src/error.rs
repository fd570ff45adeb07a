//! The one error of the library: why a call was refused or cut short.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::classify::{Class, Classify};

/// Why a policy refused a call or cut it short.
///
/// It is opaque, one word wide and cheap to clone. A function's own error type takes it in through
/// `From<resilience::Error>`; [`Error::kind`] tells what happened.
///
/// # Examples
///
/// ```
/// use resilience::{Bulkhead, ErrorKind, bulkhead};
///
/// let bulkhead = Bulkhead::register("reports", bulkhead::Config::new().max_concurrent(1))?;
/// let _running = bulkhead.try_acquire()?;
/// let error = bulkhead.try_acquire().unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::BulkheadFull);
/// assert_eq!(error.policy(), "reports");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Error(Arc<Inner>);

struct Inner {
    kind: ErrorKind,
    policy: &'static str,
    retry_after: Option<Duration>,
    /// Work was under way when the deadline cut it, as opposed to a call that never started.
    in_flight: bool,
    detail: Option<String>,
}

/// What happened to a call that a policy ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The circuit breaker is open, or has no trial slot free.
    CircuitOpen,
    /// The bulkhead has no slot free, and its queue is full or took too long.
    BulkheadFull,
    /// The rate limit is used up.
    RateLimited,
    /// The call took longer than its own timeout.
    TimedOut,
    /// The deadline of an enclosing call passed.
    DeadlineExceeded,
    /// The policy's configuration contradicts itself; see [`verify`](crate::verify).
    Misconfigured,
}

impl ErrorKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::CircuitOpen => "circuit_open",
            Self::BulkheadFull => "bulkhead_full",
            Self::RateLimited => "rate_limited",
            Self::TimedOut => "timed_out",
            Self::DeadlineExceeded => "deadline_exceeded",
            Self::Misconfigured => "misconfigured",
        }
    }
}

impl Error {
    fn new(kind: ErrorKind, policy: &'static str) -> Self {
        Self(Arc::new(Inner { kind, policy, retry_after: None, in_flight: false, detail: None }))
    }

    fn with(kind: ErrorKind, policy: &'static str, retry_after: Option<Duration>, detail: Option<String>) -> Self {
        Self(Arc::new(Inner { kind, policy, retry_after, in_flight: false, detail }))
    }

    pub(crate) fn circuit_open(policy: &'static str, retry_after: Option<Duration>) -> Self {
        Self::with(ErrorKind::CircuitOpen, policy, retry_after, None)
    }

    pub(crate) fn bulkhead_full(policy: &'static str) -> Self {
        Self::new(ErrorKind::BulkheadFull, policy)
    }

    pub(crate) fn rate_limited(policy: &'static str, retry_after: Option<Duration>) -> Self {
        Self::with(ErrorKind::RateLimited, policy, retry_after, None)
    }

    pub(crate) fn timed_out(policy: &'static str, after: Duration) -> Self {
        Self::with(ErrorKind::TimedOut, policy, None, Some(format!("{after:?}")))
    }

    /// The deadline had passed before `policy` let the call start.
    pub(crate) fn deadline_exceeded(policy: &'static str) -> Self {
        Self::new(ErrorKind::DeadlineExceeded, policy)
    }

    /// The inherited deadline passed while the work below `policy` was under way.
    pub(crate) fn deadline_cut(policy: &'static str) -> Self {
        Self(Arc::new(Inner {
            kind: ErrorKind::DeadlineExceeded,
            policy,
            retry_after: None,
            in_flight: true,
            detail: None,
        }))
    }

    pub(crate) fn misconfigured(policy: &'static str, detail: String) -> Self {
        Self::with(ErrorKind::Misconfigured, policy, None, Some(detail))
    }

    /// Returns what happened.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the name of the policy that ended the call.
    #[must_use]
    pub fn policy(&self) -> &str {
        self.0.policy
    }

    /// Returns how long to wait before a call has a chance again, where the policy knows.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Whether the work was started and then cut: the dependency did not answer in time.
    pub(crate) fn cut_work_short(&self) -> bool {
        self.0.kind == ErrorKind::TimedOut || self.0.in_flight
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, policy, retry_after, in_flight, detail } = &*self.0;
        let detail = detail.as_deref().unwrap_or_default();
        match kind {
            ErrorKind::CircuitOpen => write!(f, "circuit breaker `{policy}` is open"),
            ErrorKind::BulkheadFull => write!(f, "bulkhead `{policy}` is full"),
            ErrorKind::RateLimited if retry_after.is_none() => {
                write!(f, "rate limit `{policy}` never holds as many permits as were asked for")
            }
            ErrorKind::RateLimited => write!(f, "rate limit `{policy}` is used up"),
            ErrorKind::TimedOut => write!(f, "`{policy}` timed out after {detail}"),
            ErrorKind::DeadlineExceeded if *in_flight => {
                write!(f, "`{policy}` was cut short: the caller's deadline passed")
            }
            ErrorKind::DeadlineExceeded => write!(f, "`{policy}` was not started: the caller's deadline has passed"),
            ErrorKind::Misconfigured => write!(f, "`{policy}` is misconfigured: {detail}"),
        }?;
        match retry_after {
            Some(wait) => write!(f, "; retry after {wait:?}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, policy, retry_after, .. } = &*self.0;
        f.debug_struct("Error")
            .field("kind", kind)
            .field("policy", policy)
            .field("retry_after", retry_after)
            .finish_non_exhaustive()
    }
}

impl std::error::Error for Error {}

/// A call cut by a deadline is `io::ErrorKind::TimedOut`, any other refusal `Other`; the source is kept in both.
impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::TimedOut | ErrorKind::DeadlineExceeded => io::ErrorKind::TimedOut,
            _ => io::ErrorKind::Other,
        };
        Self::new(kind, error)
    }
}

/// A nested guarded call that was cut is worth another attempt; one that was refused is not.
impl Classify for Error {
    fn classify(&self) -> Class {
        match self.kind() {
            ErrorKind::TimedOut => Class::Transient,
            _ => Class::Refused,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_says_what_by_which_name_and_when_to_come_back() {
        let open = Error::circuit_open("payments", Some(Duration::from_millis(1500)));
        assert_eq!(open.to_string(), "circuit breaker `payments` is open; retry after 1.5s");
        assert_eq!(Error::timed_out("payments", Duration::from_secs(3)).to_string(), "`payments` timed out after 3s");
    }

    #[test]
    fn one_word() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
        assert_eq!(size_of::<Result<(), Error>>(), size_of::<usize>());
    }

    #[test]
    fn an_io_error_keeps_the_refusal_as_its_source() {
        let full = io::Error::from(Error::bulkhead_full("db"));
        assert_eq!(full.kind(), io::ErrorKind::Other);
        let inner = full.get_ref().and_then(|source| source.downcast_ref::<Error>());
        assert_eq!(inner.map(Error::kind), Some(ErrorKind::BulkheadFull));
        let late = io::Error::from(Error::timed_out("db", Duration::from_secs(1)));
        assert_eq!(late.kind(), io::ErrorKind::TimedOut);
    }
}
