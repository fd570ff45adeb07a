//! What is measured: a contender, and the body that every contender guards.

use std::fmt;
use std::future::Future;
use std::hint::black_box;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use resilience::Classify;
use tower::{Service, ServiceExt};

/// What the guarded function does, told at run time: no contender can know that it is nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// Returns `Ok` at the first poll.
    Ready,
    /// Waits once, with its waker called at once: a timeout around it has to register its timer.
    Pending,
    /// Returns an error.
    Failing,
}

/// The error of the guarded function.
#[derive(Clone, Debug, Classify)]
pub enum Failure {
    /// The body failed.
    Body,
    /// A policy refused.
    Refused(resilience::Error),
}

impl From<resilience::Error> for Failure {
    fn from(error: resilience::Error) -> Self {
        Self::Refused(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Body => f.write_str("the body failed"),
            Self::Refused(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

impl Body {
    /// The body itself.
    pub fn call(self) -> Work {
        Work(self)
    }

    /// The body as a tower or seatbelt service calls it.
    pub async fn serve(self) -> Result<u64, Failure> {
        self.call().await
    }
}

/// The future of a body.
#[derive(Debug)]
#[must_use = "futures do nothing unless awaited"]
pub struct Work(Body);

impl Future for Work {
    type Output = Result<u64, Failure>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.0 {
            Body::Ready => Poll::Ready(Ok(black_box(1))),
            Body::Failing => Poll::Ready(Err(Failure::Body)),
            Body::Pending => {
                self.0 = Body::Ready;
                context.waker().wake_by_ref();
                Poll::Pending
            }
        }
    }
}

/// Many calls, one after the other.
pub type Calls = Pin<Box<dyn Future<Output = ()> + Send>>;

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
    F: Future<Output = ()> + Send + 'static,
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
    F: Future<Output = ()> + Send + 'static,
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
            for _ in 0..count {
                let done = match service.ready().await {
                    Ok(service) => service.call(body).await.is_ok(),
                    Err(_) => false,
                };
                black_box(done);
            }
        }
    })
}

/// The innermost tower service.
pub fn body_service() -> impl Service<Body, Response = u64, Error = Failure, Future: Send> + Clone + Send + 'static {
    tower::service_fn(Body::serve)
}

/// Awaits `$call` so many times; what comes of it is looked at, so that none is left out.
#[macro_export]
macro_rules! repeat {
    ($count:expr, $call:expr) => {
        for _ in 0..$count {
            ::std::hint::black_box($call.await.is_ok());
        }
    };
}
