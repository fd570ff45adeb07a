//! Many threads, many rounds: what must hold for any interleaving.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use futures::future::join_all;
use resilience::circuit_breaker::{Config, State};
use resilience::{Bulkhead, CircuitBreaker, Error, ErrorKind, Outcome, bulkhead as bulkheads, bulkhead};
use resilience_tests::{EventLog, Script, Step, breaker, bulkhead as a_bulkhead, call, ms, secs, sleep, trip, unique};
use tokio::sync::Semaphore;
use tokio::task::yield_now;

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Counts who is inside, and the most there ever were.
#[derive(Default)]
struct Room {
    inside: AtomicU32,
    most: AtomicU32,
}

impl Room {
    fn enter(&self) -> Inside<'_> {
        let inside = self.inside.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(inside, Ordering::SeqCst);
        Inside(self)
    }

    fn most(&self) -> u32 {
        self.most.load(Ordering::SeqCst)
    }
}

struct Inside<'a>(&'a Room);

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Nobody inside, nobody in line, and exactly so many slots.
#[track_caller]
fn assert_whole(bulkhead: &Bulkhead, slots: u32) {
    let snapshot = bulkhead.snapshot();
    assert_eq!((snapshot.in_flight, snapshot.waiting, snapshot.max_concurrent), (0, 0, slots));
    let taken: Vec<_> = std::iter::from_fn(|| bulkhead.try_acquire().ok()).take(slots as usize + 1).collect();
    assert_eq!(taken.len(), slots as usize);
}

// ---- breakers --------------------------------------------------------------------------------------------------

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn ho07_so_many_trials_and_not_one_more() {
    // A cooldown that is over at once; the trials have all the time they need.
    let config = Config::new().cooldown(Duration::from_nanos(1)).success_threshold(3).probe_timeout(secs(600));
    for round in 0..200 {
        let breaker = breaker(config);
        trip_now(&breaker);
        let (gate, inside, refused) =
            (Arc::new(Semaphore::new(0)), Arc::new(Room::default()), Arc::new(AtomicU32::new(0)));
        let tasks: Vec<_> = (0..200)
            .map(|_| {
                let (gate, inside, refused) = (Arc::clone(&gate), Arc::clone(&inside), Arc::clone(&refused));
                tokio::spawn(async move {
                    let body = async {
                        let _inside = inside.enter();
                        drop(gate.acquire().await);
                        Ok::<_, Error>(())
                    };
                    let answer = breaker.call(body).await;
                    refused.fetch_add(u32::from(answer.is_err()), Ordering::SeqCst);
                    answer.map(|_| ())
                })
            })
            .collect();
        while refused.load(Ordering::SeqCst) + inside.inside.load(Ordering::SeqCst) < 200 {
            yield_now().await;
        }
        assert_eq!(refused.load(Ordering::SeqCst), 197, "round {round}");
        gate.add_permits(200);
        for answer in join_all(tasks).await {
            if let Err(error) = answer.unwrap() {
                assert_eq!(error.kind(), ErrorKind::CircuitOpen);
            }
        }
        assert_eq!((inside.most(), breaker.state()), (3, State::Closed), "round {round}");
        let all = join_all((0..200).map(|_| tokio::spawn(async move { call(&breaker, &Script::ok()).await }))).await;
        assert!(all.into_iter().all(|answer| answer.unwrap() == Ok(1)), "round {round}");
    }
}

/// As `trip`, for a cooldown so short that the open state cannot be seen.
fn trip_now(breaker: &CircuitBreaker) {
    for _ in 0..10 {
        breaker.try_acquire().unwrap().record(Outcome::Failure);
    }
}

#[test]
fn no_result_is_lost_and_none_counts_twice() {
    let breaker = breaker(Config::new().window_calls(100_000).min_calls(100_000));
    thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                for call in 0..1000 {
                    let outcome = match (thread + call) % 4 {
                        0 => Outcome::Failure,
                        1 => Outcome::Neutral,
                        _ => Outcome::Success,
                    };
                    breaker.try_acquire().unwrap().record(outcome);
                    drop(breaker.try_acquire().unwrap());
                }
            });
        }
    });
    assert_eq!((breaker.snapshot().calls, breaker.snapshot().failures), (6000, 2000));
}

