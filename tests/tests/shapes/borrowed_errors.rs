//! Errors that borrow from an argument, and have no classes.

use super::*;
use std::error::Error as StdError;
use std::fmt;

#[derive(Debug)]
struct Failed<'a> {
    text: &'a str,
    source: Option<resilience::Error>,
}

impl fmt::Display for Failed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

impl StdError for Failed<'_> {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}

impl From<resilience::Error> for Failed<'_> {
    fn from(refusal: resilience::Error) -> Self {
        Failed { text: "refused", source: Some(refusal) }
    }
}

/// Nothing says that it borrows, and it may.
#[derive(Debug)]
struct Unknown<T>(T);

impl<T: fmt::Debug> fmt::Display for Unknown<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<T: fmt::Debug> StdError for Unknown<T> {}

impl<T: Default> From<resilience::Error> for Unknown<T> {
    fn from(_refusal: resilience::Error) -> Self {
        Self(T::default())
    }
}

/// A refusal, as of a guarded function that the body has called.
async fn refusal() -> resilience::Error {
    #[resilience::rate_limit(limit = 1, per = "1h")]
    async fn once() -> std::result::Result<(), resilience::Error> {
        Ok(())
    }
    let _ = once().await;
    once().await.expect_err("its permit is taken")
}

#[in_every_stack]
mod borrowed_errors {
    use super::*;

    #[guarded(without(stale_if_error))]
    async fn named<'a>(text: &'a str, attempts: &Attempts) -> std::result::Result<u32, Failed<'a>> {
        yield_now().await;
        attempts.next().map_err(|_| Failed { text, source: None })
    }

    #[guarded(without(stale_if_error))]
    async fn elided(text: &str) -> std::result::Result<u32, Failed<'_>> {
        Err(Failed { text, source: None })
    }

    #[guarded(without(stale_if_error))]
    async fn unwritten<T: fmt::Debug + Default + Copy>(text: &T) -> std::result::Result<u32, Unknown<T>> {
        Err(Unknown(*text))
    }

    #[guarded(without(stale_if_error))]
    async fn refused<'a>(text: &'a str, attempts: &Attempts) -> std::result::Result<u32, Failed<'a>> {
        let _ = attempts.next();
        Err(Failed { text, source: Some(refusal().await) })
    }

    #[tokio::test(start_paused = true)]
    async fn count_as_failures() {
        let answer =
            call(ATTEMPTS, |n| async move { named(&"text".to_owned(), n).await.map_err(|_| Error::other("")) });
        assert_eq!(answer.await, ATTEMPTS);
        assert_eq!(elided("text").await.map_err(|failed| failed.text.to_owned()), Err("text".to_owned()));
        let text = "text".to_owned();
        assert_eq!(unwritten(&text.as_str()).await.map_err(|unknown| unknown.0.len()), Err(4));
    }

    #[tokio::test(start_paused = true)]
    async fn stay_refusals_by_their_sources() {
        let attempts = Attempts::needed(9);
        assert_eq!(refused("text", attempts).await.expect_err("it always is").text, "text");
        assert_eq!(attempts.made.load(Ordering::SeqCst), 1, "nobody tries again what was refused below");
    }
}
