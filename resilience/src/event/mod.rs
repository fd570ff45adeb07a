//! What policies tell: the events, and their way to listeners and `tracing`.

mod delivery;
mod listener;
mod outbox;
mod trace;
mod turn;

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::from_ref;
use std::time::Duration;

pub use listener::{Subscription, subscribe};
pub(crate) use outbox::Outbox;

use crate::circuit_breaker::{Snapshot, State, TripReason};
use crate::classify::Class;
use crate::error::ErrorKind;
use crate::guarded::body_clock;
use crate::options::Value;
use crate::pairs::Pairs;
use crate::site::{Asker, Place};
use crate::{deadline, inside, retry, unwind};

/// Something a policy did, for listeners and `tracing`.
///
/// The names, which [`Event::name`] returns, are stable:
///
/// | name | level | when |
/// |---|---|---|
/// | `retry.attempt_failed` | DEBUG | an attempt failed and another follows after a pause |
/// | `retry.exhausted` | DEBUG | the last error is returned although it was worth another attempt |
/// | `retry.recovered` | DEBUG | an attempt after the first succeeded |
/// | `retry.budget_exhausted` | DEBUG | the budget has no token for another attempt: the last error is returned |
/// | `retry.nested` | DEBUG | a retry runs inside another one's attempt: their attempts multiply; once per pair |
/// | `policy.nested` | DEBUG | a call runs inside another one of the same name: they count once; once per pair of functions |
/// | `circuit_breaker.opened` | WARN | calls are refused from now on (with `shadow`: they would be) |
/// | `circuit_breaker.half_opened` | DEBUG | trial calls are let through |
/// | `circuit_breaker.closed` | INFO | the trial calls succeeded |
/// | `circuit_breaker.rejected` | DEBUG | a call was refused (with `shadow`: would have been) |
/// | `circuit_breaker.forced` | INFO | a handle put the breaker into a state |
/// | `bulkhead.rejected` | DEBUG | a call was refused |
/// | `rate_limit.rejected` | DEBUG | a call was refused |
/// | `timeout.elapsed` | DEBUG | a timeout cut a call |
/// | `fallback.used` | DEBUG | a fallback took the place of a failed result |
/// | `stale.served` | DEBUG | a remembered value took the place of a failed result |
/// | `config.clamped` | WARN | a run-time value was out of range; once per site and option |
///
/// As `tracing` events they have the target `resilience`, the name as message, and the fields `name`, `kind` and `policy`; and
/// where they apply `function`, whose call it is; `attempt`, the number of one, and `attempts`, how many have begun;
/// `pause_ms`, `cooldown_ms`, `wait_ms`, which has passed, `timeout_ms`, `age_ms` and `retry_after_ms`; `error` with its causes,
/// and its `class`; `refusal`, the kind of ours that it is; `limit`, `refused_by` and `budget`, which ended a retry; `outer`,
/// what is around it; `reason`, `state`, `calls`, `failures`, `slow_calls`, `shadow`, `permits`, `inherited`, `option` and
/// `value`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// `retry.attempt_failed`
    #[non_exhaustive]
    RetryAttemptFailed {
        /// The retry's name.
        policy: &'static str,
        /// Which attempt failed, counted from 1.
        attempt: u32,
        /// The pause before the next one.
        delay: Duration,
        /// The error's text, and those of what it comes from: `outer: cause: root`.
        error: String,
        /// The error's class.
        class: Class,
    },
    /// `retry.exhausted`
    #[non_exhaustive]
    RetryExhausted {
        /// The retry's name.
        policy: &'static str,
        /// How many attempts were made.
        attempts: u32,
        /// Which limit ended them.
        limit: RetryLimit,
        /// Where that is [`RetryLimit::Refused`], the policy that refuses.
        refused_by: Option<&'static str>,
        /// The last error's text, with its causes.
        error: String,
        /// Its class.
        class: Class,
    },
    /// `retry.recovered`
    #[non_exhaustive]
    RetryRecovered {
        /// The retry's name.
        policy: &'static str,
        /// How many attempts it took.
        attempts: u32,
    },
    /// `retry.budget_exhausted`
    #[non_exhaustive]
    RetryBudgetExhausted {
        /// The retry's name.
        policy: &'static str,
        /// The budget's name.
        budget: &'static str,
        /// How many attempts were made.
        attempts: u32,
        /// The last error's text, with its causes.
        error: String,
        /// Its class.
        class: Class,
    },
    /// `retry.nested`
    #[non_exhaustive]
    RetryNested {
        /// The inner retry's name.
        policy: &'static str,
        /// The outer retry's name.
        outer: &'static str,
    },
    /// `policy.nested`
    #[non_exhaustive]
    PolicyNested {
        /// The policy's name.
        policy: &'static str,
        /// The kind of policy.
        kind: &'static str,
        /// The function whose call is inside; none where it came by a handle.
        function: Option<String>,
        /// The function whose call is around it; none where that came by a handle.
        outer: Option<String>,
    },
    /// `circuit_breaker.opened`
    #[non_exhaustive]
    CircuitBreakerOpened {
        /// The breaker's name.
        policy: &'static str,
        /// What made it open.
        reason: TripReason,
        /// The numbers that made it open.
        snapshot: Snapshot,
        /// How long it stays open.
        cooldown: Duration,
        /// The breaker only watches: nothing is refused.
        shadow: bool,
    },
    /// `circuit_breaker.half_opened`
    #[non_exhaustive]
    CircuitBreakerHalfOpened {
        /// The breaker's name.
        policy: &'static str,
        /// The breaker only watches.
        shadow: bool,
    },
    /// `circuit_breaker.closed`
    #[non_exhaustive]
    CircuitBreakerClosed {
        /// The breaker's name.
        policy: &'static str,
        /// The trial calls that closed it.
        snapshot: Snapshot,
        /// The breaker only watches.
        shadow: bool,
    },
    /// `circuit_breaker.rejected`
    #[non_exhaustive]
    CircuitBreakerRejected {
        /// The breaker's name.
        policy: &'static str,
        /// The function whose call it was; none where it came by a handle.
        function: Option<String>,
        /// The rest of the cooldown, where one is running.
        retry_after: Option<Duration>,
        /// The call was let through all the same: the breaker only watches.
        shadow: bool,
    },
    /// `circuit_breaker.forced`
    #[non_exhaustive]
    CircuitBreakerForced {
        /// The breaker's name.
        policy: &'static str,
        /// The state it was put into.
        state: State,
    },
    /// `bulkhead.rejected`
    #[non_exhaustive]
    BulkheadRejected {
        /// The bulkhead's name.
        policy: &'static str,
        /// The function whose call it was; none where it came by a handle.
        function: Option<String>,
        /// How long the call had waited.
        waited: Duration,
    },
    /// `rate_limit.rejected`
    #[non_exhaustive]
    RateLimitRejected {
        /// The limiter's name.
        policy: &'static str,
        /// The function whose call it was; none where it came by a handle.
        function: Option<String>,
        /// How many permits were asked for.
        permits: u32,
        /// How long until they are there, if they ever will be.
        retry_after: Option<Duration>,
    },
    /// `timeout.elapsed`
    #[non_exhaustive]
    TimeoutElapsed {
        /// The timeout's name.
        policy: &'static str,
        /// How long the call was given.
        after: Duration,
        /// The deadline of an enclosing call cut it, not its own duration.
        inherited: bool,
        /// How many attempts had begun, where it has ended a retry.
        attempts: Option<u32>,
        /// What the last of them that failed had said.
        error: Option<String>,
    },
    /// `fallback.used`
    #[non_exhaustive]
    FallbackUsed {
        /// The fallback's name.
        policy: &'static str,
        /// The original error's text, with its causes.
        error: String,
        /// Its class.
        class: Class,
        /// What a policy below did, if the original was a refusal; `FailedValue` if it was a value that `when_ok` calls a failure.
        refusal: Option<ErrorKind>,
    },
    /// `stale.served`
    #[non_exhaustive]
    StaleServed {
        /// The policy's name.
        policy: &'static str,
        /// How old the value is.
        age: Duration,
        /// The original error's text, with its causes.
        error: String,
        /// Its class.
        class: Class,
        /// What a policy below did, if the original was a refusal; `FailedValue` if it was a value that `when_ok` calls a failure.
        refusal: Option<ErrorKind>,
    },
    /// `config.clamped`
    #[non_exhaustive]
    ConfigClamped {
        /// The policy's name.
        policy: &'static str,
        /// The kind of policy.
        kind: &'static str,
        /// The option.
        option: &'static str,
        /// The value that was out of range.
        value: Value,
    },
}

