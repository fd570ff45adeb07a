//! A guarded call is small enough to nest: what the policies add does not grow with the body, and is counted here.

use std::io::Result;

use resilience::{bulkhead, circuit_breaker, fallback, rate_limit, retry, stale_if_error, timeout};

/// The buffer that a body holds while it waits.
const KILOBYTE: usize = 1024;

macro_rules! sized {
    ($($function:ident: $(#[$policy:meta])*)+) => {
        $(
            $(#[$policy])*
            async fn $function() -> Result<usize> {
                let buffer = [1_u8; KILOBYTE];
                tokio::task::yield_now().await;
                Ok(buffer.len())
            }
        )+
    };
}

sized! {
    plain:
    five:
        #[retry]
        #[circuit_breaker]
        #[bulkhead]
        #[rate_limit(limit = 1)]
        #[timeout("1s")]
    five_with_the_timeout_outside:
        #[timeout("1s")]
        #[retry]
        #[circuit_breaker]
        #[bulkhead]
        #[rate_limit(limit = 1)]
    every_policy:
        #[fallback(value = 0)]
        #[stale_if_error("1m")]
        #[retry(budget = "sizes")]
        #[circuit_breaker]
        #[bulkhead]
        #[rate_limit(limit = 1)]
        #[timeout("1s")]
    every_policy_and_a_second_timeout:
        #[timeout("9s")]
        #[fallback(value = 0)]
        #[stale_if_error("1m")]
        #[retry(budget = "sizes")]
        #[circuit_breaker]
        #[bulkhead]
        #[rate_limit(limit = 1)]
        #[timeout("1s")]
}

#[test]
fn five_policies_over_a_kilobyte() {
    let body = size_of_val(&plain());
    assert!(body > KILOBYTE, "the body holds its buffer");
    for size in [size_of_val(&five()), size_of_val(&five_with_the_timeout_outside())] {
        assert!(size <= 1_400, "{size} bytes, {body} of them the body's");
    }
}

#[test]
fn every_policy_over_a_kilobyte() {
    for size in [size_of_val(&every_policy()), size_of_val(&every_policy_and_a_second_timeout())] {
        assert!(size <= 1_700, "{size} bytes");
    }
}

mod small {
    use super::{Result, bulkhead, rate_limit};

    #[bulkhead(max_wait = "1s")]
    #[rate_limit(limit = 1, max_wait = "1s")]
    pub(super) async fn admitted() -> Result<()> {
        Ok(())
    }
}

#[test]
fn a_call_that_need_not_wait_in_line_holds_no_room_for_it() {
    // Waiting takes a timer and a place in a semaphore's list, some 300 bytes each time.
    let size = size_of_val(&small::admitted());
    assert!(size <= 200, "{size} bytes");
}
