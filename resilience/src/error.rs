//! The one error of the library: why a call was refused or cut short.

use std::fmt;
use std::io;
use std::time::Duration;

use crate::chain::Marker;
use crate::name::Name;
use crate::outcome::Origin;
use crate::story::{self, Story};
use crate::text::OneLine;
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
    /// [`Why`] and the marks in the lowest bits, and the time that goes with it above, or the number of its [story](Story):
    /// results are moved through every layer, and two words are moved in registers.
    why: u64,
}

/// What ended the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    CircuitOpen,
    BulkheadFull,
    RateLimited,
    /// The timeout's own length was over while the body was running.
    TimedOut,
    /// The same while the call was waiting in a line of ours: the body had not begun.
    TimedOutInLine,
    /// The deadline had passed before the body began.
    NotStarted,
    /// A deadline from outside passed while the body was running.
    CutShort,
    Misconfigured,
    /// No refusal: what an `Ok` is judged by that `when_ok` takes for a failure.
    FailedValue,
}

/// The bits of [`Why`].
const WHY: u64 = 0b1111;
/// The deadline was set by `Deadline::scope`, and not by a timeout.
const BY_SCOPE: u64 = 1 << 4;
/// An earlier attempt had failed: the call ends as that failure.
const AFTER_FAILURE: u64 = 1 << 5;
/// In the place of the time is the number of a story.
const STORY: u64 = 1 << 6;
const MARK_BITS: u32 = 8;

/// An `Option<Duration>` in 56 bits: to the nanosecond for a year, and beyond that to the microsecond.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait(u64);

/// It is in microseconds.
const MICROS: u64 = 1 << 55;

impl Wait {
    pub(crate) const UNKNOWN: Self = Self(u64::MAX >> MARK_BITS);

    pub(crate) fn from_nanos(nanos: u64) -> Self {
        if nanos < MICROS { Self(nanos) } else { Self(MICROS | (nanos / 1000)) }
    }

    pub(crate) fn get(self) -> Option<Duration> {
        match self {
            Self::UNKNOWN => None,
            Self(bits) if bits & MICROS == 0 => Some(Duration::from_nanos(bits)),
            Self(bits) => Some(Duration::from_micros(bits & !MICROS)),
        }
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
    /// The call ended with a value that `when_ok` takes for a failure. No call is refused so: it is what `on_retry`, a
    /// fallback and events are told in the place of an error, which there is none of.
    FailedValue,
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
            Self::FailedValue => "failed_value",
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
        Self { policy: policy.into(), why: wait.0 << MARK_BITS | why as u64 }
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

    /// The length of the timeout `policy` was over; `body_began` says whether the call had come to its body.
    pub(crate) fn timed_out(policy: impl Into<&'static Name>, after: Duration, body_began: bool) -> Self {
        let why = if body_began { Why::TimedOut } else { Why::TimedOutInLine };
        Self::new(policy, why, Some(after).into())
    }

    /// The deadline had passed before `policy` let the call start.
    pub(crate) fn deadline_exceeded(policy: impl Into<&'static Name>) -> Self {
        Self::new(policy, Why::NotStarted, Wait::UNKNOWN)
    }

    /// A deadline from outside passed while the body below `policy` was running.
    pub(crate) fn deadline_cut(policy: impl Into<&'static Name>, origin: Origin) -> Self {
        let cut = Self::new(policy, Why::CutShort, Wait::UNKNOWN);
        match origin {
            Origin::Timeout => cut,
            Origin::Scope => Self { why: cut.why | BY_SCOPE, ..cut },
        }
    }

    pub(crate) fn misconfigured(policy: &'static str, explanation: &str) -> Self {
        Self::new(Name::interned(policy, explanation), Why::Misconfigured, Wait::UNKNOWN)
    }

    /// The same after attempts that had failed: told with what they ended in, and judged as that failure.
    #[cold]
    pub(crate) fn after_failure(self, story: Story) -> Self {
        let told = self.with_story(story);
        Self { why: told.why | AFTER_FAILURE, ..told }
    }

    /// The same, told with what earlier attempts ended in.
    #[cold]
    pub(crate) fn with_story(self, story: Story) -> Self {
        let number = story.keep(self.wait().0) & (u64::MAX >> MARK_BITS);
        let marks = self.why & ((1 << MARK_BITS) - 1);
        Self { why: number << MARK_BITS | marks | STORY, ..self }
    }

    /// The number of its story.
    fn story_number(&self) -> Option<u64> {
        (self.why & STORY != 0).then_some(self.why >> MARK_BITS)
    }

    fn story(&self) -> Option<Story> {
        self.story_number().and_then(story::of)
    }

    /// The work below `policy` gave a value that `when_ok` takes for a failure.
    pub(crate) fn failed_value(policy: impl Into<&'static Name>) -> Self {
        Self::new(policy, Why::FailedValue, Wait::UNKNOWN)
    }

    pub(crate) fn why(&self) -> Why {
        const ALL: [Why; 9] = [
            Why::CircuitOpen,
            Why::BulkheadFull,
            Why::RateLimited,
            Why::TimedOut,
            Why::TimedOutInLine,
            Why::NotStarted,
            Why::CutShort,
            Why::Misconfigured,
            Why::FailedValue,
        ];
        ALL[(self.why & WHY) as usize]
    }

    /// Whether the call ends as the failure of an earlier attempt.
    pub(crate) fn is_after_failure(&self) -> bool {
        self.why & AFTER_FAILURE != 0
    }

    /// Who set the deadline that cut the call.
    pub(crate) fn origin(&self) -> Origin {
        if self.why & BY_SCOPE == 0 { Origin::Timeout } else { Origin::Scope }
    }

    fn wait(&self) -> Wait {
        match self.story_number() {
            Some(number) => story::time_beside(number).map_or(Wait::UNKNOWN, Wait),
            None => Wait(self.why >> MARK_BITS),
        }
    }

    /// The wait that was promised, or the time that was given.
    fn time(&self) -> Option<Duration> {
        self.wait().get()
    }

    pub(crate) fn named(&self) -> &'static Name {
        self.policy
    }

