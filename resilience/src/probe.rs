//! Finds out at the expansion, by autoref, what a concrete error type can do.
//!
//! Method lookup tries the receiver as written, then what it refers to: the trait with more to say is implemented for
//! the type that lookup meets first, and wins where its bound holds.

use std::any::type_name;
use std::error::Error as StdError;
use std::fmt::{Debug, Display};
use std::future::Future;
use std::marker::PhantomData;

use crate::chain;
use crate::classify::{Class, Classify};
use crate::error::Error;
use crate::fallible::Fallible;
use crate::retry::{AsItIs, Keeps, NotAtAll};
use crate::text;

/// A return type, to be asked how to tell the class and text of its error.
///
/// Asked for functions and not for answers: an expansion then needs no closure, which each user's build would pay for.
#[derive(Debug)]
pub struct Kind<R: ?Sized>(pub(crate) PhantomData<fn(&R)>);

impl<R: ?Sized> Clone for Kind<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: ?Sized> Copy for Kind<R> {}

/// The error of a return type, without a value.
#[derive(Debug)]
pub struct ErrorOf<E>(PhantomData<fn(&E)>);

/// Says the error of what the block below ends with.
pub fn error_of<R: Fallible>(_result: &Result<R, Error>) -> ErrorOf<R::Error> {
    ErrorOf(PhantomData)
}

/// What the block below ends with.
pub fn kind<R>(_result: &Result<R, Error>) -> Kind<R> {
    Kind(PhantomData)
}

/// A return type as it is written.
#[must_use]
pub fn kind_of<R>() -> Kind<R> {
    Kind(PhantomData)
}

/// What a body ends with.
pub fn kind_to_be<F: Future>(_body: &F) -> Kind<F::Output> {
    Kind(PhantomData)
}

/// How an attempt's result is kept: as it is, where it may go wherever the function's future goes.
pub trait KeepSend {
    /// How.
    type Kept;

    /// The way.
    fn keep(&self) -> Keeps<Self::Kept> {
        Keeps::new()
    }
}

impl<R: Send> KeepSend for &Kind<R> {
    type Kept = AsItIs<R>;
}

/// The same for all others: not at all.
pub trait KeepAny {
    /// The way.
    fn keep(&self) -> Keeps<NotAtAll> {
        Keeps::new()
    }
}

impl<R> KeepAny for &&Kind<R> {}

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

/// Ways to tell, the best first: lookup on `&&&Kind` takes the first that an error has, as it looks at what is there for
/// `&&Kind`, then `&&&Kind`, then `&Kind`, then `Kind`.
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

            impl<R: Fallible<Error: $($bound)*>> $of for $this {}
        )*
    };
}

ways! {
    class, ClassBy -> Class;
    /// For errors that implement [`Classify`]: the class it gives itself.
    Classified, ClassOfClassify: (Classify) &&Kind<R>, |error| error.classify();
    /// For errors without classes that have sources: `Transient`, but for a refusal of ours among the sources.
    Sourced, ClassOfSource: (StdError) &&&Kind<R>, |error| refusal_below(error).unwrap_or(Class::Transient);
    /// For what holds an error of any type, as `anyhow::Error` does: what is known in that.
    Reported, ClassOfReport: (Report) &Kind<R>, |error| known_in_report(error).unwrap_or(Class::Transient);
    /// For all others: `Transient`.
    Unclassified, ClassOfAny: (Sized) Kind<R>, |_error| Class::Transient;
}

/// A report of `anyhow`, `eyre` and their like: no error itself, but it holds one.
pub trait Report: AsRef<dyn StdError + Send + Sync> {}

impl<E: AsRef<dyn StdError + Send + Sync>> Report for E {}

/// The class of a refusal among an error's sources. An error without classes is none itself, and may borrow.
fn refusal_below<E: StdError + ?Sized>(error: &E) -> Option<Class> {
    error.source().and_then(chain::refusal_in)
}

fn known_in_report(report: &impl Report) -> Option<Class> {
    chain::known_in(report.as_ref())
}

ways! {
    text, TextBy -> String;
    /// For errors that may have sources: what it says, and what they say.
    Chained, TextOfError: (StdError) &&Kind<R>, |error| text::with_sources(error);
    /// For others with `Display`: what that says.
    Displayed, TextOfDisplay: (Display) &&&Kind<R>, |error| error.to_string();
    /// For those with `Debug` only: what that says, if it is to be shown.
    Debugged, TextOfDebug: (Debug) &Kind<R>, |error| text::of_debug(error);
    /// For all others: the type's name.
    Nameless, TextOfAny: (Sized) Kind<R>, |_error| type_name::<E>().to_owned();
}

/// For a return type without an error of its own that a refusal goes into. What it lacks is told elsewhere, and once: whoever
/// asks it here has an answer, as an `await` that asks would be told of again.
#[derive(Clone, Copy, Debug)]
pub struct Unfit;

/// For any return type.
pub trait UnfitAny: Sized {
    /// The way.
    fn class(self) -> Unfit {
        Unfit
    }

    /// The way.
    fn text(self) -> Unfit {
        Unfit
    }
}

impl<R> UnfitAny for Kind<R> {}

impl<E: ?Sized> ClassBy<E> for Unfit {
    fn class(_error: &E) -> Class {
        Class::Transient
    }
}

impl<E: ?Sized> TextBy<E> for Unfit {
    fn text(_error: &E) -> String {
        String::new()
    }
}

/// A variant's field, or the error that has it, to be asked by `#[derive(Classify)]` for what it says about an unmarked variant.
#[derive(Debug)]
pub struct Probe<'a, E: ?Sized>(pub &'a E);

/// The ways to ask, the best first: as of a [`Kind`].
macro_rules! asked {
    ($question:ident -> $answer:ty; $( $(#[$doc:meta])* $of:ident: ($($bound:tt)*) $this:ty, |$error:ident| $told:expr; )*) => {
        $(
            $(#[$doc])*
            pub trait $of<'a> {
                /// What it says, if anything.
                fn $question(&self) -> Option<$answer>;
            }

            impl<'a, E: $($bound)*> $of<'a> for $this {
                fn $question(&self) -> Option<$answer> {
                    let $error = self.0;
                    $told
                }
            }
        )*
    };
}

asked! {
    class -> Class;
    /// For fields that implement [`Classify`]: their class.
    FieldOfClassify: (Classify + ?Sized) &&Probe<'a, E>, |error| Some(error.classify());
    /// For errors without classes: that of a refusal among their sources.
    FieldOfSource: (StdError + ?Sized) &&&Probe<'a, E>, |error| refusal_below(error);
    /// For what holds an error of any type.
    FieldOfReport: (Report) &Probe<'a, E>, |error| known_in_report(error);
    /// For all others.
    FieldOfAny: (?Sized) Probe<'a, E>, |_error| None;
}

asked! {
    refusal -> Class;
    /// For errors with sources: the class of a refusal among them.
    RefusalOfSource: (StdError + ?Sized) &Probe<'a, E>, |error| refusal_below(error);
    /// For all others.
    RefusalOfAny: (?Sized) Probe<'a, E>, |_error| None;
}

/// The class of an unmarked variant: by its field, else by a refusal among the error's sources.
#[must_use]
pub fn unmarked(by_field: Option<Class>, by_sources: Option<Class>) -> Class {
    by_field.or(by_sources).unwrap_or(Class::Transient)
}
