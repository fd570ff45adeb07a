//! On many threads, in real time: exact bounds, no timing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use resilience_tests::{Clock, limiter, ms, secs};

use super::{admitted, rate};

/// Whatever the threads do, no permit is taken twice: the bucket does not refill while they are at it.
#[test]
fn a_burst_is_given_out_once() {
    for round in 0..50 {
        let limiter = limiter(rate(100, secs(86_400)));
        let taken = AtomicU32::new(0);
        thread::scope(|scope| {
            for thread in 0..8u32 {
                let taken = &taken;
                scope.spawn(move || {
                    for call in 0..100 {
                        let permits = 1 + (thread + call) % 3;
                        if limiter.try_acquire(permits).is_ok() {
                            taken.fetch_add(permits, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        let rest = admitted(&limiter, 100);
        assert_eq!(taken.into_inner() + rest, 100, "round {round}");
    }
}

/// Threads that take, wait and leave; the sum stays within the promise for the time that has really passed.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn rl03_contention_neither_wins_nor_loses_permits() {
    let limiter = limiter(rate(20_000, secs(1)).burst(100).max_wait(ms(20)));
    let taken = Arc::new(AtomicU32::new(0));
    let clock = Clock::start();
    let mut tasks = Vec::new();
    for task in 0..64u64 {
        let taken = Arc::clone(&taken);
        tasks.push(tokio::spawn(async move {
            for call in 0..40 {
                let answer = match (task + call) % 4 {
                    0 => limiter.try_acquire(1).is_ok(),
                    1 => matches!(tokio::time::timeout(ms(1), limiter.acquire(1)).await, Ok(Ok(()))),
                    _ => limiter.acquire(1).await.is_ok(),
                };
                taken.fetch_add(u32::from(answer), Ordering::Relaxed);
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let most = 100.0 + 20_000.0 * clock.elapsed().as_secs_f64();
    let taken = taken.load(Ordering::Relaxed);
    assert!(f64::from(taken) <= most, "{taken} of {most}");
    assert!(taken >= 100);
    // It is not wedged: those who come find what time has brought.
    assert_eq!(limiter.snapshot().waiting, 0);
    for _ in 0..100 {
        limiter.acquire(1).await.unwrap();
    }
}

/// Rates that change under calls that wait: everybody comes to an end, nothing is left behind.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn reconfiguring_under_load_loses_nobody() {
    let limiter = limiter(rate(1000, secs(1)).burst(10).max_wait(secs(1)));
    let mut tasks = Vec::new();
    for task in 0..32u32 {
        tasks.push(tokio::spawn(async move {
            let mut served = 0;
            for _ in 0..20 {
                served += u32::from(limiter.acquire(1 + task % 3).await.is_ok());
            }
            served
        }));
    }
    let changer = tokio::spawn(async move {
        for round in 0..400u32 {
            limiter.reconfigure(|config| config.limit(1000 + round * 50).burst(10 + round % 20)).unwrap();
            assert!(limiter.snapshot().available <= 30);
            tokio::task::yield_now().await;
        }
        limiter.reconfigure(|config| config.limit(1_000_000)).unwrap();
    });
    changer.await.unwrap();
    let mut served = 0;
    for task in tasks {
        served += task.await.unwrap();
    }
    assert!(served > 0);
    assert_eq!(limiter.snapshot().waiting, 0);
}
