//! `#[rate_limit]` on functions and methods.

use std::pin::pin;

use futures::FutureExt as _;
use futures::future::join_all;
use resilience::{Error, ErrorKind, RateLimiter, rate_limit, retry, timeout};
use resilience_tests::{Answer, Clock, EventLog, Fault, Script, ms, secs};

#[rate_limit("attribute-burst", limit = 10, per = "1s", burst = 3)]
async fn burst(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_call_beyond_the_burst_is_refused_with_the_time_to_come_back() {
    let log = EventLog::of(["attribute-burst"]);
    let body = Script::ok();
    for run in 1..=3 {
        assert_eq!(burst(&body).await, Ok(run));
    }
    let refused = burst(&body).await.unwrap_err();
    let refusal = refused.refusal().unwrap();
    assert_eq!((refusal.kind(), refusal.policy()), (ErrorKind::RateLimited, "attribute-burst"));
    assert_eq!(refusal.retry_after(), Some(ms(100)));
    assert_eq!(body.entered(), 3, "a refusal does not reach the body");
    log.expect(["rate_limit.rejected"]);
    tokio::time::advance(ms(100)).await;
    assert_eq!(burst(&body).await, Ok(4));
    log.assert_finished();
}

/// One function gives the options, the other just names the limiter.
#[rate_limit("attribute-shared", limit = 2, per = "1m")]
async fn declares(body: &Script) -> Answer {
    body.run().await
}

#[rate_limit(SHARED)]
async fn names(body: &Script) -> Answer {
    body.run().await
}

const SHARED: &str = "attribute-shared";

#[tokio::test(start_paused = true)]
async fn functions_that_name_it_share_the_bucket() {
    let body = Script::ok();
    assert!(names(&body).await.is_ok());
    assert!(declares(&body).await.is_ok());
    assert_eq!(names(&body).await.unwrap_err().kind(), Some(ErrorKind::RateLimited));
    assert_eq!(RateLimiter::get(SHARED).unwrap().snapshot().available, 0);
}

struct Mailer {
    weight: u32,
}

impl Mailer {
    #[rate_limit("attribute-permits", limit = 10, permits = to.len() as u32 * self.weight)]
    async fn send(&self, to: Vec<&str>) -> Result<usize, Error> {
        Ok(to.len())
    }

    #[rate_limit("attribute-permits", permits = 10)]
    async fn all(&self) -> Result<(), Error> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn permits_are_counted_for_each_call() {
    let mailer = Mailer { weight: 2 };
    let limiter = RateLimiter::get("attribute-permits").unwrap();
    assert_eq!(mailer.send(vec!["a", "b", "c"]).await.unwrap(), 3);
    assert_eq!(limiter.snapshot().available, 4);
    assert_eq!(mailer.send(vec![]).await.unwrap(), 0);
    assert_eq!(limiter.snapshot().available, 3, "one at least");
    let error = mailer.send(vec!["a", "b", "c"]).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(ms(300)), "three are missing");
    assert_eq!(mailer.all().await.unwrap_err().retry_after(), Some(ms(700)));
    tokio::time::advance(secs(1)).await;
    mailer.all().await.unwrap();
}

#[rate_limit("attribute-waits", limit = 10, burst = 1, max_wait = "250ms")]
async fn waits(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn calls_wait_for_their_turn_in_their_order() {
    let body = Script::ok();
    let answers = join_all((0..5).map(|_| waits(&body))).await;
    assert_eq!(body.probe().starts(), [ms(0), ms(100), ms(200)]);
    let refused: Vec<_> = answers.iter().filter_map(|answer| answer.as_ref().err()?.refusal()).collect();
    assert_eq!(refused.iter().map(|error| error.retry_after()).collect::<Vec<_>>(), [Some(ms(300)), Some(ms(300))]);
}

#[rate_limit("attribute-cancel", limit = 10, burst = 1, max_wait = "1s")]
async fn cancelled(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn who_is_dropped_in_line_takes_nothing() {
    let limiter = RateLimiter::get("attribute-cancel").unwrap();
    let body = Script::ok();
    cancelled(&body).await.unwrap();
    {
        let mut waiter = pin!(cancelled(&body));
        assert!(waiter.as_mut().now_or_never().is_none());
        assert_eq!(limiter.snapshot().waiting, 1);
    }
    assert_eq!(limiter.snapshot().waiting, 0);
    let clock = Clock::start();
    cancelled(&body).await.unwrap();
    assert_eq!(clock.elapsed(), ms(100), "the first in line now");
}

#[retry(max_attempts = 3, base_delay = "10ms", jitter = "none")]
#[rate_limit("attribute-retried", limit = 1, per = "1h", burst = 2)]
async fn retried(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn every_attempt_takes_a_permit_and_no_pause_is_slept_before_a_refusal() {
    let clock = Clock::start();
    let body = Script::down();
    assert_eq!(retried(&body).await, Err(Fault::Down), "the error that was learnt");
    assert_eq!(body.entered(), 2);
    assert_eq!(clock.elapsed(), ms(10), "one pause");
}

#[timeout("50ms")]
#[rate_limit("attribute-deadline", limit = 1, max_wait = "49ms")]
async fn bounded(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_the_deadline_does_not_allow_is_refused_at_once() {
    let body = Script::ok();
    bounded(&body).await.unwrap();
    let clock = Clock::start();
    assert!(matches!(bounded(&body).await, Err(Fault::Refused(_))));
    assert_eq!(clock.elapsed(), ms(0));
}

#[rate_limit("attribute-without-limit")]
async fn without_limit(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test]
async fn a_limit_must_be_given_somewhere() {
    let body = Script::ok();
    assert_eq!(without_limit(&body).await.unwrap_err().kind(), Some(ErrorKind::Misconfigured));
    assert!(resilience::verify().unwrap_err().to_string().contains("attribute-without-limit"));
}
