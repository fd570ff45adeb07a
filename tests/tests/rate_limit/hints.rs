//! `retry_after`: who comes back then is let through, and who comes a nanosecond earlier is not.

use std::pin::pin;
use std::time::Duration;

use resilience_tests::{Dice, limiter, ms, secs};
use tokio::time::advance;

use super::{Line, hint, rate};

const NANOSECOND: Duration = Duration::from_nanos(1);

#[tokio::test(start_paused = true)]
async fn a_hint_is_exact_to_the_nanosecond() {
    let mut dice = Dice::new(7);
    for _ in 0..300 {
        let limit = dice.one_of(&[1, 2, 3, 7, 10, 999, 10_000, 1_000_000_007]);
        let per = dice.one_of(&[ms(1), ms(333), secs(1), secs(60), Duration::from_nanos(1_000_003)]);
        let burst = dice.one_of(&[5, 6, 13, 100]);
        let config = rate(limit, per).burst(burst);
        let limiter = limiter(config);
        for _ in 0..3 {
            // The finest rates bring more than was waited for.
            limiter.try_acquire(limiter.snapshot().available).unwrap();
            let permits = 1 + dice.below(5) as u32;
            let wait = hint(&limiter, permits).unwrap();
            advance(wait.saturating_sub(NANOSECOND)).await;
            assert!(limiter.try_acquire(permits).is_err(), "{config:?}: {permits} permits before {wait:?}");
            advance(NANOSECOND).await;
            assert!(limiter.try_acquire(permits).is_ok(), "{config:?}: {permits} permits after {wait:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_hint_counts_those_in_line() {
    let limiter = limiter(rate(10, secs(1)).burst(4).max_wait(secs(60)));
    let line = Line::new(limiter);
    limiter.try_acquire(4).unwrap();
    let mut tasks = Vec::new();
    for (who, permits) in [(0, 1), (1, 4), (2, 2)] {
        tasks.push(line.join(who, permits).await);
    }
    assert_eq!(limiter.snapshot().waiting, 3);
    assert_eq!((hint(&limiter, 1), hint(&limiter, 4)), (Some(ms(800)), Some(ms(1100))));
    line.clock.until(ms(100)).await;
    tokio::task::yield_now().await;
    assert_eq!(limiter.snapshot().waiting, 2, "the first has been served");
    assert_eq!((hint(&limiter, 1), hint(&limiter, 4)), (Some(ms(700)), Some(ms(1000))));
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    assert_eq!(line.served(), [(0, ms(100)), (1, ms(500)), (2, ms(700))]);
}

/// At the moment that was named, those in line may not have been woken yet; there is enough for them and the newcomer.
#[tokio::test(start_paused = true)]
async fn who_comes_back_when_told_is_let_through_with_a_line_ahead() {
    for in_line in 1..5 {
        let limiter = limiter(rate(1000, secs(1)).max_wait(secs(60)));
        limiter.try_acquire(1000).unwrap();
        let line = Line::new(limiter);
        let mut tasks = Vec::new();
        for who in 0..in_line {
            tasks.push(line.join(who, 1).await);
        }
        let wait = hint(&limiter, 1).unwrap();
        assert_eq!(wait, ms(1) * (in_line + 1));
        // One poll moves the clock, and lets nobody in line run.
        let _ = futures::poll!(pin!(advance(wait - NANOSECOND)));
        assert!(limiter.try_acquire(1).is_err(), "{in_line} in line, too early");
        let _ = futures::poll!(pin!(advance(NANOSECOND)));
        assert!(limiter.try_acquire(1).is_ok(), "{in_line} in line, in time");
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        assert!(line.served().iter().all(|(_, at)| *at <= wait), "and nobody in line pays for it");
    }
}
