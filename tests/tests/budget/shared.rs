//! One budget for many functions.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use resilience::RetryBudget;
use resilience::retry_budget::Config;
use resilience_tests::{EventLog, Fault, Script, budget, unique};

use super::{earned, retried};

/// RB-03: a limit that is declared is in force.
#[tokio::test(start_paused = true)]
async fn rb03_ten_tokens_are_ten_retries() {
    let budget = budget(Config::new().ratio(0.0).min_per_second(10));
    let body = Script::down();
    for _ in 0..100 {
        assert_eq!(retried(budget, 5, &body).await, Err(Fault::Down));
    }
    assert_eq!(body.entered(), 100 + 10);
}

#[tokio::test(start_paused = true)]
async fn calls_at_once_share_it() {
    let budget = budget(Config::new().ratio(0.0).min_per_second(10));
    let body = Script::down();
    let calls = (0..100).map(|_| retried(budget, 5, &body));
    assert!(futures::future::join_all(calls).await.iter().all(|answer| *answer == Err(Fault::Down)));
    assert_eq!(body.entered(), 100 + 10);
}

#[tokio::test(start_paused = true)]
async fn the_refusal_of_a_retry_is_told_and_is_no_refusal_of_the_call() {
    let budget = budget(earned(1.0));
    let log = EventLog::of_all_here();
    let body = Script::down();
    assert_eq!(retried(budget, 5, &body).await, Err(Fault::Down), "the last error as it is");
    assert_eq!(body.entered(), 2);
    let told = log.expect(["retry.attempt_failed", "retry.budget_exhausted"]);
    log.assert_finished();
    match &told[1] {
        resilience::Event::RetryBudgetExhausted { budget: name, attempts, .. } => {
            assert_eq!((*name, *attempts), (budget.name(), 2));
        }
        _ => unreachable!(),
    }
}

#[test]
fn no_token_is_spent_twice_by_threads() {
    for round in 0..50 {
        let budget = budget(earned(1.0));
        (0..100).for_each(|_| budget.deposit());
        let taken = AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        taken.fetch_add(u32::from(budget.try_withdraw()), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(taken.into_inner(), 100, "round {round}");
    }
}

#[test]
fn a_name_is_one_budget() {
    let name = unique("name");
    assert!(RetryBudget::get(name).is_none());
    let first = RetryBudget::register(name, earned(1.0)).unwrap();
    let second = RetryBudget::get(name).unwrap();
    first.deposit();
    assert_eq!((second.name(), second.try_withdraw(), first.try_withdraw()), (name, true, false));
}