    /// Returns what happened.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self.why() {
            Why::CircuitOpen => ErrorKind::CircuitOpen,
            Why::BulkheadFull => ErrorKind::BulkheadFull,
            Why::RateLimited => ErrorKind::RateLimited,
            Why::TimedOut | Why::TimedOutInLine => ErrorKind::TimedOut,
            Why::NotStarted | Why::CutShort => ErrorKind::DeadlineExceeded,
            Why::Misconfigured => ErrorKind::Misconfigured,
            Why::FailedValue => ErrorKind::FailedValue,
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

    /// Returns how many attempts had begun, where a timeout or the deadline has ended a retry, or where a policy below it has
    /// refused an attempt after others had failed.
    ///
    /// This, and the text of the last attempt's error that [`Display`](fmt::Display) then shows, is kept for the newest 4,096
    /// such errors.
    #[must_use]
    pub fn attempts(&self) -> Option<u32> {
        self.story().map(|story| story.attempts)
    }

    /// Returns whether work was under way when a timeout or a deadline cut it: the dependency did not answer in time.
    ///
    /// Such an error is [`Class::Transient`](crate::Class::Transient), as is what follows attempts that had failed; any other
    /// was refused before the dependency was asked, and is [`Class::Refused`](crate::Class::Refused).
    #[must_use]
    pub fn cut_in_flight(&self) -> bool {
        matches!(self.why(), Why::TimedOut | Why::CutShort)
    }

    /// Whether the dependency has failed, and nothing was refused instead: such a call is worth another attempt.
    pub(crate) fn is_failure_below(&self) -> bool {
        self.cut_in_flight() || self.is_after_failure() || self.is_failed_value()
    }

