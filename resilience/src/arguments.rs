//! Copies of by-value arguments, and what to say where there can be none.
//!
//! Each comes twice. The plain one finds `Clone` itself missing, so that rustc's advice is `#[derive(Clone)]` or a bound
//! `T: Clone`; but our text is shown only where it is the argument's own type that is not `Clone`. For a `Vec` or a
//! `Box` of what is not `Clone` there is the other one: our text, and no advice.

use std::mem::needs_drop;

use crate::deadline;

/// A copy, which may take its time: what the layers above have read from the clock is not for those below.
#[inline]
fn copy<T: Clone>(argument: &T) -> T {
    // Numbers and references take none.
    if const { needs_drop::<T>() } {
        deadline::way_in_ends();
    }
    argument.clone()
}

macro_rules! copies {
    ($(#[$doc:meta])* $plain:ident, $wrapping:ident: $message:literal, $note:literal) => {
        $(#[$doc])*
        #[diagnostic::on_unimplemented(message = $message, label = "passed by value, and not `Clone`", note = $note)]
        pub trait $plain: Sized {
            /// The copy.
            #[must_use]
            fn dup(&self) -> Self;
        }

        impl<T: Clone> $plain for T {
            fn dup(&self) -> Self {
                copy(self)
            }
        }

        $(#[$doc])*
        #[diagnostic::on_unimplemented(message = $message, label = "passed by value, and not `Clone`", note = $note)]
        pub trait $wrapping: Sized {
            /// The copy.
            #[must_use]
            fn dup(&self) -> Self;
        }

        #[diagnostic::do_not_recommend]
        impl<T: Clone> $wrapping for T {
            fn dup(&self) -> Self {
                copy(self)
            }
        }
    };
}

copies! {
    /// A by-value argument of a function whose body may run again: each attempt gets a copy.
    ClonedForEachAttempt, WrapperClonedForEachAttempt:
    "`#[retry]` may run the body again and needs a copy of this argument for each attempt, but `{Self}` is not `Clone`",
    "take it by reference, derive `Clone`, or share it between attempts with `#[retry(borrow(…))]`"
}

copies! {
    /// A by-value argument that the body takes and that an expression asks for afterwards: the body gets a copy.
    ClonedForLater, WrapperClonedForLater:
    "the body takes this argument, and a fallback, `when` or `on_retry` asks for it afterwards, but `{Self}` is not `Clone`",
    "take it by reference, or derive `Clone`"
}
