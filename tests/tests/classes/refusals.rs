//! A refusal stays a refusal through whatever has it as a source, and a cut a failure: told by a real retry's attempts and
//! a real breaker's counts.

use std::error::Error as StdError;
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicU32, Ordering};

use resilience::{CircuitBreaker, Classify, Error, ErrorKind, circuit_breaker, retry};
use resilience_tests::{cut_by_deadline, refusal};

/// What a guarded call inside ended with.
#[derive(Clone, Debug)]
enum Cause {
    Nested(Error),
    Failed,
}

impl From<Error> for Cause {
    fn from(error: Error) -> Self {
        Self::Nested(error)
    }
}

// ---- what is inside ----------------------------------------------------------------------------------------------

/// Without classes, and transparent: the refusal itself is not among its sources.
#[derive(Debug, thiserror::Error)]
enum Own {
    #[error("failed")]
    Failed,
    #[error(transparent)]
    Nested(#[from] Error),
}

impl From<Cause> for Own {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Nested(error) => error.into(),
            Cause::Failed => Self::Failed,
        }
    }
}

#[derive(Debug, Classify, thiserror::Error)]
enum OwnDerived {
    #[error("failed")]
    Failed,
    #[error(transparent)]
    Nested(#[from] Error),
}

impl From<Cause> for OwnDerived {
    fn from(cause: Cause) -> Self {
        match cause {
            Cause::Nested(error) => error.into(),
            Cause::Failed => Self::Failed,
        }
    }
}

type Boxed = Box<dyn StdError + Send + Sync>;

impl From<Cause> for Boxed {
    fn from(cause: Cause) -> Self {
        Box::new(Own::from(cause))
    }
}

impl From<Cause> for anyhow::Error {
    fn from(cause: Cause) -> Self {
        Self::new(Own::from(cause)).context("while asking").context("while serving")
    }
}

/// As `eyre` has it: no error itself, but a chain of contexts around one.
#[derive(Debug)]
struct Report(Boxed);

#[derive(Debug)]
struct Context(&'static str, Boxed);

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl StdError for Context {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.1)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Deref for Report {
    type Target = dyn StdError + Send + Sync;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl AsRef<dyn StdError + Send + Sync> for Report {
    fn as_ref(&self) -> &(dyn StdError + Send + Sync + 'static) {
        &*self.0
    }
}

impl From<Cause> for Report {
    fn from(cause: Cause) -> Self {
        Self(Box::new(Context("while serving", Box::new(Context("while asking", cause.into())))))
    }
}

impl From<Error> for Report {
    fn from(error: Error) -> Self {
        Cause::from(error).into()
    }
}

// ---- functions that return each of them, by themselves and in other errors -----------------------------------------

/// What happened to a call: attempts, of three, and the breaker's failures and calls.
type Seen = (u32, u32, u32);

macro_rules! guarded {
    ($error:ty) => {
        #[retry(max_attempts = 3, base_delay = "1ms", jitter = "none")]
        #[circuit_breaker(min_calls = 100)]
        async fn call(attempts: &AtomicU32, cause: &Cause) -> Result<(), $error> {
            attempts.fetch_add(1, Ordering::Relaxed);
            Err(cause.clone().into())
        }

        pub(in crate::refusals) async fn seen(cause: Cause) -> Seen {
            let attempts = AtomicU32::new(0);
            assert!(call(&attempts, &cause).await.is_err());
            let breaker = CircuitBreaker::get(concat!(module_path!(), "::call")).unwrap();
            let window = breaker.snapshot();
            breaker.reset();
            (attempts.into_inner(), window.failures, window.calls)
        }
    };
}

/// An error with another one inside.
macro_rules! outer {
    ($name:ident, |$inner:ident| $wrap:expr, $outer:item) => {
        mod $name {
            use super::*;

            $outer

            impl From<Cause> for Outer {
                fn from(cause: Cause) -> Self {
                    let $inner = Inner::from(cause);
                    $wrap
                }
            }

            impl From<Error> for Outer {
                fn from(error: Error) -> Self {
                    Cause::from(error).into()
                }
            }

            guarded!(Outer);
        }
    };
}

/// All ways that `thiserror` has for it.
macro_rules! outers {
    ($derived:ident, [$($derive:ident)?]) => {
        pub(super) mod $derived {
            use super::*;

            outer!(transparent_from, |inner| Outer::Inside(inner),
                #[derive(Debug, thiserror::Error $(, $derive)?)]
                enum Outer {
                    #[error(transparent)]
                    Inside(#[from] Inner),
                });
            outer!(transparent_source, |source| Outer::Inside { source },
                #[derive(Debug, thiserror::Error $(, $derive)?)]
                enum Outer {
                    #[error(transparent)]
                    Inside { source: Inner },
                });
            outer!(transparent_only, |inner| Outer::Inside(inner),
                #[derive(Debug, thiserror::Error $(, $derive)?)]
                enum Outer {
                    #[error(transparent)]
                    Inside(Inner),
                });
            outer!(message_from, |inner| Outer::Inside(inner),
                #[derive(Debug, thiserror::Error $(, $derive)?)]
                enum Outer {
                    #[error("inside")]
                    Inside(#[from] Inner),
                });
            outer!(message_source, |cause| Outer::Inside { at: 0, cause },
                #[derive(Debug, thiserror::Error $(, $derive)?)]
                enum Outer {
                    #[error("{at}")]
                    Inside { at: u8, #[source] cause: Inner },
                });
            outer!(message_only, |inner| Outer::Inside(inner),
                #[derive(Debug, thiserror::Error $(, $derive)?)]
                enum Outer {
                    #[error("inside")]
                    Inside(Inner),
                });

            pub(in crate::refusals) async fn each(cause: &Cause) -> [(&'static str, Seen); 6] {
                [
                    ("transparent, from", transparent_from::seen(cause.clone()).await),
                    ("transparent, source", transparent_source::seen(cause.clone()).await),
                    ("transparent, only", transparent_only::seen(cause.clone()).await),
                    ("message, from", message_from::seen(cause.clone()).await),
                    ("message, source", message_source::seen(cause.clone()).await),
                    ("message, only", message_only::seen(cause.clone()).await),
                ]
            }
        }
    };
}

macro_rules! inside {
    ($($name:ident: $inner:ty;)+) => {
        $(
            mod $name {
                use super::*;

                type Inner = $inner;

                pub(super) mod itself {
                    use super::*;

                    guarded!(Inner);
                }

                outers!(derived, [Classify]);
                outers!(plain, []);
            }
        )+

        /// Each error with `cause` inside, and what policies made of it.
        async fn each(cause: &Cause) -> Vec<(String, Seen)> {
            let mut each = Vec::new();
            $(
                each.push((stringify!($name).to_owned(), $name::itself::seen(cause.clone()).await));
                for (name, seen) in $name::derived::each(cause).await {
                    each.push((format!("{}, derived, {name}", stringify!($name)), seen));
                }
                for (name, seen) in $name::plain::each(cause).await {
                    each.push((format!("{}, plain, {name}", stringify!($name)), seen));
                }
            )+
            each
        }
    };
}

inside! {
    own: Own;
    own_derived: OwnDerived;
    boxed: Boxed;
    report_of_anyhow: anyhow::Error;
    report: Report;
}

const REFUSED: Seen = (1, 0, 0);
const FAILED: Seen = (3, 3, 3);

async fn check(cause: Cause, expected: Seen) {
    let all = each(&cause).await;
    assert_eq!(all.len(), 5 * (1 + 2 * 6));
    let wrong: Vec<_> = all
        .into_iter()
        .filter(|(name, seen)| {
            // Without classes, and with the field neither shown through nor a source, nobody can know.
            let hidden = name.ends_with("plain, message, only");
            *seen != if hidden { FAILED } else { expected }
        })
        .collect();
    assert!(wrong.is_empty(), "{cause:?} is {expected:?}: {wrong:#?}");
}

/// In one test: they share their breakers.
#[tokio::test(start_paused = true)]
async fn a_refusal_stays_one_a_cut_is_a_failure_and_anything_else_is_tried_again() {
    for kind in [ErrorKind::CircuitOpen, ErrorKind::BulkheadFull, ErrorKind::RateLimited, ErrorKind::DeadlineExceeded] {
        check(refusal(kind).await.into(), REFUSED).await;
    }
    check(refusal(ErrorKind::TimedOut).await.into(), FAILED).await;
    check(cut_by_deadline().await.into(), FAILED).await;
    check(Cause::Failed, FAILED).await;
}

// ---- the README's own idiom ------------------------------------------------------------------------------------------

#[derive(Debug, thiserror::Error)]
enum Plain {
    #[error(transparent)]
    Refused(#[from] Error),
}

mod boxed_plain {
    use super::*;

    impl From<Cause> for Box<Plain> {
        fn from(cause: Cause) -> Self {
            let Cause::Nested(error) = cause else { unreachable!("only refusals") };
            Box::new(error.into())
        }
    }

    impl From<Error> for Box<Plain> {
        fn from(error: Error) -> Self {
            Box::new(error.into())
        }
    }

    guarded!(Box<Plain>);
}

/// The refusal leaves something that survives all of them.
#[tokio::test(start_paused = true)]
async fn a_transparent_refusal_is_known_where_it_is_boxed_shared_and_in_an_io_error() {
    let open = refusal(ErrorKind::CircuitOpen).await;
    assert_eq!(boxed_plain::seen(Cause::Nested(open.clone())).await, REFUSED);
    let io = std::io::Error::other(Plain::from(open.clone()));
    assert_eq!(io.classify(), resilience::Class::Refused);
    let shared: Box<dyn StdError> = Box::new(std::sync::Arc::new(Plain::from(open)));
    assert_eq!(shared.classify(), resilience::Class::Refused);
}
