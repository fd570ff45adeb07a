//! What ends attempts besides their number: time, the deadline, and waits that the dependency asks for.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::future::join_all;
use resilience::rate_limit::Config;
use resilience::retry::Jitter;
use resilience::{Deadline, Error, ErrorKind, Event, Retry, RetryLimit, retry};
use resilience_tests::{Answer, Clock, EventLog, Fault, Script, Step, limiter, ms, secs};

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
    let options = every(1000, 4).max_retry_after(Duration::MAX);
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
        let options = every(1000, 4).max_retry_after(Duration::MAX);
        assert_eq!(busy_once(Some(hint), options.max_elapsed(secs(30))).await, stopped);
        assert_eq!(Deadline::after(secs(30)).scope(busy_once(Some(hint), options)).await, stopped);
    }
    assert_eq!(clock.elapsed(), Duration::ZERO);
    // The very limit still fits a limit of time, and a deadline no more.
    let hint = Some(secs(30));
    assert_eq!(busy_once(hint, every(1000, 4).max_elapsed(secs(30))).await.0, Ok(2));
    assert_eq!(Deadline::after(secs(30)).scope(busy_once(hint, every(1000, 4))).await.0, Err(Fault::Busy(hint)));
}

#[tokio::test(start_paused = true)]
async fn a_wait_longer_than_anybody_has_is_not_slept() {
    let nanosecond = Duration::from_nanos(1);
    for (longest, hint, tried_again) in [
        (None, secs(30), true),
        (None, secs(30) + nanosecond, false),
        (None, secs(1_000_000_000), false),
        (None, Duration::MAX, false),
        (Some(secs(86_400)), secs(86_400), true),
        (Some(ms(5)), ms(6), false),
        (Some(Duration::MAX), secs(1_000_000), true),
        // None at all.
        (Some(Duration::ZERO), nanosecond, false),
        // Which says nothing, and so asks for nothing.
        (Some(Duration::ZERO), Duration::ZERO, true),
    ] {
        let options = longest.into_iter().fold(every(1, 4), retry::Config::max_retry_after);
        let (clock, log) = (Clock::start(), EventLog::of(["retry"]));
        let (answer, gaps) = busy_once(Some(hint), options).await;
        if tried_again {
            assert_eq!((answer, gaps.len()), (Ok(2), 1), "{hint:?} of {longest:?}");
            continue;
        }
        assert_eq!(answer, Err(Fault::Busy(Some(hint))), "the error with its hint: {hint:?} of {longest:?}");
        assert_eq!(clock.elapsed(), Duration::ZERO);
        let told = log.expect(["retry.exhausted"]);
        assert!(matches!(told[0], Event::RetryExhausted { limit: RetryLimit::RetryAfter, attempts: 1, .. }));
    }
}

/// Nobody comes back before the moment that was named, nor all of them in it.
#[tokio::test(start_paused = true)]
async fn those_who_were_told_one_moment_come_back_apart() {
    retry::seed_jitter(16);
    for (options, hint, width) in [
        // A tenth of the wait, or the longest first pause, whichever is more.
        (retry::Config::new(), secs(10), secs(1)),
        (retry::Config::new(), secs(1), ms(200)),
        (retry::Config::new().jitter(Jitter::Equal), ms(50), ms(200)),
        (retry::Config::new().jitter(Jitter::Decorrelated), secs(1), ms(600)),
        (retry::Config::new().base_delay(secs(4)), secs(10), secs(4)),
        (retry::Config::new().base_delay(ms(0)), secs(20), secs(2)),
    ] {
        let bodies: Vec<_> = (0..200).map(|_| Script::new([Step::Err(Fault::Busy(Some(hint))), Step::Ok])).collect();
        let answers = join_all(bodies.iter().map(|body| retried(options, body))).await;
        assert!(answers.iter().all(Result::is_ok));
        let mut tenths = [0_u32; 10];
        for body in &bodies {
            let gap = body.probe().gaps()[0];
            // Timers end on whole milliseconds.
            assert!((hint..=hint + width + ms(1)).contains(&gap), "{gap:?} after {hint:?} with {options:?}");
            let tenth = (gap - hint).as_secs_f64() / width.as_secs_f64() * 10.0;
            tenths[(tenth as usize).min(9)] += 1;
        }
        // Twenty in each; five standard deviations.
        assert!(tenths.iter().all(|calls| (1..=42).contains(calls)), "{hint:?}: {tenths:?}");
    }
}

