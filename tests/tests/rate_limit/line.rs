//! Waiting: who is let in line, in what order they are served, and when.

use std::time::Duration;

use resilience::ErrorKind;
use resilience_tests::{limiter, ms, secs};

use super::{Line, count_served, hint, rate};

#[tokio::test(start_paused = true)]
async fn rl01_who_waited_has_taken_a_permit() {
    let limiter = limiter(rate(5, secs(1)).max_wait(secs(10)));
    let line = Line::new(limiter);
    let mut tasks = Vec::new();
    for who in 0..100 {
        tasks.push(line.join(who, 1).await);
    }
    // Whom nobody can serve in ten seconds has been told so.
    assert_eq!((limiter.snapshot().waiting, limiter.snapshot().rejected), (50, 45));
    assert_eq!(line.clock.elapsed(), ms(0));
    assert_eq!(count_served(tasks).await, 55);
    let expected: Vec<_> = (0..55).map(|who| (who, ms(200) * u32::saturating_sub(who, 4))).collect();
    assert_eq!(line.served(), expected);
    assert_eq!((limiter.snapshot().waiting, line.clock.elapsed()), (0, secs(10)));
}

#[tokio::test(start_paused = true)]
async fn rl11_nobody_waits_behind_a_newcomer() {
    let limiter = limiter(rate(10, secs(1)).max_wait(secs(60)));
    let line = Line::new(limiter);
    let mut tasks = Vec::new();
    for who in 0..300 {
        tasks.push(line.join(who, 1).await);
    }
    for second in 0..30 {
        line.clock.until(secs(second)).await;
        for newcomer in 0..10 {
            tasks.push(line.join(300 + second as u32 * 10 + newcomer, 1).await);
        }
    }
    assert_eq!(count_served(tasks).await, 600);
    let expected: Vec<_> = (0..600).map(|who| (who, ms(100) * u32::saturating_sub(who, 9))).collect();
    assert_eq!(line.served(), expected, "in the order of arrival, ten a second");
}

#[tokio::test(start_paused = true)]
async fn nobody_overtakes_the_line() {
    let limiter = limiter(rate(10, secs(1)).burst(5).max_wait(secs(60)));
    limiter.try_acquire(3).unwrap();
    let line = Line::new(limiter);
    let heavy = line.join(0, 5).await;
    // Two are there, and are the heavy one's.
    assert_eq!((limiter.snapshot().available, hint(&limiter, 1)), (2, Some(ms(400))));
    let light = line.join(1, 1).await;
    heavy.await.unwrap().unwrap();
    light.await.unwrap().unwrap();
    assert_eq!(line.served(), [(0, ms(300)), (1, ms(400))]);
}

#[tokio::test(start_paused = true)]
async fn permits_are_weighed() {
    let limiter = limiter(rate(10, secs(1)).max_wait(secs(60)));
    let line = Line::new(limiter);
    let mut tasks = Vec::new();
    for (who, permits) in [(0, 10), (1, 3), (2, 1), (3, 0), (4, 10), (5, 2)] {
        tasks.push(line.join(who, permits).await);
    }
    count_served(tasks).await;
    let mut served = line.served();
    let without = served.iter().position(|(who, _)| *who == 3).map(|place| served.remove(place));
    assert!(without.is_some_and(|(_, at)| at <= ms(400)));
    assert_eq!(served, [(0, ms(0)), (1, ms(300)), (2, ms(400)), (4, ms(1400)), (5, ms(1600))]);
}

