//! What copying an argument takes counts: the layers below look at the clock anew.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Waker};

use resilience::{Deadline, Error, ErrorKind, bulkhead, retry, timeout};
use resilience_tests::ms;
use tokio::time::advance;

/// It takes 8 ms to copy.
struct Slow;

impl Clone for Slow {
    fn clone(&self) -> Self {
        let _ = pin!(advance(ms(8))).poll(&mut Context::from_waker(Waker::noop()));
        Self
    }
}

impl Drop for Slow {
    fn drop(&mut self) {}
}

macro_rules! sent {
    ($($function:ident: $(#[$policy:meta])*)+) => {$(
        $(#[$policy])*
        async fn $function(slow: Slow) -> Result<u128, Error> {
            drop(slow);
            Ok(Deadline::current().map_or(0, |deadline| deadline.remaining().as_millis()))
        }
    )+};
}

sent! {
    retry_outside: #[retry] #[bulkhead]
    retry_inside: #[bulkhead] #[retry]
    retry_in_parts: #[retry(when = |_| true)] #[bulkhead]
    above_a_timeout: #[bulkhead] #[retry] #[timeout("20ms")]
}

#[tokio::test(start_paused = true)]
async fn no_attempt_begins_when_the_copies_have_taken_too_long() {
    for ended in [
        Deadline::after(ms(4)).scope(retry_outside(Slow)).await,
        Deadline::after(ms(4)).scope(retry_inside(Slow)).await,
        Deadline::after(ms(4)).scope(retry_in_parts(Slow)).await,
    ] {
        assert_eq!(ended.map_err(|error| error.kind()), Err(ErrorKind::DeadlineExceeded));
    }
}

#[tokio::test(start_paused = true)]
async fn a_timeout_counts_from_behind_the_copies() {
    assert_eq!(Deadline::after(ms(1000)).scope(above_a_timeout(Slow)).await.expect("nothing is refused"), 20);
}
