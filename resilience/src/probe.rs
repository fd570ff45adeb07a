//! Finds out at the expansion, by autoref, what a concrete error type can do.
//!
//! Method lookup tries the receiver as written, then what it refers to: the trait with more to say is implemented for
//! the type that lookup meets first, and wins where its bound holds.

use std::any::type_name;
use std::fmt::{Debug, Display};

use crate::classify::{Class, Classify};

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

/// For all others.
pub trait ClassOfAny {
    /// `Transient`.
    fn class(&self) -> Class;
}

impl<E: ?Sized> ClassOfAny for &Probe<'_, E> {
    fn class(&self) -> Class {
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
}
