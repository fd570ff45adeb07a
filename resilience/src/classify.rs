//! What an error says about the dependency.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use crate::error::Error;

/// What an error says about the dependency that gave it, and so what retry and circuit breaker make of it.
///
/// | class | retry | circuit breaker | fallback |
/// |---|---|---|---|
/// | `Transient` | tries again | failure | used |
/// | `Overloaded` | tries again, not before the hint | failure | used |
/// | `Permanent` | stops | failure | used |
/// | `Caller` | stops | neutral | passes |
/// | `Refused` | stops | neutral | used |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Class {
    /// May well succeed if tried again: a lost connection, a 503.
    Transient,
    /// The dependency is too busy, and may have said when to come back.
    Overloaded {
        /// The wait it asked for; `None` or zero leaves it to the back-off.
        retry_after: Option<Duration>,
    },
    /// Fails again however often it is tried, and it is the dependency's fault: a broken answer, a 501.
    Permanent,
    /// The dependency answered, and the caller is at fault: not found, invalid, unauthorised.
    Caller,
    /// A guarded call below was refused before it reached the dependency.
    Refused,
}

impl Class {
    /// Returns the class as events name it: `"transient"`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Transient => "transient",
            Self::Overloaded { .. } => "overloaded",
            Self::Permanent => "permanent",
            Self::Caller => "caller",
            Self::Refused => "refused",
        }
    }
}

/// Tells what an error says about the dependency; implement it for a service's error type.
///
/// An error type without this is [`Class::Transient`], unless a [`resilience::Error`](crate::Error) is among its sources:
/// a refusal stays one. The macros find the implementation on the concrete type; in functions generic over their error
/// type, write `E: Classify` as a bound.
///
/// `std::io::Error` is the caller's for `NotFound`, `PermissionDenied`, `AlreadyExists` and `InvalidInput`, permanent for
/// `InvalidData` and `Unsupported`, and else transient. `Box<dyn Error + Send + Sync>` and, with the feature `anyhow`,
/// `anyhow::Error` are what the first refusal or I/O error in their chain is.
///
/// # Examples
///
/// ```
/// use resilience::{Class, Classify};
///
/// enum ApiError {
///     Connection,
///     Status(u16),
/// }
///
/// impl Classify for ApiError {
///     fn classify(&self) -> Class {
///         match self {
///             ApiError::Connection | ApiError::Status(500..=599) => Class::Transient,
///             ApiError::Status(429) => Class::Overloaded { retry_after: None },
///             ApiError::Status(_) => Class::Caller,
///         }
///     }
/// }
///
/// assert!(ApiError::Status(503).is_failure());
/// assert!(!ApiError::Status(404).is_failure());
/// # let _ = ApiError::Connection;
/// ```
#[diagnostic::on_unimplemented(
    note = "write `#[derive(resilience::Classify)]` on `{Self}`, or implement `resilience::Classify` for it",
    note = "if it is not yours: `anyhow::Error` has classes with the feature `anyhow` of `resilience`; a variant with any other error is marked with a class of its own"
)]
pub trait Classify {
    /// Returns the error's class.
    fn classify(&self) -> Class;

    /// Returns whether the error counts as the dependency's failure: transient, overloaded or permanent.
    fn is_failure(&self) -> bool {
        matches!(self.classify(), Class::Transient | Class::Overloaded { .. } | Class::Permanent)
    }
}

impl<E: Classify + ?Sized> Classify for &E {
    fn classify(&self) -> Class {
        (**self).classify()
    }
}

impl<E: Classify + ?Sized> Classify for Box<E> {
    fn classify(&self) -> Class {
        (**self).classify()
    }
}

/// The first error in the chain of sources that is ours or the operating system's decides; else `Transient`.
impl Classify for dyn StdError + Send + Sync {
    fn classify(&self) -> Class {
        classify_chain(self)
    }
}

/// By kind; a refusal of ours inside decides for itself.
impl Classify for io::Error {
    fn classify(&self) -> Class {
        use io::ErrorKind as Kind;

        if let Some(refusal) = self.get_ref().and_then(|source| source.downcast_ref::<Error>()) {
            return refusal.classify();
        }
        match self.kind() {
            Kind::NotFound | Kind::PermissionDenied | Kind::AlreadyExists | Kind::InvalidInput => Class::Caller,
            Kind::InvalidData | Kind::Unsupported => Class::Permanent,
            _ => Class::Transient,
        }
    }
}

/// Looked through like a boxed error.
#[cfg(feature = "anyhow")]
impl Classify for anyhow::Error {
    fn classify(&self) -> Class {
        classify_chain(self.as_ref())
    }
}

/// A refusal of ours among an error and its sources.
pub(crate) fn refusal_in<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a Error> {
    chain(error).find_map(|error| {
        // An I/O error's source is not its payload but what comes after it.
        let in_io = || error.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref::<Error>();
        let boxed = || error.downcast_ref::<Box<Error>>().map(|boxed| &**boxed);
        error.downcast_ref::<Error>().or_else(in_io).or_else(boxed)
    })
}

fn classify_chain(error: &(dyn StdError + 'static)) -> Class {
    let known = |error: &(dyn StdError + 'static)| {
        let boxed = || error.downcast_ref::<Box<Error>>().map(|boxed| &**boxed);
        let refusal = error.downcast_ref::<Error>().or_else(boxed).map(Classify::classify);
        refusal.or_else(|| error.downcast_ref::<io::Error>().map(Classify::classify))
    };
    chain(error).find_map(known).unwrap_or(Class::Transient)
}

/// The error, and what it comes from.
fn chain<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let error = next?;
        next = error.source();
        Some(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boxed_error_is_looked_through() {
        let boxed: Box<dyn StdError + Send + Sync> = Box::new(Error::bulkhead_full("db"));
        assert_eq!(boxed.classify(), Class::Refused);
        let boxed: Box<dyn StdError + Send + Sync> = Box::new(io::Error::from(io::ErrorKind::NotFound));
        assert_eq!(boxed.classify(), Class::Caller);
        let boxed: Box<dyn StdError + Send + Sync> = "anything else".into();
        assert_eq!(boxed.classify(), Class::Transient);
    }

    #[test]
    fn a_refusal_inside_an_io_error_stays_a_refusal() {
        assert_eq!(io::Error::from(Error::bulkhead_full("db")).classify(), Class::Refused);
        assert_eq!(io::Error::from(Error::timed_out("db", Duration::from_secs(1), true)).classify(), Class::Transient);
        assert_eq!(io::Error::from(io::ErrorKind::ConnectionReset).classify(), Class::Transient);
    }
}
