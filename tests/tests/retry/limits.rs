//! What ends attempts besides their number: time, the deadline, and waits that the dependency asks for.

use std::time::Duration;

use resilience::{Deadline, Error, ErrorKind, Event, RetryLimit, retry};
use resilience_tests::{Answer, Clock, EventLog, Fault, Script, Step, ms, secs};

use super::{every, retried};

#[tokio::test(start_paused = true)]
async fn rt05_there_is_no_hidden_limit_of_time() {
    let body = Script::new([Step::Err(Fault::Down).after(secs(20 * 60)), Step::Ok]);
    assert_eq!(retried(retry::Config::new(), &body).await, Ok(2));
}

#[tokio::test(start_paused = true)]
async fn rt05_a_limit_of_time_counts_the_attempts_too() {
    let body = Script::new([Step::Err(Fault::Down).after(secs(20 * 60)), Step::Ok]);
    let log = EventLog::of(["retry"]);
    assert_eq!(retried(every(100, 9).max_elapsed(secs(15 * 60)), &body).await, Err(Fault::Down));
    let told = log.expect(["retry.exhausted"]);
    assert!(matches!(told[0], Event::RetryExhausted { limit: RetryLimit::Elapsed, attempts: 1, .. }));
}

#[tokio::test(start_paused = true)]
async fn no_pause_ends_after_the_limit_of_time() {
    for (limit, bodies, ended) in
        [(ms(299), 3, ms(200)), (ms(300), 4, ms(300)), (ms(301), 4, ms(300)), (ms(1), 1, ms(0))]
    {
        let (body, clock) = (Script::down(), Clock::start());
        assert_eq!(retried(every(100, 99).max_elapsed(limit), &body).await, Err(Fault::Down));
        assert_eq!((body.entered(), clock.elapsed()), (bodies, ended), "{limit:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn no_attempt_starts_at_the_deadline_or_later() {
    for (deadline, bodies, ended) in [(ms(299), 3, ms(200)), (ms(300), 3, ms(200)), (ms(301), 4, ms(300))] {
        let (body, clock, log) = (Script::down(), Clock::start(), EventLog::of(["retry"]));
        let answer = Deadline::after(deadline).scope(retried(every(100, 99), &body)).await;
        assert_eq!(answer, Err(Fault::Down), "the last error as it is");
        assert_eq!((body.entered(), clock.elapsed()), (bodies, ended), "{deadline:?}");
        assert!(matches!(log.take().last(), Some(Event::RetryExhausted { limit: RetryLimit::Deadline, .. })));
    }
}

#[tokio::test(start_paused = true)]
async fn a_passed_deadline_lets_no_attempt_start() {
    let body = Script::ok();
    let refused = Deadline::after(Duration::ZERO).scope(retried(every(100, 9), &body)).await.unwrap_err();
    assert_eq!((refused.kind(), body.entered()), (Some(ErrorKind::DeadlineExceeded), 0));
    assert_eq!(refused.refusal().map(Error::policy), Some("retry"));
}

async fn busy_once(hint: Option<Duration>, options: retry::Config) -> (Answer, Vec<Duration>) {
    let body = Script::new([Step::Err(Fault::Busy(hint)), Step::Ok]);
    (retried(options, &body).await, body.probe().gaps())
}

#[tokio::test(start_paused = true)]
async fn rt08_a_wait_that_is_asked_for_is_kept() {
    let options = every(1000, 4);
    for (hint, gap) in [
        (Some(secs(5)), secs(5)),
        // Longer than `max_delay`: that does not cut it.
        (Some(secs(60)), secs(60)),
        (Some(secs(86_400)), secs(86_400)),
        // Shorter than the pause that is due anyway.
        (Some(ms(10)), secs(1)),
        // Nothing, or in the past.
        (Some(Duration::ZERO), secs(1)),
        (None, secs(1)),
    ] {
        assert_eq!(busy_once(hint, options).await, (Ok(2), vec![gap]), "{hint:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn rt08_a_wait_that_does_not_fit_ends_the_attempts_at_once() {
    let clock = Clock::start();
    for hint in [secs(60), secs(86_400), Duration::MAX] {
        let stopped = (Err(Fault::Busy(Some(hint))), vec![]);
        assert_eq!(busy_once(Some(hint), every(1000, 4).max_elapsed(secs(30))).await, stopped);
        assert_eq!(Deadline::after(secs(30)).scope(busy_once(Some(hint), every(1000, 4))).await, stopped);
    }
    assert_eq!(clock.elapsed(), Duration::ZERO);
    // The very limit still fits a limit of time, and a deadline no more.
    let hint = Some(secs(30));
    assert_eq!(busy_once(hint, every(1000, 4).max_elapsed(secs(30))).await.0, Ok(2));
    assert_eq!(Deadline::after(secs(30)).scope(busy_once(hint, every(1000, 4))).await.0, Err(Fault::Busy(hint)));
}

#[tokio::test(start_paused = true)]
async fn to04_extreme_durations() {
    type Set = fn(retry::Config, Duration) -> retry::Config;
    let options: [(&str, Set); 3] = [
        ("base_delay", retry::Config::base_delay),
        ("max_delay", retry::Config::max_delay),
        ("max_elapsed", retry::Config::max_elapsed),
    ];
    let nanos = Duration::from_nanos;
    for (option, set) in options {
        for extreme in [Duration::MAX, secs(u64::MAX), secs(u64::MAX / 10), nanos(u64::MAX), nanos(1), nanos(0)] {
            let config = set(retry::Config::new(), extreme);
            assert_eq!(retried(config, &Script::ok()).await, Ok(1), "{option} = {extreme:?}");
            let fails = Script::down();
            let ended = tokio::time::timeout(secs(86_400), retried(config, &fails)).await.is_ok();
            assert_eq!(ended, option != "base_delay" || extreme < secs(1), "{option} = {extreme:?}");
        }
    }
}
