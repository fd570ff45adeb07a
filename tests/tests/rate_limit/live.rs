//! Other rates while it runs.

use resilience::{ErrorKind, RateLimiter};
use resilience_tests::{limiter, ms, secs, sleep, unique};

use super::{Line, admitted, hint, rate};

#[tokio::test(start_paused = true)]
async fn permits_that_are_there_stay() {
    let limiter = limiter(rate(10, secs(1)));
    limiter.try_acquire(6).unwrap();
    limiter.reconfigure(|config| config.limit(100)).unwrap();
    assert_eq!(limiter.snapshot().available, 4, "neither more nor less");
    sleep(ms(100)).await;
    assert_eq!(limiter.snapshot().available, 14);
    limiter.reconfigure(|config| config.limit(1)).unwrap();
    assert_eq!(limiter.snapshot().available, 1, "as many as fit into the new burst");
    limiter.try_acquire(1).unwrap();
    assert_eq!(hint(&limiter, 1), Some(secs(1)));
    limiter.reconfigure(|config| config.per(ms(10))).unwrap();
    assert_eq!(hint(&limiter, 1), Some(ms(10)));
}

/// Half a permit is half a permit at any rate.
#[tokio::test(start_paused = true)]
async fn a_part_of_a_permit_is_kept() {
    let limiter = limiter(rate(1, secs(1)).burst(10));
    limiter.try_acquire(10).unwrap();
    sleep(ms(500)).await;
    limiter.reconfigure(|config| config.per(secs(10))).unwrap();
    assert_eq!(hint(&limiter, 1), Some(secs(5)));
    sleep(secs(1)).await;
    limiter.reconfigure(|config| config.per(secs(1))).unwrap();
    assert_eq!(hint(&limiter, 1), Some(ms(400)));
}

#[tokio::test(start_paused = true)]
async fn reconfiguring_again_and_again_makes_no_permits() {
    let limiter = limiter(rate(10, secs(1)));
    limiter.try_acquire(10).unwrap();
    for round in 0..1000 {
        limiter.reconfigure(|config| config.burst(10 + round % 7).max_wait(ms(u64::from(round)))).unwrap();
    }
    assert_eq!(limiter.snapshot().available, 0);
    sleep(ms(300)).await;
    assert_eq!(admitted(&limiter, 10), 3);
}

#[tokio::test(start_paused = true)]
async fn a_refused_change_changes_nothing() {
    let limiter = limiter(rate(10, secs(1)));
    limiter.try_acquire(9).unwrap();
    let error = limiter.reconfigure(|config| config.limit(50).burst(0)).unwrap_err();
    assert_eq!((error.kind(), error.policy(), error.option()), ("rate_limit", limiter.name(), "burst"));
    sleep(secs(1)).await;
    assert_eq!(admitted(&limiter, 50), 10);
}

/// A higher rate serves those in line as if they had come under it, from now on.
#[tokio::test(start_paused = true)]
async fn a_higher_rate_is_felt_by_those_who_wait() {
    let limiter = limiter(rate(1, secs(10)).max_wait(secs(60)));
    limiter.try_acquire(1).unwrap();
    let line = Line::new(limiter);
    let mut tasks = Vec::new();
    for who in 0..4 {
        tasks.push(line.join(who, 1).await);
    }
    line.clock.until(secs(5)).await;
    // Half a permit is there.
    limiter.reconfigure(|config| config.limit(10).per(secs(1))).unwrap();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    let expected = [(0, ms(5050)), (1, ms(5150)), (2, ms(5250)), (3, ms(5350))];
    assert_eq!(line.served(), expected);
}

/// A lower rate lengthens the waits; who would have to wait too long then is refused, but not before.
#[tokio::test(start_paused = true)]
async fn a_lower_rate_is_felt_by_those_who_wait() {
    let limiter = limiter(rate(10, secs(1)).burst(1).max_wait(secs(1)));
    limiter.try_acquire(1).unwrap();
    let line = Line::new(limiter);
    let mut tasks = Vec::new();
    for who in 0..4 {
        tasks.push(line.join(who, 1).await);
    }
    line.clock.until(ms(50)).await;
    limiter.reconfigure(|config| config.limit(2)).unwrap();
    let mut kinds = Vec::new();
    for task in tasks {
        kinds.push(task.await.unwrap().err().map(|error| error.kind()));
    }
    // Half a permit at 50 ms, so the first whole one at 300 ms, the second at 800, the third too late.
    assert_eq!(line.served(), [(0, ms(300)), (1, ms(800))]);
    assert_eq!(kinds, [None, None, Some(ErrorKind::RateLimited), Some(ErrorKind::RateLimited)]);
    assert_eq!(line.clock.elapsed(), ms(800), "told as soon as it is known");
    assert_eq!((limiter.snapshot().waiting, limiter.snapshot().rejected), (0, 2));
}

#[tokio::test(start_paused = true)]
async fn a_smaller_burst_refuses_who_will_never_fit() {
    let limiter = limiter(rate(10, secs(1)).max_wait(secs(60)));
    limiter.try_acquire(10).unwrap();
    let line = Line::new(limiter);
    let heavy = line.join(0, 8).await;
    let light = line.join(1, 1).await;
    line.clock.until(ms(100)).await;
    limiter.reconfigure(|config| config.burst(5)).unwrap();
    assert_eq!(heavy.await.unwrap().unwrap_err().retry_after(), None);
    assert_eq!(line.clock.elapsed(), ms(100), "told as soon as it is known");
    light.await.unwrap().unwrap();
    assert_eq!(line.served(), [(1, ms(100))]);
}

/// A shorter `max_wait` is for those who come from now on.
#[tokio::test(start_paused = true)]
async fn those_in_line_keep_the_patience_they_came_with() {
    let limiter = limiter(rate(10, secs(1)).max_wait(secs(60)));
    limiter.try_acquire(10).unwrap();
    let line = Line::new(limiter);
    let patient = line.join(0, 5).await;
    limiter.reconfigure(|config| config.max_wait(ms(0))).unwrap();
    assert_eq!(limiter.acquire(1).await.unwrap_err().retry_after(), Some(ms(600)));
    patient.await.unwrap().unwrap();
    assert_eq!(line.served(), [(0, ms(500))]);
}

/// Replacing what `register` gave leaves no limit: those in line are told.
#[tokio::test(start_paused = true)]
async fn a_limit_that_is_taken_away() {
    let name = unique("taken");
    let limiter = RateLimiter::register(name, rate(1, secs(10)).max_wait(secs(60))).unwrap();
    limiter.try_acquire(1).unwrap();
    let line = Line::new(limiter);
    let tasks = [line.join(0, 1).await, line.join(1, 1).await];
    RateLimiter::register(name, resilience::rate_limit::Config::new()).unwrap();
    for task in tasks {
        assert_eq!(task.await.unwrap().unwrap_err().kind(), ErrorKind::Misconfigured);
    }
    assert_eq!(line.clock.elapsed(), ms(0));
    assert_eq!(limiter.try_acquire(1).unwrap_err().kind(), ErrorKind::Misconfigured);
    RateLimiter::register(name, rate(2, secs(1))).unwrap();
    assert_eq!(admitted(&limiter, 5), 2, "a limit again: a full bucket");
}
