//! Options that change while slots are taken and calls stand in line.

use std::time::Duration;

use resilience::bulkhead::{Config, Permit};
use resilience::{Bulkhead, ErrorKind};
use resilience_tests::{Clock, bulkhead, ms, secs};

use super::{Line, load};

fn waiting(slots: u32) -> Config {
    Config::new().max_concurrent(slots).max_wait(secs(60)).max_queue(100)
}

fn take(bulkhead: &Bulkhead, number: usize) -> Vec<Permit> {
    (0..number).map(|_| bulkhead.try_acquire().unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn more_slots_are_free_at_once() {
    let bulkhead = bulkhead(waiting(1));
    let slots = take(&bulkhead, 1);
    let line = Line::new(bulkhead, ms(10));
    let waiters = [line.join("a").await, line.join("b").await, line.join("c").await];
    bulkhead.resize(3).unwrap();
    tokio::task::yield_now().await;
    assert_eq!((line.order(), load(&bulkhead)), (vec!["a", "b"], (3, 1)));
    assert_eq!(bulkhead.snapshot().max_concurrent, 3);
    for waiter in waiters {
        waiter.await.unwrap().unwrap();
    }
    drop(slots);
    assert_eq!(load(&bulkhead), (0, 0));
    drop(take(&bulkhead, 3));
    assert_eq!(load(&bulkhead), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn fewer_slots_wait_for_those_in_use() {
    let bulkhead = bulkhead(Config::new().max_concurrent(5));
    let mut slots = take(&bulkhead, 4);
    bulkhead.resize(2).unwrap();
    assert_eq!((load(&bulkhead), bulkhead.snapshot().max_concurrent), ((4, 0), 2));
    for in_flight in [3, 2] {
        slots.pop();
        assert_eq!(load(&bulkhead), (in_flight, 0));
        assert!(bulkhead.try_acquire().is_err(), "{in_flight} of 2");
    }
    slots.pop();
    slots.push(bulkhead.try_acquire().unwrap());
    assert!(bulkhead.try_acquire().is_err());
    slots.clear();
    drop(take(&bulkhead, 2));
    assert_eq!(load(&bulkhead), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn smaller_and_larger_again_while_all_are_in_use() {
    let bulkhead = bulkhead(Config::new().max_concurrent(4));
    let slots = take(&bulkhead, 4);
    for (size, free) in [(1, 0), (2, 0), (4, 0), (5, 1), (3, 0), (6, 2)] {
        bulkhead.resize(size).unwrap();
        assert_eq!(load(&bulkhead), (4, 0), "size {size}");
        let more: Vec<_> = std::iter::from_fn(|| bulkhead.try_acquire().ok()).collect();
        assert_eq!(more.len(), free, "size {size}");
        drop(more);
    }
    drop(slots);
    assert_eq!(load(&bulkhead), (0, 0));
    assert_eq!(take(&bulkhead, 6).len(), 6);
}

#[tokio::test(start_paused = true)]
async fn a_line_keeps_its_order_when_slots_become_fewer() {
    let bulkhead = bulkhead(waiting(2));
    let mut slots = take(&bulkhead, 2);
    let line = Line::new(bulkhead, ms(10));
    let waiters = [line.join("a").await, line.join("b").await, line.join("c").await];
    // The first slot to come back is A's; A has not run yet when one is taken away.
    slots.pop();
    bulkhead.resize(1).unwrap();
    tokio::task::yield_now().await;
    slots.pop();
    for waiter in waiters {
        waiter.await.unwrap().unwrap();
    }
    assert_eq!(line.order(), ["a", "b", "c"]);
    assert_eq!(load(&bulkhead), (0, 0));
    let _slot = bulkhead.try_acquire().unwrap();
    assert!(bulkhead.try_acquire().is_err());
}

#[tokio::test(start_paused = true)]
async fn a_line_is_not_served_by_slots_that_are_still_in_use() {
    let bulkhead = bulkhead(waiting(4));
    let mut slots = take(&bulkhead, 4);
    let line = Line::new(bulkhead, ms(10));
    let waiters = [line.join("a").await, line.join("b").await];
    for size in [1, 2, 3] {
        bulkhead.resize(size).unwrap();
        tokio::task::yield_now().await;
        assert_eq!((line.order(), load(&bulkhead)), (vec![], (4, 2)), "size {size}");
    }
    // Three slots: the first of the four that comes back is the one too many.
    for (served, in_flight) in [(vec![], 3), (vec!["a"], 3), (vec!["a", "b"], 3)] {
        slots.pop();
        tokio::task::yield_now().await;
        assert_eq!((line.order(), load(&bulkhead).0), (served, in_flight));
    }
    for waiter in waiters {
        waiter.await.unwrap().unwrap();
    }
    drop(slots);
    assert_eq!(take(&bulkhead, 3).len(), 3);
    assert_eq!(load(&bulkhead), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn zero_slots_are_refused_and_nothing_changes() {
    let bulkhead = bulkhead(Config::new().max_concurrent(2));
    let error = bulkhead.resize(0).unwrap_err();
    assert_eq!((error.kind(), error.policy(), error.option()), ("bulkhead", bulkhead.name(), "max_concurrent"));
    assert_eq!(take(&bulkhead, 2).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn the_line_may_change_too() {
    let bulkhead = bulkhead(Config::new().max_concurrent(1));
    let _slot = bulkhead.try_acquire().unwrap();
    let clock = Clock::start();
    bulkhead.reconfigure(|config| config.max_wait(ms(20))).unwrap();
    assert_eq!(bulkhead.acquire().await.unwrap_err().kind(), ErrorKind::BulkheadFull);
    assert_eq!(clock.elapsed(), ms(20));
    // Who waits already keeps the wait that was in force.
    let (waiter, ()) = tokio::join!(bulkhead.acquire(), async {
        bulkhead.reconfigure(|config| config.max_wait(Duration::ZERO)).unwrap();
        assert!(bulkhead.acquire().await.is_err());
    });
    assert_eq!((waiter.unwrap_err().kind(), clock.elapsed()), (ErrorKind::BulkheadFull, ms(40)));
    bulkhead.reconfigure(|config| config.max_wait(ms(20)).max_queue(0)).unwrap();
    assert!(bulkhead.acquire().await.is_err());
    assert_eq!(clock.elapsed(), ms(40));
}

#[tokio::test(start_paused = true)]
async fn register_keeps_slots_and_line() {
    let bulkhead = bulkhead(waiting(1));
    let slots = take(&bulkhead, 1);
    let line = Line::new(bulkhead, ms(10));
    let waiter = line.join("a").await;
    let again = Bulkhead::register(bulkhead.name(), Config::new().max_concurrent(1)).unwrap();
    assert_eq!(load(&again), (1, 1));
    drop(slots);
    waiter.await.unwrap().unwrap();
    assert_eq!(load(&again), (0, 0));
}
