//! How a call has ended, for those around it who ask.

use std::time::Duration;

use super::around::Call;
use crate::error::Error;
use crate::fallible::Fallible;
use crate::outcome::{self, Outcome, Seen};
use crate::probe::{ClassBy, Classified, Reported, Sourced, TextBy, Unclassified, Unfit};
use crate::retry::Attempts;

/// How a call has ended for a circuit breaker around it, which a layer further in may have refused or cut.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn outcome_of(ended: &Result<(), Error>, call: &dyn Call) -> Outcome {
    match ended {
        Ok(()) => call.outcome(),
        Err(error) => Seen::of_refusal(error).outcome(),
    }
}

/// Who tells a circuit breaker how a call has ended: a way to tell the class of the function's error, or nobody where no
/// layer asks.
pub trait Judge<R> {
    /// How it has ended.
    fn outcome(returned: &R) -> Outcome;
}

/// Who tells a retry: ways to tell the class and the text of the function's error.
pub trait Judges<R> {
    /// The pause before another attempt, if there is one.
    fn delay(attempts: &mut Attempts<'_>, result: &Result<R, Error>) -> Option<Duration>;
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
                fn delay(attempts: &mut Attempts<'_>, result: &Result<R, Error>) -> Option<Duration> {
                    attempts.delay_by(result, <$by as ClassBy<R::Error>>::class, T::text)
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
    fn delay(_attempts: &mut Attempts<'_>, _result: &Result<R, Error>) -> Option<Duration> {
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
