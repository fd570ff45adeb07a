//! Options by source, and the numbers of live policies.

use resilience::{Bulkhead, CircuitBreaker, Live, Outcome, Source, bulkhead, circuit_breaker};
use resilience_tests::{Answer, Clock, Script, play, secs, trip, unique};

use super::{option, shown};

#[circuit_breaker("live-layers", failure_rate = 0.25, cooldown = "7s", window_calls = 20)]
async fn layered(body: &Script) -> Answer {
    body.run().await
}

/// Defaults, attribute, run-time API: the stronger wins, option by option, and each knows its source.
#[tokio::test(start_paused = true)]
async fn c27_every_effective_value_remembers_where_it_came_from() {
    let value = |name| option("circuit_breaker", "live-layers", name);
    assert_eq!(value("cooldown"), Some(("7s".into(), Source::Attribute)));
    assert_eq!(value("success_threshold"), Some(("5".into(), Source::Default)));
    assert_eq!(value("min_calls"), Some(("10".into(), Source::Default)));
    assert_eq!(value("slow_call"), None);

    let breaker = CircuitBreaker::register("live-layers", circuit_breaker::Config::new().cooldown(secs(3))).unwrap();
    assert_eq!(value("cooldown"), Some(("3s".into(), Source::Runtime)));
    assert_eq!(value("failure_rate"), Some(("0.25".into(), Source::Attribute)));

    breaker.reconfigure(|config| config.success_threshold(1)).unwrap();
    assert_eq!(value("cooldown"), Some(("3s".into(), Source::Runtime)), "what is not set stays");
    assert_eq!(value("success_threshold"), Some(("1".into(), Source::Runtime)));

    CircuitBreaker::register("live-layers", circuit_breaker::Config::new()).unwrap();
    assert_eq!(value("cooldown"), Some(("7s".into(), Source::Attribute)), "register replaces what it gave before");
    assert_eq!(value("success_threshold"), Some(("5".into(), Source::Default)));

    // The stronger kind of window replaces the weaker one.
    breaker.reconfigure(|config| config.window(secs(60))).unwrap();
    assert_eq!((value("window_calls"), value("window")), (None, Some(("60s".into(), Source::Runtime))));
    CircuitBreaker::register("live-layers", circuit_breaker::Config::new()).unwrap();
    assert_eq!(layered(&Script::ok()).await, Ok(1));
}

#[tokio::test(start_paused = true)]
async fn what_run_time_gave_before_the_first_call_is_in_force_at_it() {
    #[circuit_breaker("live-early", min_calls = 5, consecutive_failures = 5, cooldown = "1s")]
    async fn early(body: &Script) -> Answer {
        body.run().await
    }
    CircuitBreaker::register("live-early", circuit_breaker::Config::new().consecutive_failures(1)).unwrap();
    let body = Script::down();
    let _ = early(&body).await;
    let refused = early(&body).await.unwrap_err();
    assert_eq!(refused.refusal().and_then(resilience::Error::retry_after), Some(secs(1)));
}

#[bulkhead("live-sites", max_concurrent = 2)]
async fn site_one(body: &Script) -> Answer {
    body.run().await
}

