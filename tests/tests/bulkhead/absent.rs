//! Calls that are not polled when a slot is theirs: it passes on.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};

use resilience::bulkhead::{Config, Permit};
use resilience::{Bulkhead, Error, ErrorKind};
use resilience_tests::{Clock, bulkhead, ms, poll_times, secs, sleep};

type Call = Pin<Box<dyn Future<Output = Result<Permit, Error>> + Send>>;

/// In line, and polled once.
async fn in_line(bulkhead: Bulkhead) -> Call {
    let mut call: Call = Box::pin(async move { bulkhead.acquire().await });
    assert!(poll_times(call.as_mut(), 1).await.is_none());
    call
}

fn one_slot() -> Bulkhead {
    bulkhead(Config::new().max_concurrent(1).max_wait(secs(2)).max_queue(3))
}

#[tokio::test(start_paused = true)]
async fn a_slot_that_its_call_does_not_take_goes_to_the_next() {
    for leaked in [true, false] {
        let bulkhead = one_slot();
        let held = bulkhead.try_acquire().unwrap();
        let (called, clock) = (in_line(bulkhead).await, Clock::start());
        let next = tokio::spawn(async move { bulkhead.acquire().await });
        sleep(ms(500)).await;
        drop(held);
        let late = if leaked {
            std::mem::forget(called);
            None
        } else {
            Some(called)
        };
        // Nobody else comes: at the end of its patience it takes what nobody took.
        let permit = next.await.unwrap().unwrap();
        assert_eq!((clock.elapsed(), bulkhead.snapshot().in_flight), (secs(2), 1), "leaked: {leaked}");
        drop(permit);
        if let Some(late) = late {
            drop(late.await.unwrap());
        }
        assert_eq!((bulkhead.snapshot().in_flight, bulkhead.snapshot().waiting), (0, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_asks_has_it_pass_on() {
    let bulkhead = one_slot();
    let held = bulkhead.try_acquire().unwrap();
    std::mem::forget(in_line(bulkhead).await);
    drop(held);
    sleep(ms(99)).await;
    assert_eq!(bulkhead.try_acquire().unwrap_err().kind(), ErrorKind::BulkheadFull, "it may be on its way");
    sleep(ms(1)).await;
    drop(bulkhead.try_acquire().unwrap());
    assert!(bulkhead.acquire().await.is_ok());
}

/// It has lost the slot and not its place.
#[tokio::test(start_paused = true)]
async fn who_comes_late_is_the_first_in_line() {
    let bulkhead = one_slot();
    let held = bulkhead.try_acquire().unwrap();
    let mut late = in_line(bulkhead).await;
    let mut behind = in_line(bulkhead).await;
    drop(held);
    sleep(ms(100)).await;
    assert!(bulkhead.try_acquire().is_err(), "the one behind is called");
    let permit = poll_times(behind.as_mut(), 1).await.unwrap().unwrap();
    let mut last = in_line(bulkhead).await;
    assert!(poll_times(late.as_mut(), 1).await.is_none());
    drop(permit);
    let permit = poll_times(late.as_mut(), 1).await.unwrap().unwrap();
    drop(permit);
    assert!(poll_times(last.as_mut(), 1).await.is_some());
}

#[tokio::test(start_paused = true)]
async fn who_leaves_after_its_slot_has_passed_on_takes_none_with_it() {
    let bulkhead = one_slot();
    let held = bulkhead.try_acquire().unwrap();
    let late = in_line(bulkhead).await;
    drop(held);
    sleep(ms(100)).await;
    let permit = bulkhead.try_acquire().unwrap();
    drop(late);
    assert_eq!(bulkhead.snapshot().in_flight, 1);
    drop(permit);
    assert_eq!(bulkhead.snapshot().in_flight, 0);
}

/// A waker of somebody else's that panics.
struct Panics;

impl Wake for Panics {
    fn wake(self: Arc<Self>) {
        panic!("a waker that panics");
    }
}

#[tokio::test(start_paused = true)]
async fn a_waker_that_panics_keeps_no_slot_from_those_behind() {
    let bulkhead = one_slot();
    let held = bulkhead.try_acquire().unwrap();
    let mut first: Call = Box::pin(async move { bulkhead.acquire().await });
    let panics = Waker::from(Arc::new(Panics));
    assert!(first.as_mut().poll(&mut Context::from_waker(&panics)).is_pending());
    let mut second = in_line(bulkhead).await;
    bulkhead.resize(3).unwrap();
    assert!(poll_times(second.as_mut(), 1).await.is_some_and(|answer| answer.is_ok()));
    drop((held, first));
    assert_eq!(bulkhead.snapshot().in_flight, 0);
}
