//! How many are let through, exactly.

use std::time::Duration;

use resilience::rate_limit::Config;
use resilience_tests::{Clock, EventLog, limiter, ms, secs, sleep, unique};
use tokio::time::advance;

use super::{admitted, hint, rate};

/// A rate, and how many of a crowd are let through after so many milliseconds.
type Row = (Config, &'static [(u64, u32)]);

#[tokio::test(start_paused = true)]
async fn a_burst_first_and_then_the_rate() {
    let table: [Row; 8] = [
        (rate(5, secs(1)), &[(0, 5), (199, 0), (200, 1), (1200, 5), (3_600_000, 5)]),
        (rate(5, secs(1)).burst(1), &[(0, 1), (199, 0), (200, 1), (10_000, 1)]),
        (rate(5, secs(1)).burst(20), &[(0, 20), (1000, 5), (3000, 10), (60_000, 20)]),
        (rate(1, secs(60)), &[(0, 1), (59_999, 0), (60_000, 1)]),
        // Three in a second do not divide it evenly: nothing is lost and nothing is won.
        (rate(3, secs(1)), &[(0, 3), (333, 0), (334, 1), (667, 1), (1000, 1), (10_000, 3)]),
        (rate(3, secs(1)).burst(1000), &[(0, 1000), (1000, 3), (100_000, 297), (100_001, 0)]),
        (rate(1000, ms(1)), &[(0, 1000), (1, 1000), (1000, 1000)]),
        (rate(1, Duration::from_nanos(1)), &[(0, 1), (1, 1)]),
    ];
    for (config, moments) in table {
        let limiter = limiter(config);
        let clock = Clock::start();
        for (at, expected) in moments {
            advance(ms(*at) - clock.elapsed()).await;
            assert_eq!(admitted(&limiter, 1100), *expected, "{config:?} at {at} ms");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_snapshot_shows_what_is_there() {
    let limiter = limiter(rate(10, secs(1)));
    let available = || limiter.snapshot().available;
    assert_eq!(available(), 10);
    limiter.try_acquire(7).unwrap();
    assert_eq!(available(), 3);
    sleep(ms(99)).await;
    assert_eq!((available(), available()), (3, 3), "looking takes nothing");
    sleep(ms(1)).await;
    assert_eq!(available(), 4);
    sleep(secs(9)).await;
    assert_eq!(available(), 10);
}

#[tokio::test(start_paused = true)]
async fn rl05_a_refusal_takes_nothing() {
    let one = limiter(rate(1, secs(1)).max_wait(ms(500)));
    let clock = Clock::start();
    assert!(one.acquire(1).await.is_ok());
    clock.until(ms(100)).await;
    for _ in 0..1000 {
        assert_eq!(one.acquire(1).await.unwrap_err().retry_after(), Some(ms(900)));
    }
    assert_eq!(clock.elapsed(), ms(100), "each was refused at once");
    clock.until(secs(1)).await;
    assert!(one.acquire(1).await.is_ok());
    assert_eq!((clock.elapsed(), one.snapshot().rejected), (secs(1), 1000));

    let weighed = limiter(rate(10, secs(1)));
    weighed.try_acquire(7).unwrap();
    assert_eq!(hint(&weighed, 5), Some(ms(200)));
    assert!(weighed.try_acquire(3).is_ok());
    assert_eq!(hint(&weighed, 1), Some(ms(100)));
}

/// A hundred late in one second and a hundred early in the next: with fixed windows that were two hundred at once.
#[tokio::test(start_paused = true)]
async fn rl07_no_double_burst_across_an_edge() {
    let limiter = limiter(rate(100, secs(1)));
    let clock = Clock::start();
    for (at, expected) in [(ms(900), 100), (ms(1100), 20), (ms(1500), 40), (ms(1900), 40)] {
        clock.until(at).await;
        assert_eq!(admitted(&limiter, 100), expected, "at {at:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn rl09_the_highest_rates_count_exactly() {
    let most = limiter(rate(u32::MAX, secs(1)));
    most.try_acquire(u32::MAX - 1).unwrap();
    most.try_acquire(1).unwrap();
    assert_eq!(hint(&most, 1), Some(Duration::from_nanos(1)));
    assert_eq!(hint(&most, u32::MAX), Some(secs(1)));
    advance(Duration::from_nanos(1)).await;
    // 4.29 of them.
    assert_eq!(admitted(&most, 10), 4);

    let finest = limiter(rate(1, Duration::from_nanos(1)));
    for _ in 0..100 {
        assert_eq!(admitted(&finest, 2), 1);
        advance(Duration::from_nanos(1)).await;
    }
    let flood = limiter(rate(u32::MAX, Duration::from_nanos(1)));
    for _ in 0..3 {
        flood.try_acquire(u32::MAX).unwrap();
        assert_eq!(hint(&flood, 1), Some(Duration::from_nanos(1)));
        advance(Duration::from_nanos(1)).await;
    }
}

#[test]
fn rl09_zeroes_are_refused_before_any_call() {
    let name = unique("zero");
    for (config, option, value) in [
        (Config::new().limit(0), "limit", "0"),
        (Config::new().limit(1).per(Duration::ZERO), "per", "0ns"),
        (Config::new().limit(1).burst(0), "burst", "0"),
    ] {
        let error = resilience::RateLimiter::register(name, config).unwrap_err();
        assert_eq!((error.option(), error.value().to_string().as_str()), (option, value));
        assert!(resilience::RateLimiter::get(name).is_none());
    }
    assert!(resilience::RateLimiter::register(name, Config::new().limit(1).max_wait(Duration::ZERO)).is_ok());
}

/// C49: nothing is saved up beyond the burst, and what a waiting call has been promised is nobody else's.
#[tokio::test(start_paused = true)]
async fn c49_reserve_few_then_stay_away() {
    let limiter = limiter(rate(1, secs(1)).max_wait(secs(1)));
    let clock = Clock::start();
    limiter.acquire(1).await.unwrap();
    let second = tokio::spawn(async move { limiter.acquire(1).await });
    tokio::task::yield_now().await;
    // Whoever comes now is third, and that is more than `max_wait` away.
    assert_eq!(limiter.acquire(1).await.unwrap_err().retry_after(), Some(secs(2)));
    assert_eq!((clock.elapsed(), limiter.snapshot().available), (ms(0), 0));
    second.await.unwrap().unwrap();
    assert_eq!(clock.elapsed(), secs(1));
    clock.until(secs(6) + ms(10)).await;
    assert_eq!((limiter.snapshot().available, admitted(&limiter, 5)), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn more_than_the_burst_is_never_there() {
    let limiter = limiter(rate(100, secs(1)).burst(10).max_wait(secs(60)));
    let clock = Clock::start();
    assert_eq!(hint(&limiter, 11), None);
    assert_eq!(limiter.acquire(u32::MAX).await.unwrap_err().retry_after(), None);
    assert_eq!((clock.elapsed(), limiter.snapshot().waiting), (ms(0), 0));
    assert!(limiter.try_acquire(10).is_ok(), "they took nothing");
}

#[tokio::test(start_paused = true)]
async fn no_permits_at_all_cost_nothing() {
    let limiter = limiter(rate(1, secs(1)));
    for _ in 0..3 {
        limiter.try_acquire(0).unwrap();
        limiter.acquire(0).await.unwrap();
    }
    assert!(limiter.try_acquire(1).is_ok());
    assert!(limiter.try_acquire(0).is_ok(), "also where none are there");
    limiter.acquire(0).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_told_once_with_its_numbers() {
    let limiter = limiter(rate(2, secs(1)));
    let log = EventLog::of([limiter.name()]);
    limiter.try_acquire(2).unwrap();
    log.assert_finished();
    let error = limiter.try_acquire(1).unwrap_err();
    assert_eq!(limiter.acquire(3).await.unwrap_err().retry_after(), None);
    let told = log.expect(["rate_limit.rejected", "rate_limit.rejected"]);
    log.assert_finished();
    let numbers: Vec<_> = told
        .iter()
        .map(|event| match event {
            resilience::Event::RateLimitRejected { permits, retry_after, .. } => (*permits, *retry_after),
            _ => unreachable!(),
        })
        .collect();
    assert_eq!(numbers, [(1, Some(ms(500))), (3, None)]);
    assert_eq!((told[0].kind(), limiter.snapshot().rejected), ("rate_limit", 2));
    let text = error.to_string();
    assert!(text.contains(limiter.name()) && text.contains("retry after 1s"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn to04_huge_durations_are_never_and_do_not_panic() {
    for huge in [Duration::MAX, secs(u64::MAX), secs(u64::MAX / 10), Duration::from_nanos(u64::MAX)] {
        let slow = limiter(rate(1, huge));
        slow.acquire(1).await.unwrap();
        assert!(hint(&slow, 1).unwrap() > secs(86_400 * 365), "{huge:?}");
        sleep(secs(3600)).await;
        assert_eq!(admitted(&slow, 3), 0);

        let patient = limiter(rate(1, secs(1)).max_wait(huge));
        let clock = Clock::start();
        for _ in 0..3 {
            patient.acquire(1).await.unwrap();
        }
        assert_eq!(clock.elapsed(), secs(2));
        // And both together: a call that would wait for ever does, until its caller has enough of it.
        let both = limiter(rate(1, huge).max_wait(huge));
        both.acquire(1).await.unwrap();
        assert!(tokio::time::timeout(secs(60), both.acquire(1)).await.is_err());
        assert_eq!(both.snapshot().waiting, 0);
    }
    for tiny in [Duration::ZERO, Duration::from_nanos(1)] {
        let limiter = limiter(rate(1, secs(1)).max_wait(tiny));
        limiter.acquire(1).await.unwrap();
        assert!(limiter.acquire(1).await.is_err());
    }
}
