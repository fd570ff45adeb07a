//! What a breaker shows: its state, its numbers, and why it opened.

use std::fmt;
use std::time::Duration;

/// A circuit breaker's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum State {
    /// Calls pass and are recorded.
    Closed,
    /// Calls are refused until the cooldown is over.
    Open,
    /// A few trial calls pass; their results decide.
    HalfOpen,
    /// Calls are refused until a handle says otherwise.
    ForcedOpen,
    /// Calls pass and are not recorded.
    Disabled,
    /// Calls pass; the breaker records and reports what it would do.
    Shadow,
}

impl State {
    /// Returns the word that events have for it: `"half-open"`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half-open",
            Self::ForcedOpen => "forced open",
            Self::Disabled => "disabled",
            Self::Shadow => "shadow",
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What made a breaker open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TripReason {
    /// The rate of failures exceeded `failure_rate`.
    FailureRate,
    /// The rate of slow calls exceeded `slow_call_rate`.
    SlowCallRate,
    /// `consecutive_failures` calls in a row failed.
    ConsecutiveFailures,
    /// A trial call failed.
    TrialFailed,
}

impl TripReason {
    /// Returns the word that events have for it: `"failure_rate"`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FailureRate => "failure_rate",
            Self::SlowCallRate => "slow_call_rate",
            Self::ConsecutiveFailures => "consecutive_failures",
            Self::TrialFailed => "trial_failed",
        }
    }
}

impl fmt::Display for TripReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A circuit breaker at one moment.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Snapshot {
    /// The state.
    pub state: State,
    /// Recorded calls in the window; in half-open, the successful trial calls.
    pub calls: u32,
    /// Failed calls in the window.
    pub failures: u32,
    /// Slow calls in the window.
    pub slow_calls: u32,
    /// `failures / calls`; `None` below `min_calls` and in half-open.
    pub failure_rate: Option<f64>,
    /// `slow_calls / calls`; `None` below `min_calls`, in half-open, and without `slow_call`.
    pub slow_call_rate: Option<f64>,
    /// Calls refused since the breaker entered its present state.
    pub rejected: u32,
    /// Calls that a deadline ended too early to say anything about the dependency, since the breaker entered its present
    /// state: callers who are less patient than `slow_call` and the timeouts here.
    pub cut_early: u32,
    /// Trial calls that hold a slot.
    pub probes_in_flight: u32,
    /// What is left of the cooldown while open.
    pub cooldown_remaining: Option<Duration>,
}
