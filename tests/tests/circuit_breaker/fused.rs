//! The futures of handles at their end: what they guarded is gone before its permit comes back, and nothing happens again.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use resilience::circuit_breaker::{Config, State};
use resilience::{CircuitBreaker, Error, Retry, bulkhead, rate_limit, retry};
use resilience_tests::{breaker, bulkhead, limiter, poll_times, secs, sleep, trip};

/// Work that ends at once and is there until it is dropped: what another call is told then.
struct Work {
    breaker: CircuitBreaker,
    let_in_at_drop: Arc<Mutex<Option<bool>>>,
}

impl Future for Work {
    type Output = Result<(), Error>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(Ok(()))
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        *self.let_in_at_drop.lock().unwrap() = Some(self.breaker.try_acquire().is_ok());
    }
}

#[tokio::test(start_paused = true)]
async fn a_trial_is_under_way_until_its_work_is_dropped() {
    let breaker = breaker(Config::new().min_calls(1).cooldown(secs(1)).success_threshold(2).max_probes(1));
    trip(&breaker, 1);
    sleep(secs(1)).await;
    let let_in_at_drop = Arc::new(Mutex::new(None));
    let work = Work { breaker, let_in_at_drop: Arc::clone(&let_in_at_drop) };
    breaker.call(work).await.unwrap().unwrap();
    assert_eq!(*let_in_at_drop.lock().unwrap(), Some(false));
    assert!(breaker.try_acquire().is_ok());
}

#[tokio::test(start_paused = true)]
async fn polled_after_its_end_it_records_nothing_more() {
    let breaker = breaker(Config::new());
    let mut call = Box::pin(breaker.call(std::future::poll_fn(|_| Poll::Ready(Ok::<(), Error>(())))));
    assert!(poll_times(call.as_mut(), 1).await.is_some());
    assert!(poll_times(call.as_mut(), 1).await.is_none());
    assert_eq!(breaker.snapshot().calls, 1);
    breaker.force_open();
    let mut refused = Box::pin(breaker.call(std::future::ready(Ok::<(), Error>(()))));
    assert!(poll_times(refused.as_mut(), 1).await.is_some_and(|answer| answer.is_err()));
    breaker.reset();
    assert!(poll_times(refused.as_mut(), 1).await.is_none(), "it has been refused for good");
    assert_eq!((breaker.state(), breaker.snapshot().calls), (State::Closed, 0));
}

#[tokio::test(start_paused = true)]
async fn all_others_are_pending_after_their_end() {
    let bulkhead = bulkhead(bulkhead::Config::new().max_concurrent(2));
    let mut slot = Box::pin(bulkhead.acquire());
    let held = poll_times(slot.as_mut(), 1).await.unwrap().unwrap();
    assert!(poll_times(slot.as_mut(), 1).await.is_none());
    assert_eq!(bulkhead.snapshot().in_flight, 1);
    drop(held);
    let limiter = limiter(rate_limit::Config::new().limit(5));
    let mut permits = Box::pin(limiter.acquire(2));
    assert!(poll_times(permits.as_mut(), 1).await.is_some());
    assert!(poll_times(permits.as_mut(), 1).await.is_none());
    assert_eq!(limiter.snapshot().available, 3);
    let (retry, mut attempts) = (Retry::new(retry::Config::new()), 0);
    let mut call = Box::pin(retry.call(|| {
        attempts += 1;
        async { Ok::<(), Error>(()) }
    }));
    assert!(poll_times(call.as_mut(), 1).await.is_some());
    assert!(poll_times(call.as_mut(), 1).await.is_none());
    drop(call);
    assert_eq!(attempts, 1);
}
