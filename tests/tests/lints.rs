//! No lint of a strict crate fires through an expansion. `cargo clippy` checks the clippy half of the list.
#![deny(
    warnings,
    missing_docs,
    unused,
    unreachable_pub,
    unused_lifetimes,
    unused_import_braces,
    unused_qualifications,
    unused_results,
    let_underscore_drop,
    missing_debug_implementations,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    redundant_lifetimes,
    variant_size_differences,
    future_incompatible,
    keyword_idents,
    nonstandard_style,
    rust_2018_idioms,
    rust_2024_compatibility,
    clippy::all,
    clippy::cargo,
    clippy::pedantic,
    clippy::nursery
)]
// The restriction lints contradict each other, so nobody denies them all; but each may be denied by somebody.
#![deny(clippy::restriction)]
#![allow(
    clippy::absolute_paths,
    clippy::arbitrary_source_item_ordering,
    clippy::blanket_clippy_restriction_lints,
    clippy::implicit_return,
    clippy::missing_trait_methods,
    clippy::panic_in_result_fn,
    clippy::pub_with_shorthand,
    clippy::question_mark_used,
    clippy::separated_literal_suffix,
    clippy::single_call_fn,
    clippy::std_instead_of_core,
    clippy::tests_outside_test_module,
    reason = "about the code below, not about expansions"
)]
#![allow(clippy::cargo_common_metadata, clippy::multiple_crate_versions, reason = "not about expansions")]

use std::fmt::Display;
use std::io::{Error, Result};
use std::pin::Pin;
use std::time::Duration;

use resilience::{
    Classify, RetryAttempt, bulkhead, circuit_breaker, fallback, rate_limit, resilient, retry, stale_if_error, timeout,
};

/// The name of a shared policy.
const NAME: &str = "lints";

/// A client.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    limit: Duration,
    attempts: u32,
}

const fn noted(attempt: &RetryAttempt<'_, Error>) {
    let _: u32 = attempt.attempt;
}

impl Client {
    /// Every policy, most options.
    #[retry(
        max_attempts = self.attempts,
        backoff = "linear",
        base_delay = "1ms",
        max_delay = 4s,
        multiplier = 2,
        jitter = "equal",
        max_elapsed = 1h30m,
        when = |error| error.kind() != std::io::ErrorKind::NotFound,
        on_retry = noted
    )]
    #[circuit_breaker(NAME, failure_rate = "33.3%", window_calls = 100, cooldown = "1.5s", when = |_| self.attempts > 0)]
    #[bulkhead("lints", max_concurrent = 25)]
    #[timeout(self.limit)]
    pub(crate) async fn every_policy(
        &mut self,
        text: &str,
        mut tags: Vec<String>,
        (left, right): (String, u32),
    ) -> Result<usize> {
        self.attempts = self.attempts.saturating_add(right);
        tags.push(left);
        ready(text).await?;
        Ok(tags.len())
    }

    /// Inside of each other.
    #[timeout("3s")]
    #[retry(borrow(shared))]
    #[timeout("1s")]
    #[bulkhead]
    pub(crate) async fn blocks(
        &self,
        shared: String,
        mut cloned: String,
        last: &mut String,
    ) -> Result<impl Display + use<>> {
        cloned.push_str(&shared);
        last.push('x');
        ready(last).await?;
        Ok(cloned)
    }

    /// At most once.
    #[circuit_breaker]
    #[timeout("1s")]
    pub(crate) async fn once(self, text: String, mut count: u32) -> Result<(String, u32)> {
        count = count.saturating_add(self.attempts);
        ready(&text).await?;
        Ok((text, count))
    }

    /// The argument is asked for later.
    #[circuit_breaker(when = |_| text.is_empty())]
    #[timeout("1s")]
    pub(crate) async fn asked(&self, text: String, mut other: String) -> Result<String> {
        other.push_str(&text);
        ready(&other).await?;
        Ok(other)
    }

    /// Everything that recovers, with what it may take.
    #[fallback(|error| {
        tags.push(error.to_string());
        self.attempts = self.attempts.saturating_add(1);
        Ok(tags.len())
    }, when = |error| error.kind() != std::io::ErrorKind::NotFound)]
    #[stale_if_error("10m", key = (&*text, self.attempts, number), capacity = 100, name = NAME)]
    #[retry(budget = NAME, base_delay = 0ms, jitter = "none")]
    #[rate_limit("lints", limit = 100, per = "1s", burst = 10, max_wait = "1ms", permits = number)]
    #[timeout(self.limit)]
    pub(crate) async fn recovered(&mut self, text: &str, mut tags: Vec<String>, number: u32) -> Result<usize> {
        self.attempts = self.attempts.saturating_add(number);
        tags.push(text.to_owned());
        ready(text).await?;
        Ok(tags.len())
    }

    /// A list.
    #[resilient(fallback(value = self.attempts), circuit_breaker("lints.{method}"), timeout("1s"))]
    #[bulkhead]
    pub(crate) async fn listed(&self, text: String) -> Result<u32> {
        ready(&text).await?;
        Ok(0)
    }
}