/// The hint fits: then what comes on top of it is what is left, and the attempt starts in time.
#[tokio::test(start_paused = true)]
async fn only_the_hint_itself_can_fail_to_fit() {
    retry::seed_jitter(16);
    let (hint, left) = (secs(10), ms(40));
    let body = || Script::new([Step::Err(Fault::Busy(Some(hint))), Step::Ok]);
    let mut gaps = Vec::new();
    for _ in 0..50 {
        let by_time = body();
        assert_eq!(retried(retry::Config::new().max_elapsed(hint + left), &by_time).await, Ok(2));
        let by_deadline = body();
        let call = retried(retry::Config::new(), &by_deadline);
        assert_eq!(Deadline::after(hint + left).scope(call).await, Ok(2));
        let both = body();
        let call = retried(retry::Config::new().max_elapsed(hint + left), &both);
        assert_eq!(Deadline::after(hint + secs(60)).scope(call).await, Ok(2));
        for (body, longest) in [(by_time, left + ms(1)), (by_deadline, left - ms(1)), (both, left + ms(1))] {
            let gap = body.probe().gaps()[0];
            assert!((hint..=hint + longest).contains(&gap), "{gap:?}");
            gaps.push(gap);
        }
    }
    let late = gaps.iter().filter(|gap| **gap > hint + left * 3 / 4).count();
    assert!(
        (5..75).contains(&late),
        "{late} of 150 in the last quarter: spread over what is left, not gathered at its end"
    );
    // Less than a timer can tell.
    let nearly = Deadline::after(hint + Duration::from_micros(300));
    assert_eq!(nearly.scope(retried(retry::Config::new(), &body())).await, Ok(2));
}

/// A nested function's refusal, taken for a dependency that asks for time: its exact hint is kept, and those who got it
/// are spread here.
#[tokio::test(start_paused = true)]
async fn a_refusals_own_hint_is_kept_and_spread() {
    retry::seed_jitter(16);
    let limiter = limiter(Config::new().limit(1).per(secs(5)));
    let call = || async {
        limiter.try_acquire(1).map_err(|refusal| {
            assert_eq!(refusal.kind(), ErrorKind::RateLimited);
            Fault::Busy(refusal.retry_after())
        })?;
        Ok::<_, Fault>(())
    };
    call().await.unwrap();
    let clock = Clock::start();
    let mut back = join_all((0..50).map(|_| async {
        let mut told = Vec::new();
        let _ = Retry::new(retry::Config::new().max_attempts(2))
            .classified()
            .call(|| {
                told.push(clock.elapsed());
                call()
            })
            .await;
        told[1]
    }))
    .await;
    back.sort();
    assert!(back[0] >= secs(5), "never before the moment that was named");
    let moments = back.iter().map(Duration::as_millis).collect::<BTreeSet<_>>();
    assert!(moments.len() > 25, "{moments:?}");
}

#[tokio::test(start_paused = true)]
async fn to04_extreme_durations() {
    type Set = fn(retry::Config, Duration) -> retry::Config;
    let options: [(&str, Set); 4] = [
        ("base_delay", retry::Config::base_delay),
        ("max_delay", retry::Config::max_delay),
        ("max_elapsed", retry::Config::max_elapsed),
        ("max_retry_after", retry::Config::max_retry_after),
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
