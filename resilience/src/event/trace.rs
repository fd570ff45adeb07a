//! Events as `tracing` events, under the target `resilience`.

use tracing::Level;

use super::Event;
use crate::error::ErrorKind;

const TARGET: &str = "resilience";

pub(super) fn sees_debug() -> bool {
    tracing::event_enabled!(target: TARGET, Level::DEBUG)
}

/// The fields an event may have; the ones it lacks are not recorded.
#[derive(Default)]
struct Fields<'a> {
    attempt: Option<u32>,
    delay_ms: Option<f64>,
    error: Option<&'a str>,
    reason: Option<&'static str>,
    state: Option<&'static str>,
    option: Option<&'static str>,
    value: Option<String>,
    calls: Option<u32>,
    failures: Option<u32>,
    slow_calls: Option<u32>,
    shadow: Option<bool>,
}

pub(super) fn record(event: &Event) {
    let fields = Fields::of(event);
    // `tracing` wants the level and the list of fields at compile time.
    macro_rules! at {
        ($level:expr) => {
            tracing::event!(
                target: TARGET,
                $level,
                name = event.name(),
                kind = event.kind(),
                policy = event.policy(),
                attempt = fields.attempt,
                delay_ms = fields.delay_ms,
                error = fields.error,
                reason = fields.reason,
                state = fields.state,
                option = fields.option,
                value = fields.value,
                calls = fields.calls,
                failures = fields.failures,
                slow_calls = fields.slow_calls,
                shadow = fields.shadow,
                "{}",
                event.name(),
            )
        };
    }
    match event {
        Event::CircuitBreakerOpened { .. } | Event::ConfigClamped { .. } => at!(Level::WARN),
        Event::CircuitBreakerClosed { .. } | Event::CircuitBreakerForced { .. } => at!(Level::INFO),
        _ => at!(Level::DEBUG),
    }
}

pub(super) fn listener_panicked(event: &Event) {
    tracing::error!(target: TARGET, name = event.name(), policy = event.policy(), "a listener panicked");
}

impl<'a> Fields<'a> {
    fn of(event: &'a Event) -> Self {
        let none = Self::default();
        match event {
            Event::RetryAttemptFailed { attempt, delay, error, .. } => {
                Self { attempt: Some(*attempt), delay_ms: Some(millis(*delay)), error: Some(error), ..none }
            }
            Event::RetryExhausted { attempts, limit, error, .. } => {
                Self { attempt: Some(*attempts), reason: Some(limit.name()), error: Some(error), ..none }
            }
            Event::RetryRecovered { attempts, .. } => Self { attempt: Some(*attempts), ..none },
            Event::RetryBudgetExhausted { attempts, budget, error, .. } => {
                Self { attempt: Some(*attempts), reason: Some(budget), error: Some(error), ..none }
            }
            Event::RetryNested { outer, .. } => Self { reason: Some(outer), ..none },
            Event::CircuitBreakerOpened { reason, snapshot, cooldown, shadow, .. } => Self {
                reason: Some(reason.name()),
                delay_ms: Some(millis(*cooldown)),
                calls: Some(snapshot.calls),
                failures: Some(snapshot.failures),
                slow_calls: Some(snapshot.slow_calls),
                shadow: Some(*shadow),
                ..none
            },
            Event::CircuitBreakerHalfOpened { shadow, .. } => Self { shadow: Some(*shadow), ..none },
            Event::CircuitBreakerClosed { snapshot, shadow, .. } => {
                Self { calls: Some(snapshot.calls), shadow: Some(*shadow), ..none }
            }
            Event::CircuitBreakerRejected { retry_after, shadow, .. } => {
                Self { delay_ms: retry_after.map(millis), shadow: Some(*shadow), ..none }
            }
            Event::CircuitBreakerForced { state, .. } => Self { state: Some(state.name()), ..none },
            Event::BulkheadRejected { waited, .. } => Self { delay_ms: Some(millis(*waited)), ..none },
            Event::RateLimitRejected { retry_after, .. } => Self { delay_ms: retry_after.map(millis), ..none },
            Event::FallbackUsed { error, refusal, .. } => {
                Self { error: Some(error), reason: refusal.map(ErrorKind::as_str), ..none }
            }
            Event::StaleServed { age, error, refusal, .. } => Self {
                delay_ms: Some(millis(*age)),
                error: Some(error),
                reason: refusal.map(ErrorKind::as_str),
                ..none
            },
            Event::TimeoutElapsed { after, inherited, .. } => Self {
                delay_ms: Some(millis(*after)),
                reason: Some(if *inherited { "deadline" } else { "timeout" }),
                ..none
            },
            Event::ConfigClamped { option, value, .. } => {
                Self { option: Some(option), value: Some(value.to_string()), ..none }
            }
        }
    }
}

fn millis(duration: std::time::Duration) -> f64 {
    // Whole microseconds: the digits beyond are noise.
    duration.as_micros() as f64 / 1e3
}