/// Blocks, and methods of an `impl` block.
#[expect(clippy::multiple_inherent_impl, reason = "the other block has no list")]
#[resilient(circuit_breaker("lints.{type}", consecutive_failures = 9), timeout("1s"))]
impl Client {
    /// A future by hand.
    #[retry(base_delay = 0ms)]
    pub(crate) fn returned(&self, mut text: String) -> impl Future<Output = Result<String>> + Send {
        let mut more = self.attempts.to_string();
        let mut before = String::new();
        before.push_str(&more);
        async move {
            drop(before);
            text.push('x');
            more.push_str(&text);
            ready(&text).await?;
            Ok(more)
        }
    }

    /// Has no failures.
    #[resilient(skip)]
    pub(crate) async fn skipped(&self) -> u32 {
        ready("").await.map_or(0, |()| self.attempts)
    }
}

/// Boxed methods.
#[async_trait::async_trait]
pub(crate) trait Boxed {
    /// One.
    async fn boxed(&mut self, mut tags: Vec<u32>) -> Result<u32>;
}

#[async_trait::async_trait]
impl Boxed for Client {
    #[retry(max_attempts = self.attempts)]
    #[timeout("1s")]
    async fn boxed(&mut self, mut tags: Vec<u32>) -> Result<u32> {
        self.attempts = self.attempts.saturating_add(1);
        tags.push(self.attempts);
        ready("").await?;
        Ok(tags.into_iter().max().unwrap_or_default())
    }
}

/// A trait with a guarded body.
pub(crate) trait Api: Sync {
    /// The default.
    #[retry(max_attempts = 2, when = |error: &Error| error.kind() != std::io::ErrorKind::NotFound)]
    #[circuit_breaker("lints.ask", window = "10s", slow_call = "1s", slow_call_rate = 0.9, max_cooldown = "1m")]
    #[timeout("1s")]
    async fn ask(&self, number: u32) -> Result<u32> {
        ready("").await?;
        Ok(number)
    }
}

impl Api for Client {}

/// Generic, and the future is boxed.
#[bulkhead(max_concurrent = 2, max_wait = "1s", max_queue = 3)]
#[rate_limit(limit = 100)]
pub(crate) fn generic<T, const N: usize>(
    values: [T; N],
    between: impl Display + Send + 'static,
) -> Pin<Box<dyn Future<Output = Result<String>> + Send>>
where
    T: Display + Send + Sync + 'static,
{
    Box::pin(async move {
        ready("").await?;
        let texts: Vec<_> = values.iter().map(ToString::to_string).collect();
        Ok(texts.join(&between.to_string()))
    })
}

/// A struct of one class, and generic.
#[derive(Debug, Clone, Classify)]
#[permanent]
pub(crate) struct Broken<T: Clone> {
    /// What.
    part: T,
}

