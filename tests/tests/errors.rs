//! Refusals: what they say, and how they become other errors.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use resilience::{
    Bulkhead, CircuitBreaker, Class, Classify, Error, ErrorKind, bulkhead, circuit_breaker, retry, timeout,
};
use resilience_tests::{breaker, cut_by_deadline, refusal, secs, sleep, trip};

const KINDS: [ErrorKind; 4] =
    [ErrorKind::CircuitOpen, ErrorKind::BulkheadFull, ErrorKind::TimedOut, ErrorKind::DeadlineExceeded];

#[tokio::test(start_paused = true)]
async fn the_text_says_what_by_which_name_and_when_to_come_back() {
    let breaker = breaker(circuit_breaker::Config::new());
    trip(&breaker, 10);
    sleep(Duration::from_millis(28_500)).await;
    let text = breaker.try_acquire().unwrap_err().to_string();
    assert!(text.contains("open") && text.contains(breaker.name()) && text.contains("2s"), "{text}");
    for (kind, word) in KINDS.into_iter().zip(["open", "full", "timed out after 1ms", "deadline"]) {
        let error = refusal(kind).await;
        let text = error.to_string();
        assert!(text.contains(word) && text.contains(error.policy()), "{text}");
        assert_eq!((error.kind(), error.retry_after()), (kind, None));
        // Which is no cause, but what tells a transparent error from others.
        assert_eq!(error.source().map(ToString::to_string), Some(kind.to_string()));
        assert_eq!((kind.as_str(), error.cut_in_flight()), (kind.to_string().as_str(), kind == ErrorKind::TimedOut));
    }
}

#[tokio::test(start_paused = true)]
async fn it_is_small_and_goes_everywhere() {
    fn everywhere<T: Clone + StdError + Send + Sync + Unpin + std::panic::UnwindSafe + 'static>() {}
    everywhere::<Error>();
    assert_eq!(size_of::<Error>(), 2 * size_of::<u64>());
    assert_eq!(size_of::<Result<(), Error>>(), size_of::<Error>());
    let error = refusal(ErrorKind::CircuitOpen).await;
    let clone = error.clone();
    assert_eq!((clone.kind(), clone.policy(), clone.to_string()), (error.kind(), error.policy(), error.to_string()));
}

#[tokio::test(start_paused = true)]
async fn as_an_io_error_it_keeps_itself_as_the_source() {
    for kind in KINDS {
        let timed = matches!(kind, ErrorKind::TimedOut | ErrorKind::DeadlineExceeded);
        let error = io::Error::from(refusal(kind).await);
        assert_eq!(error.kind(), if timed { io::ErrorKind::TimedOut } else { io::ErrorKind::Other });
        let kept = error.get_ref().and_then(|source| source.downcast_ref::<Error>());
        assert_eq!(kept.map(Error::kind), Some(kind));
        assert_eq!(error.classify(), refusal(kind).await.classify());
    }
}

#[tokio::test(start_paused = true)]
async fn classes() {
    for kind in KINDS {
        let class = if kind == ErrorKind::TimedOut { Class::Transient } else { Class::Refused };
        assert_eq!(refusal(kind).await.classify(), class, "{kind:?}");
        let boxed: Box<dyn StdError + Send + Sync> = Box::new(refusal(kind).await);
        assert_eq!(boxed.classify(), class, "{kind:?}, boxed");
        let boxed: Box<dyn StdError> = Box::new(Ours::from(refusal(kind).await));
        assert_eq!(boxed.classify(), class, "{kind:?}, in a transparent one, boxed");
    }
    assert_eq!(cut_by_deadline().await.classify(), Class::Transient, "work was under way");
    for (kind, class) in [
        (io::ErrorKind::NotFound, Class::Transient),
        (io::ErrorKind::PermissionDenied, Class::Transient),
        (io::ErrorKind::AlreadyExists, Class::Transient),
        (io::ErrorKind::InvalidInput, Class::Permanent),
        (io::ErrorKind::InvalidData, Class::Permanent),
        (io::ErrorKind::Unsupported, Class::Permanent),
        (io::ErrorKind::ConnectionReset, Class::Transient),
        (io::ErrorKind::TimedOut, Class::Transient),
    ] {
        assert_eq!(io::Error::from(kind).classify(), class, "{kind:?}");
    }
    assert!(!Classify::is_failure(&refusal(ErrorKind::CircuitOpen).await));
    assert!(Classify::is_failure(&io::Error::from(io::ErrorKind::ConnectionReset)));
}

// ---- functions that return each of them ------------------------------------------------------------------------

#[circuit_breaker("errors-io")]
async fn returns_io() -> io::Result<()> {
    Err(io::ErrorKind::NotFound.into())
}

#[circuit_breaker("errors-boxed")]
async fn returns_boxed() -> Result<(), Box<dyn StdError + Send + Sync>> {
    returns_io().await?;
    Ok(())
}

#[circuit_breaker("errors-anyhow")]
async fn returns_anyhow() -> anyhow::Result<()> {
    returns_boxed().await.map_err(anyhow::Error::from_boxed)?;
    Ok(())
}

