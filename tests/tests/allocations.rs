//! A successful call allocates nothing. The counting allocator is for this binary alone.

use std::io::Result;

use allocation_counter::measure;
use resilience::{bulkhead, circuit_breaker, fallback, rate_limit, retry, timeout};
use resilience_tests::{ms, sleep};
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
fn what_a_body_allocates_is_counted() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let allocating = async || Ok(std::hint::black_box(Box::new(10_usize)).wrapping_add(0));
    assert_eq!(allocations(&runtime, allocating), 1000);
}
