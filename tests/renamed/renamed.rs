//! `resilience` under another name: `guards` in this package's manifest, and inside of a framework.
#![deny(warnings)]

/// The package depends on it under another name.
mod by_the_manifest {
    use super::failing_until;
    use async_trait::async_trait;
    use guards::{Classify, bulkhead, circuit_breaker, fallback, resilient, retry, stale_if_error, timeout};
    use std::io::Result;
    use std::pin::Pin;
    use std::sync::atomic::AtomicU32;

    #[retry(base_delay = 0ms, jitter = "none", crate = ::guards)]
    #[circuit_breaker]
    #[bulkhead]
    #[timeout("1s")]
    pub(crate) async fn stacked(text: String, attempts: &AtomicU32) -> Result<String> {
        failing_until(3, attempts)?;
        Ok(text)
    }

    // Each by its path, and each with its `crate`.
    #[guards::retry(base_delay = 0ms, crate = ::guards)]
    #[guards::rate_limit(limit = 10, crate = ::guards)]
    #[::guards::timeout("1s")]
    pub(crate) async fn by_path(attempts: &AtomicU32) -> Result<u32> {
        failing_until(3, attempts)
    }

    #[fallback(value = text.len(), crate = ::guards)]
    #[stale_if_error("1m", key = text)]
    #[retry(base_delay = 0ms, budget = "renamed")]
    pub(crate) async fn recovered(text: &str, attempts: &AtomicU32) -> Result<usize> {
        failing_until(9, attempts)?;
        Ok(text.len() + 1)
    }

    #[resilient(fallback(|_| Ok(7)), retry(base_delay = 0ms), timeout("1s"), crate = ::guards)]
    #[circuit_breaker]
    pub(crate) async fn listed(attempts: &AtomicU32) -> Result<u32> {
        failing_until(9, attempts)
    }

    pub(crate) struct Client(pub(crate) AtomicU32);

    #[resilient(retry(base_delay = 0ms), timeout("1s"), crate = ::guards)]
    impl Client {
        pub(crate) fn boxed(&self) -> Pin<Box<dyn Future<Output = Result<u32>> + Send + '_>> {
            Box::pin(async move { failing_until(3, &self.0) })
        }

        #[guards::resilient(skip)]
        pub(crate) async fn left_out(&self) -> u32 {
            0
        }
    }

    #[async_trait]
    pub(crate) trait Service: Send + Sync {
        async fn call(&self, text: String) -> Result<String>;
    }

    #[async_trait]
    impl Service for Client {
        #[retry(base_delay = 0ms, crate = ::guards)]
        #[circuit_breaker]
        async fn call(&self, text: String) -> Result<String> {
            failing_until(3, &self.0).map(|_| text)
        }
    }

    #[derive(Classify)]
    #[classify(crate = ::guards)]
    pub(crate) enum Fault<T> {
        #[overloaded(retry_after = 0)]
        Busy(std::time::Duration),
        #[classify(transparent)]
        Inner(T),
    }
}

/// The package has it through a framework only, by several paths.
mod by_a_framework {
    use super::failing_until;
    use async_trait::async_trait;
    use framework::resilience::{bulkhead, circuit_breaker};
    use framework::{Classify, fallback, retry, stale_if_error, timeout};
    use std::io::Result;
    use std::sync::atomic::AtomicU32;

    #[retry(base_delay = 0ms, crate = ::framework::resilience)]
    #[circuit_breaker]
    #[bulkhead]
    #[timeout("1s")]
    pub(crate) async fn stacked(text: String, attempts: &AtomicU32) -> Result<String> {
        failing_until(3, attempts)?;
        Ok(text)
    }

    #[framework::net::guards::retry(base_delay = 0ms, crate = ::framework::net::guards)]
    #[framework::net::guards::timeout("1s")]
    pub(crate) async fn by_path(attempts: &AtomicU32) -> Result<u32> {
        failing_until(3, attempts)
    }

    #[stale_if_error("1m", crate = crate::by_a_framework::deeper::own)]
    #[fallback(value = 7)]
    #[timeout("1s")]
    pub(crate) async fn crate_relative(attempts: &AtomicU32) -> Result<u32> {
        failing_until(9, attempts)
    }

    /// Attributes that the framework re-exports at its own root, below one of another path.
    #[framework::net::guards::stale_if_error("1m", crate = ::framework::net::guards)]
    #[framework::fallback(value = 7)]
    #[::framework::retry(base_delay = 0ms)]
    #[framework::net::guards::circuit_breaker]
    #[timeout("1s")]
    pub(crate) async fn by_its_root(attempts: &AtomicU32) -> Result<u32> {
        failing_until(5, attempts)
    }

    /// A name of the user's own.
    pub(crate) mod deeper {
        pub(crate) use framework::resilience as own;
    }

    pub(crate) struct Client(pub(crate) AtomicU32);

    #[framework::resilient(retry(base_delay = 0ms), timeout("1s"), crate = ::framework::resilience)]
    #[async_trait]
    impl super::by_the_manifest::Service for Client {
        #[circuit_breaker]
        async fn call(&self, text: String) -> Result<String> {
            failing_until(3, &self.0).map(|_| text)
        }
    }

