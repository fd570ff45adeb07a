//! The table of results (DESIGN, section 4), every cell of it for retry and circuit breaker.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use resilience::{Bulkhead, CircuitBreaker, Deadline, ErrorKind, bulkhead, circuit_breaker, retry, timeout};
use resilience_tests::{Answer, EventLog, Fault, Script, Step, ms, refusal, secs, sleep};

/// What happens below the policy that is looked at.
#[derive(Clone, Debug)]
enum Below {
    /// The body does that.
    Body(Step),
    /// A timeout of 50 ms cuts a body that hangs.
    Cut,
    /// A timeout of 50 ms is clipped by a deadline in 20 ms, and cuts a body that hangs.
    CutByDeadline,
    /// A breaker is open.
    Open,
    /// A bulkhead is full.
    Full,
    /// The deadline has passed before the call.
    Late,
}

/// The same five functions below a policy, and the choice between them.
macro_rules! below {
    ($module:ident, $policy:meta) => {
        mod $module {
            use super::*;

            #[$policy]
            async fn body(script: &Script) -> Answer {
                script.run().await
            }

            #[$policy]
            #[timeout("50ms")]
            async fn cut(script: &Script) -> Answer {
                script.run().await
            }

            #[$policy]
            #[circuit_breaker("table-open")]
            async fn open(script: &Script) -> Answer {
                script.run().await
            }

            #[$policy]
            #[bulkhead("table-full", max_concurrent = 1)]
            async fn full(script: &Script) -> Answer {
                script.run().await
            }

            pub(super) fn call(below: &Below) -> BoxFuture<'static, Answer> {
                let script = Script::new([match below {
                    Below::Body(step) => step.clone(),
                    _ => Step::Hang,
                }]);
                let below = below.clone();
                Box::pin(async move {
                    match below {
                        Below::Body(_) => body(&script).await,
                        Below::Cut => cut(&script).await,
                        Below::CutByDeadline => Deadline::after(ms(20)).scope(cut(&script)).await,
                        Below::Open => open(&script).await,
                        Below::Full => full(&script).await,
                        Below::Late => Deadline::after(Duration::ZERO).scope(body(&script)).await,
                    }
                })
            }
        }
    };
}

below!(retried, retry(max_attempts = 3, base_delay = "1ms", jitter = "none", name = "table"));
below!(retried_when, retry(max_attempts = 3, base_delay = "1ms", jitter = "none", name = "table", when = missing));
below!(broken, circuit_breaker("table-breaker", window_calls = 10));
below!(broken_when, circuit_breaker("table-breaker-when", window_calls = 10, when = missing));

fn missing(fault: &Fault) -> bool {
    *fault == Fault::NotFound
}

/// The attempts of a retry: 1 is stop, 3 is again.
type Attempts = usize;
const STOP: Attempts = 1;
const AGAIN: Attempts = 3;

/// The calls and failures in a breaker's window.
type Recorded = (u32, u32);
const SUCCESS: Recorded = (1, 0);
const FAILURE: Recorded = (1, 1);
const NEUTRAL: Recorded = (0, 0);

async fn attempts(call: BoxFuture<'static, Answer>) -> (Attempts, Option<Answer>) {
    let log = EventLog::of(["table"]);
    let answer = AssertUnwindSafe(call).catch_unwind().await.ok();
    (1 + log.take().iter().filter(|event| event.name() == "retry.attempt_failed").count(), answer)
}

async fn recorded(name: &str, call: BoxFuture<'static, Answer>) -> (Recorded, Option<Answer>) {
    let breaker = CircuitBreaker::get(name).unwrap();
    breaker.reset();
    let answer = AssertUnwindSafe(call).catch_unwind().await.ok();
    let snapshot = breaker.snapshot();
    ((snapshot.calls, snapshot.failures), answer)
}

