//! Guarded functions inside guarded functions: whose failure it is.

use resilience::circuit_breaker::State;
use resilience::{CircuitBreaker, Classify, Deadline, Error, circuit_breaker, retry, timeout};
use resilience_tests::{Script, Step, ms, secs, sleep};

#[derive(Debug, Classify, thiserror::Error)]
enum RepoError {
    #[error("down")]
    Down,
    #[caller]
    #[error("no such row")]
    Missing,
    #[error(transparent)]
    Refused(#[from] Error),
}

#[derive(Debug, Classify, thiserror::Error)]
enum App {
    #[error(transparent)]
    Repo(#[from] RepoError),
    #[error(transparent)]
    Refused(#[from] Error),
}

#[timeout("1s")]
async fn inner(body: &Script) -> Result<u32, RepoError> {
    body.run().await.map_err(|_| RepoError::Down)
}

#[retry(max_attempts = 3, base_delay = "1ms")]
#[circuit_breaker("nested-hanging", consecutive_failures = 3, cooldown = "1h")]
async fn outer(body: &Script, patience: std::time::Duration) -> Result<u32, App> {
    Ok(Deadline::after(patience).scope(inner(body)).await?)
}

/// An inner call that is cut, by its own timeout or by an inherited deadline, is a dependency that does not answer: tried
/// again, and a failure.
#[tokio::test(start_paused = true)]
async fn an_inner_call_that_is_cut_fails_for_the_outer_policies() {
    let breaker = CircuitBreaker::get("nested-hanging").unwrap();
    for patience in [ms(500), secs(5)] {
        let body = Script::new([Step::Hang]);
        assert!(
            matches!(outer(&body, patience).await, Err(App::Repo(RepoError::Refused(error))) if error.cut_in_flight())
        );
        assert_eq!((body.entered(), breaker.state()), (3, State::Open), "{patience:?}");
        breaker.reset();
    }
}

#[circuit_breaker("nested-missing", cooldown = "1s", success_threshold = 2)]
async fn find(answer: Option<RepoError>) -> Result<(), App> {
    Ok(answer.map_or(Ok(()), Err)?)
}

/// The caller's own mistakes end half-open, and count among the calls; also in the error of the layer above.
#[tokio::test(start_paused = true)]
async fn what_the_repository_answers_is_an_answer_for_the_application() {
    let breaker = CircuitBreaker::get("nested-missing").unwrap();
    for _ in 0..17 {
        assert!(find(Some(RepoError::Missing)).await.is_err());
    }
    for _ in 0..10 {
        assert!(find(Some(RepoError::Down)).await.is_err());
    }
    let window = breaker.snapshot();
    assert_eq!((window.state, window.calls, window.failures), (State::Closed, 27, 10), "10 of 27 are no half");
    while breaker.state() == State::Closed {
        assert!(find(Some(RepoError::Down)).await.is_err());
    }
    sleep(secs(1)).await;
    for _ in 0..2 {
        assert!(find(Some(RepoError::Missing)).await.is_err());
    }
    assert_eq!(breaker.state(), State::Closed);
    find(None).await.unwrap();
}