    /// Whether it stands for a value that means failure.
    pub(crate) fn is_failed_value(&self) -> bool {
        self.why() == Why::FailedValue
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let policy = OneLine(self.policy());
        match self.why() {
            Why::CircuitOpen => write!(f, "circuit breaker `{policy}` is open"),
            Why::BulkheadFull => write!(f, "bulkhead `{policy}` is full"),
            Why::RateLimited if self.time().is_none() => {
                write!(f, "rate limit `{policy}` never holds as many permits as were asked for")
            }
            Why::RateLimited => write!(f, "rate limit `{policy}` is used up"),
            Why::TimedOut | Why::TimedOutInLine => {
                write!(f, "`{policy}` timed out after {}", Rounded(self.time().unwrap_or_default()))
            }
            Why::NotStarted => write!(f, "`{policy}` was not started: the caller's deadline has passed"),
            Why::CutShort => write!(f, "`{policy}` was cut short: the caller's deadline passed"),
            Why::Misconfigured => write!(f, "`{policy}` is misconfigured: {}", self.policy.explanation()),
            Why::FailedValue => write!(f, "`{policy}` got a value that means failure"),
        }?;
        if let Some(wait) = self.retry_after_secs() {
            write!(f, "; retry after {wait}s")?;
        }
        match self.story() {
            Some(Story { text, attempts }) if text.is_empty() => write!(f, ", in attempt {attempts}"),
            Some(Story { text, attempts }) => {
                write!(f, ", after attempt {attempts}; before that: {}", OneLine(&text))
            }
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
    use std::task::Poll;

    use super::*;
    use crate::classify::{Class, Classify};

    #[test]
    fn the_text_says_what_by_which_name_and_when_to_come_back() {
        let open = Error::circuit_open("payments", Some(Duration::from_millis(1500)).into());
        assert_eq!(open.to_string(), "circuit breaker `payments` is open; retry after 2s");
        assert_eq!(
            Error::timed_out("payments", Duration::from_secs(3), true).to_string(),
            "`payments` timed out after 3s"
        );
        let failed = Error::failed_value("payments");
        assert_eq!(failed.to_string(), "`payments` got a value that means failure");
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
            let cut = Error::timed_out("db", time, true).to_string();
            assert_eq!(cut, format!("`db` timed out after {length}"));
            let limited = Error::rate_limited("db", Some(time).into());
            assert_eq!((limited.retry_after(), limited.retry_after_secs()), (Some(time), Some(wait)));
            assert_eq!(limited.to_string(), format!("rate limit `db` is used up; retry after {wait}s"));
        }
        assert_eq!(Error::bulkhead_full("db").retry_after_secs(), None);
    }

    #[test]
    fn a_wait_is_kept_to_the_nanosecond_for_a_year_and_saturates() {
        let year = Duration::from_secs(86_400 * 365);
        for wait in [Duration::ZERO, Duration::new(86_400, 1), year, year * 500] {
            assert_eq!(Error::circuit_open("a", Some(wait).into()).retry_after(), Some(wait));
        }
        let forever = Error::rate_limited("a", Some(Duration::MAX).into());
        assert!(forever.retry_after() > Some(year * 500));
        assert_eq!(Error::rate_limited("a", Wait::UNKNOWN).retry_after(), None);
    }

    #[test]
    fn a_story_takes_nothing_from_an_error() {
        let refused = Error::rate_limited("a", Some(Duration::from_nanos(7)).into());
        let told = refused.after_failure(Story::new("no answer", 2));
        assert_eq!((told.kind(), told.policy(), told.attempts()), (ErrorKind::RateLimited, "a", Some(2)));
        assert_eq!(told.retry_after(), Some(Duration::from_nanos(7)));
        assert_eq!(told.classify(), Class::Transient, "it ends as the attempt before it");
        let cut = Error::deadline_cut("a", Origin::Scope).with_story(Story::new("", 1));
        assert_eq!((cut.why(), cut.origin(), cut.is_after_failure()), (Why::CutShort, Origin::Scope, false));
    }

    #[test]
    fn it_is_two_words() {
        let word = size_of::<usize>();
        assert_eq!((size_of::<Error>(), size_of::<Poll<Result<(), Error>>>()), (2 * word, 3 * word));
    }

    #[test]
    fn an_io_error_keeps_the_refusal_as_its_source() {
        let full = io::Error::from(Error::bulkhead_full("db"));
        assert_eq!(full.kind(), io::ErrorKind::Other);
        let inner = full.get_ref().and_then(|source| source.downcast_ref::<Error>());
        assert_eq!(inner.map(Error::kind), Some(ErrorKind::BulkheadFull));
        let late = io::Error::from(Error::timed_out("db", Duration::from_secs(1), true));
        assert_eq!(late.kind(), io::ErrorKind::TimedOut);
    }
}
