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
