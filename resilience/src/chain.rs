//! What is known among an error's sources: a refusal of ours, or what one leaves behind.

use std::error::Error as StdError;
use std::fmt;
use std::io;

use crate::classify::{Class, Classify};
use crate::error::{Error, ErrorKind};

/// What stands below a refusal in a chain of sources.
///
/// An error that shows itself as what is inside of it (`#[error(transparent)]`, an I/O error with a payload) hands out its
/// source's source: the refusal is skipped, but not this.
#[derive(Debug)]
pub(crate) struct Marker {
    kind: ErrorKind,
    is_failure: bool,
}

impl Marker {
    pub(crate) fn of(refusal: &Error) -> &'static Self {
        macro_rules! one_for_each {
            ($($kind:ident)*) => {
                match (refusal.kind(), refusal.is_failure_below()) {
                    $(
                        (ErrorKind::$kind, true) => &Self { kind: ErrorKind::$kind, is_failure: true },
                        (ErrorKind::$kind, false) => &Self { kind: ErrorKind::$kind, is_failure: false },
                    )*
                }
            };
        }
        one_for_each!(CircuitOpen BulkheadFull RateLimited TimedOut DeadlineExceeded Misconfigured FailedValue)
    }
}

impl fmt::Display for Marker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl StdError for Marker {}

/// Whether it is no error, but only says that there was a refusal: texts of chains leave it out.
pub(crate) fn is_marker(error: &(dyn StdError + 'static)) -> bool {
    error.is::<Marker>()
}

/// The class of what a policy ended a call with.
pub(crate) const fn class_of_refusal(is_failure: bool) -> Class {
    if is_failure { Class::Transient } else { Class::Refused }
}

/// The class of the first refusal among an error and its sources.
pub(crate) fn refusal_in(error: &(dyn StdError + 'static)) -> Option<Class> {
    chain(error).find_map(refusal)
}

/// The class of the first refusal or I/O error among an error, whose own type nobody knows, and its sources.
pub(crate) fn known_in(error: &(dyn StdError + 'static)) -> Option<Class> {
    let io = |error: &(dyn StdError + 'static)| error.downcast_ref::<io::Error>().map(Classify::classify);
    chain(error).find_map(|error| refusal(error).or_else(|| io(error)))
}

fn refusal(error: &(dyn StdError + 'static)) -> Option<Class> {
    let left_behind = || error.downcast_ref::<Marker>().map(|marker| class_of_refusal(marker.is_failure));
    error.downcast_ref::<Error>().map(Classify::classify).or_else(left_behind)
}

/// The error, and what it comes from.
pub(crate) fn chain<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::outcome::Origin;
    use crate::story::Story;

    fn refusals() -> [(Error, &'static str, Class); 8] {
        [
            (Error::circuit_open("db", None.into()), "circuit_open", Class::Refused),
            (Error::bulkhead_full("db"), "bulkhead_full", Class::Refused),
            (Error::timed_out("db", Duration::from_secs(1), true), "timed_out", Class::Transient),
            (Error::deadline_exceeded("db"), "deadline_exceeded", Class::Refused),
            (Error::deadline_cut("db", Origin::Timeout), "deadline_exceeded", Class::Transient),
            (Error::misconfigured("db", "why"), "misconfigured", Class::Refused),
            (Error::bulkhead_full("db").after_failure(Story::new("down", 2)), "bulkhead_full", Class::Transient),
            (Error::failed_value("db"), "failed_value", Class::Transient),
        ]
    }

    #[test]
    fn a_refusal_leaves_a_marker_that_says_what_it_was() {
        for (refusal, word, class) in refusals() {
            let marker = refusal.source().expect("a refusal has one");
            assert!(is_marker(marker) && !is_marker(&refusal));
            assert_eq!(marker.to_string(), word);
            assert!(marker.source().is_none());
            assert_eq!((refusal.classify(), refusal_in(marker)), (class, Some(class)), "{word}");
        }
    }

    #[test]
    fn it_is_found_in_whatever_hands_on_its_sources() {
        for (refusal, _, class) in refusals() {
            let boxed = Box::new(refusal.clone());
            let shared = std::sync::Arc::new(refusal.clone());
            let io = io::Error::from(refusal.clone());
            let io_in_io = io::Error::other(io::Error::from(refusal));
            for error in [&boxed as &(dyn StdError + 'static), &shared, &io, &io_in_io] {
                assert_eq!((refusal_in(error), known_in(error)), (Some(class), Some(class)), "{error:?}");
            }
        }
    }

    #[test]
    fn what_is_none_of_ours_has_no_class() {
        let io = io::Error::from(io::ErrorKind::InvalidData);
        assert_eq!((refusal_in(&io), known_in(&io)), (None, Some(Class::Permanent)));
        assert_eq!((refusal_in(&fmt::Error), known_in(&fmt::Error)), (None, None));
    }
}
