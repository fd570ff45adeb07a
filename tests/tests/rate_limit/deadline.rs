//! Under a deadline: nobody waits for what comes too late.

use std::time::Duration;

use resilience::{Deadline, ErrorKind};
use resilience_tests::{limiter, ms, secs, sleep};

use super::{Line, rate};

#[tokio::test(start_paused = true)]
async fn a_wait_that_ends_after_the_deadline_is_refused_at_once() {
    let limiter = limiter(rate(10, secs(1)).max_wait(secs(60)));
    limiter.try_acquire(10).unwrap();
    let line = Line::new(limiter);
    for deadline in [ms(1), ms(299), ms(300)] {
        let error = Deadline::after(deadline).scope(limiter.acquire(3)).await.unwrap_err();
        assert_eq!((error.kind(), error.retry_after()), (ErrorKind::RateLimited, Some(ms(300))), "{deadline:?}");
        assert_eq!((line.clock.elapsed(), limiter.snapshot().waiting), (ms(0), 0));
    }
    assert!(Deadline::after(ms(301)).scope(limiter.acquire(3)).await.is_ok());
    assert_eq!(line.clock.elapsed(), ms(300));
}

#[tokio::test(start_paused = true)]
async fn the_shorter_of_deadline_and_longest_wait_counts() {
    let limiter = limiter(rate(10, secs(1)).max_wait(ms(200)));
    limiter.try_acquire(10).unwrap();
    let error = Deadline::after(secs(60)).scope(limiter.acquire(3)).await.unwrap_err();
    assert_eq!((error.kind(), error.retry_after()), (ErrorKind::RateLimited, Some(ms(300))));
    assert!(Deadline::after(secs(60)).scope(limiter.acquire(2)).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_passed_deadline_takes_nothing_although_permits_are_there() {
    let limiter = limiter(rate(10, secs(1)));
    for passed in [Duration::ZERO, ms(1)] {
        let late = Deadline::after(ms(5));
        sleep(ms(5) + passed).await;
        let error = late.scope(limiter.acquire(1)).await.unwrap_err();
        assert_eq!((error.kind(), error.policy()), (ErrorKind::DeadlineExceeded, limiter.name()));
        let error = late.scope(async { limiter.try_acquire(1) }).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    }
    assert_eq!((limiter.snapshot().available, limiter.snapshot().rejected), (10, 0));
}

/// Due half a millisecond before the deadline, and woken by a timer of whole milliseconds: that is too late.
#[tokio::test(start_paused = true)]
async fn nobody_is_served_when_the_deadline_has_passed() {
    let limiter = limiter(rate(2000, secs(1)).burst(1).max_wait(secs(60)));
    limiter.try_acquire(1).unwrap();
    let line = Line::new(limiter);
    let ended = Deadline::after(ms(1)).scope(limiter.acquire(1)).await;
    assert_eq!(line.clock.elapsed(), ms(1));
    assert_eq!(ended.unwrap_err().kind(), ErrorKind::DeadlineExceeded);
    assert_eq!((limiter.snapshot().waiting, limiter.snapshot().available), (0, 1), "the permit is there for others");
}

/// Those behind somebody whose deadline is short move up when that one is refused.
#[tokio::test(start_paused = true)]
async fn a_short_deadline_in_the_line_is_nobody_elses_trouble() {
    let limiter = limiter(rate(10, secs(1)).max_wait(secs(60)));
    limiter.try_acquire(10).unwrap();
    let line = Line::new(limiter);
    let first = line.join(0, 1).await;
    let hurried = Deadline::after(ms(150)).scope(limiter.acquire(1)).await;
    assert_eq!(hurried.unwrap_err().retry_after(), Some(ms(200)));
    let second = line.join(1, 1).await;
    first.await.unwrap().unwrap();
    second.await.unwrap().unwrap();
    assert_eq!(line.served(), [(0, ms(100)), (1, ms(200))]);
}
