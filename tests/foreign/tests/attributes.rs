//! Each attribute above and below ours: over a policy whose parts stand in the function (retry with a hook), and over the form
//! that is one future (circuit breaker and timeout).

use std::fmt;

use resilience::{Error, circuit_breaker, retry, timeout};

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
            pub async fn spelled_out_below(name: String) -> Answer {
                Ok(name)
            }

            #[retry(max_attempts = 2, on_retry = quiet)]
            #[circuit_breaker]
            #[$foreign]
            pub async fn spelled_out_above(name: String) -> Answer {
                Ok(name)
            }

            #[$foreign]
            #[circuit_breaker]
            #[timeout("1s")]
            pub async fn one_future_below(name: String) -> Answer {
                Ok(name)
            }

            #[circuit_breaker]
            #[timeout("1s")]
            #[$foreign]
            pub async fn one_future_above(name: String) -> Answer {
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
}

mod paths {
    use super::*;

    #[utoipa::path(get, path = "/below", responses((status = 200, body = String)))]
    #[circuit_breaker]
    #[retry(on_retry = quiet)]
    async fn below(name: String) -> Answer {
        Ok(name)
    }

    #[circuit_breaker]
    #[timeout("1s")]
    #[utoipa::path(get, path = "/above", responses((status = 200, body = String)))]
    async fn above(name: String) -> Answer {
        Ok(name)
    }

    #[tokio::test]
    async fn are_described_and_called() {
        assert_eq!(below("a".into()).await.ok().as_deref(), Some("a"));
        assert_eq!(above("b".into()).await.ok().as_deref(), Some("b"));
    }
}

mod caches {
    use super::*;

    #[::cached::proc_macro::cached(result = true)]
    #[circuit_breaker]
    #[retry(on_retry = quiet)]
    async fn outside(name: String) -> Result<String, Fault> {
        Ok(name)
    }

    #[tokio::test]
    async fn a_cache_around_a_guarded_call() {
        assert_eq!(outside("a".into()).await.ok().as_deref(), Some("a"));
    }
}

mod contexts {
    use super::*;

    #[fn_error_context::context("fetching {name}")]
    #[circuit_breaker]
    #[timeout("1s")]
    async fn below(name: &str) -> Result<String, Context> {
        Ok(name.to_owned())
    }

    #[derive(Debug)]
    pub struct Context(String);

    impl From<Error> for Context {
        fn from(error: Error) -> Self {
            Context(error.to_string())
        }
    }

    impl Context {
        fn context(self, text: String) -> Self {
            Context(format!("{text}: {}", self.0))
        }
    }

    #[tokio::test]
    async fn a_context_around_a_guarded_call() {
        assert_eq!(below("a").await.map_err(|context| context.0), Ok("a".to_owned()));
    }
}

mod traits {
    use super::*;

    #[async_trait::async_trait]
    trait Api {
        async fn get(&self, name: String) -> Answer;
    }

    struct Client;

    #[async_trait::async_trait]
    impl Api for Client {
        #[circuit_breaker]
        #[retry(on_retry = quiet)]
        #[tracing::instrument(skip(self))]
        async fn get(&self, name: String) -> Answer {
            Ok(name)
        }
    }

    #[tokio::test]
    async fn boxed_methods() {
        assert_eq!(Client.get("a".into()).await.ok().as_deref(), Some("a"));
    }
}

/// Tests that are themselves guarded. `#[tokio::test]` makes a function a blocking one: ours stand above it.
mod tests {
    use super::*;

    #[rstest::rstest]
    #[case("a")]
    #[case("b")]
    #[retry(on_retry = quiet)]
    #[tokio::test]
    async fn cases(#[case] name: &str) -> Result<(), Fault> {
        assert_eq!(name.len(), 1);
        Ok(())
    }

    #[retry(on_retry = quiet)]
    #[tokio::test]
    #[serial_test::serial]
    async fn one_after_the_other() -> Result<(), Fault> {
        Ok(())
    }

    #[timeout("1s")]
    #[tokio::test]
    #[tracing_test::traced_test]
    async fn with_its_log() -> Result<(), Fault> {
        tracing::info!("it is logged");
        assert!(logs_contain("it is logged"));
        Ok(())
    }
}