/// By path.
#[fallback(offline)]
pub(crate) async fn by_path(text: &str) -> Result<u32> {
    ready(text).await?;
    Ok(0)
}

async fn offline(error: Error) -> Result<u32> {
    ready("").await?;
    if error.kind() == std::io::ErrorKind::NotFound { Err(error) } else { Ok(7) }
}

/// An error with every mark.
#[derive(Debug, Clone, Classify)]
pub(crate) enum Fault {
    /// Comes back.
    Lost,
    /// Says when.
    #[overloaded(retry_after = after)]
    Busy {
        /// The wait.
        after: Option<Duration>,
    },
    /// Says when, by position.
    #[overloaded(retry_after = 0)]
    Full(Duration),
    /// Inside.
    #[classify(transparent)]
    Refused(resilience::Error),
    /// The caller's.
    #[caller]
    NotFound,
}

impl From<resilience::Error> for Fault {
    fn from(error: resilience::Error) -> Self {
        Self::Refused(error)
    }
}

/// An early end, and no argument.
#[retry]
pub(crate) async fn returns() -> Result<u32> {
    if ready("").await.is_err() {
        return Err(Error::other("early"));
    }
    Ok(1)
}

/// Never comes to its end.
#[timeout("1s")]
pub(crate) async fn diverges(attempts: u32) -> Result<u32> {
    loop {
        ready("").await?;
        if attempts == 1 {
            return Ok(attempts);
        }
    }
}

/// Not written yet.
#[fallback(|error| panic!("{error}"))]
#[retry]
#[timeout("1s")]
#[expect(clippy::panic, reason = "it is what is tested")]
pub(crate) async fn panics() -> Result<u32> {
    panic!("later")
}

/// One expression.
#[bulkhead]
pub(crate) async fn short() -> Result<()> {
    ready("").await
}

async fn ready(text: &str) -> Result<()> {
    tokio::task::yield_now().await;
    if text == "error" { Err(Error::other(text)) } else { Ok(()) }
}

/// The functions above are called, so that none is unused.
#[tokio::test(start_paused = true)]
async fn strict_crates_can_use_the_attributes() -> Result<()> {
    let mut client = Client { limit: Duration::from_secs(1), attempts: 1 };
    let words = vec!["a".to_owned()];
    assert_eq!(client.every_policy("", words, ("b".to_owned(), 1)).await?, 2, "one was pushed");
    let joined = client.blocks("a".to_owned(), "b".to_owned(), &mut "c".to_owned()).await?;
    assert_eq!(format!("{joined}"), "ba", "both");
    assert_eq!(client.asked("a".to_owned(), "b".to_owned()).await?, "ba", "both");
    assert_eq!(client.recovered("error", Vec::new(), 1).await?, 1, "the error's text");
    assert_eq!(client.listed("error".to_owned()).await?, 7, "one of its own, one for each call");
    assert_eq!(client.returned("a".to_owned()).await?, format!("{}ax", client.skipped().await), "both");
    assert!(client.boxed(Vec::new()).await? > 1, "it was counted up");
    assert_eq!(client.ask(1).await?, 1, "the same");
    assert_eq!(generic([1_u32, 2], ", ").await?, "1, 2", "their texts");
    let broken = Broken { part: "a" };
    assert!(Classify::is_failure(&broken), "{} is broken", broken.part);
    assert_eq!(client.once("a".to_owned(), 1).await?.1, 9, "the sum");
    assert_eq!(returns().await? + diverges(1).await?, 2, "one each");
    assert_eq!(by_path("error").await?, 7, "from the path");
    let full = Fault::Full(Duration::ZERO);
    let faults = [Fault::Lost, Fault::Busy { after: None }, full, Fault::NotFound];
    assert_eq!(faults.iter().filter(|fault| Classify::is_failure(*fault)).count(), 3, "but for the caller's");
    for fault in faults {
        if let Fault::Refused(error) = fault {
            return Err(Error::other(error));
        }
    }
    assert!(tokio::spawn(panics()).await.is_err(), "it says so");
    short().await
}
