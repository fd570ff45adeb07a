//! The promise: in any interval `t` never more than `burst + limit · t / per`, whoever waits, leaves or changes the rate.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use resilience::{Bulkhead, Deadline, RateLimiter, bulkhead, rate_limit};
use resilience_tests::{Answer, Clock, Dice, Script, Step, limiter, ms, secs, sleep};

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
        assert_kept(&taken, limit, per, burst, &format!("round {round}, {config:?}"));
    }
}

/// For any two of those that were let in.
#[track_caller]
fn assert_kept(taken: &[(u128, u128)], limit: u32, per: Duration, burst: u32, what: &str) {
    let (limit, per, burst) = (u128::from(limit), per.as_nanos(), u128::from(burst));
    for (first, (from, _)) in taken.iter().enumerate() {
        let mut sum = 0;
        for (to, permits) in &taken[first..] {
            sum += permits;
            let most = burst * per + limit * (to - from);
            assert!(sum * per <= most, "{what}: {sum} permits between {from} and {to} ns");
        }
    }
}

/// A limit above a queue in which calls are refused, cut and dropped, and give their permits back.
#[rate_limit("promise-above", limit = 1, permits = permits)]
#[bulkhead("promise-above", max_concurrent = 2, max_wait = "40ms", max_queue = 6)]
async fn above_a_queue(permits: u32, body: &Script) -> Answer {
    body.run().await
}

#[rate_limit("promise-late", limit = 1, burst = 2)]
#[bulkhead("promise-late", max_concurrent = 1, max_wait = "1h")]
async fn late(body: &Script) -> Answer {
    body.run().await
}

/// The bucket was full before the two came, whether the call that leaves had taken one or not: a third is too many.
#[tokio::test(start_paused = true)]
async fn what_comes_back_late_lets_nobody_in_whom_time_has_let_in() {
    let limiter = RateLimiter::get("promise-late").unwrap();
    let slot = Bulkhead::get("promise-late").unwrap().try_acquire().unwrap();
    let body = Script::ok();
    let mut waits_below = Box::pin(late(&body));
    assert!(futures::poll!(waits_below.as_mut()).is_pending());
    sleep(secs(1)).await;
    limiter.try_acquire(2).unwrap();
    drop(waits_below);
    assert_eq!(limiter.try_acquire(1).unwrap_err().retry_after(), Some(secs(1)));
    drop(slot);
}

/// Those whose body has begun count, at the moment in which they passed the limit; nobody waits at it, so that is known.
#[tokio::test(start_paused = true)]
async fn it_is_kept_by_those_who_stay_where_others_give_back() {
    let mut dice = Dice::new(2025);
    let mut left = 0;
    for round in 0..120 {
        let limit = dice.one_of(&[1u32, 3, 10, 97, 1000]);
        let per = dice.one_of(&[ms(100), ms(333), secs(1)]);
        let burst = dice.one_of(&[3u32, 5, 12, 40]);
        let limiter = RateLimiter::register("promise-above", rate(limit, per).burst(burst)).unwrap();
        // The bucket of the round before: all that fits is there again.
        sleep(secs(1000)).await;
        let (clock, taken) = (Clock::start(), Taken::default());
        let mut tasks = Vec::new();
        for _ in 0..150 {
            let (permits, at) = (1 + dice.below(3) as u32, ms(dice.below(600)));
            let (by_hand, runs) = (dice.below(4) == 0, ms(dice.below(60)));
            let (patience, cut) = (ms(dice.below(80)), dice.below(2) == 0);
            let taken = Arc::clone(&taken);
            tasks.push(tokio::spawn(async move {
                sleep(at).await;
                let passed = (clock.elapsed().as_nanos(), u128::from(permits));
                let body = Script::new([Step::Ok.after(runs)]);
                let call = above_a_queue(permits, &body);
                let stays = if by_hand {
                    limiter.try_acquire(permits).is_ok()
                } else {
                    if cut {
                        drop(tokio::time::timeout(patience, call).await);
                    } else {
                        drop(Deadline::after(patience + ms(1)).scope(call).await);
                    }
                    body.entered() > 0
                };
                if stays {
                    taken.lock().unwrap().push(passed);
                }
                u32::from(!stays)
            }));
        }
        for task in tasks {
            left += task.await.unwrap();
        }
        let mut taken = std::mem::take(&mut *taken.lock().unwrap());
        taken.sort();
        assert_kept(&taken, limit, per, burst, &format!("round {round}, {limit} in {per:?}, burst {burst}"));
    }
    assert!(left > 1000, "{left} left");
}