#[tokio::test(start_paused = true)]
async fn a_wait_is_begun_only_if_it_can_end_in_time() {
    for (max_wait, joins) in [(ms(300), true), (ms(300) - Duration::from_nanos(1), false), (Duration::MAX, true)] {
        let limiter = limiter(rate(10, secs(1)).max_wait(max_wait));
        limiter.try_acquire(10).unwrap();
        let line = Line::new(limiter);
        let task = line.join(0, 3).await;
        assert_eq!(limiter.snapshot().waiting, u32::from(joins), "{max_wait:?}");
        let ended = task.await.unwrap();
        if joins {
            assert_eq!((ended.is_ok(), line.clock.elapsed()), (true, ms(300)));
        } else {
            let error = ended.unwrap_err();
            assert_eq!((error.kind(), error.retry_after()), (ErrorKind::RateLimited, Some(ms(300))));
            assert_eq!(line.clock.elapsed(), ms(0), "a hopeless wait is refused at once");
            assert_eq!(limiter.snapshot().rejected, 1);
        }
    }
}

/// What a line has been promised it gets, to the last one, also where many are due between two ticks of the timer.
#[tokio::test(start_paused = true)]
async fn high_rates_are_not_throttled_by_the_timer() {
    for (limit, burst) in [(10_000, 10_000), (10_000, 100), (10_000, 10), (1000, 1), (100_000, 100)] {
        let limiter = limiter(rate(limit, secs(1)).burst(burst).max_wait(ms(100)));
        limiter.try_acquire(burst).unwrap();
        let line = Line::new(limiter);
        let fit = limit / 10;
        let mut tasks = Vec::new();
        for who in 0..fit + 10 {
            tasks.push(line.join(who, 1).await);
        }
        assert_eq!((limiter.snapshot().waiting, limiter.snapshot().rejected), (fit, 10), "{limit} a second");
        assert_eq!(count_served(tasks).await, fit, "{limit} a second, burst {burst}: all in line are served");
        assert_eq!(line.clock.elapsed(), ms(100));
        let in_order = line.served();
        assert!(in_order.iter().map(|(who, _)| *who).eq(0..fit));
        let per_tick = u64::from(limit) / 1000;
        assert!(in_order.iter().all(|(who, at)| *at == ms(u64::from(*who) / per_tick + 1)), "not one of them late");
    }
}

/// Where the timer's whole milliseconds and a small burst make the line slower than the rate, the promise is kept and the
/// line is served all the same: a little later, and never faster. Who would wait too long for that is told so at once.
#[tokio::test(start_paused = true)]
async fn who_has_been_let_in_line_is_served() {
    for (limit, per_call, in_line) in [(3, 334, 3), (7, 143, 7), (10_000, 1, 1000)] {
        let limiter = limiter(rate(limit, secs(1)).burst(1).max_wait(secs(1)));
        let line = Line::new(limiter);
        let mut tasks = Vec::new();
        for who in 0..limit + 5 {
            tasks.push(line.join(who, 1).await);
        }
        // One at once, and as many as are due within a second.
        assert_eq!((limiter.snapshot().waiting, limiter.snapshot().rejected), (in_line, limit + 4 - in_line));
        assert_eq!(count_served(tasks).await, in_line + 1);
        let expected: Vec<_> = (0..=in_line).map(|who| (who, ms(per_call) * who)).collect();
        assert_eq!(line.served(), expected, "{limit} a second, one at a time");
    }
}

/// More calls than permits, for a second: as many are served as the rate allows, and nobody waits in vain.
#[tokio::test(start_paused = true)]
async fn under_a_lasting_overload_the_rate_is_used_up_and_nobody_waits_in_vain() {
    let limiter = limiter(rate(10_000, secs(1)).burst(100).max_wait(ms(20)));
    let line = Line::new(limiter);
    let mut tasks = Vec::new();
    for tick in 0..1000u32 {
        line.clock.until(ms(u64::from(tick))).await;
        for call in 0..20 {
            tasks.push(line.join(tick * 20 + call, 1).await);
        }
    }
    let refused_at_once = limiter.snapshot().rejected;
    let served = count_served(tasks).await;
    assert_eq!(limiter.snapshot().rejected, refused_at_once, "nobody is refused after a wait");
    assert_eq!((served, served + refused_at_once), (100 + 9990 + 200, 20_000));
}
