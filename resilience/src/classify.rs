//! What an error says about the dependency.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::chain;
use crate::error::Error;

/// What an error says about the dependency that gave it, and so what retry and circuit breaker make of it.
///
/// | class | retry | circuit breaker | fallback |
/// |---|---|---|---|
/// | `Transient` | tries again | failure | used |
/// | `Overloaded` | tries again, not before the hint | failure | used |
/// | `Permanent` | stops | failure | used |
/// | `Caller` | stops | success | passes |
/// | `Refused` | stops | neutral | used |
/// | `Local` | stops | neutral | passes |
///
/// Neutral is counted nowhere, and gives a trial slot back. A policy's `when` replaces the class for that policy; it is not
/// asked about errors of class `Refused` or `Local`.
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
    /// The dependency answered, and the caller is at fault: not found, invalid, unauthorised. It is alive: a success for
    /// the circuit breaker.
    Caller,
    /// A guarded call below was refused before it reached the dependency.
    Refused,
    /// Nothing was sent: the input was found invalid on this side. It says nothing about the dependency.
    Local,
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
            Self::Local => "local",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Tells what an error says about the dependency; implement it for a service's error type.
///
/// An error type without this is [`Class::Transient`], unless a [`resilience::Error`](crate::Error) is among its sources:
/// a refusal stays one, also through `#[error(transparent)]`. The macros find the implementation on the concrete type; in
/// functions generic over their error type, write `E: Classify` as a bound.
///
/// A [`resilience::Error`](crate::Error) is `Transient` where work was [cut in flight](crate::Error::cut_in_flight): the
/// dependency did not answer in time. Else it is `Refused`.
///
/// `std::io::Error` is permanent for `InvalidInput`, `InvalidData` and `Unsupported`, and else transient: `NotFound`, say of
/// a Unix socket, is a dependency that is down. Where a missing file is the caller's mistake, mark the variant that holds
/// it with `#[caller]`.
///
/// `Box<dyn Error>` and `Box<dyn Error + Send + Sync>` are what the first refusal or I/O error in their chain is. So are
/// `anyhow::Error` and other reports (what is `AsRef<dyn Error + Send + Sync>`) for the macros; as a `Classify`, for
/// `#[classify(transparent)]` or a bound, `anyhow::Error` needs the feature `anyhow`.
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
    note = "if it is not yours: `anyhow::Error` has classes with the feature `anyhow` of `resilience`; a variant with any other error is marked with a class of its own, or with `#[classify(with = path)]`"
)]
pub trait Classify {
    /// Returns the error's class.
    fn classify(&self) -> Class;

    /// Returns whether the error counts as the dependency's failure: transient, overloaded or permanent.
    fn is_failure(&self) -> bool {
        matches!(self.classify(), Class::Transient | Class::Overloaded { .. } | Class::Permanent)
    }
}

/// What holds an error is of its class.
macro_rules! as_inside {
    ($($holder:ty),*) => {
        $(
            impl<E: Classify + ?Sized> Classify for $holder {
                fn classify(&self) -> Class {
                    (**self).classify()
                }
            }
        )*
    };
}

as_inside!(&E, Box<E>, Rc<E>, Arc<E>);

/// The first refusal or I/O error in the chain of sources decides; else `Transient`.
macro_rules! by_chain {
    ($($error:ty),*) => {
        $(
            /// By the first refusal or I/O error in the chain of sources; else `Transient`.
            impl Classify for $error {
                fn classify(&self) -> Class {
                    chain::known_in(self).unwrap_or(Class::Transient)
                }
            }
        )*
    };
}

by_chain!(dyn StdError, dyn StdError + Send, dyn StdError + Send + Sync);

/// By kind; a refusal of ours inside decides for itself.
impl Classify for io::Error {
    fn classify(&self) -> Class {
        use io::ErrorKind as Kind;

        let by_kind = || match self.kind() {
            Kind::InvalidInput | Kind::InvalidData | Kind::Unsupported => Class::Permanent,
            // A socket that is missing, or that nobody may open yet, is a dependency that is down.
            _ => Class::Transient,
        };
        chain::refusal_in(self).unwrap_or_else(by_kind)
    }
}

/// A nested guarded call that was cut is worth another attempt, and its dependency's failure; one that was refused is
/// neither.
impl Classify for Error {
    fn classify(&self) -> Class {
        chain::class_of_refusal(self.is_failure_below())
    }
}

/// Looked through like a boxed error.
#[cfg(feature = "anyhow")]
impl Classify for anyhow::Error {
    fn classify(&self) -> Class {
        chain::known_in(self.as_ref()).unwrap_or(Class::Transient)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_boxed_error_is_looked_through() {
        fn boxed(error: impl StdError + Send + Sync + Clone + 'static) -> [Class; 3] {
            let plain: Box<dyn StdError> = Box::new(error.clone());
            let sent: Box<dyn StdError + Send> = Box::new(error.clone());
            let shared: Box<dyn StdError + Send + Sync> = Box::new(error);
            [plain.classify(), sent.classify(), shared.classify()]
        }
        assert_eq!(boxed(Error::bulkhead_full("db")), [Class::Refused; 3]);
        assert_eq!(boxed(fmt::Error), [Class::Transient; 3]);
        let boxed: Box<dyn StdError + Send + Sync> = Box::new(io::Error::from(io::ErrorKind::InvalidInput));
        assert_eq!((boxed.classify(), Arc::new(boxed).classify()), (Class::Permanent, Class::Permanent));
    }

    #[test]
    fn an_io_error_is_what_its_kind_says_or_the_refusal_inside() {
        use io::ErrorKind as Kind;

        for kind in [Kind::InvalidInput, Kind::InvalidData, Kind::Unsupported] {
            assert_eq!(io::Error::from(kind).classify(), Class::Permanent, "{kind:?}");
        }
        for kind in [Kind::NotFound, Kind::PermissionDenied, Kind::AlreadyExists, Kind::ConnectionReset, Kind::Other] {
            assert_eq!(io::Error::from(kind).classify(), Class::Transient, "{kind:?}");
        }
        assert_eq!(io::Error::from(Error::bulkhead_full("db")).classify(), Class::Refused);
        assert_eq!(io::Error::from(Error::timed_out("db", Duration::from_secs(1), true)).classify(), Class::Transient);
        let refused = io::Error::new(Kind::InvalidInput, Box::new(Error::bulkhead_full("db")));
        assert_eq!(refused.classify(), Class::Refused, "whatever its kind");
    }
}
