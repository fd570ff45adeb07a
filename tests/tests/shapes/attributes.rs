//! Other attributes around ours, and inside the body.

use super::*;
use tracing::instrument;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

#[in_every_stack]
mod built_in {
    use super::*;

    /// Documented.
    #[guarded]
    #[doc = "In two ways."]
    #[inline]
    #[must_use]
    async fn below(attempts: &Attempts) -> Result<u32> {
        yield_now().await;
        attempts.next()
    }

    #[cold]
    #[allow(unused_variables)]
    #[cfg_attr(all(), doc = "Documented.")]
    #[guarded]
    async fn above(unused: u32, attempts: &Attempts) -> Result<u32> {
        let unused = 1;
        yield_now().await;
        attempts.next()
    }

    #[guarded]
    async fn inside(attempts: &Attempts) -> Result<u32> {
        #![allow(unused_variables)]
        #![allow(unused_mut, reason = "inner attributes are what is tested")]
        let mut unused = 1;
        yield_now().await;
        attempts.next()
    }

    #[guarded]
    #[cfg(any())]
    async fn gone(attempts: &Missing) -> Result<Missing> {
        missing
    }

    #[guarded]
    #[cfg(not(any()))]
    async fn gone(attempts: &Attempts) -> Result<u32> {
        #[cfg(any())]
        yield_now().missing;
        #[cfg(not(any()))]
        yield_now().await;
        attempts.next()
    }

    #[guarded]
    #[deprecated = "for another one"]
    async fn deprecated(attempts: &Attempts) -> Result<u32> {
        yield_now().await;
        attempts.next()
    }

    #[tokio::test(start_paused = true)]
    async fn stay_where_they_are() {
        assert_eq!(call(ATTEMPTS, below).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, |n| above(1, n)).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, inside).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, gone).await, ATTEMPTS);
        #[allow(deprecated, reason = "that it can be called is what is tested")]
        let returned = call(ATTEMPTS, deprecated).await;
        assert_eq!(returned, ATTEMPTS);
    }
}

/// Ours stand above those that make a blocking function.
#[in_every_stack]
mod runtimes {
    use super::*;

    static TESTED: Attempts = Attempts { made: AtomicU32::new(0), needed: ATTEMPTS };

    #[guarded]
    #[tokio::test(start_paused = true)]
    async fn above_a_test() -> Result<()> {
        yield_now().await;
        assert_eq!(TESTED.next()?, ATTEMPTS);
        Ok(())
    }

    static RUN: Attempts = Attempts { made: AtomicU32::new(0), needed: ATTEMPTS };

    #[guarded]
    #[tokio::main(flavor = "current_thread")]
    async fn above_main() -> Result<u32> {
        yield_now().await;
        RUN.next()
    }

    #[test]
    fn the_function_is_a_blocking_one() {
        assert_eq!(above_main().unwrap(), ATTEMPTS);
    }
}

/// Counts the spans by name. It is the whole program's: `tracing` remembers for good that a thread without a subscriber
/// had no interest.
struct Spans;

static BELOW: AtomicU32 = AtomicU32::new(0);
static ABOVE: AtomicU32 = AtomicU32::new(0);

impl Subscriber for Spans {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, span: &Attributes<'_>) -> Id {
        match span.metadata().name() {
            "spanned_below" => drop(BELOW.fetch_add(1, Ordering::SeqCst)),
            "spanned_above" => drop(ABOVE.fetch_add(1, Ordering::SeqCst)),
            _ => {}
        }
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// How many spans that counter counts while the call runs.
async fn spans(counter: &AtomicU32, call: impl Future<Output = u32>) -> (u32, u32) {
    static ONE_AT_A_TIME: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    static SUBSCRIBED: std::sync::Once = std::sync::Once::new();
    let _alone = ONE_AT_A_TIME.lock().await;
    SUBSCRIBED.call_once(|| tracing::subscriber::set_global_default(Spans).expect("no other subscriber"));
    let before = counter.load(Ordering::SeqCst);
    (call.await, counter.load(Ordering::SeqCst) - before)
}

#[in_every_stack]
mod instrumented {
    use super::*;

    struct Client(&'static Attempts, u32);

    impl Client {
        // One span around all attempts.
        #[guarded]
        #[instrument(skip_all, fields(text = text.len()))]
        async fn spanned_below(&mut self, text: String) -> Result<u32> {
            self.1 += text.len() as u32;
            yield_now().await;
            self.0.next()?;
            Ok(self.1)
        }

        // One span for each of them.
        #[instrument(skip(self), err)]
        #[guarded]
        async fn spanned_above(&self, text: String) -> Result<u32> {
            yield_now().await;
            self.0.next()?;
            Ok(self.1 + text.len() as u32)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn above_and_below() {
        let text = || "x".to_owned();
        let below = call(ATTEMPTS, |n| async move { Client(n, 0).spanned_below(text()).await });
        assert_eq!(spans(&BELOW, below).await, (ATTEMPTS, 1));
        let above = call(ATTEMPTS, |n| async move { Client(n, 0).spanned_above(text()).await });
        assert_eq!(spans(&ABOVE, above).await, (1, ATTEMPTS));
    }
}

/// As one of ours, `cfg_attr` is resolved before they are expanded.
mod conditional {
    use super::*;

    #[cfg_attr(all(), retry(base_delay = 0ms))]
    #[cfg_attr(all(), bulkhead, timeout("1s"))]
    #[cfg_attr(any(), circuit_breaker(missing))]
    async fn some(attempts: &Attempts) -> Result<u32> {
        yield_now().await;
        attempts.next()
    }

    #[cfg_attr(any(), retry(missing))]
    async fn none(attempts: &Attempts) -> Result<u32> {
        yield_now().await;
        attempts.next()
    }

    #[tokio::test(start_paused = true)]
    async fn attributes() {
        assert_eq!(call(3, some).await, 3);
        assert_eq!(call(1, none).await, 1);
    }
}

/// Ours may stand apart, as long as what is between them is no macro.
mod between {
    use super::*;

    #[retry(base_delay = 0ms)]
    #[doc = "Documented."]
    #[must_use]
    #[circuit_breaker]
    /// And again.
    #[inline]
    #[timeout("1s")]
    #[allow(clippy::unused_async)]
    #[bulkhead]
    #[rustfmt::skip]
    async fn ours(attempts: &Attempts) -> Result<u32> {
        yield_now().await;
        attempts.next()
    }

    #[tokio::test(start_paused = true)]
    async fn are_ordinary_attributes() {
        assert_eq!(call(3, ours).await, 3);
    }
}
