//! A successful call allocates nothing, and neither does a refusal. The counting allocator is for this binary alone.

use std::io::Result;

use allocation_counter::measure;
use resilience::{Bulkhead, CircuitBreaker, Deadline, Outcome, RateLimiter};
use resilience::{Error, bulkhead, circuit_breaker, fallback, rate_limit, retry, timeout};
use resilience_tests::{alone, ms, secs, sleep};
use tokio::runtime::{Builder, Runtime};

macro_rules! calls {
    ($($module:ident: $(#[$policy:meta])+)+) => {
        $(
            mod $module {
                use super::*;

                $(#[$policy])+
                pub(super) async fn at_once(text: &str, number: u32, pair: (u32, &[u8])) -> Result<usize> {
                    Ok(text.len() + number as usize + pair.1.len())
                }

                $(#[$policy])+
                pub(super) async fn after_a_while(text: &str, number: u32, pair: (u32, &[u8])) -> Result<usize> {
                    sleep(ms(1)).await;
                    Ok(text.len() + number as usize + pair.1.len())
                }
            }
        )+

        #[test]
        fn a_thousand_successful_calls_allocate_nothing() {
            let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
            $(
                let at_once = allocations(&runtime, async || $module::at_once("text", 1, (2, b"bytes")).await);
                let later = allocations(&runtime, async || $module::after_a_while("text", 1, (2, b"bytes")).await);
                assert_eq!((at_once, later), (0, 0), stringify!($module));
            )+
        }
    };
}

calls! {
    retried: #[retry]
    broken: #[circuit_breaker]
    broken_by_time: #[circuit_breaker(window = "10s", slow_call = "5ms")]
    partitioned: #[bulkhead]
    partitioned_with_a_line: #[bulkhead(max_wait = "1s")]
    limited: #[rate_limit(limit = 1_000_000)]
    limited_with_a_line: #[rate_limit(limit = 1_000_000, max_wait = "1s")]
    bounded: #[timeout("1s")]
    replaced: #[fallback(value = 0)]
    stacked:
        #[timeout("9s")]
        #[fallback(value = 0)]
        #[retry(budget = "allocations", max_attempts = 5, max_elapsed = "5s")]
        #[circuit_breaker("allocations")]
        #[bulkhead("allocations", max_wait = "1s")]
        #[rate_limit("allocations", limit = 1_000_000, max_wait = "1s")]
        #[timeout("1s")]
}

/// What a thousand calls allocate, once the policies and the runtime's timers are there.
fn allocations(runtime: &Runtime, call: impl AsyncFn() -> Result<usize>) -> u64 {
    let run = |calls: u32| {
        runtime.block_on(async {
            for _ in 0..calls {
                assert_eq!(call().await.unwrap(), 10, "the sum of the arguments");
            }
        });
    };
    run(20);
    measure(|| run(1000)).count_total
}

#[test]
fn a_thousand_refusals_allocate_nothing() {
    let breaker = CircuitBreaker::register("refusals", circuit_breaker::Config::new().consecutive_failures(1)).unwrap();
    breaker.try_acquire().unwrap().record(Outcome::Failure);
    let forced = CircuitBreaker::register("refusals, forced", circuit_breaker::Config::new()).unwrap();
    forced.force_open();
    let bulkhead = Bulkhead::register("refusals", bulkhead::Config::new().max_concurrent(1)).unwrap();
    let slot = bulkhead.try_acquire().unwrap();
    let limiter = RateLimiter::register("refusals", rate_limit::Config::new().limit(1).per(secs(3600))).unwrap();
    limiter.try_acquire(1).unwrap();
    let refused = |refusal: &dyn Fn() -> Option<Error>| {
        let refused_so_often = |times: u32| (0..times).for_each(|_| assert!(refusal().is_some()));
        refused_so_often(2);
        measure(|| refused_so_often(1000)).count_total
    };
    assert_eq!(refused(&|| breaker.try_acquire().err()), 0);
    assert_eq!(refused(&|| forced.try_acquire().err()), 0);
    assert_eq!(refused(&|| bulkhead.try_acquire().err()), 0);
    assert_eq!(refused(&|| limiter.try_acquire(1).err()), 0);
    drop(slot);
    alone().block_on(async {
        let passed = Deadline::after(secs(0)).scope(async { refused(&|| bulkhead.try_acquire().err()) });
        assert_eq!(passed.await, 0);
    });
}

#[test]
fn what_a_body_allocates_is_counted() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let allocating = async || Ok(std::hint::black_box(Box::new(10_usize)).wrapping_add(0));
    assert_eq!(allocations(&runtime, allocating), 1000);
}

/// Nobody pays for a large number by writing it: what takes memory for each one has a range that says so.
#[test]
fn the_largest_counts_take_no_memory_before_they_are_needed() {
    let bytes = |work: &mut dyn FnMut()| measure(work).bytes_total;
    let breaker = circuit_breaker::Config::new().success_threshold(u32::MAX).max_probes(u32::MAX).cooldown(secs(1));
    let widest = breaker.window_calls(1 << 24).min_calls(2).consecutive_failures(u32::MAX).slow_call(ms(1));
    let made = bytes(&mut || drop(CircuitBreaker::register("counts", widest)));
    assert!((2_097_152..2_200_000).contains(&made), "a bit for each of the window's calls: {made} bytes");
    let breaker = CircuitBreaker::get("counts").unwrap();
    alone().block_on(async {
        let used = bytes(&mut || {
            (0..2).for_each(|_| breaker.try_acquire().unwrap().record(Outcome::Success));
            drop(breaker.snapshot());
        });
        assert!(used < 1000, "{used} bytes");
        let shown = bytes(&mut || drop(resilience::registry().snapshot()));
        assert!(shown < 100_000, "an overview copies no window: {shown} bytes");
        (0..3).for_each(|_| breaker.try_acquire().unwrap().record(Outcome::Failure));
        sleep(secs(1)).await;
        let tried = bytes(&mut || drop(breaker.try_acquire().unwrap()));
        assert!(tried < 2_200_000, "an empty window, and one trial call: {tried} bytes");

        let used = bytes(&mut || {
            let config = bulkhead::Config::new().max_concurrent(u32::MAX).max_queue(u32::MAX).max_wait(secs(1));
            drop(Bulkhead::register("counts", config).unwrap().try_acquire());
            let config = rate_limit::Config::new().limit(u32::MAX).burst(u32::MAX).max_wait(secs(1));
            drop(RateLimiter::register("counts", config).unwrap().try_acquire(1));
            let config = resilience::retry_budget::Config::new().ratio(1e300).min_per_second(u32::MAX);
            let budget = resilience::RetryBudget::register("counts", config).unwrap();
            budget.deposit();
            assert!(budget.try_withdraw());
        });
        assert!(used < 10_000, "{used} bytes");

        #[resilience::stale_if_error("1h", capacity = 4_294_967_295)]
        #[retry(max_attempts = 4_294_967_295)]
        async fn remembered() -> Result<usize> {
            Ok(10)
        }
        remembered().await.unwrap();
        let used = bytes(&mut || assert!(futures::executor::block_on(remembered()).is_ok()));
        assert!(used < 10_000, "{used} bytes");
    });
}
