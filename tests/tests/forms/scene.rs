//! What is seen while a script is played.

use std::fmt::{self, Display, Write};
use std::sync::{Mutex, PoisonError};

use resilience::{Bulkhead, CircuitBreaker, RateLimiter, RetryBudget};
use resilience_tests::Clock;

use super::stacks::Form;

/// All that was seen of one play, with the time and the numbers of the policies at each moment.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) form: Form,
    clock: Clock,
    rejected: Rejected,
    lines: Mutex<Vec<String>>,
}

impl Scene {
    pub(crate) fn begin(form: Form) -> Self {
        Self { form, clock: Clock::start(), rejected: rejected(&form), lines: Mutex::default() }
    }

    pub(crate) fn tell(&self, what: impl Display) {
        let line = format!("{:?}: {what}{}", self.clock.elapsed(), numbers(&self.form, self.rejected));
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.lines.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// How many calls have been refused since the start of the program.
type Rejected = [[u32; 2]; 2];

/// By the bulkheads and the rate limits of a form.
pub(crate) fn rejected(form: &Form) -> Rejected {
    [form.name, form.asks_name].map(|name| {
        let slots = Bulkhead::get(name).map_or(0, |bulkhead| bulkhead.snapshot().rejected);
        let permits = RateLimiter::get(name).map_or(0, |limiter| limiter.snapshot().rejected);
        [slots, permits]
    })
}

/// The numbers of the form's policies, without the refusals before this play.
pub(crate) fn numbers(form: &Form, before: Rejected) -> String {
    let mut numbers = String::new();
    for (name, [slots_before, permits_before]) in [form.name, form.asks_name].iter().zip(before) {
        if let Some(now) = CircuitBreaker::get(name).map(|breaker| breaker.snapshot()) {
            let counts = [now.calls, now.failures, now.slow_calls, now.rejected, now.probes_in_flight];
            add(&mut numbers, format_args!("{} {counts:?} {:?}", now.state, now.cooldown_remaining));
        }
        if let Some(now) = Bulkhead::get(name).map(|bulkhead| bulkhead.snapshot()) {
            let counts = [now.in_flight, now.waiting, now.rejected - slots_before];
            add(&mut numbers, format_args!("slots {counts:?}"));
        }
        if let Some(now) = RateLimiter::get(name).map(|limiter| limiter.snapshot()) {
            let counts = [now.available, now.waiting, now.rejected - permits_before];
            add(&mut numbers, format_args!("permits {counts:?}"));
        }
        if let Some(now) = RetryBudget::get(name).map(|budget| budget.snapshot()) {
            add(&mut numbers, format_args!("budget {}", now.available));
        }
    }
    numbers
}

fn add(numbers: &mut String, shown: fmt::Arguments<'_>) {
    // Writing to a text does not fail.
    let _ = write!(numbers, "; {shown}");
}
