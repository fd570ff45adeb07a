//! Each attribute above and below ours: over a policy whose parts stand in the function (retry with a hook), and over the form
//! that is one future (circuit breaker and timeout).

use std::fmt;

use resilience::{Error, circuit_breaker, resilient, retry, timeout};

/// An error that is what each of the macros wants.
#[derive(Clone, Debug)]
pub struct Fault(String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Fault(error.to_string())
    }
}

impl axum::response::IntoResponse for Fault {
    fn into_response(self) -> axum::response::Response {
        self.0.into_response()
    }
}

impl Fault {
    /// What `fn_error_context` calls.
    fn context(self, text: String) -> Self {
        Fault(format!("{text}: {}", self.0))
    }
}

type Answer = Result<String, Fault>;

fn quiet(_: &retry::RetryAttempt<'_, Fault>) {}

/// Both forms, with an attribute above ours and with it below.
macro_rules! around {
    ($($module:ident: #[$foreign:meta];)*) => {$(
        mod $module {
            use super::*;

            #[$foreign]
            #[retry(max_attempts = 2, on_retry = quiet)]
            #[circuit_breaker]
            pub async fn spelled_out_below(name: String) -> Result<String, Fault> {
                Ok(name)
            }

            #[retry(max_attempts = 2, on_retry = quiet)]
            #[circuit_breaker]
            #[$foreign]
            pub async fn spelled_out_above(name: String) -> Result<String, Fault> {
                Ok(name)
            }

            #[$foreign]
            #[circuit_breaker]
            #[timeout("1s")]
            pub async fn one_future_below(name: String) -> Result<String, Fault> {
                Ok(name)
            }

            #[circuit_breaker]
            #[timeout("1s")]
            #[$foreign]
            pub async fn one_future_above(name: String) -> Result<String, Fault> {
                Ok(name)
            }

            #[tokio::test]
            async fn calls_give_what_they_give() {
                let name = || "a".to_owned();
                let answers = [
                    spelled_out_below(name()).await.ok(),
                    spelled_out_above(name()).await.ok(),
                    one_future_below(name()).await.ok(),
                    one_future_above(name()).await.ok(),
                ];
                assert_eq!(answers, [const { "a" }; 4].map(|answer| Some(answer.to_owned())));
            }
        }
    )*};
}

around! {
    instrument: #[tracing::instrument];
    debug_handler: #[axum::debug_handler];
    recursion: #[async_recursion::async_recursion];
    paths: #[utoipa::path(get, path = "/name", responses((status = 200, body = String)))];
    caches: #[::cached::proc_macro::cached(result = true)];
    contexts: #[fn_error_context::context("at it")];
}

mod traits {
    use super::*;

    #[async_trait::async_trait]
    trait Api {
        async fn spelled_out(&self, name: String) -> Answer;
        async fn one_future(&self, name: String) -> Answer;
    }

    struct Client;

    #[async_trait::async_trait]
    impl Api for Client {
        #[circuit_breaker]
        #[retry(on_retry = quiet)]
        #[tracing::instrument(skip(self))]
        async fn spelled_out(&self, name: String) -> Answer {
            Ok(name)
        }

        #[tracing::instrument(skip(self))]
        #[circuit_breaker]
        #[timeout("1s")]
        async fn one_future(&self, name: String) -> Answer {
            Ok(name)
        }
    }

    #[tokio::test]
    async fn boxed_methods() {
        assert_eq!(Client.spelled_out("a".into()).await.ok().as_deref(), Some("a"));
        assert_eq!(Client.one_future("b".into()).await.ok().as_deref(), Some("b"));
    }
}

/// Tests that are themselves guarded. `#[tokio::test]` makes a function a blocking one: ours stand above it.
macro_rules! around_tests {
    ($($module:ident: #[$foreign:meta];)*) => {$(
        mod $module {
            use super::*;

            #[$foreign]
            #[retry(on_retry = quiet)]
            #[circuit_breaker]
            #[tokio::test]
            async fn spelled_out_below() -> Result<(), Fault> {
                Ok(())
            }

            #[retry(on_retry = quiet)]
            #[circuit_breaker]
            #[tokio::test]
            #[$foreign]
            async fn spelled_out_above() -> Result<(), Fault> {
                Ok(())
            }

            #[$foreign]
            #[circuit_breaker]
            #[timeout("1s")]
            #[tokio::test]
            async fn one_future_below() -> Result<(), Fault> {
                Ok(())
            }

            #[circuit_breaker]
            #[timeout("1s")]
            #[tokio::test]
            #[$foreign]
            async fn one_future_above() -> Result<(), Fault> {
                Ok(())
            }
        }
    )*};
}

around_tests! {
    serial: #[serial_test::serial];
    traced: #[tracing_test::traced_test];
}

/// `rstest` has a `#[timeout]` of its own, which it takes from below itself: ours stands in a list there.
mod cases_of_rstest {
    use super::*;

    #[rstest::rstest]
    #[case("a")]
    #[case("b")]
    #[retry(on_retry = quiet)]
    #[tokio::test]
    async fn spelled_out_below(#[case] name: &str) -> Result<(), Fault> {
        assert_eq!(name.len(), 1);
        Ok(())
    }

    #[retry(on_retry = quiet)]
    #[rstest::rstest]
    #[case("a")]
    #[tokio::test]
    async fn spelled_out_above(#[case] name: &str) -> Result<(), Fault> {
        assert_eq!(name.len(), 1);
        Ok(())
    }

    #[rstest::rstest]
    #[case("a")]
    #[resilient(circuit_breaker, timeout("1s"))]
    #[tokio::test]
    async fn one_future_below(#[case] name: &str) -> Result<(), Fault> {
        assert_eq!(name.len(), 1);
        Ok(())
    }

    #[circuit_breaker]
    #[timeout("1s")]
    #[rstest::rstest]
    #[case("a")]
    #[tokio::test]
    async fn one_future_above(#[case] name: &str) -> Result<(), Fault> {
        assert_eq!(name.len(), 1);
        Ok(())
    }
}

/// `test_case` puts `#[tokio::test]` first wherever it stands itself: it goes below ours only.
mod cases_of_test_case {
    use super::*;

    #[retry(on_retry = quiet)]
    #[circuit_breaker]
    #[test_case::test_case("a")]
    #[test_case::test_case("b")]
    #[tokio::test]
    async fn spelled_out_above(name: &str) -> Result<(), Fault> {
        assert_eq!(name.len(), 1);
        Ok(())
    }

    #[circuit_breaker]
    #[timeout("1s")]
    #[test_case::test_case("a")]
    #[tokio::test]
    async fn one_future_above(name: &str) -> Result<(), Fault> {
        assert_eq!(name.len(), 1);
        Ok(())
    }
}

/// As `#[tokio::test]`, `#[tokio::main]` goes below ours only.
mod programs {
    use super::*;

    #[retry(on_retry = quiet)]
    #[circuit_breaker]
    #[tokio::main(flavor = "current_thread")]
    async fn spelled_out() -> Answer {
        Ok("a".to_owned())
    }

    #[circuit_breaker]
    #[timeout("1s")]
    #[tokio::main(flavor = "current_thread")]
    async fn one_future() -> Answer {
        Ok("a".to_owned())
    }

    #[test]
    fn block_until_they_end() {
        assert_eq!([spelled_out(), one_future()].map(|answer| answer.is_ok()), [true; 2]);
    }
}

/// What is logged in a guarded test is found.
#[timeout("1s")]
#[tokio::test]
#[tracing_test::traced_test]
async fn with_its_log() -> Result<(), Fault> {
    tracing::info!("it is logged");
    assert!(logs_contain("it is logged"));
    Ok(())
}
