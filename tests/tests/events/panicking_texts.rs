//! Errors that cannot say what they are: telling of them panics, and the call does not notice.

use std::fmt;

use resilience::{Error, Event, fallback, retry, timeout};
use resilience_tests::{EventLog, ms, sleep};

/// Its text panics, as one that takes a poisoned lock would.
#[derive(Debug, PartialEq)]
struct Unspeakable;

impl fmt::Display for Unspeakable {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("its text panics, on purpose")
    }
}

impl From<Error> for Unspeakable {
    fn from(_: Error) -> Self {
        Self
    }
}

#[retry(name = "panicking-text-retry", max_attempts = 2, base_delay = "1ms")]
async fn retried() -> Result<u32, Unspeakable> {
    Err(Unspeakable)
}

#[fallback(value = 7, name = "panicking-text-fallback")]
async fn replaced() -> Result<u32, Unspeakable> {
    Err(Unspeakable)
}

#[timeout("1s", name = "panicking-text-timeout")]
#[retry(name = "panicking-text-cut", max_attempts = 2, base_delay = "10s", max_delay = "10s", jitter = "none")]
async fn cut() -> Result<u32, Unspeakable> {
    sleep(ms(999)).await;
    Err(Unspeakable)
}

#[tokio::test(start_paused = true)]
async fn a_text_that_panics_reaches_no_call() {
    let log = EventLog::of(["panicking-text-retry", "panicking-text-fallback", "panicking-text-cut"]);
    assert_eq!(retried().await, Err(Unspeakable));
    assert_eq!(replaced().await, Ok(7));
    assert_eq!(cut().await, Err(Unspeakable));
    let events = log.take();
    let names: Vec<_> = events.iter().map(Event::name).collect();
    assert_eq!(names, ["retry.attempt_failed", "retry.exhausted", "fallback.used", "retry.exhausted"]);
    for event in events {
        let (Event::RetryAttemptFailed { error, .. }
        | Event::RetryExhausted { error, .. }
        | Event::FallbackUsed { error, .. }) = &event
        else {
            panic!("no error in {event:?}")
        };
        assert_eq!(error, "(telling the error's text panicked)");
    }
}
