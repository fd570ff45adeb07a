//! How a call ended, as a policy sees it.

use std::time::Duration;

use crate::classify::Class;
use crate::error::Error;
use crate::fallible::Fallible;

/// How a call ended, for the books of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The dependency answered, be it that the caller is at fault.
    Success,
    /// The dependency failed.
    Failure,
    /// Says nothing about the dependency: it was not asked, or its answer was not waited for.
    Neutral,
}

/// Who set the deadline that ended a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A timeout of this program.
    Timeout,
    /// `Deadline::scope`: a caller, who may be impatient.
    Scope,
}

/// What a policy sees when the block below it has ended: one row of the table in the design, section 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    Value,
    Failed(Class),
    /// A timeout below cut the work.
    Cut,
    /// A policy below refused, or the deadline had passed.
    Refused,
}

impl Seen {
    /// `classify` is no type parameter: this is compiled once for each return type, and not for each function.
    pub(crate) fn of<R: Fallible>(result: &Result<R, Error>, classify: &mut dyn FnMut(&R::Error) -> Class) -> Self {
        match result {
            Ok(returned) => Self::of_returned(returned, classify),
            Err(error) => Self::of_refusal(error),
        }
    }

    /// The same, of what the function's body ended with.
    fn of_returned<R: Fallible>(returned: &R, classify: &mut dyn FnMut(&R::Error) -> Class) -> Self {
        match returned.result() {
            Ok(_) => Self::Value,
            Err(error) => Self::Failed(classify(error)),
        }
    }

    /// The same, of what a policy below ended the call with.
    pub(crate) fn of_refusal(error: &Error) -> Self {
        if error.is_after_failure() || error.is_failed_value() {
            // It ends as the attempt that was tried again, or as the value says.
            return Self::Failed(Class::Transient);
        }
        if error.cut_in_flight() { Self::Cut } else { Self::Refused }
    }

    /// The class of the error, if it is one: a call that was cut is worth another attempt.
    pub(crate) fn class(self) -> Class {
        match self {
            Self::Failed(class) => class,
            Self::Value | Self::Cut => Class::Transient,
            Self::Refused => Class::Refused,
        }
    }

    /// Whether the call did not come to its body, here or in a guarded function that the body calls.
    pub(crate) fn is_refusal(self) -> bool {
        matches!(self, Self::Refused | Self::Failed(Class::Refused))
    }

    /// What a circuit breaker makes of it.
    pub(crate) fn outcome(self) -> Outcome {
        match self {
            // Whoever answers is alive, whatever the caller makes of the answer.
            Self::Value | Self::Failed(Class::Caller) => Outcome::Success,
            Self::Failed(Class::Transient | Class::Overloaded { .. } | Class::Permanent) | Self::Cut => {
                Outcome::Failure
            }
            Self::Failed(Class::Refused | Class::Local) | Self::Refused => Outcome::Neutral,
        }
    }

    /// Whether a fallback or a remembered value takes its place.
    pub(crate) fn is_recovered(self) -> bool {
        match self {
            Self::Value | Self::Failed(Class::Caller | Class::Local) => false,
            Self::Failed(_) | Self::Cut | Self::Refused => true,
        }
    }

    /// Whether a retry tries again, and the wait the dependency asked for.
    pub(crate) fn again(self) -> Option<Option<Duration>> {
        match self {
            Self::Failed(Class::Transient) | Self::Cut => Some(None),
            Self::Failed(Class::Overloaded { retry_after }) => Some(retry_after.filter(|hint| !hint.is_zero())),
            Self::Value | Self::Refused => None,
            Self::Failed(Class::Permanent | Class::Caller | Class::Refused | Class::Local) => None,
        }
    }
}

/// What a circuit breaker makes of a call that ended because a deadline passed, after its body had run for so many nanoseconds.
///
/// An impatient caller says nothing about the dependency: what it was given decides, the shorter of the breaker's
/// `slow_call` and the function's innermost own timeout. Where neither is given, a timeout of this program means it.
pub(crate) fn of_cut(
    has_begun: bool,
    ran: Option<u64>,
    slow_call: Option<u64>,
    own_timeout: Option<u64>,
    origin: Origin,
) -> Outcome {
    let given = slow_call.into_iter().chain(own_timeout).min();
    let failed = match (has_begun, given.zip(ran)) {
        (false, _) => false,
        (true, Some((given, ran))) => ran >= given,
        (true, None) => origin == Origin::Timeout,
    };
    if failed { Outcome::Failure } else { Outcome::Neutral }
}

/// What it makes of what a policy below ended the call with.
#[inline(never)]
pub(crate) fn of_refusal(refusal: &Error) -> Outcome {
    Seen::of_refusal(refusal).outcome()
}

/// The same, of what the function's body ended with.
#[inline(always)]
pub(crate) fn of_returned<R: Fallible>(returned: &R, classify: fn(&R::Error) -> Class) -> Outcome {
    // The usual end of a call stands in the caller's code; a failure is a call away.
    if returned.result().is_ok() { Outcome::Success } else { of_failed(returned, classify) }
}

#[inline(never)]
fn of_failed<R: Fallible>(returned: &R, mut classify: fn(&R::Error) -> Class) -> Outcome {
    Seen::of_returned(returned, &mut classify).outcome()
}

/// An error's class where `when` has a say: it is not asked about what never reached the dependency, and a hint is none of
/// its business.
pub(crate) fn narrowed(class: Class, holds: impl FnOnce() -> bool) -> Class {
    match class {
        Class::Refused | Class::Local => class,
        _ if !holds() => Class::Caller,
        Class::Overloaded { .. } => class,
        _ => Class::Transient,
    }
}

/// A predicate that is asked at most once, as [`Seen::of`] takes it.
pub(crate) fn once<E>(classify: impl FnOnce(&E) -> Class) -> impl FnMut(&E) -> Class {
    let mut classify = Some(classify);
    move |error| classify.take().map_or(Class::Transient, |classify| classify(error))
}
