//! What is measured: one instance of a contender.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use resilience_instructions::body::{Body, Failure};
use tower::{Service, ServiceExt};

use crate::repeat;

/// Many calls, one after the other; how many of them passed.
pub type Calls = Pin<Box<dyn Future<Output = u64> + Send>>;

/// One instance of a contender, which any number of threads may call at once.
pub trait Subject: Send + Sync {
    /// So many calls in a loop that is compiled for this contender alone.
    fn calls(self: Arc<Self>, count: u64, body: Body) -> Calls;
}

struct Shared<S, C> {
    state: Arc<S>,
    calls: C,
}

impl<S, C, F> Subject for Shared<S, C>
where
    S: Send + Sync,
    C: Fn(Arc<S>, u64, Body) -> F + Send + Sync,
    F: Future<Output = u64> + Send + 'static,
{
    fn calls(self: Arc<Self>, count: u64, body: Body) -> Calls {
        Box::pin((self.calls)(Arc::clone(&self.state), count, body))
    }
}

/// A contender from what its calls share, and the loop over the calls.
pub fn subject<S, C, F>(state: S, calls: C) -> Arc<dyn Subject>
where
    S: Send + Sync + 'static,
    C: Fn(Arc<S>, u64, Body) -> F + Send + Sync + 'static,
    F: Future<Output = u64> + Send + 'static,
{
    Arc::new(Shared { state: Arc::new(state), calls })
}

/// A contender that is a tower service: each loop calls its own clone, as the clients of a server would.
pub fn service<S>(service: S) -> Arc<dyn Subject>
where
    S: Service<Body, Response = u64> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Send,
{
    // Cloned once a loop; the lock is there because a service need not be `Sync`.
    subject(Mutex::new(service), |shared, count, body| {
        let mut service = shared.lock().unwrap_or_else(PoisonError::into_inner).clone();
        async move {
            repeat!(count, async {
                let ready = service.ready().await?;
                ready.call(body).await
            })
        }
    })
}

/// The body as a service calls it.
pub async fn serve(body: Body) -> Result<u64, Failure> {
    body.call().await
}

/// The innermost tower service.
pub fn body_service() -> impl Service<Body, Response = u64, Error = Failure, Future: Send> + Clone + Send + 'static {
    tower::service_fn(serve)
}

/// Awaits `$call` so many times, and counts what was `Ok`: the compiler may leave out no call.
#[macro_export]
macro_rules! repeat {
    ($count:expr, $call:expr) => {{
        let mut passed = 0;
        for _ in 0..$count {
            passed += u64::from(::std::hint::black_box($call.await.is_ok()));
        }
        passed
    }};
}
