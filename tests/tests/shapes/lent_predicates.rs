//! Predicates that are arguments or fields: they are lent to each attempt.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use resilience::{RetryAttempt, circuit_breaker, retry};

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

/// Kept in other things than a field of one's own.
struct Elsewhere {
    all: Vec<Box<dyn Fn(&io::Error) -> bool + Send + Sync>>,
    hook: Box<dyn Fn(&RetryAttempt<'_, io::Error>) + Send + Sync>,
}

impl Elsewhere {
    #[retry(max_attempts = 3, base_delay = "1ms", when = self.all[0], on_retry = self.hook)]
    async fn by_index(&self, count: &mut u32) -> io::Result<u32> {
        *count += 1;
        Err(io::ErrorKind::TimedOut.into())
    }
}

#[retry(max_attempts = 3, base_delay = "1ms", when = (when), on_retry = (on_retry))]
#[circuit_breaker(when = *boxed)]
async fn in_parentheses(
    count: &mut u32,
    when: impl Fn(&io::Error) -> bool,
    boxed: &Box<dyn Fn(&io::Error) -> bool + Send + Sync>,
    on_retry: impl Fn(&RetryAttempt<'_, io::Error>),
) -> io::Result<u32> {
    *count += 1;
    Err(io::ErrorKind::TimedOut.into())
}

/// What changes what it has, or may be called once where it is asked once.
#[retry(max_attempts = 3, base_delay = "1ms", when = when, on_retry = on_retry)]
async fn by_unique_reference(
    count: &mut u32,
    when: &mut (dyn FnMut(&io::Error) -> bool + Send),
    on_retry: &mut (dyn FnMut(&RetryAttempt<'_, io::Error>) + Send),
) -> io::Result<u32> {
    *count += 1;
    Err(io::ErrorKind::TimedOut.into())
}

#[circuit_breaker(when = when)]
async fn asked_once(when: impl FnOnce(&io::Error) -> bool) -> io::Result<u32> {
    Err(io::ErrorKind::TimedOut.into())
}

/// Takes anything, a reference or not.
fn always<T>(_: T) -> bool {
    true
}

#[retry(max_attempts = 2, base_delay = "1ms", when = always, when_ok = always)]
async fn by_a_generic_one(count: &mut u32) -> io::Result<u32> {
    *count += 1;
    if *count == 1 { Err(io::ErrorKind::TimedOut.into()) } else { Ok(*count) }
}

/// A hook that takes anything.
#[retry(max_attempts = 2, base_delay = "1ms", on_retry = drop)]
async fn with_a_generic_hook() -> io::Result<u32> {
    Err(io::ErrorKind::TimedOut.into())
}

#[tokio::test(start_paused = true)]
async fn are_called_where_they_are() {
    let is_timeout = || Box::new(is_retried(vec![io::ErrorKind::TimedOut])) as Box<dyn Fn(&_) -> bool + Send + Sync>;
    let told = Arc::new(AtomicU32::new(0));
    let hook = |told: &Arc<AtomicU32>| {
        let told = told.clone();
        move |_: &RetryAttempt<'_, io::Error>| {
            told.fetch_add(1, Ordering::Relaxed);
        }
    };
    let elsewhere = Elsewhere { all: vec![is_timeout()], hook: Box::new(hook(&told)) };
    let mut count = 0;
    assert!(elsewhere.by_index(&mut count).await.is_err());
    assert_eq!((count, told.load(Ordering::Relaxed)), (3, 2));
    let mut count = 0;
    assert!(in_parentheses(&mut count, is_timeout(), &is_timeout(), hook(&told)).await.is_err());
    assert_eq!((count, told.load(Ordering::Relaxed)), (3, 4));
    let (mut count, mut asked, mut hooked) = (0, 0, 0);
    let mut when = |_: &io::Error| {
        asked += 1;
        true
    };
    assert!(by_unique_reference(&mut count, &mut when, &mut |_| hooked += 1).await.is_err());
    assert_eq!((count, asked, hooked), (3, 3, 2));
    let mut asked = false;
    assert!(asked_once(|_| std::mem::replace(&mut asked, true)).await.is_err());
    assert!(asked);
    let mut count = 0;
    assert!(by_a_generic_one(&mut count).await.is_ok());
    assert_eq!(count, 2);
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
