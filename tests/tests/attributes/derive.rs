//! `#[derive(Classify)]`: each mark is its class.

use std::time::Duration;

use resilience::{Class, Classify, Error, ErrorKind, circuit_breaker, retry};
use resilience_tests::{Script, Step, ms, refusal};

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
    #[local]
    #[error("no such field")]
    Invalid,
    #[refused]
    #[error("our own limiter says no")]
    Limited,
    #[classify(with = class_of_number)]
    #[error(transparent)]
    Number(#[from] std::num::ParseIntError),
    #[classify(with = Self::class_of_status)]
    #[error("status {status}")]
    Status { status: u16 },
    #[classify(with = <str as Coded>::class)]
    #[error("{0}")]
    Code(String),
    #[classify(with = of_any::<std::fmt::Error>)]
    #[error("{context}")]
    Format { source: std::fmt::Error, context: &'static str },
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

fn class_of_number(error: &std::num::ParseIntError) -> Class {
    match error.kind() {
        std::num::IntErrorKind::Empty => Class::Permanent,
        _ => Class::Local,
    }
}

impl ApiError {
    fn class_of_status(status: &u16) -> Class {
        if *status < 500 { Class::Caller } else { Class::Transient }
    }
}

trait Coded {
    fn class(&self) -> Class;
}

impl Coded for str {
    fn class(&self) -> Class {
        if self == "bad" { Class::Caller } else { Class::Permanent }
    }
}

fn of_any<E>(_error: &E) -> Class {
    Class::Permanent
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
        (ApiError::Invalid, Class::Local),
        (ApiError::Limited, Class::Refused),
        (ApiError::from("".parse::<u8>().unwrap_err()), Class::Permanent),
        (ApiError::from("x".parse::<u8>().unwrap_err()), Class::Local),
        (ApiError::Status { status: 404 }, Class::Caller),
        (ApiError::Status { status: 503 }, Class::Transient),
        (ApiError::Code("bad".to_owned()), Class::Caller),
        (ApiError::Code("mad".to_owned()), Class::Permanent),
        (ApiError::Format { source: std::fmt::Error, context: "" }, Class::Permanent),
        (ApiError::Io(std::io::ErrorKind::InvalidInput.into()), Class::Permanent),
        (ApiError::Io(std::io::ErrorKind::NotFound.into()), Class::Transient),
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

/// What an unmarked variant says is what the error that it comes from says.
#[derive(Debug, Classify, thiserror::Error)]
enum App<T> {
    #[error(transparent)]
    Repo(#[from] ApiError),
    #[error("{context}")]
    Context { context: &'static str, source: ApiError },
    #[error("{context}")]
    Marked {
        context: &'static str,
        #[source]
        cause: Box<ApiError>,
    },
    #[error("the last word")]
    Only(Busy),
    #[caller]
    #[error(transparent)]
    Overruled(Box<ApiError>),
    #[error("no class")]
    Foreign(#[source] std::fmt::Error),
    #[error("no class")]
    Plain(u8),
    #[error("two")]
    Two(Busy, Busy),
    #[error("any")]
    Any(T),
    #[error("report")]
    Report(anyhow::Error),
}

/// A source that is no error itself.
#[derive(Debug, Classify, thiserror::Error)]
#[error("perhaps")]
struct Perhaps {
    #[source]
    cause: Option<Error>,
}

/// Written by hand: the source is known to nobody but the error itself.
#[derive(Debug, Classify)]
enum ByHand {
    Two(&'static str, Error),
}

impl std::fmt::Display for ByHand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self::Two(what, _) = self;
        f.write_str(what)
    }
}

impl std::error::Error for ByHand {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        let Self::Two(_, error) = self;
        Some(error)
    }
}

#[tokio::test(start_paused = true)]
async fn an_unmarked_variant_is_what_it_comes_from() {
    let refused = refusal(ErrorKind::BulkheadFull).await;
    let (busy, class) = (Busy { after: ms(5) }, Class::Overloaded { retry_after: Some(ms(5)) });
    let in_report = anyhow::Error::new(App::<u8>::from(ApiError::from(refused.clone()))).context("outside");
    for (error, class) in [
        (App::Repo(ApiError::NotFound), Class::Caller),
        (App::Repo(ApiError::Lost), Class::Transient),
        (App::Repo(refused.clone().into()), Class::Refused),
        (App::Context { context: "", source: ApiError::Invalid }, Class::Local),
        (App::Marked { context: "", cause: Box::new(ApiError::Full) }, Class::Overloaded { retry_after: None }),
        (App::Only(busy), class),
        (App::Overruled(Box::new(refused.clone().into())), Class::Caller),
        (App::Foreign(std::fmt::Error), Class::Transient),
        (App::Plain(0), Class::Transient),
        (App::Two(busy, busy), Class::Transient),
        (App::Any(0), Class::Transient),
        (App::Report(in_report), Class::Refused),
        (App::Report(anyhow::anyhow!("anything")), Class::Transient),
    ] {
        assert_eq!(error.classify(), class, "{error:?}");
    }
    assert_eq!(Perhaps { cause: None }.classify(), Class::Transient);
    assert_eq!(Perhaps { cause: Some(refused.clone()) }.classify(), Class::Refused);
    assert_eq!(ByHand::Two("by hand", refused).classify(), Class::Refused);
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
