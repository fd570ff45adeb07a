//! Rate limits that refuse at once: a thousand million a second, which no loop reaches, and one an hour.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::{Quota, RateLimiter as Governor};
use resilience::{RateLimiter, rate_limit};
use resilience_instructions::body::{Body, Failure};
use resilience_instructions::guarded;
use tower::Layer as _;
use tower_resilience::ratelimiter::RateLimiterLayer;

use super::{Contender, fresh, ours, peer, settle};
use crate::repeat;
use crate::subject::{Subject, body_service, service, subject};

const PLENTY: u32 = 1_000_000_000;
const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);

pub(super) fn within() -> Vec<Contender> {
    vec![
        ours("resilience, attribute", || {
            subject((), |_, count, body| async move { repeat!(count, guarded::limited(body)) })
        }),
        ours("resilience, handle", || handle(rate_limit::Config::new().limit(PLENTY))),
        peer("governor {governor}", || of_governor(Quota::per_second(NonZeroU32::new(PLENTY).expect("not zero")))),
        peer("leaky-bucket {leaky-bucket}", || of_leaky_bucket(PLENTY, SECOND)),
        peer("tower-resilience {tower-resilience}", || of_tower_resilience(PLENTY, SECOND)),
    ]
}

pub(super) fn empty() -> Vec<Contender> {
    vec![
        ours("resilience, attribute", || {
            emptied(subject((), |_, count, body| async move { repeat!(count, guarded::empty(body)) }))
        }),
        ours("resilience, handle", || emptied(handle(rate_limit::Config::new().limit(1).per(HOUR)))),
        peer("governor {governor}", || emptied(of_governor(Quota::with_period(HOUR).expect("not zero")))),
        peer("leaky-bucket {leaky-bucket}", || emptied(of_leaky_bucket(1, HOUR))),
        peer("tower-resilience {tower-resilience}", || emptied(of_tower_resilience(1, HOUR))),
    ]
}

/// The same after the one call that it allows.
fn emptied(subject: Arc<dyn Subject>) -> Arc<dyn Subject> {
    settle(Arc::clone(&subject).calls(1, Body::Ready));
    subject
}

fn handle(config: rate_limit::Config) -> Arc<dyn Subject> {
    let limiter = RateLimiter::register(&fresh(), config).expect("a valid configuration");
    subject(limiter, |limiter, count, body: Body| async move {
        repeat!(count, async {
            limiter.try_acquire(1)?;
            body.call().await
        })
    })
}

fn of_governor(quota: Quota) -> Arc<dyn Subject> {
    subject(Governor::direct(quota), |limiter, count, body: Body| async move {
        repeat!(count, async {
            limiter.check().map_err(|_| Failure::Body)?;
            body.call().await
        })
    })
}

fn of_leaky_bucket(limit: u32, per: Duration) -> Arc<dyn Subject> {
    let limit = limit as usize;
    let limiter = leaky_bucket::RateLimiter::builder().max(limit).initial(limit).refill(limit).interval(per).build();
    subject(limiter, |limiter, count, body: Body| async move {
        repeat!(count, async {
            if !limiter.try_acquire(1) {
                return Err(Failure::Body);
            }
            body.call().await
        })
    })
}

fn of_tower_resilience(limit: u32, per: Duration) -> Arc<dyn Subject> {
    let layer = RateLimiterLayer::builder()
        .limit_for_period(limit as usize)
        .refresh_period(per)
        .timeout_duration(Duration::ZERO)
        .build()
        .expect("a valid configuration");
    service(layer.layer(body_service()))
}
