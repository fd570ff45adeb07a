//! Bulkheads on many threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use resilience::{Bulkhead, Error, bulkhead as bulkheads, bulkhead};
use resilience_tests::{Answer, Script, Step, bulkhead as a_bulkhead, ms, secs, sleep};
use tokio::task::yield_now;

use resilience_tests::Dice;

use super::Room;

/// Nobody inside, nobody in line, and exactly so many slots.
#[track_caller]
fn assert_whole(bulkhead: &Bulkhead, slots: u32) {
    let snapshot = bulkhead.snapshot();
    assert_eq!((snapshot.in_flight, snapshot.waiting, snapshot.max_concurrent), (0, 0, slots));
    let taken: Vec<_> = std::iter::from_fn(|| bulkhead.try_acquire().ok()).take(slots as usize + 1).collect();
    assert_eq!(taken.len(), slots as usize);
}

#[test]
fn never_more_inside_than_slots() {
    for slots in [1, 3, 5] {
        let bulkhead = a_bulkhead(bulkheads::Config::new().max_concurrent(slots));
        let (room, served) = (Room::default(), AtomicU32::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..2000 {
                        if let Ok(_slot) = bulkhead.try_acquire() {
                            let _inside = room.enter();
                            served.fetch_add(1, Ordering::Relaxed);
                            thread::yield_now();
                        }
                    }
                });
            }
        });
        assert!(room.most() <= slots, "{} of {slots}", room.most());
        let refused = bulkhead.snapshot().rejected;
        assert_eq!(served.load(Ordering::Relaxed) + refused, 16_000);
        assert_whole(&bulkhead, slots);
    }
}

