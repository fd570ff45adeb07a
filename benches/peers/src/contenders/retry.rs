//! Retries whose first attempt succeeds.

use std::time::Duration;

use backon::{ExponentialBuilder, Retryable as _};
use resilience::{Retry, retry};
use resilience_instructions::body::{Body, Failure};
use resilience_instructions::guarded;
use tower::Layer as _;
use tower_resilience::retry::RetryLayer;

use super::{Contender, ours, peer};
use crate::repeat;
use crate::subject::{body_service, service, subject};

pub(super) fn first() -> Vec<Contender> {
    vec![
        ours("resilience, attribute", || {
            subject((), |_, count, body| async move { repeat!(count, guarded::retried(body)) })
        }),
        ours("resilience, handle", || {
            subject(Retry::new(retry::Config::new()), |retry, count, body: Body| async move {
                repeat!(count, retry.call(|| body.call()))
            })
        }),
        peer("tryhard {tryhard}", || {
            subject((), |_, count, body: Body| async move {
                repeat!(
                    count,
                    tryhard::retry_fn(|| body.call()).retries(3).exponential_backoff(Duration::from_millis(200))
                )
            })
        }),
        peer("backon {backon}", || {
            subject(
                ExponentialBuilder::default().with_max_times(3).with_jitter(),
                |backoff, count, body: Body| async move { repeat!(count, (|| body.call()).retry(*backoff)) },
            )
        }),
        peer("tower {tower}", || service(tower::retry::Retry::new(Attempts(3), body_service()))),
        peer("tower-resilience {tower-resilience}", || {
            let layer = RetryLayer::<Body, u64, Failure>::builder()
                .max_attempts(4)
                .exponential_backoff(Duration::from_millis(200))
                .build();
            service(layer.layer(body_service()))
        }),
    ]
}

/// tower leaves the policy to its user; this is the smallest that retries so many times.
#[derive(Clone)]
struct Attempts(u32);

impl tower::retry::Policy<Body, u64, Failure> for Attempts {
    type Future = std::future::Ready<()>;

    fn retry(&mut self, _: &mut Body, result: &mut Result<u64, Failure>) -> Option<Self::Future> {
        result.is_err().then_some(())?;
        self.0 = self.0.checked_sub(1)?;
        Some(std::future::ready(()))
    }

    fn clone_request(&mut self, body: &Body) -> Option<Body> {
        Some(*body)
    }
}
