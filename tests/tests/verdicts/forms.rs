//! Guarded functions around any work, in each form that an expansion has.

use futures::future::BoxFuture;
use resilience::{Bulkhead, CircuitBreaker};
use resilience_tests::Answer;

/// What is guarded: whatever a test wants to be inside of a call.
pub(crate) type Work<'a> = BoxFuture<'a, Answer>;

/// A function with a policy of its own.
pub(crate) trait Guarded: 'static {
    /// The policy's name.
    const NAME: &'static str;
    /// Calls it with this inside.
    fn call<'a>(work: impl Future<Output = Answer> + Send + 'a) -> Work<'a>;

    /// Its breaker.
    fn breaker() -> CircuitBreaker {
        CircuitBreaker::get(Self::NAME).expect("a breaker of that name")
    }

    /// Its bulkhead.
    fn bulkhead() -> Bulkhead {
        Bulkhead::get(Self::NAME).expect("a bulkhead of that name")
    }
}

/// `a_test: policy(options)` is a test that runs the generic function of that name for a function under that policy, with the
/// policy by itself, as a layer of one future, spelled out in the function around another one, below a retry, and, of a breaker,
/// with a predicate.
macro_rules! each_form {
    ($($test:ident: $policy:ident($($options:tt)*))*) => {
        $(
            mod $test {
                use $crate::forms::{Guarded, Work};

                $crate::forms::each_form!(@form Alone $test, $policy("Alone.{method}", $($options)*));
                $crate::forms::each_form!(@form OneFuture $test,
                    $policy("OneFuture.{method}", $($options)*),
                    bulkhead("OneFuture.{method}.beside", max_concurrent = 1_000)
                );
                $crate::forms::each_form!(@form Block $test,
                    $policy("Block.{method}", $($options)*),
                    rate_limit("Block.{method}.beside", limit = 1_000_000, permits = 1)
                );
                $crate::forms::each_form!(@form Below $test,
                    retry(max_attempts = 1, when = |_| true),
                    $policy("Below.{method}", $($options)*)
                );

                $crate::forms::each_form!(@asked $policy $test, $($options)*);

                #[tokio::test(start_paused = true)]
                async fn in_each_form() {
                    super::$test::<Alone>().await;
                    super::$test::<OneFuture>().await;
                    super::$test::<Block>().await;
                    super::$test::<Below>().await;
                }
            }
        )*
    };
    (@asked circuit_breaker $test:ident, $($options:tt)*) => {
        $crate::forms::each_form!(@form Asked $test,
            circuit_breaker("Asked.{method}", when = resilience::Classify::is_failure, $($options)*)
        );

        #[tokio::test(start_paused = true)]
        async fn where_a_predicate_is_asked() {
            super::$test::<Asked>().await;
        }
    };
    (@asked $policy:ident $($test:tt)*) => {};
    (@form $form:ident $test:ident, $($list:tt)*) => {
        struct $form;

        #[resilience::resilient($($list)*)]
        impl $form {
            async fn $test(work: &mut Work<'_>) -> resilience_tests::Answer {
                work.await
            }
        }

        impl Guarded for $form {
            const NAME: &'static str = concat!(stringify!($form), ".", stringify!($test));

            fn call<'a>(work: impl Future<Output = resilience_tests::Answer> + Send + 'a) -> Work<'a> {
                let mut work: Work<'a> = Box::pin(work);
                Box::pin(async move { Self::$test(&mut work).await })
            }
        }
    };
}

pub(crate) use each_form;
