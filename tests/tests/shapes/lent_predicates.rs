//! Predicates that are arguments or fields: they are lent to each attempt.

use std::io;

use resilience::{circuit_breaker, retry};

/// Not `Copy`, and no function item.
fn is_retried(kinds: Vec<io::ErrorKind>) -> impl Fn(&io::Error) -> bool {
    move |error| kinds.contains(&error.kind())
}

#[retry(max_attempts = 3, base_delay = "1ms", when = when, when_ok = when_ok)]
async fn by_argument(
    count: &mut u32,
    when: impl Fn(&io::Error) -> bool,
    when_ok: impl Fn(&u32) -> bool,
) -> io::Result<u32> {
    *count += 1;
    if *count == 1 { Err(io::ErrorKind::TimedOut.into()) } else { Ok(*count) }
}

struct Client {
    predicate: Box<dyn Fn(&io::Error) -> bool + Send + Sync>,
}

impl Client {
    #[retry(max_attempts = 3, base_delay = "1ms", when = self.predicate)]
    #[circuit_breaker(when = self.predicate)]
    async fn by_field(&self, count: &mut u32) -> io::Result<u32> {
        *count += 1;
        Err(io::ErrorKind::TimedOut.into())
    }
}

#[retry(max_attempts = 2, base_delay = "1ms", when = Vec::<u8>::is_empty_error)]
async fn by_path(count: &mut u32) -> Result<u32, Empty> {
    *count += 1;
    Err(Empty)
}

struct Empty;

impl From<resilience::Error> for Empty {
    fn from(_: resilience::Error) -> Self {
        Empty
    }
}

trait IsEmptyError {
    fn is_empty_error(_: &Empty) -> bool {
        true
    }
}

impl IsEmptyError for Vec<u8> {}

/// A hook that takes anything.
#[retry(max_attempts = 2, base_delay = "1ms", on_retry = drop)]
async fn with_a_generic_hook() -> io::Result<u32> {
    Err(io::ErrorKind::TimedOut.into())
}

#[tokio::test(start_paused = true)]
async fn are_asked_after_every_attempt() {
    let mut count = 0;
    let answer = by_argument(&mut count, is_retried(vec![io::ErrorKind::TimedOut]), |value| *value < 3).await;
    assert_eq!((answer.unwrap(), count), (3, 3));
    let client = Client { predicate: Box::new(is_retried(vec![io::ErrorKind::TimedOut])) };
    let mut count = 0;
    assert!(client.by_field(&mut count).await.is_err());
    assert_eq!(count, 3);
    let mut count = 0;
    assert!(by_path(&mut count).await.is_err());
    assert_eq!(count, 2);
    assert!(with_a_generic_hook().await.is_err());
}
