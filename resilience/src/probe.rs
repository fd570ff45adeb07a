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

/// A return type.
#[derive(Debug)]
pub struct Returning<R>(PhantomData<fn() -> R>);

/// Says a return type; nothing is asked of it yet.
#[must_use]
pub fn returning<R>() -> Returning<R> {
    Returning(PhantomData)
}

/// The type of error that a function may end with.
pub fn kind_of<R: Fallible>(_returned: Returning<R>) -> Kind<R::Error> {
    Kind(PhantomData)
}

/// The type of error that a body may end with.
pub fn kind_to_be<F: Future<Output: Fallible>>(_body: &F) -> Kind<<F::Output as Fallible>::Error> {
    Kind(PhantomData)
}

/// How to tell an error's class. Types without a value, so that a call's future has no room for it.
pub trait ClassBy<E: ?Sized> {
    /// The class.
    fn class(error: &E) -> Class;
}

/// How to tell an error's text.
pub trait TextBy<E: ?Sized> {
    /// The text.
    fn text(error: &E) -> String;
}

/// The function that tells an error's class.
pub fn class_by<E: ?Sized, C: ClassBy<E>>(_by: C) -> fn(&E) -> Class {
    C::class
}

/// The function that tells an error's text.
pub fn text_by<E: ?Sized, T: TextBy<E>>(_by: T) -> fn(&E) -> String {
    T::text
}

/// Three ways, the best first: lookup takes the first that an error has, by the references that each wants.
macro_rules! ways {
    (
        $question:ident, $by:ident -> $answer:ty;
        $( $(#[$doc:meta])* $way:ident, $of:ident: ($($bound:tt)*) $this:ty, |$error:ident| $told:expr; )*
    ) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $way;

            impl<E: $($bound)*> $by<E> for $way {
                fn $question($error: &E) -> $answer {
                    $told
                }
            }

            $(#[$doc])*
            pub trait $of {
                /// The way.
                fn $question(&self) -> $way {
                    $way
                }
            }

            impl<E: $($bound)*> $of for $this {}
        )*
    };
}

ways! {
    class, ClassBy -> Class;
    /// For errors that implement [`Classify`]: the class it gives itself.
    Classified, ClassOfClassify: (Classify + ?Sized) Kind<E>, |error| error.classify();
    /// For errors without classes that have sources: `Transient`, but for a refusal of ours among the sources.
    Sourced, ClassOfSource: (StdError + 'static) &Kind<E>,
        |error| classify::refusal_in(error).map_or(Class::Transient, Classify::classify);
}

/// For all others: `Transient`.
#[derive(Clone, Copy, Debug)]
pub struct Unclassified;

impl<E: ?Sized> ClassBy<E> for Unclassified {
    fn class(_error: &E) -> Class {
        Class::Transient
    }
}

/// For all others.
pub trait ClassOfAny: Sized {
    /// The way.
    fn class(self) -> Unclassified {
        Unclassified
    }
}

impl<E: ?Sized> ClassOfAny for Kind<E> {}

ways! {
    text, TextBy -> String;
    /// For errors with `Display`: what that says.
    Displayed, TextOfDisplay: (Display + ?Sized) &Kind<E>, |error| error.to_string();
    /// For errors with `Debug` only: what that says.
    Debugged, TextOfDebug: (Debug + ?Sized) Kind<E>, |error| format!("{error:?}");
}

/// For all others: the type's name.
#[derive(Clone, Copy, Debug)]
pub struct Nameless;

impl<E: ?Sized> TextBy<E> for Nameless {
    fn text(_error: &E) -> String {
        type_name::<E>().to_owned()
    }
}

/// For all others.
pub trait TextOfAny: Sized {
    /// The way.
    fn text(self) -> Nameless {
        Nameless
    }
}

impl<E: ?Sized> TextOfAny for Kind<E> {}

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

    fn class<E, C: ClassBy<E>>(_by: C, error: &E) -> Class {
        C::class(error)
    }

    fn told<E, T: TextBy<E>>(_by: T, error: &E) -> String {
        T::text(error)
    }

    #[test]
    fn the_best_text_wins() {
        #[derive(Debug)]
        struct OnlyDebug;
        struct Neither;

        assert_eq!(told((&&of(&"displayed")).text(), &"displayed"), "displayed");
        assert_eq!(told((&&of(&OnlyDebug)).text(), &OnlyDebug), "OnlyDebug");
        assert!(told((&&of(&Neither)).text(), &Neither).ends_with("Neither"));
    }

    #[test]
    fn classify_is_used_where_it_is_implemented() {
        struct NotFound;
        impl Classify for NotFound {
            fn classify(&self) -> Class {
                Class::Caller
            }
        }
        assert_eq!(class((&of(&NotFound)).class(), &NotFound), Class::Caller);
        assert_eq!(class((&of(&"no classes")).class(), &"no classes"), Class::Transient);
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
        assert_eq!(class((&of(&refusal)).class(), &refusal), Class::Refused);
        let in_io = Wrapped(Some(std::io::Error::from(Error::bulkhead_full("db"))));
        assert_eq!(class((&of(&in_io)).class(), &in_io), Class::Refused);
        let boxed = Wrapped(Some(Box::new(Error::bulkhead_full("db"))));
        assert_eq!(class((&of(&boxed)).class(), &boxed), Class::Refused);
        let other = Wrapped(None::<Error>);
        assert_eq!(class((&of(&other)).class(), &other), Class::Transient);
    }
}
