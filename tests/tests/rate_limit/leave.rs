//! Those who leave the line: nothing is lost, and whoever is behind them is not served later for it.

use std::time::Duration;

use resilience::Error;
use resilience_tests::{inside_somebody_elses_panic, limiter, ms, outside_of_any_runtime, poll_times, polls, secs};
use tokio::task::JoinHandle;

use super::{Line, rate};

/// What each in line asks for.
const ASKED: [u32; 5] = [1, 3, 2, 1, 2];

async fn five_in_line() -> (Line, Vec<JoinHandle<Result<(), Error>>>) {
    let limiter = limiter(rate(10, secs(1)).max_wait(secs(60)));
    limiter.try_acquire(10).unwrap();
    let line = Line::new(limiter);
    let mut tasks = Vec::new();
    for (who, permits) in ASKED.into_iter().enumerate() {
        tasks.push(line.join(who as u32, permits).await);
    }
    (line, tasks)
}

/// When everybody is served, if `leaver` leaves at that moment: permits come every 100 ms, and pass over who has left.
fn schedule(leaver: usize, at: Duration) -> Vec<(u32, Duration)> {
    let mut served = Vec::new();
    let (mut due, mut left) = (ms(0), false);
    for (who, permits) in ASKED.into_iter().enumerate() {
        let then = due + ms(100) * permits;
        if who == leaver && at < then {
            left = true;
            continue;
        }
        due = then;
        // Permits that came while the leaver stood in front are there when it has left.
        served.push((who as u32, if left { due.max(at) } else { due }));
    }
    served
}

#[tokio::test(start_paused = true)]
async fn anybody_may_leave_at_any_moment() {
    for leaver in 0..ASKED.len() {
        for at in (0..1000).step_by(50) {
            let at = ms(at + 25);
            let (line, tasks) = five_in_line().await;
            line.clock.until(at).await;
            tasks[leaver].abort();
            let mut refused = 0;
            for task in tasks {
                refused += u32::from(task.await.is_ok_and(|answer| answer.is_err()));
            }
            assert_eq!(line.served(), schedule(leaver, at), "{leaver} leaves at {at:?}");
            assert_eq!((refused, line.limiter.snapshot().waiting, line.limiter.snapshot().rejected), (0, 0, 0));
        }
    }
}

/// C51: an interrupted waiter loses its permit there; here it has taken none.
#[tokio::test(start_paused = true)]
async fn c51_who_leaves_has_taken_nothing() {
    let limiter = limiter(rate(1, secs(1)).max_wait(secs(5)));
    limiter.try_acquire(1).unwrap();
    for _ in 0..100 {
        let _ = polls(limiter.acquire(1), 1).await;
        assert_eq!(limiter.snapshot().waiting, 0);
    }
    let line = Line::new(limiter);
    line.join(0, 1).await.await.unwrap().unwrap();
    assert_eq!(line.served(), [(0, secs(1))]);
    assert_eq!(limiter.snapshot().rejected, 0, "who leaves was not refused");
}

#[tokio::test(start_paused = true)]
async fn dropped_after_every_poll() {
    for times in 0..6 {
        let limiter = limiter(rate(10, secs(1)).max_wait(secs(60)));
        limiter.try_acquire(10).unwrap();
        let line = Line::new(limiter);
        let ahead = line.join(0, 1).await;
        let ended = polls(limiter.acquire(2), times).await.is_some();
        let behind = line.join(1, 1).await;
        ahead.await.unwrap().unwrap();
        behind.await.unwrap().unwrap();
        let at = if ended { ms(400) } else { ms(200) };
        assert_eq!(line.served()[1], (1, at), "{times} polls");
        assert_eq!(limiter.snapshot().waiting, 0);
    }
}

/// The head leaves in the very moment of its turn, woken but not yet run.
#[tokio::test(start_paused = true)]
async fn a_head_that_leaves_when_its_turn_has_come_leaves_its_permit_to_the_next() {
    let limiter = limiter(rate(10, secs(1)).max_wait(secs(60)));
    limiter.try_acquire(10).unwrap();
    let line = Line::new(limiter);
    let mut head = Box::pin(limiter.acquire(1));
    assert!(poll_times(head.as_mut(), 1).await.is_none());
    let next = line.join(0, 1).await;
    line.clock.until(ms(100)).await;
    drop(head);
    next.await.unwrap().unwrap();
    assert_eq!(line.served(), [(0, ms(100))]);
}

#[tokio::test(start_paused = true)]
async fn tk04_a_place_in_line_is_dropped_anywhere() {
    let limiter = limiter(rate(10, secs(1)).max_wait(secs(60)));
    limiter.try_acquire(10).unwrap();
    for times in 0..2 {
        let mut call = Box::pin(limiter.acquire(1));
        poll_times(call.as_mut(), times).await;
        outside_of_any_runtime(call);
        let mut call = Box::pin(limiter.acquire(1));
        poll_times(call.as_mut(), times).await;
        inside_somebody_elses_panic(call);
        assert_eq!(limiter.snapshot().waiting, 0);
    }
    let line = Line::new(limiter);
    line.join(0, 1).await.await.unwrap().unwrap();
    assert_eq!(line.served(), [(0, ms(100))]);
}