#[bulkhead("live-sites")]
async fn site_two(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_policy_knows_its_sites() {
    let shown_first = shown("bulkhead", "live-sites").unwrap();
    let sites = shown_first.sites();
    let functions: Vec<_> = sites.iter().map(|site| (site.function(), site.module(), site.file())).collect();
    assert_eq!(functions, [("site_one", module_path!(), file!()), ("site_two", module_path!(), file!())]);
    assert!(sites[0].line() < sites[1].line());
    site_one(&Script::ok()).await.unwrap();
    site_two(&Script::ok()).await.unwrap();
    assert_eq!(shown("bulkhead", "live-sites").unwrap().sites().len(), 2, "a call adds none");

    let name = unique("siteless");
    Bulkhead::register(name, bulkhead::Config::new()).unwrap();
    assert!(shown("bulkhead", name).unwrap().sites().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_snapshot_has_the_live_numbers() {
    let name = unique("numbers");
    let breaker = CircuitBreaker::register(name, circuit_breaker::Config::new()).unwrap();
    let bulkhead = Bulkhead::register(name, bulkhead::Config::new().max_concurrent(4)).unwrap();
    play(&breaker, "ok err*2").await;
    let _slot = bulkhead.try_acquire().unwrap();
    let Some(Live::CircuitBreaker(live)) = shown("circuit_breaker", name).unwrap().live().cloned() else {
        unreachable!()
    };
    assert_eq!(live, breaker.snapshot());
    assert_eq!((live.calls, live.failures), (3, 2));
    let Some(Live::Bulkhead(live)) = shown("bulkhead", name).unwrap().live().cloned() else { unreachable!() };
    assert_eq!((live, live.in_flight, live.max_concurrent), (bulkhead.snapshot(), 1, 4));
}

/// Reading lets time pass as a call does, and changes nothing else.
#[tokio::test(start_paused = true)]
async fn cs05_a_snapshot_shows_the_state_of_this_moment() {
    let name = unique("moment");
    let config = circuit_breaker::Config::new().cooldown(secs(2)).success_threshold(1);
    let breaker = CircuitBreaker::register(name, config).unwrap();
    trip(&breaker, 10);
    let clock = Clock::start();
    for (at, state) in [(0, "open"), (1, "open"), (2, "half-open"), (3, "half-open")] {
        clock.until(secs(at)).await;
        let Some(Live::CircuitBreaker(live)) = shown("circuit_breaker", name).unwrap().live().cloned() else {
            unreachable!()
        };
        assert_eq!(live.state.to_string(), state, "at {at} s");
    }
    breaker.try_acquire().unwrap().record(Outcome::Success);
    assert_eq!(breaker.state().to_string(), "closed");
}

#[tokio::test(start_paused = true)]
async fn policies_are_sorted_by_kind_and_name() {
    for name in ["live-sorted-b", "live-sorted-a"] {
        CircuitBreaker::register(name, circuit_breaker::Config::new()).unwrap();
        Bulkhead::register(name, bulkhead::Config::new()).unwrap();
    }
    let snapshot = resilience::registry().snapshot();
    let all: Vec<_> = snapshot.policies().iter().map(|policy| (policy.kind(), policy.name().to_owned())).collect();
    assert!(all.is_sorted());
    for policy in snapshot.policies() {
        assert!(
            snapshot.to_string().lines().any(|line| line.starts_with(policy.kind()) && line.contains(policy.name()))
        );
    }
}

/// A change that looks at the policy it changes, or at another.
#[tokio::test(start_paused = true)]
async fn a_change_may_look_at_the_registry() {
    let name = unique("curious");
    let breaker = CircuitBreaker::register(name, circuit_breaker::Config::new()).unwrap();
    breaker
        .reconfigure(|config| {
            assert!(shown("circuit_breaker", name).is_some());
            assert_eq!(breaker.snapshot().calls, 0);
            config.min_calls(breaker.snapshot().calls + 3)
        })
        .unwrap();
    assert_eq!(option("circuit_breaker", name, "min_calls"), Some(("3".into(), Source::Runtime)));
}

/// What a breaker counts without its lock is in the overview of all, too, before anything has taken the lock.
#[test]
fn the_overview_has_what_was_counted_without_a_lock() {
    let name = unique("overview");
    let breaker = CircuitBreaker::register(name, circuit_breaker::Config::new()).unwrap();
    let counted = || match shown("circuit_breaker", name).unwrap().live() {
        Some(Live::CircuitBreaker(live)) => (live.calls, live.rejected),
        other => panic!("{other:?}"),
    };
    for calls in 1..=5 {
        breaker.try_acquire().unwrap().record(Outcome::Success);
        assert_eq!(counted(), (calls, 0));
    }
    breaker.force_open();
    for rejected in 1..=3 {
        assert!(breaker.try_acquire().is_err());
        assert_eq!(counted().1, rejected);
    }
}

#[test]
fn two_sites_that_agree_are_no_conflict() {
    #[bulkhead("live-agreed", max_concurrent = 9)]
    async fn one() -> Result<(), resilience::Error> {
        Ok(())
    }
    #[bulkhead("live-agreed", max_concurrent = 9)]
    async fn two() -> Result<(), resilience::Error> {
        Ok(())
    }
    assert!(resilience::verify().is_ok());
    assert!(futures::executor::block_on(async { one().await.and(two().await) }).is_ok());
}
