//! Circuit breakers: a window of 100 calls where there is one, else what the crate offers.

use std::sync::Arc;
use std::time::Duration;

use failsafe::futures::CircuitBreaker as _;
use layered::{Execute, Service as _, Stack as _};
use resilience::{CircuitBreaker, Outcome, circuit_breaker};
use resilience_instructions::body::{Body, Failure};
use resilience_instructions::guarded;
use seatbelt::{RecoveryInfo, ResilienceContext};
use tower::Layer as _;
use tower_resilience::circuitbreaker::CircuitBreakerLayer;

use super::{Contender, fresh, ours, peer, settle};
use crate::repeat;
use crate::subject::{Subject, body_service, serve, service, subject};

const HOUR: Duration = Duration::from_secs(3600);

pub(super) fn closed() -> Vec<Contender> {
    vec![
        ours("resilience, attribute", || {
            subject((), |_, count, body| async move { repeat!(count, guarded::closed(body)) })
        }),
        ours("resilience, handle", || handle(circuit_breaker::Config::new()).1),
        peer("breaker {breaker}", || of_breaker(100, 1000)),
        peer("failsafe {failsafe}, 50 in a row", || of_failsafe(50)),
        peer("recloser {recloser}", || of_recloser(100)),
        peer("seatbelt {seatbelt}, window of 30 s", of_seatbelt),
        peer("tower-resilience {tower-resilience}", || of_tower_resilience(100)),
    ]
}

pub(super) fn open() -> Vec<Contender> {
    vec![
        ours("resilience, attribute", || {
            settle(guarded::open(Body::Failing)).ok();
            subject((), |_, count, body| async move { repeat!(count, guarded::open(body)) })
        }),
        ours("resilience, handle", || {
            let config = circuit_breaker::Config::new().consecutive_failures(1).cooldown(HOUR);
            let (breaker, subject) = handle(config);
            if let Ok(permit) = breaker.try_acquire() {
                permit.record(Outcome::Failure);
            }
            subject
        }),
        peer("breaker {breaker}", || failed(of_breaker(1, 1), 1)),
        peer("failsafe {failsafe}, 1 in a row", || failed(of_failsafe(1), 1)),
        peer("recloser {recloser}", || failed(of_recloser(1), 2)),
        peer("seatbelt {seatbelt}, window of 30 s", || failed(of_seatbelt(), 1000)),
        peer("tower-resilience {tower-resilience}", || failed(of_tower_resilience(1), 1)),
    ]
}

/// The same after so many failures.
fn failed(subject: Arc<dyn Subject>, count: u64) -> Arc<dyn Subject> {
    settle(Arc::clone(&subject).calls(count, Body::Failing));
    subject
}

fn handle(config: circuit_breaker::Config) -> (CircuitBreaker, Arc<dyn Subject>) {
    let breaker = CircuitBreaker::register(&fresh(), config).expect("a valid configuration");
    (breaker, subject(breaker, |breaker, count, body: Body| async move { repeat!(count, breaker.call(body.call())) }))
}

fn of_breaker(window: u32, in_a_row: u32) -> Arc<dyn Subject> {
    let config = breaker::CircuitBreakerConfig::builder()
        .sliding_window_size(window)
        .minimum_calls(window.min(10))
        .consecutive_failures(in_a_row)
        .failure_rate_threshold(0.5)
        .wait_duration(HOUR)
        .build();
    subject(breaker::CircuitBreaker::new(config), |breaker, count, body: Body| async move {
        repeat!(count, breaker.call(|| body.call()))
    })
}

fn of_failsafe(in_a_row: u32) -> Arc<dyn Subject> {
    let policy = failsafe::failure_policy::consecutive_failures(in_a_row, failsafe::backoff::constant(HOUR));
    let breaker = failsafe::Config::new().failure_policy(policy).build();
    subject(breaker, |breaker, count, body: Body| async move { repeat!(count, breaker.call(body.call())) })
}

fn of_recloser(window: usize) -> Arc<dyn Subject> {
    let breaker = recloser::Recloser::custom().error_rate(0.5).closed_len(window).open_wait(HOUR).build();
    subject(recloser::AsyncRecloser::from(breaker), |breaker, count, body: Body| async move {
        repeat!(count, breaker.call(body.call()))
    })
}

fn of_seatbelt() -> Arc<dyn Subject> {
    let context = ResilienceContext::new(tick::Clock::new_tokio());
    let stack = (
        seatbelt::breaker::Breaker::layer("breaker", &context)
            .recovery_with(|result: &Result<u64, Failure>, _| match result {
                Ok(_) => RecoveryInfo::never(),
                Err(_) => RecoveryInfo::retry(),
            })
            .rejected_input_error(|_, _| Failure::Body)
            .break_duration(HOUR),
        Execute::new(serve),
    );
    subject(stack.into_service(), |service, count, body| async move { repeat!(count, service.execute(body)) })
}

fn of_tower_resilience(window: usize) -> Arc<dyn Subject> {
    let layer = CircuitBreakerLayer::builder()
        .sliding_window_size(window)
        .minimum_number_of_calls(window.min(10))
        .failure_rate_threshold(0.5)
        .wait_duration_in_open(HOUR)
        .build()
        .expect("a valid configuration");
    service(layer.layer(body_service()))
}
