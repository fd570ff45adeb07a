//! `#[retry(budget = "…")]`.

use resilience::retry_budget::Config;
use resilience::{Live, RetryBudget, retry};
use resilience_tests::{Answer, Clock, EventLog, Fault, Script, Step, ms};

#[retry(max_attempts = 5, base_delay = "0ms", budget = "attribute-shared", name = "attribute-one")]
async fn one(body: &Script) -> Answer {
    body.run().await
}

#[retry(max_attempts = 9, base_delay = "0ms", budget = "attribute-shared", name = "attribute-other")]
async fn other(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_budget_is_shared_between_functions() {
    let budget = RetryBudget::register("attribute-shared", Config::new().ratio(0.0).min_per_second(10)).unwrap();
    let log = EventLog::of(["attribute-one", "attribute-other"]);
    let body = Script::down();
    assert_eq!((one(&body).await, body.entered()), (Err(Fault::Down), 5));
    assert_eq!((other(&body).await, body.entered()), (Err(Fault::Down), 5 + 7));
    assert_eq!(budget.snapshot().available, 0);
    assert_eq!((one(&body).await, body.entered()), (Err(Fault::Down), 5 + 7 + 1));
    let told = log.take();
    let names: Vec<_> = told.iter().map(|event| (event.policy(), event.name())).collect();
    assert_eq!(names[4], ("attribute-one", "retry.exhausted"));
    assert_eq!(
        names[11..],
        [("attribute-other", "retry.budget_exhausted"), ("attribute-one", "retry.budget_exhausted"),]
    );
    match &told[11] {
        resilience::Event::RetryBudgetExhausted { budget, attempts, error, .. } => {
            assert_eq!((*budget, *attempts, error.as_str()), ("attribute-shared", 7, "down"));
        }
        _ => unreachable!(),
    }
}

#[retry(base_delay = "0ms", budget = "attribute-unregistered")]
async fn unregistered(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn it_is_in_the_registry_from_the_start() {
    let shown = || {
        let snapshot = resilience::registry().snapshot();
        snapshot.policies().iter().find(|policy| policy.name() == "attribute-unregistered").cloned().unwrap()
    };
    assert_eq!((shown().kind(), shown().sites()[0].function()), ("retry_budget", "unregistered"));
    assert_eq!(shown().option("ratio").unwrap().value().to_string(), "0.2");
    let available = || match shown().live() {
        Some(Live::RetryBudget(live)) => live.available,
        _ => unreachable!(),
    };
    assert_eq!(available(), 10);
    let _ = unregistered(&Script::new([Step::Err(Fault::Down), Step::Ok])).await;
    assert_eq!(available(), 9);
    assert_eq!(RetryBudget::get("attribute-unregistered").unwrap().snapshot().available, 9);
}

#[retry(max_attempts = 5, base_delay = "0ms", budget = "attribute-rb03")]
async fn rb03(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn rb03_a_declared_budget_is_in_force() {
    RetryBudget::register("attribute-rb03", Config::new().ratio(0.0).min_per_second(10)).unwrap();
    let body = Script::down();
    let calls = (0..100).map(|_| rb03(&body));
    assert!(futures::future::join_all(calls).await.iter().all(|answer| *answer == Err(Fault::Down)));
    assert_eq!(body.entered(), 100 + 10);
}

#[retry(base_delay = "1s", jitter = "none", budget = "attribute-early")]
async fn early(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_refusal_comes_before_the_pause_and_the_last_error_is_kept() {
    RetryBudget::register("attribute-early", Config::new().ratio(1.0).min_per_second(0)).unwrap();
    let clock = Clock::start();
    let body = Script::new([Step::Err(Fault::Down), Step::Err(Fault::Busy(None))]);
    assert_eq!(early(&body).await, Err(Fault::Busy(None)));
    assert_eq!((body.entered(), clock.elapsed()), (2, ms(1000)));
}
