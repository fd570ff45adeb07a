//! Retry, breaker, rate limit, bulkhead, timeout, from the outside in.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use backon::{ExponentialBuilder, Retryable as _};
use failsafe::futures::CircuitBreaker as _;
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter as Governor};
use resilience::{
    Bulkhead, CircuitBreaker, Deadline, RateLimiter, Retry, bulkhead, circuit_breaker, rate_limit, retry,
};
use resilience_instructions::body::{Body, Failure};
use resilience_instructions::guarded;
use tokio::sync::Semaphore;
use tower::{Layer as _, ServiceBuilder};
use tower_resilience::bulkhead::BulkheadLayer;
use tower_resilience::circuitbreaker::CircuitBreakerLayer;
use tower_resilience::ratelimiter::RateLimiterLayer;
use tower_resilience::retry::RetryLayer;
use tower_resilience::timelimiter::TimeLimiterLayer;

use super::{Contender, fresh, ours, peer};
use crate::repeat;
use crate::subject::{Subject, body_service, service, subject};

const MINUTE: Duration = Duration::from_secs(60);
const PLENTY: u32 = 1_000_000_000;

pub(super) fn all() -> Vec<Contender> {
    vec![
        ours("resilience, attributes", || {
            subject((), |_, count, body| async move { repeat!(count, guarded::stack(body)) })
        }),
        ours("resilience, handles (Deadline::scope for the timeout)", handles),
        peer("by hand: backon, failsafe, governor, Semaphore, tokio's timeout", by_hand),
        peer("tower-resilience {tower-resilience}, five layers", of_tower_resilience),
    ]
}

fn handles() -> Arc<dyn Subject> {
    struct Handles {
        retry: Retry,
        breaker: CircuitBreaker,
        limiter: RateLimiter,
        bulkhead: Bulkhead,
    }
    let name = fresh();
    let handles = Handles {
        retry: Retry::new(retry::Config::new()),
        breaker: CircuitBreaker::register(&name, circuit_breaker::Config::new()).expect("valid"),
        limiter: RateLimiter::register(&name, rate_limit::Config::new().limit(PLENTY)).expect("valid"),
        bulkhead: Bulkhead::register(&name, bulkhead::Config::new()).expect("valid"),
    };
    subject(handles, |handles, count, body: Body| async move {
        let attempt = || async {
            let called = handles.breaker.call(async {
                handles.limiter.try_acquire(1)?;
                let _slot = handles.bulkhead.try_acquire()?;
                Deadline::after(MINUTE).scope(body.call()).await
            });
            called.await?
        };
        repeat!(count, handles.retry.call(attempt))
    })
}

fn by_hand() -> Arc<dyn Subject> {
    struct Parts<B> {
        backoff: ExponentialBuilder,
        breaker: B,
        limiter: DefaultDirectRateLimiter,
        slots: Semaphore,
    }
    let policy = failsafe::failure_policy::consecutive_failures(50, failsafe::backoff::constant(MINUTE));
    let parts = Parts {
        backoff: ExponentialBuilder::default().with_max_times(3).with_jitter(),
        breaker: failsafe::Config::new().failure_policy(policy).build(),
        limiter: Governor::direct(Quota::per_second(NonZeroU32::new(PLENTY).expect("not zero"))),
        slots: Semaphore::new(25),
    };
    subject(parts, |parts, count, body: Body| async move {
        let attempt = || {
            parts.breaker.call(async {
                parts.limiter.check().map_err(|_| Failure::Body)?;
                let _slot = parts.slots.try_acquire().map_err(|_| Failure::Body)?;
                tokio::time::timeout(MINUTE, body.call()).await.map_err(|_| Failure::Body)?
            })
        };
        repeat!(count, attempt.retry(parts.backoff))
    })
}

fn of_tower_resilience() -> Arc<dyn Subject> {
    let breaker = CircuitBreakerLayer::builder().sliding_window_size(100).build().expect("valid");
    let limiter = RateLimiterLayer::builder()
        .limit_for_period(PLENTY as usize)
        .refresh_period(Duration::from_secs(1))
        .timeout_duration(Duration::ZERO)
        .build()
        .expect("valid");
    let bulkhead = BulkheadLayer::builder().max_concurrent_calls(25).reject_when_full().build().expect("valid");
    let timeout = TimeLimiterLayer::builder().timeout_duration(MINUTE).build();
    let retry = RetryLayer::builder().max_attempts(4).exponential_backoff(Duration::from_millis(200)).build();
    let guarded =
        ServiceBuilder::new().layer(breaker).layer(limiter).layer(bulkhead).layer(timeout).service(body_service());
    service(retry.layer(guarded))
}
