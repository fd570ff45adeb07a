//! How a call has ended, for those around it who ask.

use std::time::Duration;

use crate::error::Error;
use crate::fallible::Fallible;
use crate::linked::Below;
use crate::outcome::{self, Outcome};
use crate::probe::{ClassBy, Classified, Reported, Sourced, TextBy, Unclassified, Unfit};
use crate::retry::Attempts;

/// Who tells a circuit breaker how a call has ended: a way to tell the class of the function's error, or nobody where no
/// layer asks.
pub trait Judge<R> {
    /// How it has ended.
    fn outcome(returned: &R) -> Outcome;
}

/// Who tells a retry: ways to tell the class and the text of the function's error.
pub trait Judges<R> {
    /// The pause before another attempt, if there is one.
    fn delay<K>(
        attempts: &mut Attempts<'_, K>,
        result: &Result<R, Error>,
        below: &'static dyn Below,
    ) -> Option<Duration>;
}

// Only here the return type has to be fallible: where it is not, there still is a future, and that is told elsewhere, once.
macro_rules! judges {
    ($($by:ty)*) => {
        $(
            impl<R: Fallible> Judge<R> for $by
            where
                $by: ClassBy<R::Error>,
            {
                #[cfg_attr(not(debug_assertions), inline(always))]
                fn outcome(returned: &R) -> Outcome {
                    outcome::of_returned(returned, <$by as ClassBy<R::Error>>::class)
                }
            }

            impl<R: Fallible, T: TextBy<R::Error>> Judges<R> for ($by, T)
            where
                $by: ClassBy<R::Error>,
            {
                #[cfg_attr(not(debug_assertions), inline(always))]
                fn delay<K>(
                    attempts: &mut Attempts<'_, K>,
                    result: &Result<R, Error>,
                    below: &'static dyn Below,
                ) -> Option<Duration> {
                    attempts.delay_by(result, <$by as ClassBy<R::Error>>::class, T::text, below)
                }
            }
        )*
    };
}

judges!(Classified Sourced Reported Unclassified);

impl<R> Judge<R> for Unfit {
    fn outcome(_returned: &R) -> Outcome {
        Outcome::Neutral
    }
}

impl<R, T> Judges<R> for (Unfit, T) {
    fn delay<K>(
        _attempts: &mut Attempts<'_, K>,
        _result: &Result<R, Error>,
        _below: &'static dyn Below,
    ) -> Option<Duration> {
        None
    }
}

/// Nobody is asked.
#[derive(Clone, Copy, Debug)]
pub struct Unasked;

impl<R> Judge<R> for Unasked {
    fn outcome(_returned: &R) -> Outcome {
        Outcome::Neutral
    }
}
