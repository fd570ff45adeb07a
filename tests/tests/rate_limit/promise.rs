//! The promise: in any interval `t` never more than `burst + limit · t / per`, whoever waits, leaves or changes the rate.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use resilience::RateLimiter;
use resilience_tests::{Clock, Dice, limiter, ms, secs, sleep};

use super::rate;

/// What was taken, and when, in nanoseconds.
type Taken = Arc<Mutex<Vec<(u128, u128)>>>;

/// Calls of all kinds at all moments, for about two seconds.
async fn storm(limiter: RateLimiter, dice: &mut Dice, max_permits: u64) -> Vec<(u128, u128)> {
    let taken = Taken::default();
    let clock = Clock::start();
    let mut tasks = Vec::new();
    for _ in 0..120 {
        let permits = 1 + dice.below(max_permits) as u32;
        let at = ms(dice.below(1500));
        let (waits, leaves) = (dice.below(3) > 0, (dice.below(4) == 0).then(|| ms(dice.below(500))));
        let taken = Arc::clone(&taken);
        let call = async move {
            let answer = if waits { limiter.acquire(permits).await } else { limiter.try_acquire(permits) };
            if answer.is_ok() {
                taken.lock().unwrap().push((clock.elapsed().as_nanos(), u128::from(permits)));
            }
        };
        tasks.push(tokio::spawn(async move {
            sleep(at).await;
            match leaves {
                Some(patience) => drop(tokio::time::timeout(patience, call).await),
                None => call.await,
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(limiter.snapshot().waiting, 0);
    std::mem::take(&mut *taken.lock().unwrap())
}

#[tokio::test(start_paused = true)]
async fn it_is_kept_to_the_nanosecond() {
    let mut dice = Dice::new(2024);
    for round in 0..150 {
        let limit = dice.one_of(&[1u32, 3, 10, 97, 1000, 10_000]);
        let per = dice.one_of(&[ms(100), ms(333), secs(1), Duration::from_nanos(777_777_777)]);
        let burst = dice.one_of(&[1u32, 2, 5, 40]);
        let max_wait = dice.one_of(&[ms(0), ms(50), secs(1), secs(10)]);
        let config = rate(limit, per).burst(burst).max_wait(max_wait);
        let taken = storm(limiter(config), &mut dice, u64::from(burst.min(6))).await;
        assert!(!taken.is_empty());
        let (limit, per, burst) = (u128::from(limit), per.as_nanos(), u128::from(burst));
        for (first, (from, _)) in taken.iter().enumerate() {
            let mut sum = 0;
            for (to, permits) in &taken[first..] {
                sum += permits;
                assert!(
                    sum * per <= burst * per + limit * (to - from),
                    "round {round}, {config:?}: {sum} permits between {from} and {to} ns"
                );
            }
        }
    }
}
