//! The one error of the library: why a call was refused or cut short.

use std::fmt;
use std::io;
use std::time::Duration;

use crate::chain::Marker;
use crate::name::Name;
use crate::time;

/// Why a policy refused a call or cut it short.
///
/// It is opaque, two words wide, and neither made nor cloned with an allocation. A function's own error type takes it in through
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
pub struct Error {
    policy: &'static Name,
    /// [`Why`] in the lowest bits, and the time that goes with it above: results are moved through every layer, and two
    /// words are moved in registers.
    why: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    CircuitOpen,
    BulkheadFull,
    RateLimited,
    TimedOut,
    /// The deadline had passed before the call started.
    NotStarted,
    /// The inherited deadline passed while work was under way.
    CutShort,
    Misconfigured,
}

const WHY_BITS: u32 = 4;

/// An `Option<Duration>` in sixty bits: nanoseconds, up to 36 years.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait(u64);

impl Wait {
    pub(crate) const UNKNOWN: Self = Self(u64::MAX >> WHY_BITS);

    pub(crate) fn from_nanos(nanos: u64) -> Self {
        Self(nanos.min(Self::UNKNOWN.0 - 1))
    }

    pub(crate) fn get(self) -> Option<Duration> {
        (self != Self::UNKNOWN).then(|| Duration::from_nanos(self.0))
    }
}

impl From<Option<Duration>> for Wait {
    fn from(duration: Option<Duration>) -> Self {
        duration.map_or(Self::UNKNOWN, |duration| Self::from_nanos(time::nanos(duration)))
    }
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
    /// Returns the word for it, as in events: `circuit_open`, `timed_out`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
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

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Error {
    #[inline]
    fn new(policy: impl Into<&'static Name>, why: Why, wait: Wait) -> Self {
        Self { policy: policy.into(), why: wait.0 << WHY_BITS | why as u64 }
    }

    #[inline]
    pub(crate) fn circuit_open(policy: impl Into<&'static Name>, retry_after: Wait) -> Self {
        Self::new(policy, Why::CircuitOpen, retry_after)
    }

    pub(crate) fn bulkhead_full(policy: impl Into<&'static Name>) -> Self {
        Self::new(policy, Why::BulkheadFull, Wait::UNKNOWN)
    }

    #[inline]
    pub(crate) fn rate_limited(policy: impl Into<&'static Name>, retry_after: Wait) -> Self {
        Self::new(policy, Why::RateLimited, retry_after)
    }

    pub(crate) fn timed_out(policy: impl Into<&'static Name>, after: Duration) -> Self {
        Self::new(policy, Why::TimedOut, Some(after).into())
    }

    /// The deadline had passed before `policy` let the call start.
    pub(crate) fn deadline_exceeded(policy: impl Into<&'static Name>) -> Self {
        Self::new(policy, Why::NotStarted, Wait::UNKNOWN)
    }

    /// The inherited deadline passed while the work below `policy` was under way.
    pub(crate) fn deadline_cut(policy: impl Into<&'static Name>) -> Self {
        Self::new(policy, Why::CutShort, Wait::UNKNOWN)
    }

    pub(crate) fn misconfigured(policy: &'static str, explanation: &str) -> Self {
        Self::new(Name::interned(policy, explanation), Why::Misconfigured, Wait::UNKNOWN)
    }

    fn why(&self) -> Why {
        const ALL: [Why; 7] = [
            Why::CircuitOpen,
            Why::BulkheadFull,
            Why::RateLimited,
            Why::TimedOut,
            Why::NotStarted,
            Why::CutShort,
            Why::Misconfigured,
        ];
        ALL[(self.why & ((1 << WHY_BITS) - 1)) as usize]
    }

    /// The wait that was promised, or the time that was given.
    fn time(&self) -> Option<Duration> {
        Wait(self.why >> WHY_BITS).get()
    }

    /// Returns what happened.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self.why() {
            Why::CircuitOpen => ErrorKind::CircuitOpen,
            Why::BulkheadFull => ErrorKind::BulkheadFull,
            Why::RateLimited => ErrorKind::RateLimited,
            Why::TimedOut => ErrorKind::TimedOut,
            Why::NotStarted | Why::CutShort => ErrorKind::DeadlineExceeded,
            Why::Misconfigured => ErrorKind::Misconfigured,
        }
    }

    /// Returns the name of the policy that ended the call.
    #[must_use]
    pub fn policy(&self) -> &str {
        self.policy.as_str()
    }

    /// Returns how long to wait before a call has a chance again, where the policy knows.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self.why() {
            Why::CircuitOpen | Why::RateLimited => self.time(),
            _ => None,
        }
    }

    /// Returns [`retry_after`](Self::retry_after) in whole seconds, rounded up, as a `Retry-After` header has it.
    #[must_use]
    pub fn retry_after_secs(&self) -> Option<u64> {
        self.retry_after().map(whole_secs)
    }

    /// Returns whether work was under way when a timeout or a deadline cut it: the dependency did not answer in time.
    ///
    /// Such an error is [`Class::Transient`](crate::Class::Transient); any other was refused before the dependency was
    /// asked, and is [`Class::Refused`](crate::Class::Refused).
    #[must_use]
    pub fn cut_in_flight(&self) -> bool {
        matches!(self.why(), Why::TimedOut | Why::CutShort)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let policy = self.policy();
        match self.why() {
            Why::CircuitOpen => write!(f, "circuit breaker `{policy}` is open"),
            Why::BulkheadFull => write!(f, "bulkhead `{policy}` is full"),
            Why::RateLimited if self.time().is_none() => {
                write!(f, "rate limit `{policy}` never holds as many permits as were asked for")
            }
            Why::RateLimited => write!(f, "rate limit `{policy}` is used up"),
            Why::TimedOut => write!(f, "`{policy}` timed out after {}", Rounded(self.time().unwrap_or_default())),
            Why::NotStarted => write!(f, "`{policy}` was not started: the caller's deadline has passed"),
            Why::CutShort => write!(f, "`{policy}` was cut short: the caller's deadline passed"),
            Why::Misconfigured => write!(f, "`{policy}` is misconfigured: {}", self.policy.explanation()),
        }?;
        match self.retry_after_secs() {
            Some(wait) => write!(f, "; retry after {wait}s"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.kind())
            .field("policy", &self.policy())
            .field("retry_after", &self.retry_after())
            .finish_non_exhaustive()
    }
}

