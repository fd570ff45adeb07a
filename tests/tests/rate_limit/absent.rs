//! Calls in line that are not polled when their turn has come, or never again: a turn that is not taken passes on.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};

use futures::stream::{self, StreamExt};
use resilience::{Error, ErrorKind, RateLimiter};
use resilience_tests::{Clock, limiter, ms, poll_times, secs, sleep};

use super::{Line, count_served, hint, rate};

/// In line, and polled once: nobody polls it again.
async fn in_line(limiter: RateLimiter) -> Pin<Box<dyn Future<Output = Result<(), Error>> + Send>> {
    let mut call: Pin<Box<dyn Future<Output = Result<(), Error>> + Send>> =
        Box::pin(async move { limiter.acquire(1).await });
    assert!(poll_times(call.as_mut(), 1).await.is_none());
    call
}

#[tokio::test(start_paused = true)]
async fn those_behind_are_served_as_if_it_came() {
    for leaked in [true, false] {
        let limiter = limiter(rate(10, secs(1)).burst(1).max_wait(ms(400)));
        limiter.try_acquire(1).unwrap();
        let line = Line::new(limiter);
        let head = in_line(limiter).await;
        let kept = if leaked {
            std::mem::forget(head);
            None
        } else {
            Some(head)
        };
        let tasks = vec![line.join(0, 1).await, line.join(1, 1).await];
        assert_eq!(count_served(tasks).await, 2);
        assert_eq!(line.served(), [(0, ms(200)), (1, ms(300))], "leaked: {leaked}");
        if let Some(late) = kept {
            late.await.unwrap();
            assert_eq!(line.clock.elapsed(), ms(400), "in its turn again, as the last");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_permits_of_one_that_does_not_come_are_there_for_others() {
    let limiter = limiter(rate(10, secs(1)).burst(1).max_wait(secs(60)));
    limiter.try_acquire(1).unwrap();
    std::mem::forget(in_line(limiter).await);
    assert_eq!(hint(&limiter, 1), Some(ms(200)));
    sleep(ms(110)).await;
    assert_eq!((limiter.snapshot().waiting, limiter.snapshot().available), (0, 1));
    limiter.try_acquire(1).unwrap();
    assert_eq!(hint(&limiter, 1), Some(ms(100)), "and it is not counted any more");
}

/// What came while it did not is lost for a bucket that holds one: it is not served at somebody else's cost.
#[tokio::test(start_paused = true)]
async fn who_comes_late_waits_no_longer_than_it_may() {
    let limiter = limiter(rate(10, secs(1)).burst(1).max_wait(ms(249)));
    limiter.try_acquire(1).unwrap();
    let line = Line::new(limiter);
    let late = in_line(limiter).await;
    line.clock.until(ms(150)).await;
    limiter.try_acquire(1).unwrap();
    let error = late.await.unwrap_err();
    assert_eq!((error.kind(), error.retry_after()), (ErrorKind::RateLimited, Some(ms(100))));
    assert_eq!(line.clock.elapsed(), ms(150));
}

/// Five calls of a stream are in line, and its consumer polls them once in ten seconds.
#[tokio::test(start_paused = true)]
async fn a_slow_consumer_of_a_stream_keeps_nobody_waiting() {
    let limiter = limiter(rate(10, secs(1)).burst(1).max_wait(secs(1)));
    limiter.try_acquire(1).unwrap();
    let calls = stream::iter(0..20).map(move |_| async move { limiter.acquire(1).await });
    let consumer = tokio::spawn(async move {
        let mut ended = Vec::new();
        let mut answers = calls.buffered(5);
        while let Some(answer) = answers.next().await {
            ended.push(answer.is_ok());
            sleep(secs(10)).await;
        }
        ended
    });
    let line = Line::new(limiter);
    let mut waits = Vec::new();
    for who in 0..100 {
        sleep(ms(700)).await;
        let clock = Clock::start();
        line.join(who, 1).await.await.unwrap().unwrap();
        waits.push(clock.elapsed());
    }
    assert!(waits.iter().all(|wait| *wait <= secs(1)), "{waits:?}");
    let ended = consumer.await.unwrap();
    assert_eq!(ended.len(), 20);
    assert!(ended[0], "the first had its turn while it was polled");
}

/// A loop that polls the call only between other things.
#[tokio::test(start_paused = true)]
async fn a_select_loop_that_looks_away_keeps_nobody_waiting() {
    let limiter = limiter(rate(10, secs(1)).burst(1).max_wait(ms(500)));
    limiter.try_acquire(1).unwrap();
    let looks_away = tokio::spawn(async move {
        let mut call = std::pin::pin!(limiter.acquire(1));
        loop {
            tokio::select! {
                biased;
                answer = &mut call => return answer.is_ok(),
                () = std::future::ready(()) => sleep(ms(450)).await,
            }
        }
    });
    tokio::task::yield_now().await;
    let line = Line::new(limiter);
    let tasks = vec![line.join(0, 1).await, line.join(1, 1).await, line.join(2, 1).await];
    assert_eq!(count_served(tasks).await, 3);
    assert_eq!(line.served(), [(0, ms(200)), (1, ms(300)), (2, ms(400))]);
    assert!(looks_away.await.unwrap(), "nobody else wants it at 550 ms");
}

/// A waker of somebody else's that panics.
struct Panics;

impl Wake for Panics {
    fn wake(self: Arc<Self>) {
        panic!("a waker that panics");
    }
}

#[tokio::test(start_paused = true)]
async fn a_waker_that_panics_is_nobodys_trouble() {
    let limiter = limiter(rate(1, secs(10)).max_wait(secs(60)));
    limiter.try_acquire(1).unwrap();
    let line = Line::new(limiter);
    let panics = Waker::from(Arc::new(Panics));
    let mut head = Box::pin(limiter.acquire(1));
    assert!(head.as_mut().poll(&mut Context::from_waker(&panics)).is_pending());
    let next = line.join(0, 1).await;
    let changed = catch_unwind(AssertUnwindSafe(|| limiter.reconfigure(|config| config.limit(10).per(secs(1)))));
    changed.expect("it is not told to whoever changes the rate").unwrap();
    drop(head);
    next.await.unwrap().unwrap();
    assert_eq!(line.served(), [(0, ms(100))]);
}
