//! Waiting in line: order, bounds, and those who leave.

use std::time::Duration;

use resilience::bulkhead::Config;
use resilience::{Deadline, ErrorKind};
use resilience_tests::{Clock, bulkhead, ms, polls, secs, sleep};

use super::{Line, load};

fn one_slot(max_queue: u32) -> Config {
    Config::new().max_concurrent(1).max_wait(secs(10)).max_queue(max_queue)
}

#[tokio::test(start_paused = true)]
async fn first_come_first_served() {
    let line = Line::new(bulkhead(one_slot(100)), ms(10));
    let mut tasks = Vec::new();
    for who in ["a", "b", "c", "d", "e"] {
        tasks.push(line.join(who).await);
    }
    assert_eq!(load(&line.bulkhead), (1, 4));
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    assert_eq!(line.served(), [("a", ms(0)), ("b", ms(10)), ("c", ms(20)), ("d", ms(30)), ("e", ms(40))]);
    assert_eq!(load(&line.bulkhead), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn nobody_overtakes_the_line() {
    let bulkhead = bulkhead(one_slot(100));
    let slot = bulkhead.try_acquire().unwrap();
    let line = Line::new(bulkhead, ms(10));
    let waiter = line.join("waiter").await;
    // The slot comes back; the waiter, whose turn it is, has not run yet.
    drop(slot);
    assert_eq!(bulkhead.try_acquire().unwrap_err().kind(), ErrorKind::BulkheadFull);
    let newcomer = line.join("newcomer").await;
    waiter.await.unwrap().unwrap();
    newcomer.await.unwrap().unwrap();
    assert_eq!(line.order(), ["waiter", "newcomer"]);
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_on_the_millisecond() {
    let bulkhead = bulkhead(one_slot(100));
    let slot = bulkhead.try_acquire().unwrap();
    let clock = Clock::start();
    let error = bulkhead.acquire().await.unwrap_err();
    assert_eq!((error.kind(), clock.elapsed()), (ErrorKind::BulkheadFull, secs(10)));
    assert_eq!(load(&bulkhead), (1, 0));
    assert_eq!(bulkhead.snapshot().rejected, 1);
    let (served, ()) = tokio::join!(bulkhead.acquire(), async {
        sleep(ms(9_999)).await;
        drop(slot);
    });
    assert!(served.is_ok());
}

#[tokio::test(start_paused = true)]
async fn the_line_has_an_end() {
    let line = Line::new(bulkhead(one_slot(2)), ms(10));
    let tasks = [line.join("runs").await, line.join("first").await, line.join("second").await];
    let clock = Clock::start();
    assert_eq!(line.bulkhead.acquire().await.unwrap_err().kind(), ErrorKind::BulkheadFull);
    assert_eq!((clock.elapsed(), load(&line.bulkhead)), (Duration::ZERO, (1, 2)));
    sleep(ms(11)).await;
    // One has moved up: there is a place again.
    let third = line.join("third").await;
    assert_eq!(load(&line.bulkhead), (1, 2));
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    third.await.unwrap().unwrap();
    assert_eq!(line.order(), ["runs", "first", "second", "third"]);
}

#[tokio::test(start_paused = true)]
async fn the_line_is_as_long_as_there_are_slots_by_default_and_may_be_none() {
    let default = bulkhead(Config::new().max_concurrent(2).max_wait(secs(10)));
    let _slots = [default.try_acquire().unwrap(), default.try_acquire().unwrap()];
    let line = Line::new(default, ms(10));
    let _waiters = [line.join("a").await, line.join("b").await];
    assert_eq!(default.acquire().await.unwrap_err().kind(), ErrorKind::BulkheadFull);

    let none = bulkhead(one_slot(0));
    let _slot = none.acquire().await.unwrap();
    let clock = Clock::start();
    assert_eq!(none.acquire().await.unwrap_err().kind(), ErrorKind::BulkheadFull);
    assert_eq!(clock.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn who_leaves_the_line_is_forgotten() {
    let bulkhead = bulkhead(one_slot(100));
    let _slot = bulkhead.try_acquire().unwrap();
    for _ in 0..100 {
        assert!(tokio::time::timeout(ms(1), bulkhead.acquire()).await.is_err());
        assert_eq!(load(&bulkhead), (1, 0));
    }
    let line = Line::new(bulkhead, ms(10));
    let waiter = line.join("waiter").await;
    assert_eq!(load(&bulkhead), (1, 1));
    waiter.abort();
    assert!(waiter.await.unwrap_err().is_cancelled());
    assert_eq!(load(&bulkhead), (1, 0));
    assert_eq!(bulkhead.snapshot().rejected, 0, "who leaves was not refused");
}

/// The head of the line leaves in the very moment that a slot comes back, before or after it: the next is served.
#[tokio::test(start_paused = true)]
async fn bh03_a_head_that_leaves_wakes_the_next() {
    for slot_first in [true, false] {
        let bulkhead = bulkhead(one_slot(100));
        let slot = bulkhead.try_acquire().unwrap();
        let line = Line::new(bulkhead, ms(10));
        let mut head = Box::pin(bulkhead.acquire());
        assert!(futures::poll!(head.as_mut()).is_pending());
        let next = line.join("next").await;
        if slot_first {
            drop(slot);
            drop(head);
        } else {
            drop(head);
            drop(slot);
        }
        assert_eq!(load(&bulkhead).0, 1, "it is the next one's slot");
        tokio::task::yield_now().await;
        assert_eq!(line.served(), [("next", Duration::ZERO)], "slot first: {slot_first}");
        next.await.unwrap().unwrap();
        assert_eq!(load(&bulkhead), (0, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_slot_granted_to_a_future_that_is_dropped_unpolled_is_not_lost() {
    let bulkhead = bulkhead(one_slot(100));
    let slot = bulkhead.try_acquire().unwrap();
    let mut waiter = Box::pin(bulkhead.acquire());
    assert!(futures::poll!(waiter.as_mut()).is_pending());
    drop(slot);
    drop(waiter);
    assert_eq!(load(&bulkhead), (0, 0));
    assert!(bulkhead.try_acquire().is_ok());
}

#[tokio::test(start_paused = true)]
async fn dropped_after_every_poll() {
    let bulkhead = bulkhead(one_slot(100));
    for times in 0..4 {
        let slot = bulkhead.try_acquire().unwrap();
        let release = tokio::spawn(async move {
            sleep(ms(5)).await;
            drop(slot);
        });
        drop(polls(bulkhead.acquire(), times).await);
        assert_eq!(load(&bulkhead).1, 0, "{times} polls");
        release.await.unwrap();
        assert_eq!(load(&bulkhead), (0, 0), "{times} polls");
    }
}

#[tokio::test(start_paused = true)]
async fn the_deadline_in_force_ends_a_wait_that_it_comes_before() {
    let bulkhead = bulkhead(one_slot(100));
    let _slot = bulkhead.try_acquire().unwrap();
    let clock = Clock::start();
    for (deadline, kind, at) in [
        (secs(3), ErrorKind::DeadlineExceeded, secs(3)),
        (secs(30), ErrorKind::BulkheadFull, secs(13)),
        (Duration::ZERO, ErrorKind::DeadlineExceeded, secs(13)),
    ] {
        let error = Deadline::after(deadline).scope(bulkhead.acquire()).await.unwrap_err();
        assert_eq!((error.kind(), error.policy(), clock.elapsed()), (kind, bulkhead.name(), at));
        assert_eq!(load(&bulkhead), (1, 0));
    }
    let passed = Deadline::after(Duration::ZERO);
    let error = passed.scope(async { bulkhead.try_acquire() }).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
}

#[tokio::test(start_paused = true)]
async fn a_passed_deadline_takes_no_slot_although_one_is_free() {
    let bulkhead = bulkhead(one_slot(100));
    let error = Deadline::after(Duration::ZERO).scope(bulkhead.acquire()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    assert_eq!(load(&bulkhead), (0, 0));
}
