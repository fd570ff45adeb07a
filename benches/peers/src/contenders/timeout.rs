//! Timeouts far away.

use std::time::Duration;

use layered::{Execute, Service as _, Stack as _};
use resilience::Deadline;
use resilience_instructions::body::{Body, Failure};
use resilience_instructions::guarded;
use seatbelt::ResilienceContext;
use tower::Layer as _;
use tower_resilience::timelimiter::TimeLimiterLayer;

use super::{Contender, ours, peer};
use crate::repeat;
use crate::subject::{body_service, serve, service, subject};

const MINUTE: Duration = Duration::from_secs(60);

pub(super) fn all() -> Vec<Contender> {
    vec![
        ours("resilience, attribute", || {
            subject((), |_, count, body| async move { repeat!(count, guarded::timed(body)) })
        }),
        // Tells everything below how long it has; it has no timer of its own.
        ours("resilience, Deadline::scope", || {
            subject(
                (),
                |_, count, body: Body| async move { repeat!(count, Deadline::after(MINUTE).scope(body.call())) },
            )
        }),
        peer("tokio {tokio}", || {
            subject((), |_, count, body: Body| async move { repeat!(count, tokio::time::timeout(MINUTE, body.call())) })
        }),
        peer("seatbelt {seatbelt}", || {
            let context = ResilienceContext::new(tick::Clock::new_tokio());
            let stack = (
                seatbelt::timeout::Timeout::layer("timeout", &context).timeout_error(|_| Failure::Body).timeout(MINUTE),
                Execute::new(serve),
            );
            subject(stack.into_service(), |service, count, body| async move { repeat!(count, service.execute(body)) })
        }),
        peer("tower {tower}", || service(tower::timeout::Timeout::new(body_service(), MINUTE))),
        peer("tower-resilience {tower-resilience}", || {
            let layer = TimeLimiterLayer::builder().timeout_duration(MINUTE).build();
            service(layer.layer(body_service()))
        }),
    ]
}
