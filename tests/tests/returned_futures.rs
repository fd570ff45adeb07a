//! Functions that return a future instead of being `async`: the block they end in is guarded, not the code before it.
//!
//! Their shapes are in `tests/tests/shapes/returned_futures.rs`; here is what only they do.
#![deny(warnings)]
#![allow(clippy::manual_async_fn, reason = "that is the subject")]

use std::io::{Error, Result};
use std::sync::atomic::{AtomicU32, Ordering};

use futures::FutureExt;
use futures::future::BoxFuture;
use resilience::{bulkhead, circuit_breaker, fallback, resilient, retry, timeout};
use tracing::Instrument;

/// Fails until the third attempt.
fn third(attempts: &AtomicU32) -> Result<u32> {
    match attempts.fetch_add(1, Ordering::SeqCst) + 1 {
        n @ 3.. => Ok(n),
        n => Err(Error::other(format!("attempt {n}"))),
    }
}

async fn spawned<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> T {
    tokio::spawn(future).await.expect("the task ends")
}

#[derive(Default)]
struct Client {
    attempts: AtomicU32,
    begun: AtomicU32,
}

impl Client {
    #[retry(base_delay = 0ms)]
    #[circuit_breaker("returned")]
    #[bulkhead("returned")]
    #[timeout("3s")]
    fn opaque(&self, text: String) -> impl Future<Output = Result<(u32, String)>> + Send + '_ {
        self.begun.fetch_add(1, Ordering::SeqCst);
        async move {
            let taken = text;
            Ok((third(&self.attempts)?, taken))
        }
    }

    #[fallback(|error| Ok(format!("{error}, {}", self.begun.load(Ordering::SeqCst))))]
    #[retry(max_attempts = 2, base_delay = 0ms)]
    fn traced(&self, name: &'static str) -> BoxFuture<'_, Result<String>> {
        Box::pin(async move { Err(Error::other(name)) }.instrument(tracing::info_span!("call")))
    }

    /// A `&mut` under another name is lent to each attempt.
    #[retry(base_delay = 0ms)]
    fn renamed<'a>(&'a mut self, log: &'a mut Vec<u32>) -> BoxFuture<'a, Result<u32>> {
        let this = self;
        let Client { attempts, begun } = this;
        let (begun, log): (&mut AtomicU32, &mut Vec<u32>) = (begun, log);
        let more = &mut *begun;
        let entries = log;
        Box::pin(async move {
            *more.get_mut() += 1;
            entries.push(*more.get_mut());
            third(attempts)
        })
    }

    /// An answer that is there needs no guard.
    #[timeout("3s")]
    fn known(&self, known: Option<u32>) -> BoxFuture<'_, Result<u32>> {
        if let Some(known) = known {
            return futures::future::ready(Ok(known)).boxed();
        }
        Box::pin(async move { third(&self.attempts) })
    }

    #[resilient(retry(base_delay = 0ms, borrow(guard)))]
    fn borrowed(&self, guard: tokio::sync::OwnedMutexGuard<u32>) -> impl Future<Output = Result<u32>> {
        async move { third(&self.attempts).map(|n| n + *guard) }
    }
}

/// A block that does not say `move` may own what it names, and does.
#[retry(base_delay = 0ms)]
fn without_move<'a>(attempts: &'a AtomicU32, text: String) -> impl Future<Output = Result<String>> + 'a {
    async {
        let taken = text;
        third(attempts)?;
        Ok(taken)
    }
}

macro_rules! boxed {
    ($(#[$attribute:meta])* fn $name:ident() -> $output:ty $body:block) => {
        $(#[$attribute])*
        fn $name() -> BoxFuture<'static, $output> {
            Box::pin(async move $body)
        }
    };
}

boxed! {
    #[timeout("3s")]
    fn of_a_macro() -> Result<u32> { third(&AtomicU32::new(2)) }
}

#[tokio::test(start_paused = true)]
async fn blocks_of_all_kinds_run_again() {
    let text = "a".to_owned();
    assert_eq!(without_move(&AtomicU32::new(0), text).await.unwrap(), "a");
    assert_eq!(of_a_macro().await.unwrap(), 3);
    assert_eq!(Client::default().known(Some(7)).await.unwrap(), 7);
    assert_eq!(Client::default().known(None).await.unwrap_err().to_string(), "attempt 1");
}

#[tokio::test(start_paused = true)]
async fn what_is_lent_to_each_attempt_keeps_its_changes() {
    let (mut client, mut log) = (Client::default(), Vec::new());
    assert_eq!(client.renamed(&mut log).await.unwrap(), 3);
    assert_eq!(log, [1, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn the_block_runs_again_and_what_stands_before_it_does_not() {
    let client: &'static Client = Box::leak(Box::default());
    assert_eq!(spawned(client.opaque("a".to_owned())).await.unwrap(), (3, "a".to_owned()));
    assert_eq!(client.begun.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_future_that_nobody_polls_is_no_call() {
    let client = Client::default();
    drop(client.opaque("a".to_owned()));
    assert_eq!(client.begun.load(Ordering::SeqCst), 1);
    assert_eq!(client.attempts.load(Ordering::SeqCst), 0);
    assert_eq!(client.opaque("b".to_owned()).await.unwrap().0, 3);
}

#[tokio::test(start_paused = true)]
async fn adapters_and_borrowed_arguments() {
    let client = Client::default();
    assert_eq!(client.traced("gone").await.unwrap(), "gone, 0");
    let lock = std::sync::Arc::new(tokio::sync::Mutex::new(10));
    assert_eq!(client.borrowed(lock.lock_owned().await).await.unwrap(), 13);
}

/// Pushes its name when it is dropped.
struct Noted(&'static str, std::sync::Arc<std::sync::Mutex<Vec<&'static str>>>);

impl Drop for Noted {
    fn drop(&mut self) {
        self.1.lock().unwrap().push(self.0);
    }
}

macro_rules! dropping {
    ($(#[$attribute:meta])* fn $name:ident) => {
        $(#[$attribute])*
        fn $name(a: Noted, b: Noted, c: Noted) -> BoxFuture<'static, Result<()>> {
            let d = Noted("d", c.1.clone());
            Box::pin(async move {
                let _ = (&b, &a);
                let _ = (&d, &c);
                Ok(())
            })
        }
    };
}

dropping! { fn plain }
dropping! { #[timeout("3s")] fn guarded }
dropping! { #[retry(borrow(a, b, c, d))] fn repeated }

#[tokio::test(start_paused = true)]
async fn what_the_block_holds_is_dropped_as_without_the_attribute() {
    let mut orders = Vec::new();
    for function in [plain, guarded, repeated] {
        let order = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let noted = |name| Noted(name, order.clone());
        function(noted("a"), noted("b"), noted("c")).await.unwrap();
        orders.push(order.lock().unwrap().clone());
    }
    assert_eq!(orders[1], orders[0]);
    assert_eq!(orders[2], orders[0]);
}
