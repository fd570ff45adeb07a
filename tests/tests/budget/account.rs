//! The numbers: ratio, reserve, and how long they count.

use std::time::Duration;

use resilience::retry_budget::Config;
use resilience::{Deadline, ErrorKind, Retry, RetryBudget, Source, retry};
use resilience_tests::{Clock, Fault, Script, Step, budget, ms, secs, sleep, unique};

use super::{allowed, earned, retried};

#[tokio::test(start_paused = true)]
async fn rb01_the_ratio_holds_in_the_long_run() {
    for (ratio, most) in [(0.1, 1000), (0.3, 3000), (0.34, 3400), (0.5, 5000), (0.6, 6000), (0.9, 9000), (1.5, 15_000)]
    {
        let budget = budget(earned(ratio));
        let mut retries = 0;
        for call in 0..10_000u32 {
            let body = if call % 2 == 0 { Script::down() } else { Script::ok() };
            let _ = retried(budget, 5, &body).await;
            retries += body.entered() - 1;
        }
        // Four retries for each failing call is the most that anybody asks for.
        assert!(retries <= most, "{retries} retries at {ratio}");
        assert!(retries + 5 >= most, "{retries} retries at {ratio}: what is earned may be spent");
    }
}

#[tokio::test(start_paused = true)]
async fn a_part_of_a_token_is_none() {
    let budget = budget(earned(0.2));
    for _ in 0..4 {
        budget.deposit();
        assert_eq!((budget.snapshot().available, budget.try_withdraw()), (0, false));
    }
    budget.deposit();
    assert_eq!((budget.snapshot().available, allowed(&budget, 10)), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn the_defaults() {
    let default = budget(Config::new());
    assert_eq!(default.snapshot().available, 10, "a second's worth of ten a second");
    (0..50).for_each(|_| default.deposit());
    assert_eq!(allowed(&default, 1000), 20, "and one for every fifth call");
}

#[tokio::test(start_paused = true)]
async fn the_reserve_is_always_there() {
    let budget = budget(Config::new().ratio(0.0).min_per_second(2).ttl(secs(10)));
    let clock = Clock::start();
    for (at, expected) in [(0, 2), (1, 2), (2, 2), (10, 2), (30, 2)] {
        clock.until(secs(at)).await;
        assert_eq!(allowed(&budget, 100), expected, "at {at} s");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_spent_evenly_never_ends() {
    let budget = budget(Config::new().ratio(0.0).min_per_second(2).ttl(secs(10)));
    for tenth in 0..1000 {
        assert!(budget.try_withdraw(), "at {tenth} half seconds");
        sleep(ms(500)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_earned_is_forgotten() {
    let budget = budget(earned(1.0).ttl(secs(10)));
    let clock = Clock::start();
    budget.deposit();
    clock.until(secs(5)).await;
    budget.deposit();
    for (at, there) in [(5, 2), (9, 2), (10, 1), (14, 1), (15, 0), (100, 0)] {
        clock.until(secs(at)).await;
        assert_eq!(budget.snapshot().available, there, "at {at} s");
    }
}

#[tokio::test(start_paused = true)]
async fn both_may_be_zero_and_then_nothing_is_retried() {
    let budget = budget(earned(0.0));
    let body = Script::down();
    assert_eq!((retried(budget, 5, &body).await, body.entered()), (Err(Fault::Down), 1));
}

#[tokio::test(start_paused = true)]
async fn only_a_retry_that_comes_to_pass_spends() {
    let plenty = || {
        let budget = budget(earned(1.0));
        (0..10).for_each(|_| budget.deposit());
        budget
    };
    for (what, body, spent) in [
        ("success", Script::ok(), 0),
        ("an error that is not worth it", Script::new([Step::Err(Fault::NotFound)]), 0),
        ("two failures", Script::new([Step::Err(Fault::Down), Step::Err(Fault::Down), Step::Ok]), 2),
        ("the last attempt", Script::down(), 2),
    ] {
        let budget = plenty();
        let _ = retried(budget, 3, &body).await;
        assert_eq!(budget.snapshot().available, 11 - spent, "{what}");
    }
    // A pause that does not fit.
    let budget = plenty();
    let slow = Retry::new(retry::Config::new().base_delay(secs(9)).max_delay(secs(9)).jitter(retry::Jitter::None));
    let body = Script::down();
    let _ = Deadline::after(secs(1)).scope(slow.budget(budget).call(|| body.run())).await;
    assert_eq!((body.entered(), budget.snapshot().available), (1, 11));
    // A call that is too late is no first attempt.
    let late = Deadline::after(Duration::ZERO).scope(retried(budget, 3, &body)).await;
    assert_eq!(late.unwrap_err().kind(), Some(ErrorKind::DeadlineExceeded));
    assert_eq!(budget.snapshot().available, 11);
}

#[tokio::test(start_paused = true)]
async fn it_is_asked_before_the_pause() {
    let budget = budget(earned(0.0));
    let clock = Clock::start();
    let body = Script::down();
    let slow = Retry::new(retry::Config::new().base_delay(secs(9)).max_delay(secs(9)).jitter(retry::Jitter::None));
    let answer = slow.budget(budget).call(|| body.run()).await;
    assert_eq!((answer, body.entered(), clock.elapsed()), (Err(Fault::Down), 1, ms(0)));
}

/// Options change under the live state, and each remembers who gave it.
#[tokio::test(start_paused = true)]
async fn other_options_keep_what_was_earned() {
    let name = unique("account");
    let budget = RetryBudget::register(name, earned(1.0)).unwrap();
    (0..5).for_each(|_| budget.deposit());
    assert!(budget.try_withdraw());
    budget.reconfigure(|config| config.ratio(0.5)).unwrap();
    assert_eq!(budget.snapshot().available, 4);
    budget.deposit();
    budget.deposit();
    assert_eq!(budget.snapshot().available, 5);
    budget.reconfigure(|config| config.min_per_second(3)).unwrap();
    assert_eq!(budget.snapshot().available, 5, "the reserve has yet to come");
    sleep(secs(1)).await;
    assert_eq!(budget.snapshot().available, 8);
    budget.reconfigure(|config| config.ttl(secs(20))).unwrap();
    sleep(secs(19)).await;
    assert_eq!(budget.snapshot().available, 8, "what was earned counts as of the change");
    sleep(secs(1)).await;
    assert_eq!(budget.snapshot().available, 3);

    let snapshot = resilience::registry().snapshot();
    let shown = snapshot.policies().iter().find(|policy| policy.name() == name).unwrap();
    let given = |option| shown.option(option).map(|given| (given.value().to_string(), given.source()));
    assert_eq!(shown.kind(), "retry_budget");
    assert_eq!(given("ratio"), Some(("0.5".into(), Source::Runtime)));
    assert_eq!(given("ttl"), Some(("20s".into(), Source::Runtime)));
}

#[test]
fn rg07_what_cannot_be_used_is_refused() {
    for (config, option) in [
        (Config::new().ratio(-0.1), "ratio"),
        (Config::new().ratio(f64::NAN), "ratio"),
        (Config::new().ratio(f64::INFINITY), "ratio"),
        (Config::new().ttl(Duration::ZERO), "ttl"),
    ] {
        let name = unique("invalid");
        let error = RetryBudget::register(name, config).unwrap_err();
        assert_eq!((error.kind(), error.policy(), error.option()), ("retry_budget", name, option));
        assert!(RetryBudget::get(name).is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn to04_extremes_do_not_overflow() {
    for ttl in [Duration::MAX, secs(u64::MAX), Duration::from_nanos(u64::MAX), Duration::from_nanos(1)] {
        for ratio in [0.0, 1e-9, 1e300, f64::MAX] {
            let budget = budget(Config::new().ratio(ratio).min_per_second(u32::MAX).ttl(ttl));
            for _ in 0..1000 {
                budget.deposit();
            }
            let _ = (budget.snapshot(), budget.try_withdraw());
            sleep(secs(1)).await;
            budget.deposit();
            let _ = (budget.snapshot(), budget.try_withdraw());
        }
    }
}