#[test]
fn failures_on_all_threads_open_once() {
    for _ in 0..200 {
        let name = unique("once");
        let breaker = CircuitBreaker::register(name, Config::new().min_calls(8).window_calls(8)).unwrap();
        let log = EventLog::anywhere([name]);
        let permits: Vec<_> = (0..64).map(|_| breaker.try_acquire().unwrap()).collect();
        let mut permits = permits.into_iter();
        thread::scope(|scope| {
            for _ in 0..4 {
                let share: Vec<_> = permits.by_ref().take(16).collect();
                scope.spawn(move || share.into_iter().for_each(|permit| permit.record(Outcome::Failure)));
            }
        });
        assert_eq!((breaker.state(), breaker.snapshot().calls), (State::Open, 8));
        log.expect(["circuit_breaker.opened"]);
        log.assert_finished();
    }
}

/// Calls, hands and changes of options all at once: the breaker stays in one piece.
#[test]
fn everything_at_once_leaves_a_breaker_that_works() {
    let breaker = breaker(Config::new().min_calls(2).cooldown(Duration::from_nanos(1)).success_threshold(2));
    thread::scope(|scope| {
        for seed in 0..4 {
            scope.spawn(move || {
                let mut dice = Dice(seed);
                let mut held = Vec::new();
                for _ in 0..2000 {
                    match dice.roll(12) {
                        0 => breaker.reset(),
                        1 => breaker.shadow(),
                        2 => breaker.force_open(),
                        3 => breaker.disable(),
                        4 => breaker.reconfigure(|config| config.window_calls(dice.roll(50) as u32 + 2)).unwrap(),
                        5 => breaker.reconfigure(|config| config.window(ms(dice.roll(50) + 1))).unwrap(),
                        6 => breaker.reconfigure(|config| config.success_threshold(dice.roll(4) as u32 + 1)).unwrap(),
                        7 => held.clear(),
                        8 => drop(breaker.snapshot()),
                        _ => match (breaker.try_acquire(), dice.roll(3)) {
                            (Ok(permit), 0) => held.push(permit),
                            (Ok(permit), 1) => permit.record(Outcome::Failure),
                            (Ok(permit), _) => permit.record(Outcome::Success),
                            (Err(error), _) => assert_eq!(error.kind(), ErrorKind::CircuitOpen),
                        },
                    }
                }
            });
        }
    });
    CircuitBreaker::register(breaker.name(), Config::new().cooldown(secs(60))).unwrap();
    breaker.reset();
    assert_eq!((breaker.snapshot().calls, breaker.snapshot().probes_in_flight), (0, 0));
    trip(&breaker, 10);
}

// ---- bulkheads -------------------------------------------------------------------------------------------------

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
    let mut dice = Dice(7);
    for batch in 0..200 {
        let tasks: Vec<_> = (0..100)
            .map(|_| {
                let (room, keep) = (Arc::clone(&room), ms(dice.roll(20)));
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
            if dice.roll(4) == 0 {
                sleep(ms(dice.roll(3))).await;
            }
            if dice.roll(8) == 0 {
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
    let mut dice = Dice(11);
    let tasks: Vec<_> = (0..5000)
        .map(|_| {
            let (room, turns) = (Arc::clone(&room), dice.roll(5));
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
        match dice.roll(3) {
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
async fn guarded(body: &Script) -> resilience_tests::Answer {
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
    let mut dice = Dice(13);
    for round in 0..100 {
        let room = Arc::new(Room::default());
        let tasks: Vec<_> = (0..100)
            .map(|number| {
                let (room, turns) = (Arc::clone(&room), dice.roll(4));
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
            size = dice.roll(8) as u32 + 1;
            bulkhead.resize(size).unwrap();
            if dice.roll(2) == 0 {
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

// ---- the registry ----------------------------------------------------------------------------------------------

#[bulkhead(max_concurrent = 1)]
async fn first_called_by_many(gate: &Semaphore) -> Result<(), Error> {
    drop(gate.acquire().await);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_site_first_called_on_all_threads_is_one_policy() {
    let gate = Arc::new(Semaphore::new(0));
    let calls: Vec<_> = (0..16)
        .map(|_| {
            let gate = Arc::clone(&gate);
            tokio::spawn(async move { first_called_by_many(&gate).await })
        })
        .collect();
    while calls.iter().filter(|call| call.is_finished()).count() < 15 {
        yield_now().await;
    }
    gate.add_permits(1);
    let served = join_all(calls).await.into_iter().filter(|call| matches!(call, Ok(Ok(())))).count();
    assert_eq!(served, 1);
}

#[test]
fn a_name_registered_on_all_threads_is_one_breaker() {
    for _ in 0..50 {
        let name = unique("together");
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let breaker = CircuitBreaker::register(name, Config::new().min_calls(50)).unwrap();
                    breaker.try_acquire().unwrap().record(Outcome::Success);
                });
            }
        });
        assert_eq!(CircuitBreaker::get(name).unwrap().snapshot().calls, 4);
    }
}