/// The limit that ended the attempts of a retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RetryLimit {
    /// `max_attempts`.
    Attempts,
    /// `max_elapsed`.
    Elapsed,
    /// The deadline in force.
    Deadline,
    /// A policy below refuses the next attempt.
    Refused,
    /// `max_retry_after`: the dependency asked for a longer wait.
    RetryAfter,
}

impl RetryLimit {
    /// Returns the word that events have for it: `"retry_after"`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Attempts => "attempts",
            Self::Elapsed => "elapsed",
            Self::Deadline => "deadline",
            Self::Refused => "refused",
            Self::RetryAfter => "retry_after",
        }
    }
}

impl fmt::Display for RetryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Event {
    /// Returns the event's name: `"circuit_breaker.opened"`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::RetryAttemptFailed { .. } => "retry.attempt_failed",
            Self::RetryExhausted { .. } => "retry.exhausted",
            Self::RetryRecovered { .. } => "retry.recovered",
            Self::RetryBudgetExhausted { .. } => "retry.budget_exhausted",
            Self::RetryNested { .. } => "retry.nested",
            Self::PolicyNested { .. } => "policy.nested",
            Self::CircuitBreakerOpened { .. } => "circuit_breaker.opened",
            Self::CircuitBreakerHalfOpened { .. } => "circuit_breaker.half_opened",
            Self::CircuitBreakerClosed { .. } => "circuit_breaker.closed",
            Self::CircuitBreakerRejected { .. } => "circuit_breaker.rejected",
            Self::CircuitBreakerForced { .. } => "circuit_breaker.forced",
            Self::BulkheadRejected { .. } => "bulkhead.rejected",
            Self::RateLimitRejected { .. } => "rate_limit.rejected",
            Self::TimeoutElapsed { .. } => "timeout.elapsed",
            Self::FallbackUsed { .. } => "fallback.used",
            Self::StaleServed { .. } => "stale.served",
            Self::ConfigClamped { .. } => "config.clamped",
        }
    }

    /// Returns the kind of the policy that tells: `"circuit_breaker"`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ConfigClamped { kind, .. } | Self::PolicyNested { kind, .. } => kind,
            Self::StaleServed { .. } => "stale_if_error",
            other => other.name().split_once('.').map_or("", |(kind, _)| kind),
        }
    }

    /// Returns the name of the policy that tells.
    #[must_use]
    pub fn policy(&self) -> &'static str {
        match self {
            Self::RetryAttemptFailed { policy, .. }
            | Self::RetryExhausted { policy, .. }
            | Self::RetryRecovered { policy, .. }
            | Self::RetryBudgetExhausted { policy, .. }
            | Self::RetryNested { policy, .. }
            | Self::PolicyNested { policy, .. }
            | Self::CircuitBreakerOpened { policy, .. }
            | Self::CircuitBreakerHalfOpened { policy, .. }
            | Self::CircuitBreakerClosed { policy, .. }
            | Self::CircuitBreakerRejected { policy, .. }
            | Self::CircuitBreakerForced { policy, .. }
            | Self::BulkheadRejected { policy, .. }
            | Self::RateLimitRejected { policy, .. }
            | Self::TimeoutElapsed { policy, .. }
            | Self::FallbackUsed { policy, .. }
            | Self::StaleServed { policy, .. }
            | Self::ConfigClamped { policy, .. } => policy,
        }
    }
}

