//! Retries in retries: their attempts multiply, and that is told.

use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;
use resilience::retry_budget::Config;
use resilience::{RetryBudget, retry};
use resilience_tests::{Answer, EventLog, Fault, Script, Step};

macro_rules! three_deep {
    ($module:ident, $delay:literal $(, $option:ident = $value:literal)*) => {
        mod $module {
            use super::*;

            #[retry(max_attempts = 3, base_delay = $delay, jitter = "none", name = concat!(stringify!($module), "-a") $(, $option = $value)*)]
            pub(super) async fn a(body: &Script) -> Answer {
                b(body).await
            }

            #[retry(max_attempts = 3, base_delay = $delay, jitter = "none", name = concat!(stringify!($module), "-b") $(, $option = $value)*)]
            pub(super) async fn b(body: &Script) -> Answer {
                c(body).await
            }

            #[retry(max_attempts = 3, base_delay = $delay, jitter = "none", name = concat!(stringify!($module), "-c") $(, $option = $value)*)]
            pub(super) async fn c(body: &Script) -> Answer {
                body.run().await
            }
        }
    };
}

three_deep!(plain, "50ms");
three_deep!(budgeted, "0ms", budget = "nested-budget");

#[tokio::test(start_paused = true)]
async fn rb05_nested_retries_multiply_and_it_is_told_once_for_each_pair() {
    let log = EventLog::of(["plain-a", "plain-b", "plain-c"]);
    let body = Script::down();
    assert_eq!((plain::a(&body).await, body.entered()), (Err(Fault::Down), 27));
    let nested = |log: &EventLog| -> Vec<_> {
        let told = log.take().into_iter().filter_map(|event| match event {
            resilience::Event::RetryNested { policy, outer, .. } => Some((outer, policy)),
            _ => None,
        });
        told.collect()
    };
    assert_eq!(nested(&log), [("plain-a", "plain-b"), ("plain-b", "plain-c")]);
    for _ in 0..3 {
        let _ = plain::a(&body).await;
        let _ = plain::b(&body).await;
    }
    assert!(nested(&log).is_empty(), "once for each pair");
    // Side by side, one after the other, or in a task of its own is not nested; another outer one is another pair.
    #[retry(max_attempts = 2, base_delay = "0ms", name = "plain-other")]
    async fn other(body: &Script) -> Answer {
        plain::c(body).await
    }
    let _ = futures::join!(plain::b(&body), plain::c(&body));
    let task = body.clone();
    let _ = tokio::spawn(async move { plain::c(&task).await }).await;
    assert!(nested(&log).is_empty());
    let _ = other(&body).await;
    assert_eq!(nested(&log), [("plain-other", "plain-c")]);
}

#[tokio::test(start_paused = true)]
async fn rb05_a_shared_budget_bounds_the_product() {
    RetryBudget::register("nested-budget", Config::new().ratio(0.0).min_per_second(10)).unwrap();
    let body = Script::down();
    assert_eq!(budgeted::a(&body).await, Err(Fault::Down));
    assert_eq!(body.entered(), 1 + 10);
}

/// Whatever an attempt calls beside its body, on the way down from another retry's policies, is not inside it.
#[tokio::test(start_paused = true)]
async fn a_retry_after_another_one_is_not_nested() {
    #[retry(max_attempts = 2, base_delay = "0ms", name = "after-first")]
    async fn first(body: &Script) -> Answer {
        body.run().await
    }
    #[retry(max_attempts = 2, base_delay = "0ms", name = "after-second")]
    async fn second(body: &Script) -> Answer {
        body.run().await
    }
    let log = EventLog::of(["after-first", "after-second"]);
    let body = Script::down();
    let _ = first(&body).await;
    let _ = second(&body).await;
    // A panic in an attempt leaves no trace of it.
    let panics = Script::new([Step::Panic]);
    assert!(AssertUnwindSafe(first(&panics)).catch_unwind().await.is_err());
    let _ = second(&body).await;
    assert!(log.take().iter().all(|event| event.name() != "retry.nested"));
}
