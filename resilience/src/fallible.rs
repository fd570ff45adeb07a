//! The return types that policies can stand around.

use crate::deadline;
use crate::error::Error;
use crate::text;

/// A return type that is either a value or an error, and can take in a refusal.
///
/// It is implemented for `Result<T, E>` where `E: From<resilience::Error>`. Implement it for a type of your own and
/// functions that return it can be guarded too: the macros never read type names.
///
/// # Examples
///
/// ```
/// use resilience::{Error, Fallible};
///
/// enum Answer {
///     Found(u32),
///     Failed(String),
/// }
///
/// impl Fallible for Answer {
///     type Value = u32;
///     type Error = String;
///
///     fn result(&self) -> Result<&u32, &String> {
///         match self {
///             Answer::Found(number) => Ok(number),
///             Answer::Failed(reason) => Err(reason),
///         }
///     }
///     fn success(value: u32) -> Self {
///         Answer::Found(value)
///     }
///     fn refused(error: Error) -> Self {
///         Answer::Failed(error.to_string())
///     }
/// }
/// # assert!(Answer::success(1).result().is_ok());
/// ```
#[diagnostic::on_unimplemented(
    message = "a resilience attribute needs a function that returns a `Result`",
    label = "`{Self}` is neither a `Result<T, E>` nor a type that implements `resilience::Fallible`",
    note = "return `Result<T, E>` where `E: From<resilience::Error>`, or implement `resilience::Fallible` for `{Self}`"
)]
pub trait Fallible {
    /// What a successful call gives.
    type Value;
    /// The error type that policies and predicates look at.
    type Error;

    /// Returns the value or the error inside.
    ///
    /// # Errors
    ///
    /// Returns the error that the call ended with.
    fn result(&self) -> Result<&Self::Value, &Self::Error>;

    /// Makes a successful result of a value.
    fn success(value: Self::Value) -> Self;

    /// Makes a failed result of a policy's refusal.
    fn refused(error: Error) -> Self;
}

impl<T, E: FromRefusal> Fallible for Result<T, E> {
    type Value = T;
    type Error = E;

    fn result(&self) -> Result<&T, &E> {
        self.as_ref()
    }

    fn success(value: T) -> Self {
        Ok(value)
    }

    fn refused(error: Error) -> Self {
        Err(E::from_refusal(error))
    }
}

/// A [`Fallible`] type that can be taken apart, as `#[fallback]` needs it.
///
/// It is implemented for `Result<T, E>`; implement it for a type of your own to use fallbacks that take the error.
#[diagnostic::on_unimplemented(
    message = "`#[fallback]` needs a function that returns a `Result`",
    label = "`{Self}` cannot be taken apart into value and error",
    note = "return `Result<T, E>` where `E: From<resilience::Error>`, or implement `resilience::Recoverable` for `{Self}`"
)]
pub trait Recoverable: Fallible {
    /// Returns the value or the error inside.
    ///
    /// # Errors
    ///
    /// Returns the error that the call ended with.
    fn into_result(self) -> Result<Self::Value, Self::Error>;
}

impl<T, E: FromRefusal> Recoverable for Result<T, E> {
    fn into_result(self) -> Self {
        self
    }
}

/// The error's text, by `told` where it is the function's own.
pub(crate) fn error_text<R: Fallible>(result: &Result<R, Error>, told: fn(&R::Error) -> String) -> String {
    match result {
        Ok(returned) => returned.result().err().map(|error| text::told(|| told(error))).unwrap_or_default(),
        Err(refusal) => refusal.to_string(),
    }
}

/// Hands over the error as the function's own type, a timeout below converted.
pub(crate) fn with_error<R: Fallible>(result: &Result<R, Error>, use_error: impl FnOnce(&R::Error)) {
    match result {
        Ok(returned) => {
            if let Err(error) = returned.result() {
                use_error(error);
            }
        }
        Err(refusal) => {
            if let Err(error) = R::refused(refusal.clone()).result() {
                use_error(error);
            }
        }
    }
}

/// The value that the block below ended with, if it is one.
#[doc(hidden)]
#[inline]
pub fn value<R: Fallible>(result: &Result<R, Error>) -> Option<&R::Value> {
    result.as_ref().ok()?.result().ok()
}

/// `From<resilience::Error>` under a name of ours, so that its absence is explained in our words.
#[diagnostic::on_unimplemented(
    message = "the error type `{Self}` cannot take in a `resilience::Error`",
    label = "a policy may refuse this call, and `{Self}` cannot say so",
    note = "write `impl From<resilience::Error> for {Self}` (with thiserror: `#[error(transparent)] Refused(#[from] resilience::Error)`)",
    note = "for a type of another crate, such as `String` or `()`, return an error type of your own; for a type parameter, bound it: `E: From<resilience::Error>`"
)]
pub trait FromRefusal {
    #[doc(hidden)]
    fn from_refusal(error: Error) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E: From<Error>> FromRefusal for E {
    fn from_refusal(error: Error) -> Self {
        error.into()
    }
}

/// The outermost edge of a stack: a refusal becomes the function's own error.
#[doc(hidden)]
#[inline]
pub fn finish<R: Fallible>(result: Result<R, Error>) -> R {
    result.unwrap_or_else(|refusal| {
        deadline::way_in_ends();
        R::refused(refusal)
    })
}