/// Tells an event of level DEBUG at once, or after the one that a listener is being told of on this thread. The caller holds no
/// lock.
///
/// An event that nobody sees is not built: refusals and failures are many when it matters.
pub(crate) fn emit(event: impl FnOnce() -> Event) {
    if listener::present() || trace::sees_debug() {
        emit_rare(event);
    }
}

/// Tells a rare event. The caller holds no lock.
pub(crate) fn emit_rare(event: impl FnOnce() -> Event) {
    // What the user's error says of itself is the user's code.
    match catch_unwind(AssertUnwindSafe(event)) {
        Ok(event) => delivery::deliver(turn::News::Event(event)),
        Err(payload) => {
            forget(payload);
            let _ = catch_unwind(trace::event_panicked);
        }
    }
}

/// Tells, once for each pair of functions, that a call of a policy is inside of another one of the same.
#[cold]
pub(crate) fn tell_nested(kind: &'static str, policy: &'static str, asker: Asker, outer: Option<&'static Place>) {
    static TOLD: Pairs = Pairs::new();
    let address = |place: Option<&'static Place>| place.map_or(0, |place| from_ref(place).addr());
    // By a handle there is no place: the name stands for it.
    let inner = asker.place().map_or(policy.as_ptr().addr(), |place| from_ref(place).addr());
    if TOLD.is_new((inner, address(outer))) {
        let (function, outer) = (asker.function(), outer.map(Place::shown));
        emit_rare(|| Event::PolicyNested { policy, kind, function, outer });
    }
}

/// Runs code that has nothing to do with the calls that are being polled on this thread.
fn aside(code: impl FnOnce()) {
    unwind::aside(|| deadline::aside(|| inside::aside(|| body_clock::aside(|| retry::aside(code)))));
}

/// Runs a listener's or a subscriber's code such that a panic in it hurts nobody else.
fn isolated(event: &Event, code: impl FnOnce()) {
    let result = catch_unwind(AssertUnwindSafe(|| aside(code)));
    if let Err(payload) = result {
        forget(payload);
        // Where the subscriber itself is what panics, there is nobody left to tell.
        let _ = catch_unwind(AssertUnwindSafe(|| trace::listener_panicked(event)));
    }
}

/// A payload may panic when it is dropped, too.
fn forget(payload: Box<dyn Any + Send>) {
    std::mem::forget(payload);
}
