//! `#[fallback]` on functions and methods.

use resilience::{ErrorKind, Event, bulkhead, circuit_breaker, fallback, retry, timeout};
use resilience_tests::{Answer, Clock, EventLog, Fault, Script, Step, ms, sleep};

#[fallback(value = 7, name = "fallback-late")]
async fn late(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_call_that_comes_after_its_deadline_does_not_run_its_body() {
    let log = EventLog::of(["fallback-late"]);
    let body = Script::ok();
    assert_eq!(resilience::Deadline::after(ms(0)).scope(late(&body)).await, Ok(7));
    assert_eq!(body.entered(), 0);
    let [Event::FallbackUsed { refusal, .. }] = &log.take()[..] else { panic!("one event") };
    assert_eq!(*refusal, Some(ErrorKind::DeadlineExceeded));
}

async fn offline(error: Fault) -> Answer {
    sleep(ms(5)).await;
    match error {
        Fault::Broken => Err(error),
        _ => Ok(0),
    }
}

#[fallback(offline, name = "by-path")]
async fn by_path(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_path_is_awaited_with_the_error() {
    let log = EventLog::of(["by-path"]);
    assert_eq!(by_path(&Script::ok()).await, Ok(1), "a success stays");
    log.assert_finished();
    let clock = Clock::start();
    assert_eq!(by_path(&Script::down()).await, Ok(0));
    assert_eq!(clock.elapsed(), ms(5));
    let used = log.expect(["fallback.used"]);
    assert!(matches!(&used[0], Event::FallbackUsed { error, refusal: None, .. } if error == "down"));
    assert_eq!(by_path(&Script::new([Step::Err(Fault::Broken)])).await, Err(Fault::Broken), "its own error counts");
    log.expect(["fallback.used"]);
}

#[tokio::test]
async fn the_callers_own_mistakes_pass() {
    assert_eq!(by_path(&Script::new([Step::Err(Fault::NotFound)])).await, Err(Fault::NotFound));
}

struct Shop {
    queued: std::sync::Mutex<Vec<(String, Fault)>>,
}

impl Shop {
    #[fallback(|error| self.queue(order, error).await, when = |error| *error != Fault::Broken)]
    #[retry(max_attempts = 2, base_delay = 0ms)]
    async fn charge(&self, order: String, body: &Script) -> Answer {
        drop(order);
        body.run().await
    }

    async fn queue(&self, order: String, error: Fault) -> Answer {
        sleep(ms(1)).await;
        self.queued.lock().unwrap().push((order, error));
        Ok(0)
    }
}

#[tokio::test(start_paused = true)]
async fn a_closure_uses_self_and_what_the_body_has_consumed() {
    let shop = Shop { queued: std::sync::Mutex::default() };
    let body = Script::new([Step::Err(Fault::Down), Step::Err(Fault::Busy(None))]);
    assert_eq!(shop.charge("order".to_owned(), &body).await, Ok(0));
    assert_eq!(*shop.queued.lock().unwrap(), [("order".to_owned(), Fault::Busy(None))], "the last error");
    let broken = Script::new([Step::Err(Fault::Broken)]);
    assert_eq!(shop.charge("order".to_owned(), &broken).await, Err(Fault::Broken), "`when` narrows it");
    let missing = Script::new([Step::Err(Fault::NotFound)]);
    assert_eq!(shop.charge("order".to_owned(), &missing).await, Ok(0), "and replaces the class");
}

#[fallback(|error| {
    if error == Fault::Broken {
        return Ok(100);
    }
    let again = body.run().await?;
    Ok(again + 10)
})]
async fn ends_early(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test]
async fn return_and_question_mark_end_the_fallback() {
    assert_eq!(ends_early(&Script::new([Step::Err(Fault::Broken)])).await, Ok(100));
    assert_eq!(ends_early(&Script::new([Step::Err(Fault::Down), Step::Ok])).await, Ok(12));
    assert_eq!(ends_early(&Script::new([Step::Err(Fault::Down), Step::Err(Fault::Broken)])).await, Err(Fault::Broken));
}

#[fallback(value = default, name = "by-value")]
#[circuit_breaker("fallback-breaker", consecutive_failures = 1)]
#[bulkhead]
#[timeout("50ms")]
async fn by_value(default: u32, body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn refusals_and_timeouts_are_replaced() {
    let log = EventLog::of(["by-value"]);
    assert_eq!(by_value(7, &Script::hang()).await, Ok(7));
    assert_eq!(by_value(8, &Script::ok()).await, Ok(8), "the circuit is open");
    let used = log.expect(["fallback.used", "fallback.used"]);
    let kinds: Vec<_> = used
        .iter()
        .map(|event| match event {
            Event::FallbackUsed { refusal, .. } => *refusal,
            _ => None,
        })
        .collect();
    assert_eq!(kinds, [Some(ErrorKind::TimedOut), Some(ErrorKind::CircuitOpen)]);
}

#[fallback(|error| Err(error))]
#[timeout("50ms")]
async fn sees_refusals(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_refusal_arrives_converted() {
    assert_eq!(sees_refusals(&Script::hang()).await.unwrap_err().kind(), Some(ErrorKind::TimedOut));
}

/// Below a breaker, on purpose: it sees what the fallback gives.
#[circuit_breaker("fallback-inside", consecutive_failures = 1, order = "as_written")]
#[fallback(value = 0)]
async fn inside(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test]
async fn below_a_breaker_it_hides_failures() {
    let body = Script::down();
    for _ in 0..3 {
        assert_eq!(inside(&body).await, Ok(0));
    }
}
