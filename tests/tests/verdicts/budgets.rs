//! A retry budget earns by calls that come to their body, and spends on attempts that nobody refuses.

use resilience::retry_budget::Config;
use resilience::{
    Bulkhead, CircuitBreaker, Deadline, RetryBudget, bulkhead, circuit_breaker, rate_limit, retry, timeout,
};
use resilience_tests::{Answer, Fault, Script, Step, ms, polls, secs, sleep};

use crate::forms::Work;

/// The name of a function's budget, breaker and bulkhead; and the function.
type Function = (&'static str, for<'a> fn(&'a Script) -> Work<'a>);

macro_rules! functions {
    ($($name:ident $shared:literal: $($attribute:meta)*;)*) => {
        $(
            $(#[$attribute])*
            async fn $name(body: &Script) -> Answer {
                body.run().await
            }
        )*

        const FUNCTIONS: &[Function] = &[$(($shared, |body| Box::pin($name(body)))),*];
    };
}

functions! {
    one "budget one": retry(max_attempts = 9, base_delay = 0ms, budget = "budget one") circuit_breaker("budget one") bulkhead("budget one", max_concurrent = 1, max_wait = "1h");
    asked "budget asked": retry(max_attempts = 9, base_delay = 0ms, budget = "budget asked", when = |_| true) circuit_breaker("budget asked") bulkhead("budget asked", max_concurrent = 1, max_wait = "1h");
    apart "budget apart": retry(max_attempts = 9, base_delay = 0ms, budget = "budget apart") circuit_breaker("budget apart", when = |_| true) bulkhead("budget apart", max_concurrent = 1, max_wait = "1h");
    block "budget block": retry(max_attempts = 9, base_delay = 0ms, budget = "budget block") circuit_breaker("budget block") rate_limit(limit = 1_000, permits = 1) bulkhead("budget block", max_concurrent = 1, max_wait = "1h");
    bound "budget bound": timeout("2h") retry(max_attempts = 9, base_delay = 0ms, budget = "budget bound") timeout(secs(3600)) circuit_breaker("budget bound") bulkhead("budget bound", max_concurrent = 1, max_wait = "1h");
}

#[tokio::test(start_paused = true)]
async fn a_call_earns_once_its_body_is_polled() {
    for (name, call) in FUNCTIONS {
        let budget = RetryBudget::register(name, Config::new().ratio(1.0).min_per_second(0).ttl(secs(99_999))).unwrap();
        let earned = || budget.snapshot().available;
        let (breaker, slots) = (CircuitBreaker::get(name).expect("declared"), Bulkhead::get(name).expect("declared"));
        let (ok, hang) = (Script::ok(), Script::hang());
        breaker.force_open();
        for _ in 0..10 {
            call(&ok).await.expect_err("open");
        }
        breaker.reset();
        assert_eq!((earned(), ok.entered()), (0, 0), "{name}: refused by the breaker");
        Deadline::after(ms(0)).scope(call(&ok)).await.expect_err("too late");
        assert_eq!(earned(), 0, "{name}: too late");
        let slot = slots.try_acquire().expect("free");
        assert!(tokio::time::timeout(secs(1), call(&ok)).await.is_err());
        drop(slot);
        assert_eq!(earned(), 0, "{name}: dropped in line");
        assert_eq!(polls(call(&ok), 0).await, None);
        assert_eq!(earned(), 0, "{name}: never polled");
        call(&ok).await.expect("it succeeds");
        assert_eq!(earned(), 1, "{name}");
        assert_eq!(polls(call(&hang), 1).await, None);
        assert_eq!(earned(), 2, "{name}: its body was polled");
        let slot = slots.try_acquire().expect("free");
        let (answer, ()) = tokio::join!(call(&ok), async {
            sleep(secs(1)).await;
            drop(slot);
        });
        assert_eq!((answer, earned()), (Ok(2), 3), "{name}: after a line");
        let fails = Script::new([Step::Err(Fault::Down), Step::Err(Fault::Down), Step::Ok]);
        assert_eq!((call(&fails).await, earned()), (Ok(3), 3 + 1 - 2), "{name}: once for all attempts");
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_reserve_one_call_in_two_is_tried_again() {
    #[retry(max_attempts = 9, base_delay = 0ms, budget = "one in two")]
    async fn one_in_two(body: &Script) -> Answer {
        body.run().await
    }
    RetryBudget::register("one in two", Config::new().ratio(0.5).min_per_second(0)).unwrap();
    let down = Script::down();
    for _ in 0..10 {
        one_in_two(&down).await.expect_err("down");
    }
    assert_eq!(down.entered(), 10 + 5);
}
