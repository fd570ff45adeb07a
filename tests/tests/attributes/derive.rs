//! `#[derive(Classify)]`: each mark is its class.

use std::time::Duration;

use resilience::{Class, Classify, Error, ErrorKind, circuit_breaker, retry};
use resilience_tests::{Script, Step, ms};

#[derive(Debug, Classify, thiserror::Error)]
enum ApiError {
    #[error("lost")]
    Lost,
    #[transient]
    #[error("reset")]
    Reset(String),
    #[permanent]
    #[error("broken")]
    Broken { reason: String },
    #[caller]
    #[error("not found")]
    NotFound,
    #[overloaded]
    #[error("full")]
    Full,
    #[overloaded(retry_after = after)]
    #[error("busy")]
    Busy { after: Duration, detail: u8 },
    #[overloaded(retry_after = 1)]
    #[error("busy, perhaps")]
    Perhaps(u8, Option<Duration>),
    #[classify(transparent)]
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[classify(transparent)]
    #[error(transparent)]
    Refused {
        #[from]
        source: Error,
    },
}

#[test]
fn each_mark_is_its_class() {
    let overloaded = |retry_after| Class::Overloaded { retry_after };
    for (error, class) in [
        (ApiError::Lost, Class::Transient),
        (ApiError::Reset(String::new()), Class::Transient),
        (ApiError::Broken { reason: String::new() }, Class::Permanent),
        (ApiError::NotFound, Class::Caller),
        (ApiError::Full, overloaded(None)),
        (ApiError::Busy { after: ms(5), detail: 0 }, overloaded(Some(ms(5)))),
        (ApiError::Perhaps(0, Some(ms(6))), overloaded(Some(ms(6)))),
        (ApiError::Perhaps(0, None), overloaded(None)),
        (ApiError::Io(std::io::ErrorKind::NotFound.into()), Class::Caller),
        (ApiError::Io(std::io::ErrorKind::TimedOut.into()), Class::Transient),
    ] {
        assert_eq!(error.classify(), class, "{error:?}");
    }
}

#[derive(Debug, Clone, Copy, Classify)]
#[overloaded(retry_after = after)]
struct Busy {
    after: Duration,
}

#[derive(Debug, Classify)]
#[classify(transparent)]
struct Wrapper<E>(E);

#[derive(Debug, Classify)]
struct Unmarked {
    _code: u32,
}

#[test]
fn structs_are_marked_as_a_whole() {
    let class = Class::Overloaded { retry_after: Some(ms(5)) };
    assert_eq!(Busy { after: ms(5) }.classify(), class);
    assert_eq!(Wrapper(Busy { after: ms(5) }).classify(), class);
    assert_eq!(Wrapper(Box::new(Wrapper(ApiError::NotFound))).classify(), Class::Caller);
    assert_eq!(Unmarked { _code: 1 }.classify(), Class::Transient);
}

#[circuit_breaker("derived", consecutive_failures = 1)]
#[retry(base_delay = 0ms)]
async fn guarded(body: &Script, error: fn() -> ApiError) -> Result<u32, ApiError> {
    body.run().await.map_err(|_| error())
}

#[tokio::test(start_paused = true)]
async fn policies_go_by_the_derived_class() {
    let failing = || Script::new([Step::Err(resilience_tests::Fault::Down)]);
    let body = failing();
    assert!(guarded(&body, || ApiError::NotFound).await.is_err());
    assert_eq!(body.entered(), 1, "the caller's mistake is not tried again, and no failure");
    let body = failing();
    assert!(guarded(&body, || ApiError::Lost).await.is_err());
    assert_eq!(body.entered(), 4);
    match guarded(&body, || ApiError::Lost).await {
        Err(ApiError::Refused { source }) => assert_eq!(source.kind(), ErrorKind::CircuitOpen),
        other => panic!("{other:?}"),
    }
}

#[derive(Debug, Classify, thiserror::Error)]
enum Nested {
    #[error("failed")]
    Failed,
    #[error(transparent)]
    Refused(#[from] Error),
}

#[circuit_breaker("derive-inner", consecutive_failures = 1)]
async fn nested_inner() -> Result<(), Nested> {
    Err(Nested::Failed)
}

#[retry(base_delay = "1ms")]
#[circuit_breaker("derive-outer")]
async fn nested_outer(body: &Script) -> Result<(), Nested> {
    let _ = body.run().await;
    nested_inner().await
}

#[tokio::test(start_paused = true)]
async fn the_refusal_of_a_nested_call_is_neither_retried_nor_counted() {
    assert!(nested_inner().await.is_err(), "which opens it");
    let body = Script::ok();
    let Err(Nested::Refused(error)) = nested_outer(&body).await else { panic!("refused") };
    assert_eq!(error.policy(), "derive-inner");
    assert_eq!(body.entered(), 1);
    assert_eq!(resilience::CircuitBreaker::get("derive-outer").unwrap().snapshot().calls, 0);
}
