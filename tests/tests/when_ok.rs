//! `when_ok`: an `Ok` that means failure is treated like an error of class `Transient` by the policy that says so.
#![deny(warnings)]

use std::cell::Cell;
use std::fmt::Display;
use std::panic::AssertUnwindSafe;

use async_trait::async_trait;
use futures::FutureExt as _;
use resilience::circuit_breaker::State;
use resilience::{
    CircuitBreaker, Error, ErrorKind, Event, Fallible, Recoverable, Retry, RetryAttempt, RetryBudget, circuit_breaker,
    fallback, resilient, retry, retry_budget, stale_if_error, timeout,
};
use resilience_tests::{Answer, EventLog, Fault, Script, Step, ms, now};

fn is_odd(value: &u32) -> bool {
    value % 2 == 1
}

fn is_missing(fault: &Fault) -> bool {
    *fault == Fault::NotFound
}

#[retry(max_attempts = 3, base_delay = "10ms", jitter = "none", when_ok = is_odd, name = "when-ok-retry")]
async fn even(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_retry_calls_again_for_a_better_value() {
    let log = EventLog::of(["when-ok-retry"]);
    let (body, before) = (Script::ok(), now());
    assert_eq!(even(&body).await, Ok(2));
    assert_eq!((body.entered(), now() - before), (2, ms(10)), "after the pause of a failed attempt");
    log.expect(["retry.attempt_failed", "retry.recovered"]);
    let body = Script::new([Fault::Down.into(), Step::Ok]);
    assert_eq!(even(&body).await, Ok(2));
    let body = Script::new([Step::Ok, Fault::NotFound.into()]);
    assert_eq!(even(&body).await, Err(Fault::NotFound), "an error has its class");
    assert_eq!(body.entered(), 2);
}

#[retry(max_attempts = attempts, base_delay = 0ms, when_ok = |value| *value < least, name = "when-ok-limits")]
async fn at_least(least: u32, attempts: u32, body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn when_attempts_end_the_value_is_returned_as_it_is() {
    let log = EventLog::of(["when-ok-limits"]);
    assert_eq!(at_least(9, 3, &Script::ok()).await, Ok(3));
    log.expect(["retry.attempt_failed", "retry.attempt_failed", "retry.exhausted"]);
    assert_eq!(at_least(4, 9, &Script::ok()).await, Ok(4), "the argument of each call");
}

#[retry(max_attempts = 9, base_delay = 0ms, when_ok = |_| true, budget = "when-ok-budget")]
async fn within_a_budget(body: &Script) -> Answer {
    body.run().await
}

#[timeout("3s")]
#[retry(max_attempts = 9, base_delay = "1s", backoff = "constant", jitter = "none", when_ok = |_| true)]
async fn within_a_deadline(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn budgets_and_deadlines_bound_these_retries_too() {
    RetryBudget::register("when-ok-budget", retry_budget::Config::new().ratio(0.0).min_per_second(2)).unwrap();
    assert_eq!(within_a_budget(&Script::ok()).await, Ok(3), "two of the budget");
    assert_eq!(within_a_deadline(&Script::ok()).await, Ok(3), "the fourth would begin at the deadline");
}

thread_local!(static SEEN: Cell<Option<(u32, ErrorKind)>> = const { Cell::new(None) });

fn note(attempt: &RetryAttempt<'_, Fault>) {
    SEEN.set(attempt.error.kind().map(|kind| (attempt.attempt, kind)));
}

#[fallback(|error| Err(error), when_ok = |value| *value == 2, name = "when-ok-seen")]
#[retry(max_attempts = 2, base_delay = 0ms, when_ok = |_| true, on_retry = note)]
async fn watched(body: &Script) -> Answer {
    body.run().await
}

/// There is no error, so a hook and a fallback get one that says so, of the function's type.
#[tokio::test(start_paused = true)]
async fn what_stands_for_the_error() {
    let log = EventLog::of(["when-ok-seen"]);
    let text = "`when-ok-seen` got a value that means failure";
    let given = watched(&Script::ok()).await.unwrap_err();
    assert_eq!((given.kind(), given.to_string().as_str()), (Some(ErrorKind::FailedValue), text));
    assert_eq!(SEEN.get(), Some((1, ErrorKind::FailedValue)));
    match log.take().as_slice() {
        [Event::FallbackUsed { error, refusal, .. }] => {
            assert_eq!((error.as_str(), *refusal), (text, Some(ErrorKind::FailedValue)));
        }
        other => panic!("{other:?}"),
    }
}

struct Feed {
    least: u32,
    body: Script,
}

#[resilient(.., circuit_breaker("when-ok.{method}", when_ok = |value| *value < self.least, when = is_missing))]
impl Feed {
    async fn read(&self) -> Answer {
        self.body.run().await
    }

    /// The argument that the body consumes is there afterwards.
    #[retry(max_attempts = 4, base_delay = 0ms, when_ok = |value| sum(&more) + value < 14, when = is_missing)]
    #[timeout("1s")]
    async fn sum(&mut self, more: Vec<u32>) -> Answer {
        let taken = more;
        self.least = 3;
        Ok(self.body.run().await? + sum(&taken))
    }

    #[fallback(|_| Ok(sum(&more)), when_ok = |value| *value < self.least && !more.is_empty())]
    async fn or_sum(&self, more: Vec<u32>) -> Answer {
        drop(more);
        self.body.run().await
    }
}

fn sum(values: &[u32]) -> u32 {
    values.iter().sum()
}

fn recorded(breaker: &str) -> (u32, u32) {
    let snapshot = CircuitBreaker::get(breaker).unwrap().snapshot();
    (snapshot.failures, snapshot.calls)
}

#[tokio::test(start_paused = true)]
async fn a_breaker_counts_a_value_as_a_failure_beside_when() {
    let feed = Feed { least: 3, body: Script::new([Step::Ok, Step::Ok, Step::Ok, Fault::NotFound.into()]) };
    for expected in [1, 2, 3] {
        assert_eq!(feed.read().await, Ok(expected), "as it is");
    }
    assert_eq!(recorded("when-ok.read").0, 2);
    assert_eq!(feed.read().await, Err(Fault::NotFound));
    assert_eq!(recorded("when-ok.read"), (3, 4), "errors go by `when`");
}

#[tokio::test(start_paused = true)]
async fn self_and_arguments_are_there_afterwards() {
    let mut feed = Feed { least: 0, body: Script::ok() };
    assert_eq!(feed.sum(vec![2, 3]).await, Ok(9), "5 + 9 is enough");
    assert_eq!(feed.body.entered(), 4);
    assert_eq!(recorded("when-ok.sum").0, 0, "the body has changed what the breaker asks for");
    let feed = Feed { least: 2, body: Script::ok() };
    assert_eq!(feed.or_sum(vec![7, 8]).await, Ok(15));
    assert_eq!(feed.or_sum(vec![7, 8]).await, Ok(2));
    let feed = Feed { least: 2, body: Script::ok() };
    assert_eq!(feed.or_sum(Vec::new()).await, Ok(1));
}

#[circuit_breaker("when-ok-opens", consecutive_failures = 2, success_threshold = 1, when_ok = is_odd)]
async fn opens(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn values_open_a_breaker_and_fail_a_trial() {
    let breaker = CircuitBreaker::get("when-ok-opens").unwrap();
    let twice_one = [Script::ok(), Script::ok()];
    for body in &twice_one {
        assert_eq!(opens(body).await, Ok(1));
    }
    assert_eq!(breaker.state(), State::Open);
    tokio::time::advance(std::time::Duration::from_secs(30)).await;
    assert_eq!(opens(&Script::ok()).await, Ok(1));
    assert_eq!(breaker.state(), State::Open, "the trial has failed");
    tokio::time::advance(std::time::Duration::from_secs(30)).await;
    assert_eq!(opens(&twice_one[0]).await, Ok(2));
    assert_eq!(breaker.state(), State::Closed);
}

#[circuit_breaker("when-ok-panics", success_threshold = 1, when_ok = |_| panic!("asked"))]
async fn panics(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_predicate_that_panics_is_neutral() {
    let breaker = CircuitBreaker::get("when-ok-panics").unwrap();
    assert!(AssertUnwindSafe(panics(&Script::ok())).catch_unwind().await.is_err());
    assert_eq!(recorded("when-ok-panics"), (0, 0));
    assert_eq!(panics(&Script::down()).await, Err(Fault::Down), "not asked about errors");
    assert_eq!(recorded("when-ok-panics"), (1, 1));
    breaker.force_open();
    assert_eq!(panics(&Script::ok()).await.unwrap_err().kind(), Some(ErrorKind::CircuitOpen), "nor about refusals");
    breaker.reset();
}

#[stale_if_error("1h", key = key, when_ok = |value| *value > 1 + key, name = "when-ok-stale")]
async fn remembered(key: u32, body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_bad_value_is_not_remembered_and_a_good_one_takes_its_place() {
    let log = EventLog::of(["when-ok-stale"]);
    let body = Script::ok();
    assert_eq!(remembered(0, &body).await, Ok(1), "good, and remembered");
    assert_eq!(remembered(0, &body).await, Ok(1), "2 is not");
    log.expect(["stale.served"]);
    assert_eq!(remembered(1, &body).await, Ok(3), "as it is, where nothing is remembered");
    assert_eq!(remembered(1, &Script::down()).await, Err(Fault::Down), "still nothing");
    assert_eq!(remembered(0, &Script::down()).await, Ok(1), "errors as before");
    log.expect(["stale.served"]);
}

/// Looks at what comes out of a fallback that passes the error on.
#[retry(max_attempts = 2, base_delay = 0ms)]
#[circuit_breaker("when-ok-outer")]
async fn outer(body: &Script) -> Result<u32, Error> {
    #[fallback(|error| Err(error), when_ok = |_| true)]
    async fn inner(body: &Script) -> Result<u32, Error> {
        Ok(body.run().await.unwrap_or_default())
    }
    inner(body).await
}

#[tokio::test(start_paused = true)]
async fn the_error_that_stands_for_it_is_transient_further_out() {
    let body = Script::ok();
    assert_eq!(outer(&body).await.unwrap_err().kind(), ErrorKind::FailedValue);
    assert_eq!((body.entered(), recorded("when-ok-outer")), (2, (2, 2)));
}

#[async_trait]
trait Status {
    async fn status(&mut self, more: Vec<u32>) -> Answer;
}

#[async_trait]
impl Status for Feed {
    #[retry(max_attempts = 9, base_delay = 0ms, when_ok = |value| *value < self.least + sum(&more))]
    async fn status(&mut self, more: Vec<u32>) -> Answer {
        drop(more);
        self.body.run().await
    }
}

#[tokio::test(start_paused = true)]
async fn under_async_trait() {
    let mut feed = Feed { least: 3, body: Script::ok() };
    assert_eq!(feed.status(vec![1, 1]).await, Ok(5));
}

/// A return type of one's own, whose values are not `Clone`, and one whose refusals are values.
#[derive(Debug, PartialEq)]
enum Reply {
    Status(u16),
    Lost,
}

impl Fallible for Reply {
    type Value = u16;
    type Error = ();

    fn result(&self) -> Result<&u16, &()> {
        match self {
            Self::Status(status) => Ok(status),
            Self::Lost => Err(&()),
        }
    }

    fn success(status: u16) -> Self {
        Self::Status(status)
    }

    fn refused(error: Error) -> Self {
        // 599 is nobody's; other refusals are no values here.
        if error.kind() == ErrorKind::FailedValue { Self::Status(599) } else { Self::Lost }
    }
}

impl Recoverable for Reply {
    fn into_result(self) -> Result<u16, ()> {
        match self {
            Self::Status(status) => Ok(status),
            Self::Lost => Err(()),
        }
    }
}

#[fallback(|()| Reply::Status(200), when_ok = |status| *status >= 500)]
#[retry(max_attempts = 3, base_delay = 0ms, when_ok = |status| *status == 503)]
#[circuit_breaker("when-ok-reply", when_ok = |status| *status >= 500)]
async fn reply(statuses: &mut Vec<u16>) -> Reply {
    Reply::Status(statuses.pop().unwrap_or(404))
}

#[tokio::test(start_paused = true)]
async fn return_types_of_ones_own() {
    assert_eq!(reply(&mut vec![204, 503]).await, Reply::Status(204));
    assert_eq!(recorded("when-ok-reply"), (1, 2));
    assert_eq!(reply(&mut vec![204, 500]).await, Reply::Status(500), "no error can be made of it to be replaced");
    assert_eq!(reply(&mut vec![503, 503, 503]).await, Reply::Status(500 + 3), "the last, as it is");
}

#[fallback(value = String::new(), when_ok = |text: &String| text.len() > 3)]
#[retry(base_delay = 0ms, when_ok = |text| text.is_empty())]
async fn text(texts: &mut Vec<&str>) -> Result<String, Error> {
    Ok(texts.pop().unwrap_or_default().to_owned())
}

#[retry(base_delay = 0ms, when_ok = |shown| shown.to_string().is_empty())]
#[circuit_breaker(when_ok = |_| false)]
async fn shown<T: Display>(shown: &mut Vec<T>) -> Result<impl Display, Fault> {
    shown.pop().ok_or(Fault::Down)
}

#[tokio::test(start_paused = true)]
async fn values_of_other_types() {
    assert_eq!(text(&mut vec!["abc", ""]).await.unwrap(), "abc");
    assert_eq!(text(&mut vec!["abcd", ""]).await.unwrap(), "");
    assert_eq!(shown(&mut vec!["abc", ""]).await.unwrap().to_string(), "abc");
}

#[tokio::test(start_paused = true)]
async fn by_a_handle() {
    let retry = Retry::new(retry::Config::new().max_attempts(3).base_delay(ms(0)));
    let body = Script::ok();
    assert_eq!(retry.when_ok(is_odd).call(|| body.run()).await, Ok(2));
    let body = Script::ok();
    assert_eq!(retry.when_ok(|value: &u32| *value < 9).when(is_missing).call(|| body.run()).await, Ok(3));
    let body = Script::new([Step::Ok, Fault::NotFound.into(), Step::Ok]);
    assert_eq!(retry.classified().when_ok(|_: &u32| true).call(|| body.run()).await, Err(Fault::NotFound));
    let body = Script::ok();
    assert_eq!(retry.call(|| body.run()).await, Ok(1));
}
