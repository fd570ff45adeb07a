//! A guarded call is small enough to nest: what the policies add does not grow with the body, and is counted here.

use std::io::Result;
use std::time::Duration;

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
        assert!(size <= 1_480, "{size} bytes, {body} of them the body's");
    }
}

#[test]
fn every_policy_over_a_kilobyte() {
    for size in [size_of_val(&every_policy()), size_of_val(&every_policy_and_a_second_timeout())] {
        assert!(size <= 1_700, "{size} bytes");
    }
}

mod small {
    use super::{Result, bulkhead, rate_limit, retry, stale_if_error, timeout};
    use std::time::Duration;

    #[bulkhead(max_wait = "1s")]
    #[rate_limit(limit = 1, max_wait = "1s")]
    pub(super) async fn admitted() -> Result<()> {
        Ok(())
    }

    #[retry]
    pub(super) async fn retried() -> Result<()> {
        Ok(())
    }

    #[timeout("5s")]
    pub(super) async fn timed(limit: Duration) -> Result<Duration> {
        Ok(limit)
    }

    #[timeout(limit)]
    pub(super) async fn timed_by_argument(limit: Duration) -> Result<Duration> {
        Ok(limit)
    }

    #[stale_if_error("5s")]
    pub(super) async fn remembered(limit: Duration) -> Result<Duration> {
        Ok(limit)
    }

    #[stale_if_error(limit)]
    pub(super) async fn remembered_by_argument(limit: Duration) -> Result<Duration> {
        Ok(limit)
    }
}

#[test]
fn a_call_that_need_not_be_retried_holds_no_timer_for_it() {
    let size = size_of_val(&small::retried());
    assert!(size <= 120, "{size} bytes");
}

#[test]
fn an_option_that_is_computed_takes_no_room_in_the_call() {
    let limit = Duration::from_secs(5);
    let (fixed, computed) = (size_of_val(&small::timed(limit)), size_of_val(&small::timed_by_argument(limit)));
    assert!(computed <= fixed, "timeout: {computed} bytes, {fixed} with a constant");
    let (fixed, computed) =
        (size_of_val(&small::remembered(limit)), size_of_val(&small::remembered_by_argument(limit)));
    assert!(computed <= fixed, "stale_if_error: {computed} bytes, {fixed} with a constant");
}

#[test]
fn a_call_that_need_not_wait_in_line_holds_no_room_for_it() {
    // Waiting takes a timer and a place in a semaphore's list, some 300 bytes each time.
    let size = size_of_val(&small::admitted());
    assert!(size <= 200, "{size} bytes");
}