#[tokio::test(start_paused = true)]
async fn every_row_of_the_table() {
    CircuitBreaker::get("table-open").unwrap().force_open();
    let bulkhead = Bulkhead::get("table-full").unwrap();
    let _slot = bulkhead.try_acquire().unwrap();
    let refused = async |kind| Below::Body(Step::Err(refusal(kind).await.into()));
    let body = |fault: Fault| Below::Body(fault.into());

    // What happened; retry and breaker by class; retry and breaker with `when = missing`.
    let table = [
        (Below::Body(Step::Ok), STOP, SUCCESS, STOP, SUCCESS),
        (body(Fault::Down), AGAIN, FAILURE, STOP, NEUTRAL),
        (body(Fault::Busy(None)), AGAIN, FAILURE, STOP, NEUTRAL),
        (body(Fault::Busy(Some(secs(5)))), AGAIN, FAILURE, STOP, NEUTRAL),
        (body(Fault::Broken), STOP, FAILURE, STOP, NEUTRAL),
        (body(Fault::NotFound), STOP, NEUTRAL, AGAIN, FAILURE),
        // A nested guarded function returned its refusal as an error.
        (refused(ErrorKind::CircuitOpen).await, STOP, NEUTRAL, STOP, NEUTRAL),
        (refused(ErrorKind::BulkheadFull).await, STOP, NEUTRAL, STOP, NEUTRAL),
        (refused(ErrorKind::DeadlineExceeded).await, STOP, NEUTRAL, STOP, NEUTRAL),
        (refused(ErrorKind::TimedOut).await, AGAIN, FAILURE, STOP, NEUTRAL),
        // A predicate is asked about errors only, never about what policies of the same stack do.
        (Below::Cut, AGAIN, FAILURE, AGAIN, FAILURE),
        (Below::CutByDeadline, STOP, FAILURE, STOP, FAILURE),
        (Below::Open, STOP, NEUTRAL, STOP, NEUTRAL),
        (Below::Full, STOP, NEUTRAL, STOP, NEUTRAL),
        (Below::Late, STOP, NEUTRAL, STOP, NEUTRAL),
        // It propagates.
        (Below::Body(Step::Panic), STOP, FAILURE, STOP, FAILURE),
    ];
    for (below, retry, breaker, retry_when, breaker_when) in table {
        for (policy, module, expected) in
            [("retry", retried::call as fn(&Below) -> _, retry), ("retry with `when`", retried_when::call, retry_when)]
        {
            let (attempts, answer) = attempts(module(&below)).await;
            assert_eq!(attempts, expected, "{policy}: {below:?}");
            as_it_was(&below, answer);
        }
        for (name, module, expected) in [
            ("table-breaker", broken::call as fn(&Below) -> _, breaker),
            ("table-breaker-when", broken_when::call, breaker_when),
        ] {
            let (recorded, answer) = recorded(name, module(&below)).await;
            assert_eq!(recorded, expected, "{name}: {below:?}");
            as_it_was(&below, answer);
        }
    }
}

/// The caller gets what happened, whatever the policies made of it.
fn as_it_was(below: &Below, answer: Option<Answer>) {
    let kind = match below {
        Below::Body(Step::Panic) => return assert!(answer.is_none(), "a panic propagates"),
        Below::Body(Step::Err(fault)) => return assert_eq!(answer, Some(Err(fault.clone()))),
        Below::Body(_) => return assert!(matches!(answer, Some(Ok(_)))),
        Below::Cut => ErrorKind::TimedOut,
        Below::CutByDeadline | Below::Late => ErrorKind::DeadlineExceeded,
        Below::Open => ErrorKind::CircuitOpen,
        Below::Full => ErrorKind::BulkheadFull,
    };
    assert_eq!(answer.and_then(Result::err).and_then(|fault| fault.kind()), Some(kind), "{below:?}");
}

#[tokio::test(start_paused = true)]
async fn a_hint_that_does_not_fit_stops_the_retry() {
    let hint = Below::Body(Fault::Busy(Some(secs(5))).into());
    let (made, answer) = attempts(Box::pin(Deadline::after(secs(4)).scope(retried::call(&hint)))).await;
    assert_eq!((made, answer), (STOP, Some(Err(Fault::Busy(Some(secs(5)))))));
    let (made, _) = attempts(Box::pin(Deadline::after(secs(6)).scope(retried::call(&hint)))).await;
    assert_eq!(made, 2, "the second hint is too long");
}

// ---- dropped ---------------------------------------------------------------------------------------------------

#[timeout("50ms")]
#[circuit_breaker("table-dropped", window_calls = 10)]
async fn dropped(script: &Script) -> Answer {
    script.run().await
}

#[tokio::test(start_paused = true)]
async fn dropped_by_the_caller_is_neutral_and_dropped_by_the_deadline_a_failure() {
    let breaker = CircuitBreaker::get("table-dropped").unwrap();
    let script = Script::hang();
    assert!(tokio::time::timeout(ms(49), dropped(&script)).await.is_err());
    tokio::select! {
        () = sleep(ms(10)) => {}
        _ = dropped(&script) => unreachable!(),
    }
    assert_eq!(breaker.snapshot().calls, 0);
    assert_eq!(dropped(&script).await.unwrap_err().kind(), Some(ErrorKind::TimedOut));
    assert_eq!((breaker.snapshot().calls, breaker.snapshot().failures), (1, 1));
    // The inherited deadline does the same.
    let error = Deadline::after(ms(20)).scope(dropped(&script)).await.unwrap_err();
    assert_eq!(error.kind(), Some(ErrorKind::DeadlineExceeded));
    assert_eq!((breaker.snapshot().calls, breaker.snapshot().failures), (2, 2));
    // A scope alone drops nothing; whoever drops then is the caller.
    assert!(
        tokio::time::timeout(
            ms(30),
            Deadline::after(ms(20)).scope(Box::pin(async {
                let _permit = breaker.try_acquire().unwrap();
                script.run().await
            }))
        )
        .await
        .is_err()
    );
    assert_eq!(breaker.snapshot().calls, 2);
}
