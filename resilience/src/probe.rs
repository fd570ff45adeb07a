//! Finds out at the expansion, by autoref, what a concrete error type can do.
//!
//! Method lookup tries the receiver as written, then what it refers to: the trait with more to say is implemented for
//! the type that lookup meets first, and wins where its bound holds.

use std::any::type_name;
use std::error::Error as StdError;
use std::fmt::{Debug, Display};
use std::future::Future;
use std::marker::PhantomData;

use crate::classify::{self, Class, Classify};
use crate::error::Error;
use crate::fallible::Fallible;

/// A reference to an error, to be asked.
#[derive(Debug)]
pub struct Probe<'a, E: ?Sized>(pub &'a E);

/// The type of a function's error, to be asked how to tell an error's class and text.
///
/// Asked for functions and not for answers: an expansion then needs no closure, which each user's build would pay for.
#[derive(Debug)]
pub struct Kind<E: ?Sized>(PhantomData<fn(&E)>);

impl<E: ?Sized> Clone for Kind<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: ?Sized> Copy for Kind<E> {}

/// The type of error that the block below may end with.
pub fn kind<R: Fallible>(_result: &Result<R, Error>) -> Kind<R::Error> {
    Kind(PhantomData)
}

/// The type of error that a function may end with.
#[must_use]
pub fn kind_of<R: Fallible>() -> Kind<R::Error> {
    Kind(PhantomData)
}

/// The type of error that a body may end with.
pub fn kind_to_be<F: Future<Output: Fallible>>(_body: &F) -> Kind<<F::Output as Fallible>::Error> {
    Kind(PhantomData)
}

/// For errors that implement [`Classify`].
pub trait ClassOfClassify<E: ?Sized> {
    /// The class it gives itself.
    fn class(&self) -> fn(&E) -> Class;
}

impl<E: Classify + ?Sized> ClassOfClassify<E> for Kind<E> {
    fn class(&self) -> fn(&E) -> Class {
        E::classify
    }
}

/// For errors without classes that have sources.
pub trait ClassOfSource<E: ?Sized> {
    /// `Transient`, but for a refusal of ours among the sources.
    fn class(&self) -> fn(&E) -> Class;
}

impl<E: StdError + 'static> ClassOfSource<E> for &Kind<E> {
    fn class(&self) -> fn(&E) -> Class {
        |error| classify::refusal_in(error).map_or(Class::Transient, Classify::classify)
    }
}

/// For all others.
pub trait ClassOfAny<E: ?Sized> {
    /// `Transient`.
    fn class(self) -> fn(&E) -> Class;
}

impl<E: ?Sized> ClassOfAny<E> for Kind<E> {
    fn class(self) -> fn(&E) -> Class {
        |_| Class::Transient
    }
}

/// For errors with `Display`.
pub trait TextOfDisplay<E: ?Sized> {
    /// What `Display` says.
    fn text(&self) -> fn(&E) -> String;
}

impl<E: Display + ?Sized> TextOfDisplay<E> for &Kind<E> {
    fn text(&self) -> fn(&E) -> String {
        E::to_string
    }
}

/// For errors with `Debug` only.
pub trait TextOfDebug<E: ?Sized> {
    /// What `Debug` says.
    fn text(&self) -> fn(&E) -> String;
}

impl<E: Debug + ?Sized> TextOfDebug<E> for Kind<E> {
    fn text(&self) -> fn(&E) -> String {
        |error| format!("{error:?}")
    }
}

/// For all others.
pub trait TextOfAny<E: ?Sized> {
    /// The type's name.
    fn text(self) -> fn(&E) -> String;
}

impl<E: ?Sized> TextOfAny<E> for Kind<E> {
    fn text(self) -> fn(&E) -> String {
        |_| type_name::<E>().to_owned()
    }
}

/// For the one field of an unmarked variant, if it is a refusal of ours.
pub trait UnmarkedRefusal {
    /// What the refusal says.
    fn unmarked(&self) -> Class;
}

impl UnmarkedRefusal for Probe<'_, Error> {
    fn unmarked(&self) -> Class {
        self.0.classify()
    }
}

/// For any other field.
pub trait UnmarkedAny {
    /// `Transient`.
    fn unmarked(&self) -> Class;
}

impl<E: ?Sized> UnmarkedAny for &Probe<'_, E> {
    fn unmarked(&self) -> Class {
        Class::Transient
    }
}

#[cfg(test)]
#[allow(clippy::needless_borrow, reason = "the references are what lookup goes by, as in an expansion")]
mod tests {
    use super::*;

    fn of<E>(_error: &E) -> Kind<E> {
        Kind(PhantomData)
    }

    #[test]
    fn the_best_text_wins() {
        #[derive(Debug)]
        struct OnlyDebug;
        struct Neither;

        assert_eq!((&&of(&"displayed")).text()(&"displayed"), "displayed");
        assert_eq!((&&of(&OnlyDebug)).text()(&OnlyDebug), "OnlyDebug");
        assert!((&&of(&Neither)).text()(&Neither).ends_with("Neither"));
    }

    #[test]
    fn classify_is_used_where_it_is_implemented() {
        struct NotFound;
        impl Classify for NotFound {
            fn classify(&self) -> Class {
                Class::Caller
            }
        }
        assert_eq!((&of(&NotFound)).class()(&NotFound), Class::Caller);
        assert_eq!((&of(&"no classes")).class()(&"no classes"), Class::Transient);
    }

    #[test]
    fn a_refusal_among_the_sources_stays_one() {
        #[derive(Debug)]
        struct Wrapped<E>(Option<E>);
        impl<E> Display for Wrapped<E> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("wrapped")
            }
        }
        impl<E: StdError + 'static> StdError for Wrapped<E> {
            fn source(&self) -> Option<&(dyn StdError + 'static)> {
                self.0.as_ref().map(|error| error as _)
            }
        }
        let refusal = Wrapped(Some(Error::bulkhead_full("db")));
        assert_eq!((&of(&refusal)).class()(&refusal), Class::Refused);
        let in_io = Wrapped(Some(std::io::Error::from(Error::bulkhead_full("db"))));
        assert_eq!((&of(&in_io)).class()(&in_io), Class::Refused);
        let boxed = Wrapped(Some(Box::new(Error::bulkhead_full("db"))));
        assert_eq!((&of(&boxed)).class()(&boxed), Class::Refused);
        let other = Wrapped(None::<Error>);
        assert_eq!((&of(&other)).class()(&other), Class::Transient);
    }
}
