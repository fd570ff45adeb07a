//! What lookup finds for each kind of error.
#![allow(clippy::needless_borrow, reason = "the references are what lookup goes by, as in an expansion")]

use std::error::Error as StdError;
use std::fmt::{self, Display};
use std::marker::PhantomData;

use crate::__private::probing::*;
use crate::classify::{Class, Classify};
use crate::error::Error;
use crate::fallible::Fallible;
use crate::probe::{ClassBy, Kind, TextBy, Unfit};

/// A return type with any error.
struct Ending<E>(E);

impl<E> Fallible for Ending<E> {
    type Value = ();
    type Error = E;

    fn result(&self) -> Result<&(), &E> {
        Err(&self.0)
    }
    fn success((): ()) -> Self {
        unreachable!("nobody calls it")
    }
    fn refused(_error: Error) -> Self {
        unreachable!("nobody calls it")
    }
}

fn of<E>(_error: &E) -> Kind<Ending<E>> {
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

    assert_eq!(told((&&&of(&"displayed")).text(), &"displayed"), "displayed");
    assert!(told((&&&of(&OnlyDebug)).text(), &OnlyDebug).ends_with("::OnlyDebug"), "what it says may be secret");
    assert!(told((&&&of(&Neither)).text(), &Neither).ends_with("Neither"));
}

#[test]
fn classify_is_used_where_it_is_implemented() {
    struct NotFound;
    impl Classify for NotFound {
        fn classify(&self) -> Class {
            Class::Caller
        }
    }
    assert_eq!(class((&&&of(&NotFound)).class(), &NotFound), Class::Caller);
    assert_eq!(class((&&&of(&"no classes")).class(), &"no classes"), Class::Transient);
}

#[test]
fn a_refusal_among_the_sources_stays_one() {
    #[derive(Debug)]
    struct Wrapped<E>(Option<E>);
    impl<E> Display for Wrapped<E> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("wrapped")
        }
    }
    impl<E: StdError + 'static> StdError for Wrapped<E> {
        fn source(&self) -> Option<&(dyn StdError + 'static)> {
            self.0.as_ref().map(|error| error as _)
        }
    }
    let refusal = Wrapped(Some(Error::bulkhead_full("db")));
    assert_eq!(class((&&&of(&refusal)).class(), &refusal), Class::Refused);
    let in_io = Wrapped(Some(std::io::Error::from(Error::bulkhead_full("db"))));
    assert_eq!(class((&&&of(&in_io)).class(), &in_io), Class::Refused);
    let boxed = Wrapped(Some(Box::new(Error::bulkhead_full("db"))));
    assert_eq!(class((&&&of(&boxed)).class(), &boxed), Class::Refused);
    let other = Wrapped(None::<Error>);
    assert_eq!(class((&&&of(&other)).class(), &other), Class::Transient);
}

#[test]
fn a_return_type_without_errors_is_unfit() {
    let kind = Kind::<u8>(PhantomData);
    let (class, text): (Unfit, Unfit) = ((&&&kind).class(), (&&&kind).text());
    let _ = (class, text);
}

#[test]
fn an_error_that_borrows_is_told_by_its_sources() {
    #[derive(Debug)]
    struct Borrows<'a>(&'a str, Option<Error>);
    impl Display for Borrows<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }
    impl StdError for Borrows<'_> {
        fn source(&self) -> Option<&(dyn StdError + 'static)> {
            self.1.as_ref().map(|error| error as _)
        }
    }
    fn classes(text: &str) -> [Class; 2] {
        let (refused, failed) = (Borrows(text, Some(Error::bulkhead_full("db"))), Borrows(text, None));
        [class((&&&of(&refused)).class(), &refused), class((&&&of(&failed)).class(), &failed)]
    }
    assert_eq!(classes("text"), [Class::Refused, Class::Transient]);
}
