//! Retry budgets: what they allow, who shares them, and what they tell.

mod account;
mod attribute;
mod nested;
mod shared;

use resilience::retry_budget::Config;
use resilience::{Retry, RetryBudget, retry};
use resilience_tests::{Answer, Script, ms};

/// Without a reserve: only what first attempts have earned.
fn earned(ratio: f64) -> Config {
    Config::new().ratio(ratio).min_per_second(0)
}

/// How many of so many retries are allowed at this moment.
fn allowed(budget: &RetryBudget, retries: u32) -> u32 {
    (0..retries).map(|_| u32::from(budget.try_withdraw())).sum()
}

/// So many attempts without a pause, as far as the budget allows.
async fn retried(budget: RetryBudget, max_attempts: u32, body: &Script) -> Answer {
    let config = retry::Config::new().max_attempts(max_attempts).base_delay(ms(0));
    Retry::new(config).classified().budget(budget).call(|| body.run()).await
}
