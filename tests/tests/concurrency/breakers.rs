//! Circuit breakers on many threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use futures::future::join_all;
use resilience::circuit_breaker::{Config, State};
use resilience::{CircuitBreaker, Error, ErrorKind, Outcome};
use resilience_tests::{EventLog, Script, breaker, call, ms, secs, trip, unique};
use tokio::sync::Semaphore;
use tokio::task::yield_now;

use resilience_tests::Dice;

use super::Room;

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
fn successes_and_refusals_that_are_only_counted_are_counted_once() {
    let config = Config::new().window_calls(100_000).min_calls(1).failure_rate(0.9);
    let breaker = breaker(config);
    breaker.try_acquire().unwrap().record(Outcome::Success);
    let on_all_threads = |call: &(dyn Fn(u32) + Sync)| {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..5000).for_each(call));
            }
        });
    };
    on_all_threads(&|call| {
        let outcome = if call % 100 == 99 { Outcome::Failure } else { Outcome::Success };
        breaker.try_acquire().unwrap().record(outcome);
        if call % 1000 == 0 {
            assert!(breaker.snapshot().calls > call);
        }
    });
    assert_eq!((breaker.snapshot().calls, breaker.snapshot().failures), (20_001, 200));

    let open = |breaker: &CircuitBreaker| on_all_threads(&|_| assert!(breaker.try_acquire().is_err()));
    CircuitBreaker::register(breaker.name(), config.consecutive_failures(1)).unwrap();
    breaker.try_acquire().unwrap().record(Outcome::Failure);
    open(&breaker);
    assert_eq!((breaker.state(), breaker.snapshot().rejected), (State::Open, 20_000));
    breaker.force_open();
    open(&breaker);
    assert_eq!(breaker.snapshot().rejected, 20_000);
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
                let mut dice = Dice::new(seed);
                let mut held = Vec::new();
                for _ in 0..2000 {
                    match dice.below(12) {
                        0 => breaker.reset(),
                        1 => breaker.shadow(),
                        2 => breaker.force_open(),
                        3 => breaker.disable(),
                        4 => breaker.reconfigure(|config| config.window_calls(dice.below(50) as u32 + 2)).unwrap(),
                        5 => breaker.reconfigure(|config| config.window(ms(dice.below(50) + 1))).unwrap(),
                        6 => breaker.reconfigure(|config| config.success_threshold(dice.below(4) as u32 + 1)).unwrap(),
                        7 => held.clear(),
                        8 => drop(breaker.snapshot()),
                        _ => match (breaker.try_acquire(), dice.below(3)) {
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
