//! Events as `tracing` events, under the target `resilience`.

use std::panic::catch_unwind;

use tracing::Level;

use super::Event;
use crate::error::ErrorKind;

const TARGET: &str = "resilience";

pub(super) fn sees_debug() -> bool {
    tracing::event_enabled!(target: TARGET, Level::DEBUG)
}

/// The fields an event may have, each of one meaning; the ones it lacks are not recorded.
#[derive(Default)]
struct Fields<'a> {
    function: Option<&'a str>,
    outer: Option<&'a str>,
    attempt: Option<u32>,
    attempts: Option<u32>,
    pause_ms: Option<f64>,
    cooldown_ms: Option<f64>,
    wait_ms: Option<f64>,
    timeout_ms: Option<f64>,
    age_ms: Option<f64>,
    retry_after_ms: Option<f64>,
    error: Option<&'a str>,
    class: Option<&'static str>,
    refusal: Option<&'static str>,
    limit: Option<&'static str>,
    refused_by: Option<&'static str>,
    budget: Option<&'static str>,
    reason: Option<&'static str>,
    state: Option<&'static str>,
    calls: Option<u32>,
    failures: Option<u32>,
    slow_calls: Option<u32>,
    permits: Option<u32>,
    inherited: Option<bool>,
    shadow: Option<bool>,
    option: Option<&'static str>,
    value: Option<String>,
}

pub(super) fn record(event: &Event) {
    let fields = Fields::of(event);
    // `tracing` wants the level and the list of fields at compile time.
    macro_rules! at {
        ($level:expr, $($field:ident)*) => {
            tracing::event!(
                target: TARGET,
                $level,
                name = event.name(),
                kind = event.kind(),
                policy = event.policy(),
                $($field = fields.$field,)*
                "{}",
                event.name(),
            )
        };
        ($level:expr) => {
            at!(
                $level,
                function outer attempt attempts pause_ms cooldown_ms wait_ms timeout_ms age_ms retry_after_ms error class
                refusal limit refused_by budget reason state calls failures slow_calls permits inherited shadow option
                value
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

pub(super) fn event_panicked() {
    tracing::error!(target: TARGET, "an event could not be told: what the call's error says of itself panicked");
}

/// They were caused by listeners, by one event.
pub(super) fn dropped(events: usize) {
    let told = || tracing::error!(target: TARGET, events, "listeners cause events without end: these are not told");
    // The subscriber may be one that panics.
    let _ = catch_unwind(told);
}

impl<'a> Fields<'a> {
    fn of(event: &'a Event) -> Self {
        let none = Self::default();
        match event {
            Event::RetryAttemptFailed { attempt, delay, error, class, .. } => Self {
                attempt: Some(*attempt),
                pause_ms: Some(millis(*delay)),
                error: Some(error),
                class: Some(class.as_str()),
                ..none
            },
            Event::RetryExhausted { attempts, limit, error, class, refused_by, .. } => Self {
                attempts: Some(*attempts),
                limit: Some(limit.as_str()),
                refused_by: *refused_by,
                error: Some(error),
                class: Some(class.as_str()),
                ..none
            },
            Event::RetryRecovered { attempts, .. } => Self { attempts: Some(*attempts), ..none },
            Event::RetryBudgetExhausted { attempts, budget, error, class, .. } => Self {
                attempts: Some(*attempts),
                budget: Some(budget),
                error: Some(error),
                class: Some(class.as_str()),
                ..none
            },
            Event::RetryNested { outer, .. } => Self { outer: Some(outer), ..none },
            Event::PolicyNested { function, outer, .. } => {
                Self { function: function.as_deref(), outer: outer.as_deref(), ..none }
            }
            Event::CircuitBreakerOpened { reason, snapshot, cooldown, shadow, .. } => Self {
                reason: Some(reason.as_str()),
                cooldown_ms: Some(millis(*cooldown)),
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
            Event::CircuitBreakerRejected { function, retry_after, shadow, .. } => Self {
                function: function.as_deref(),
                retry_after_ms: retry_after.map(millis),
                shadow: Some(*shadow),
                ..none
            },
            Event::CircuitBreakerForced { state, .. } => Self { state: Some(state.as_str()), ..none },
            Event::BulkheadRejected { function, waited, .. } => {
                Self { function: function.as_deref(), wait_ms: Some(millis(*waited)), ..none }
            }
            Event::RateLimitRejected { function, permits, retry_after, .. } => Self {
                function: function.as_deref(),
                permits: Some(*permits),
                retry_after_ms: retry_after.map(millis),
                ..none
            },
            Event::FallbackUsed { error, class, refusal, .. } => Self {
                error: Some(error),
                class: Some(class.as_str()),
                refusal: refusal.map(ErrorKind::as_str),
                ..none
            },
            Event::StaleServed { age, error, class, refusal, .. } => Self {
                age_ms: Some(millis(*age)),
                error: Some(error),
                class: Some(class.as_str()),
                refusal: refusal.map(ErrorKind::as_str),
                ..none
            },
            Event::TimeoutElapsed { after, inherited, attempts, error, .. } => Self {
                timeout_ms: Some(millis(*after)),
                inherited: Some(*inherited),
                attempts: *attempts,
                error: error.as_deref(),
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