    pub(crate) struct Store(pub(crate) AtomicU32);

    /// Each method's own attributes stand where the dots are.
    #[framework::resilient(.., circuit_breaker("{type} in a framework"), crate = ::framework::resilience)]
    impl Store {
        #[framework::retry(base_delay = 0ms)]
        #[timeout("1s")]
        pub(crate) async fn get(&self) -> Result<u32> {
            failing_until(3, &self.0)
        }
    }

    #[derive(Classify)]
    #[classify(crate = ::framework::resilience)]
    #[caller]
    pub(crate) struct NotFound;
}

/// The framework's macros write the attributes.
mod by_a_macro {
    use super::failing_until;
    use std::io::Result;
    use std::sync::atomic::AtomicU32;

    framework::guarded! {
        /// Documented.
        #[inline]
        pub(crate) async fn written(attempts: &AtomicU32, text: String) -> Result<String> {
            failing_until(3, attempts)?;
            Ok(text)
        }
    }

    struct Client(AtomicU32);

    impl Client {
        framework::guarded_method!(call, self, failing_until(3, &self.0));
    }

    pub(crate) async fn method() -> Result<u32> {
        Client(AtomicU32::new(0)).call().await
    }
}

use std::io::{Error, Result};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

fn failing_until(needed: u32, attempts: &AtomicU32) -> Result<u32> {
    let n = attempts.fetch_add(1, Ordering::SeqCst) + 1;
    if n < needed { Err(Error::other(format!("attempt {n}"))) } else { Ok(n) }
}

fn attempts() -> AtomicU32 {
    AtomicU32::new(0)
}

#[tokio::test(start_paused = true)]
async fn under_another_name() {
    use by_the_manifest::{Fault, by_path, listed, recovered, stacked};
    use guards::{Class, Classify};

    assert_eq!(tokio::spawn(async { stacked("x".to_owned(), &attempts()).await }).await.unwrap().unwrap(), "x");
    assert_eq!(by_path(&attempts()).await.unwrap(), 3);
    assert_eq!(recovered("x", &attempts()).await.unwrap(), 1);
    assert_eq!(listed(&attempts()).await.unwrap(), 7);
    let client = by_the_manifest::Client(attempts());
    assert_eq!((client.boxed().await.unwrap(), client.left_out().await), (3, 0));
    assert_eq!(by_service(by_the_manifest::Client(attempts())).await, "x");
    let busy = Fault::<Error>::Busy(Duration::from_secs(1));
    assert_eq!(busy.classify(), Class::Overloaded { retry_after: Some(Duration::from_secs(1)) });
    assert_eq!(Fault::Inner(Error::other("x")).classify(), Class::Transient);
}

#[tokio::test(start_paused = true)]
async fn through_a_framework() {
    use by_a_framework::{NotFound, Store, by_its_root, by_path, crate_relative, stacked};
    use framework::resilience::{CircuitBreaker, Class, Classify};

    assert_eq!(tokio::spawn(async { stacked("x".to_owned(), &attempts()).await }).await.unwrap().unwrap(), "x");
    assert_eq!(by_path(&attempts()).await.unwrap(), 3);
    assert_eq!(crate_relative(&attempts()).await.unwrap(), 7);
    let made = attempts();
    assert_eq!(by_its_root(&made).await.unwrap(), 7);
    assert_eq!(made.into_inner(), 4);
    assert_eq!(by_service(by_a_framework::Client(attempts())).await, "x");
    assert_eq!(Store(attempts()).get().await.unwrap(), 3);
    let calls = CircuitBreaker::get("Store in a framework").map(|breaker| breaker.snapshot().calls);
    assert_eq!(calls, Some(3), "the method's own retry is above the breaker");
    assert_eq!(NotFound.classify(), Class::Caller);
}

/// As production code calls it: behind a trait object, on another thread.
async fn by_service(service: impl by_the_manifest::Service + 'static) -> String {
    let service: Box<dyn by_the_manifest::Service> = Box::new(service);
    tokio::spawn(async move { service.call("x".to_owned()).await }).await.unwrap().unwrap()
}

#[tokio::test(start_paused = true)]
async fn written_by_a_framework() {
    assert_eq!(by_a_macro::written(&attempts(), "x".to_owned()).await.unwrap(), "x");
    assert_eq!(by_a_macro::method().await.unwrap(), 3);
}

/// It is one crate, whatever it is called: names are the same, and so is what they stand for.
#[tokio::test(start_paused = true)]
async fn names_are_shared() {
    #[guards::circuit_breaker("renamed-shared", crate = ::guards)]
    async fn one() -> Result<()> {
        Ok(())
    }

    #[framework::net::guards::circuit_breaker("renamed-shared", crate = ::framework::resilience)]
    async fn other() -> Result<()> {
        Ok(())
    }

    one().await.unwrap();
    guards::CircuitBreaker::get("renamed-shared").unwrap().force_open();
    assert!(other().await.is_err());
}