#[tokio::test(start_paused = true)]
async fn bh01_calls_aborted_at_any_point_keep_no_slot() {
    let bulkhead = a_bulkhead(bulkheads::Config::new().max_concurrent(8).max_wait(secs(1)).max_queue(1000));
    let room = Arc::new(Room::default());
    let mut dice = Dice::new(7);
    for batch in 0..200 {
        let tasks: Vec<_> = (0..100)
            .map(|_| {
                let (room, keep) = (Arc::clone(&room), ms(dice.below(20)));
                tokio::spawn(async move {
                    let slot = bulkhead.acquire().await?;
                    let inside = room.enter();
                    sleep(keep).await;
                    drop((inside, slot));
                    Ok::<_, Error>(())
                })
            })
            .collect();
        // Before the first poll, in the line, in the moment of the grant, in the body, and after the end.
        for task in tasks {
            if dice.below(4) == 0 {
                sleep(ms(dice.below(3))).await;
            }
            if dice.below(8) == 0 {
                yield_now().await;
            }
            task.abort();
            let _ = task.await;
        }
        assert!(room.most() <= 8);
        assert_whole(&bulkhead, 8);
        assert_eq!(room.inside.load(Ordering::SeqCst), 0, "batch {batch}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn bh01_and_on_many_threads() {
    let bulkhead = a_bulkhead(bulkheads::Config::new().max_concurrent(4).max_wait(secs(600)).max_queue(10_000));
    let room = Arc::new(Room::default());
    let mut dice = Dice::new(11);
    let tasks: Vec<_> = (0..5000)
        .map(|_| {
            let (room, turns) = (Arc::clone(&room), dice.below(5));
            tokio::spawn(async move {
                let _slot = bulkhead.acquire().await?;
                let _inside = room.enter();
                for _ in 0..turns {
                    yield_now().await;
                }
                Ok::<_, Error>(())
            })
        })
        .collect();
    for task in &tasks {
        match dice.below(3) {
            0 => task.abort(),
            1 => yield_now().await,
            _ => {}
        }
    }
    for task in tasks {
        match task.await {
            Ok(answer) => answer.unwrap(),
            Err(error) => assert!(error.is_cancelled()),
        }
    }
    assert!(room.most() <= 4, "{}", room.most());
    assert_whole(&bulkhead, 4);
}

/// The head of the line is dropped on one thread while the slot comes back on another: the next is served.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn bh03_a_head_that_leaves_while_the_slot_comes_back() {
    let bulkhead = a_bulkhead(bulkheads::Config::new().max_concurrent(1).max_wait(secs(600)).max_queue(10));
    for _ in 0..2000 {
        let slot = bulkhead.try_acquire().unwrap();
        let mut head = Box::pin(bulkhead.acquire());
        assert!(futures::poll!(head.as_mut()).is_pending());
        let next = tokio::spawn(async move { bulkhead.acquire().await.map(drop) });
        while bulkhead.snapshot().waiting < 2 {
            yield_now().await;
        }
        let release = tokio::spawn(async move { drop(slot) });
        drop(head);
        release.await.unwrap();
        next.await.unwrap().unwrap();
    }
    assert_whole(&bulkhead, 1);
}

#[bulkhead("concurrency-bh09", max_concurrent = 4, max_wait = "10m", max_queue = 5000)]
async fn guarded(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn bh09_panics_aborts_and_ends_give_back_exactly_once() {
    let panics = Script::new([Step::Panic]);
    let (hangs, ends) = (Script::hang(), Script::ok());
    let spawn = |body: &Script| {
        let body = body.clone();
        tokio::spawn(async move { guarded(&body).await })
    };
    let bulkhead = Bulkhead::get("concurrency-bh09").unwrap();
    for round in 0..50 {
        let panicking: Vec<_> = (0..20).map(|_| spawn(&panics)).collect();
        let hanging: Vec<_> = (0..20).map(|_| spawn(&hangs)).collect();
        let ending: Vec<_> = (0..20).map(|_| spawn(&ends)).collect();
        if round % 2 == 0 {
            yield_now().await;
        }
        hanging.iter().for_each(tokio::task::JoinHandle::abort);
        for task in panicking {
            assert!(task.await.unwrap_err().is_panic());
        }
        for task in hanging {
            assert!(task.await.unwrap_err().is_cancelled());
        }
        for task in ending {
            assert!(task.await.unwrap().is_ok());
        }
        assert_whole(&bulkhead, 4);
    }
    assert_eq!((panics.entered(), panics.probe().in_flight(), ends.entered()), (1000, 0, 1000));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_bulkhead_resized_under_load_keeps_count() {
    let bulkhead = a_bulkhead(bulkheads::Config::new().max_concurrent(8).max_wait(secs(600)).max_queue(10_000));
    let mut dice = Dice::new(13);
    for round in 0..100 {
        let room = Arc::new(Room::default());
        let tasks: Vec<_> = (0..100)
            .map(|number| {
                let (room, turns) = (Arc::clone(&room), dice.below(4));
                tokio::spawn(async move {
                    let slot = if number % 2 == 0 { bulkhead.acquire().await } else { bulkhead.try_acquire() };
                    let inside = slot.is_ok().then(|| room.enter());
                    for _ in 0..turns {
                        yield_now().await;
                    }
                    drop((inside, slot));
                })
            })
            .collect();
        let mut size = 0;
        for _ in 0..20 {
            size = dice.below(8) as u32 + 1;
            bulkhead.resize(size).unwrap();
            if dice.below(2) == 0 {
                yield_now().await;
            }
        }
        for task in tasks {
            task.await.unwrap();
        }
        assert!(room.most() <= 8, "round {round}: {}", room.most());
        assert_whole(&bulkhead, size);
    }
}

/// Once the calls of before are over, a smaller bulkhead holds no more than its size, whoever raced with the change.
#[test]
fn a_shrink_that_races_with_a_return() {
    for _ in 0..3000 {
        let bulkhead = a_bulkhead(bulkheads::Config::new().max_concurrent(2));
        let (first, second) = (bulkhead.try_acquire().unwrap(), bulkhead.try_acquire().unwrap());
        thread::scope(|scope| {
            scope.spawn(move || drop(first));
            bulkhead.resize(1).unwrap();
        });
        assert!(bulkhead.try_acquire().is_err(), "one is inside, and there is one slot");
        drop(second);
        assert_whole(&bulkhead, 1);
    }
}
