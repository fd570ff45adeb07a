//! Finds out at the expansion, by autoref, what a concrete error type can do.
//!
//! Method lookup tries the receiver as written, then what it refers to: the trait with more to say is implemented for
//! the type that lookup meets first, and wins where its bound holds.

use std::any::type_name;
use std::error::Error as StdError;
use std::fmt::{Debug, Display};

use crate::classify::{self, Class, Classify};
use crate::error::Error;

/// A reference to an error, to be asked.
#[derive(Debug)]
pub struct Probe<'a, E: ?Sized>(pub &'a E);

impl<E: ?Sized> Clone for Probe<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: ?Sized> Copy for Probe<'_, E> {}

/// For errors that implement [`Classify`].
pub trait ClassOfClassify {
    /// The class it gives itself.
    fn class(&self) -> Class;
}

impl<E: Classify + ?Sized> ClassOfClassify for Probe<'_, E> {
    fn class(&self) -> Class {
        self.0.classify()
    }
}

/// For errors without classes that have sources.
pub trait ClassOfSource {
    /// `Transient`, but for a refusal of ours among the sources.
    fn class(&self) -> Class;
}

impl<E: StdError + 'static> ClassOfSource for &Probe<'_, E> {
    fn class(&self) -> Class {
        classify::refusal_in(self.0).map_or(Class::Transient, Classify::classify)
    }
}

/// For all others.
pub trait ClassOfAny {
    /// `Transient`.
    fn class(self) -> Class;
}

impl<E: ?Sized> ClassOfAny for Probe<'_, E> {
    fn class(self) -> Class {
        Class::Transient
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

/// For errors with `Display`.
pub trait TextOfDisplay {
    /// What `Display` says.
    fn text(&self) -> String;
}

impl<E: Display + ?Sized> TextOfDisplay for &Probe<'_, E> {
    fn text(&self) -> String {
        self.0.to_string()
    }
}

/// For errors with `Debug` only.
pub trait TextOfDebug {
    /// What `Debug` says.
    fn text(&self) -> String;
}

impl<E: Debug + ?Sized> TextOfDebug for Probe<'_, E> {
    fn text(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// For all others.
pub trait TextOfAny {
    /// The type's name.
    fn text(self) -> String;
}

impl<E: ?Sized> TextOfAny for Probe<'_, E> {
    fn text(self) -> String {
        type_name::<E>().to_owned()
    }
}

#[cfg(test)]
#[allow(clippy::needless_borrow, reason = "the references are what lookup goes by, as in an expansion")]
mod tests {
    use super::*;

    #[test]
    fn the_best_text_wins() {
        #[derive(Debug)]
        struct OnlyDebug;
        struct Neither;

        assert_eq!((&&Probe(&"displayed")).text(), "displayed");
        assert_eq!((&&Probe(&OnlyDebug)).text(), "OnlyDebug");
        assert!((&&Probe(&Neither)).text().ends_with("Neither"));
    }

    #[test]
    fn classify_is_used_where_it_is_implemented() {
        struct NotFound;
        impl Classify for NotFound {
            fn classify(&self) -> Class {
                Class::Caller
            }
        }
        assert_eq!((&Probe(&NotFound)).class(), Class::Caller);
        assert_eq!((&Probe(&"no classes")).class(), Class::Transient);
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
        assert_eq!((&Probe(&Wrapped(Some(Error::bulkhead_full("db"))))).class(), Class::Refused);
        let in_io = std::io::Error::from(Error::bulkhead_full("db"));
        assert_eq!((&Probe(&Wrapped(Some(in_io)))).class(), Class::Refused);
        assert_eq!((&Probe(&Wrapped(Some(Box::new(Error::bulkhead_full("db")))))).class(), Class::Refused);
        assert_eq!((&Probe(&Wrapped(None::<Error>))).class(), Class::Transient);
    }
}