#[derive(Debug, thiserror::Error)]
enum Ours {
    #[error("the disk says: {0}")]
    Disk(#[from] io::Error),
    #[error(transparent)]
    Refused(#[from] Error),
}

#[bulkhead("errors-ours", max_concurrent = 1)]
#[timeout("50ms")]
async fn returns_ours(hang: bool) -> Result<(), Ours> {
    if hang {
        std::future::pending::<()>().await;
    }
    returns_io().await?;
    Ok(())
}

#[circuit_breaker("errors-plain")]
async fn returns_plain() -> Result<(), Error> {
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_refusal_comes_as_the_functions_own_error() {
    // A file that is not found may be a socket: a failure, through a box too.
    assert_eq!(returns_io().await.unwrap_err().kind(), io::ErrorKind::NotFound);
    assert!(returns_anyhow().await.is_err());
    for (name, calls) in [("errors-io", 2), ("errors-boxed", 1), ("errors-anyhow", 1), ("errors-plain", 0)] {
        let breaker = CircuitBreaker::get(name).unwrap();
        assert_eq!((breaker.snapshot().calls, breaker.snapshot().failures), (calls, calls), "{name}");
        breaker.force_open();
    }
    let io = returns_io().await.unwrap_err();
    assert_eq!(io.get_ref().and_then(|error| error.downcast_ref()).map(Error::policy), Some("errors-io"));
    let boxed = returns_boxed().await.unwrap_err();
    assert_eq!(boxed.downcast_ref::<Error>().map(Error::policy), Some("errors-boxed"));
    let anyhow = returns_anyhow().await.unwrap_err();
    assert_eq!(anyhow.downcast_ref::<Error>().map(Error::kind), Some(ErrorKind::CircuitOpen));
    assert_eq!(returns_plain().await.unwrap_err().policy(), "errors-plain");

    let slots = Bulkhead::get("errors-ours").unwrap();
    let slot = slots.try_acquire().unwrap();
    let full = returns_ours(false).await.unwrap_err();
    assert!(matches!(&full, Ours::Refused(error) if error.kind() == ErrorKind::BulkheadFull));
    assert!(full.to_string().contains("errors-ours"));
    drop(slot);
    assert!(matches!(returns_ours(true).await, Err(Ours::Refused(error)) if error.kind() == ErrorKind::TimedOut));
    let disk = returns_ours(false).await.unwrap_err();
    assert!(matches!(&disk, Ours::Disk(_)));
    assert!(disk.source().is_some());
    for name in ["errors-io", "errors-boxed", "errors-anyhow", "errors-plain"] {
        CircuitBreaker::get(name).unwrap().reset();
    }
}

/// A refusal of an inner guarded call travels through `?` and is still known for what it is.
#[tokio::test(start_paused = true)]
async fn a_refusal_inside_a_box_ends_an_outer_retry() {
    #[circuit_breaker("errors-inner")]
    async fn inner(calls: &mut u32) -> Result<(), Error> {
        *calls += 1;
        Ok(())
    }
    #[retry(max_attempts = 5, base_delay = "1s", name = "errors-outer")]
    async fn outer(attempts: &mut u32, calls: &mut u32) -> Result<(), Box<dyn StdError + Send + Sync>> {
        *attempts += 1;
        inner(calls).await?;
        Ok(())
    }
    CircuitBreaker::get("errors-inner").unwrap().force_open();
    let (mut attempts, mut calls) = (0, 0);
    assert!(outer(&mut attempts, &mut calls).await.is_err());
    assert_eq!((attempts, calls), (1, 0));
    CircuitBreaker::get("errors-inner").unwrap().reset();
    outer(&mut attempts, &mut calls).await.unwrap();
    assert_eq!((attempts, calls), (2, 1));
}

/// A type of one's own that is no `Result`.
#[tokio::test(start_paused = true)]
async fn a_return_type_may_be_ones_own() {
    #[derive(Debug, PartialEq)]
    enum Reply {
        Answer(u32),
        Nothing(String),
    }
    impl resilience::Fallible for Reply {
        type Value = u32;
        type Error = String;
        fn result(&self) -> Result<&u32, &String> {
            match self {
                Self::Answer(number) => Ok(number),
                Self::Nothing(reason) => Err(reason),
            }
        }
        fn success(value: u32) -> Self {
            Self::Answer(value)
        }
        fn refused(error: Error) -> Self {
            Self::Nothing(error.to_string())
        }
    }
    #[retry(max_attempts = 3, base_delay = "0ms")]
    #[circuit_breaker("errors-reply", consecutive_failures = 3, cooldown = "9s")]
    async fn ask(attempts: &mut u32, succeeds_at: u32) -> Reply {
        *attempts += 1;
        if *attempts >= succeeds_at { Reply::Answer(*attempts) } else { Reply::Nothing("not yet".into()) }
    }
    assert_eq!(ask(&mut 0, 3).await, Reply::Answer(3));
    assert_eq!(ask(&mut 0, 4).await, Reply::Nothing("not yet".into()));
    sleep(secs(1)).await;
    assert_eq!(ask(&mut 0, 1).await, Reply::Nothing("circuit breaker `errors-reply` is open; retry after 8s".into()));
}