/// A time that somebody waits is still right when it is longer.
fn whole_secs(time: Duration) -> u64 {
    time.as_secs().saturating_add(u64::from(time.subsec_nanos() > 0))
}

/// The length of what took too long: rounded up, to whole seconds or, where it is shorter than one, milliseconds.
struct Rounded(Duration);

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_nanos().div_ceil(1_000_000) {
            millis @ 1..1000 => write!(f, "{millis}ms"),
            _ => write!(f, "{}s", whole_secs(self.0)),
        }
    }
}

impl std::error::Error for Error {
    /// Returns a marker, the word of the [`kind`](Error::kind): what a `#[error(transparent)]` around this error shows in its
    /// place, so that a refusal stays known as one.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(Marker::of(self))
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_says_what_by_which_name_and_when_to_come_back() {
        let open = Error::circuit_open("payments", Some(Duration::from_millis(1500)).into());
        assert_eq!(open.to_string(), "circuit breaker `payments` is open; retry after 2s");
        assert_eq!(Error::timed_out("payments", Duration::from_secs(3)).to_string(), "`payments` timed out after 3s");
    }

    #[test]
    fn times_are_rounded_up() {
        let ms = Duration::from_millis;
        for (time, length, wait) in [
            (Duration::ZERO, "0s", 0),
            (Duration::from_nanos(1), "1ms", 1),
            (ms(200), "200ms", 1),
            (Duration::from_nanos(999_000_001), "1s", 1),
            (ms(1000), "1s", 1),
            (ms(2001), "3s", 3),
            (Duration::from_secs(90), "90s", 90),
        ] {
            let cut = Error::timed_out("db", time).to_string();
            assert_eq!(cut, format!("`db` timed out after {length}"));
            let limited = Error::rate_limited("db", Some(time).into());
            assert_eq!((limited.retry_after(), limited.retry_after_secs()), (Some(time), Some(wait)));
            assert_eq!(limited.to_string(), format!("rate limit `db` is used up; retry after {wait}s"));
        }
        assert_eq!(Error::bulkhead_full("db").retry_after_secs(), None);
    }

    #[test]
    fn a_wait_is_kept_to_the_nanosecond_and_saturates() {
        for wait in [Duration::ZERO, Duration::new(86_400, 1), Duration::from_secs(86_400 * 365 * 36)] {
            assert_eq!(Error::circuit_open("a", Some(wait).into()).retry_after(), Some(wait));
        }
        let forever = Error::rate_limited("a", Some(Duration::MAX).into());
        assert!(forever.retry_after() > Some(Duration::from_secs(86_400 * 365 * 36)));
        assert_eq!(Error::rate_limited("a", Wait::UNKNOWN).retry_after(), None);
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
