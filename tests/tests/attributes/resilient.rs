//! `#[resilient]` on functions, and what lists and stacks have in common; retry budgets by attribute.

use resilience::{
    Bulkhead, CircuitBreaker, ErrorKind, RetryBudget, bulkhead, circuit_breaker, resilient, retry, retry_budget,
    timeout,
};
use resilience_tests::{Answer, EventLog, Fault, Script, Step, ms, secs};

#[resilient(
    fallback(value = 0),
    retry(max_attempts = 3, base_delay = "10ms", jitter = "none", name = "resilient-retry"),
    circuit_breaker("resilient", consecutive_failures = 10),
    timeout("50ms")
)]
async fn listed(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn the_first_listed_is_outermost() {
    let log = EventLog::of(["resilient-retry"]);
    let body = Script::new([Step::Hang, Step::Err(Fault::Down), Step::Ok]);
    assert_eq!(listed(&body).await, Ok(3));
    log.expect(["retry.attempt_failed", "retry.attempt_failed", "retry.recovered"]);
    assert_eq!(body.probe().starts(), [ms(0), ms(60), ms(80)]);
    assert_eq!(CircuitBreaker::get("resilient").unwrap().snapshot().calls, 3, "each attempt is a call");
    assert_eq!(listed(&Script::down()).await, Ok(0));
}

/// Further attributes are inside.
#[resilient(retry(max_attempts = 2, base_delay = "10ms", jitter = "none"))]
/// Documented in between.
#[bulkhead("resilient-inside", max_concurrent = 1)]
#[timeout("50ms")]
async fn with_more_below(body: &Script) -> Answer {
    body.run().await
}

/// A list below is inside.
#[retry(max_attempts = 2, base_delay = "10ms", jitter = "none")]
#[resilient(bulkhead("resilient-inside"), timeout("50ms"))]
async fn list_below(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn lists_and_attributes_are_one_stack() {
    let (first, second) = (Script::hang(), Script::hang());
    assert_eq!(with_more_below(&first).await.unwrap_err().kind(), Some(ErrorKind::TimedOut));
    assert_eq!(first.probe().starts(), [ms(0), ms(60)]);
    assert_eq!(list_below(&second).await.unwrap_err().kind(), Some(ErrorKind::TimedOut));
    assert_eq!(second.entered(), 2);
    assert_eq!(Bulkhead::get("resilient-inside").unwrap().snapshot().in_flight, 0);
}

#[resilient(timeout("50ms"), bulkhead("resilient.{method}", max_wait = "1s"), order = "as_written", crate = ::resilience)]
async fn keys(body: &Script) -> Answer {
    body.run().await
}

#[circuit_breaker("resilient.{method}")]
async fn r#match(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test]
async fn method_stands_for_the_functions_name() {
    assert_eq!(keys(&Script::ok()).await, Ok(1));
    assert_eq!(r#match(&Script::ok()).await, Ok(1));
    assert!(Bulkhead::get("resilient.keys").is_some());
    assert_eq!(CircuitBreaker::get("resilient.match").unwrap().snapshot().calls, 1);
}

#[retry(max_attempts = 10, base_delay = 0ms, budget = "resilient-budget", name = "budgeted")]
async fn budgeted(body: &Script) -> Answer {
    body.run().await
}

#[resilient(retry(max_attempts = 10, base_delay = 0ms, budget = BUDGET))]
async fn budgeted_too(body: &Script) -> Answer {
    body.run().await
}

const BUDGET: &str = "resilient-budget";

#[tokio::test(start_paused = true)]
async fn retries_that_name_a_budget_share_it() {
    RetryBudget::register(BUDGET, retry_budget::Config::new().ratio(0.5).min_per_second(2).ttl(secs(1))).unwrap();
    let log = EventLog::of(["budgeted"]);
    let (first, second) = (Script::down(), Script::down());
    assert_eq!(budgeted_too(&second).await, Err(Fault::Down));
    assert_eq!(second.entered(), 3, "two a second, and a half is no token");
    assert_eq!(budgeted(&first).await, Err(Fault::Down), "the last error, as it is");
    assert_eq!(first.entered(), 2, "the second half");
    log.expect(["retry.attempt_failed", "retry.budget_exhausted"]);
}

#[retry(max_attempts = 2, base_delay = 0ms, name = "outer-retry")]
#[timeout("1s")]
async fn outer(body: &Script) -> Answer {
    inner(body).await
}

#[retry(max_attempts = 2, base_delay = 0ms, name = "inner-retry")]
async fn inner(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn nested_retries_are_told_once() {
    let log = EventLog::of(["inner-retry"]);
    let body = Script::down();
    assert_eq!(outer(&body).await, Err(Fault::Down));
    assert_eq!(body.entered(), 4);
    let nested = log.take().iter().filter(|event| event.name() == "retry.nested").count();
    assert_eq!(nested, 1, "the second inner call is told no more");
}

/// More layers than stand side by side in the expansion.
#[tokio::test]
async fn a_long_stack_has_all_its_layers() {
    #[resilient(
        bulkhead("long-0"),
        bulkhead("long-1"),
        bulkhead("long-2"),
        bulkhead("long-3"),
        bulkhead("long-4"),
        bulkhead("long-5"),
        bulkhead("long-6"),
        bulkhead("long-7"),
        bulkhead("long-8"),
        bulkhead("long-9"),
        bulkhead("long-10"),
        bulkhead("long-11"),
        bulkhead("long-12"),
        bulkhead("long-13"),
        bulkhead("long-14"),
        bulkhead("long-15"),
        retry(budget = "long")
    )]
    async fn held() -> Result<Vec<u32>, resilience::Error> {
        Ok(slots().map(|slot| slot.snapshot().in_flight).collect())
    }
    fn slots() -> impl Iterator<Item = Bulkhead> {
        (0..16).map(|number| Bulkhead::get(&format!("long-{number}")).expect("known before any call"))
    }
    assert!(RetryBudget::get("long").is_some());
    assert_eq!(held().await.unwrap(), [1; 16]);
    assert!(slots().all(|slot| slot.snapshot().in_flight == 0));
}
