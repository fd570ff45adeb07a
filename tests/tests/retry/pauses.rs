//! The pauses between attempts, as a body sees them.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use futures::future::join_all;
use resilience::retry::{Backoff, Config, Jitter};
use resilience::{RetryAttempt, retry};
use resilience_tests::{Answer, Clock, EventLog, Fault, Script, ms, secs, sleep};

use super::{at_once, retried};

fn exact(base: Duration, max: Duration, attempts: u32) -> Config {
    Config::new().max_attempts(attempts).base_delay(base).max_delay(max).jitter(Jitter::None)
}

async fn gaps(config: Config) -> Vec<u128> {
    let body = Script::down();
    let _ = retried(config, &body).await;
    body.probe().gaps().iter().map(Duration::as_millis).collect()
}

/// The pauses as they were told, whatever the clock makes of them.
async fn delays(config: Config) -> Vec<Duration> {
    let log = EventLog::of(["retry"]);
    let _ = retried(config, &Script::down()).await;
    log.take()
        .into_iter()
        .filter_map(|event| match event {
            resilience::Event::RetryAttemptFailed { delay, .. } => Some(delay),
            _ => None,
        })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn every_backoff() {
    let config = exact(ms(100), ms(1000), 7);
    for (backoff, pauses) in [
        (Backoff::Exponential, [100, 200, 400, 800, 1000, 1000]),
        (Backoff::Linear, [100, 200, 300, 400, 500, 600]),
        (Backoff::Constant, [100; 6]),
        (Backoff::Fibonacci, [100, 200, 300, 500, 800, 1000]),
    ] {
        assert_eq!(gaps(config.backoff(backoff)).await, pauses, "{backoff:?}");
    }
    assert_eq!(gaps(config.multiplier(3.0)).await, [100, 300, 900, 1000, 1000, 1000]);
    assert_eq!(gaps(config.multiplier(1.0)).await, [100; 6]);
}

#[tokio::test(start_paused = true)]
async fn every_jitter_fills_its_interval() {
    let base = Config::new().backoff(Backoff::Constant).base_delay(secs(1)).max_delay(secs(1)).max_attempts(501);
    for (jitter, low) in [(Jitter::Full, 0.0), (Jitter::Equal, 0.5)] {
        let drawn: Vec<_> = delays(base.jitter(jitter)).await.iter().map(Duration::as_secs_f64).collect();
        let within = |from: f64, to: f64| drawn.iter().filter(|pause| (from..=to).contains(*pause)).count();
        assert_eq!(within(low, 1.0), 500, "{jitter:?}");
        let tenth = (1.0 - low) / 10.0;
        assert!(within(low, low + tenth) > 0 && within(1.0 - tenth, 1.0) > 0, "{jitter:?} reaches both ends");
    }
    let config = Config::new().base_delay(ms(100)).max_delay(secs(2)).jitter(Jitter::Decorrelated).max_attempts(501);
    let mut previous = ms(100);
    let drawn = delays(config).await;
    for pause in &drawn {
        assert!((ms(100)..=(previous * 3).min(secs(2))).contains(pause), "{pause:?} after {previous:?}");
        previous = *pause;
    }
    assert!(drawn.iter().any(|pause| *pause > secs(1)) && drawn.iter().any(|pause| *pause < ms(500)));
}

#[tokio::test(start_paused = true)]
async fn c53_defaults() {
    // Four bodies; pauses drawn from up to 200, 400 and 800 ms.
    for _ in 0..20 {
        let body = Script::down();
        assert_eq!(retried(Config::new(), &body).await, Err(Fault::Down));
        let gaps = body.probe().gaps();
        assert_eq!(gaps.len(), 3);
        for (gap, bound) in gaps.iter().zip([200, 400, 800]) {
            assert!(*gap <= ms(bound), "{gap:?} of {bound} ms");
        }
    }
    let (body, clock) = (Script::down(), Clock::start());
    let _ = retried(Config::new().max_attempts(1), &body).await;
    assert_eq!((body.entered(), clock.elapsed()), (1, Duration::ZERO));
}

#[tokio::test(start_paused = true)]
async fn c53_their_numbers() {
    let half_a_second = Config::new().backoff(Backoff::Constant).base_delay(ms(500)).jitter(Jitter::None);
    let (body, clock) = (Script::down(), Clock::start());
    let _ = retried(half_a_second.max_attempts(3), &body).await;
    assert_eq!((body.entered(), clock.elapsed()), (3, secs(1)));
    let (body, clock) = (Script::new([Fault::Down.into(), resilience_tests::Step::Ok]), Clock::start());
    assert_eq!(retried(half_a_second.max_attempts(3), &body).await, Ok(2));
    assert_eq!(clock.elapsed(), ms(500));
}

#[tokio::test(start_paused = true)]
async fn bo01_any_number_of_attempts() {
    let (body, clock) = (Script::down(), Clock::start());
    let _ = retried(exact(ms(1), ms(10), 5000), &body).await;
    assert_eq!((body.entered(), clock.elapsed()), (5000, ms(1 + 2 + 4 + 8 + 4995 * 10)));
    for config in [
        exact(ms(1), ms(10), 5000).multiplier(10.0),
        exact(ms(1), ms(10), 5000).multiplier(1.5),
        exact(ms(1), ms(10), 5000).multiplier(f64::MAX),
        exact(Duration::from_nanos(1), ms(10), 5000),
        exact(ms(1), ms(10), 5000).backoff(Backoff::Linear),
        exact(ms(1), ms(10), 5000).backoff(Backoff::Fibonacci),
        exact(ms(1), ms(10), 5000).jitter(Jitter::Decorrelated),
    ] {
        let pauses = delays(config).await;
        assert_eq!(pauses.len(), 4999);
        assert!(pauses.iter().all(|pause| *pause <= ms(10)));
    }
    let body = Script::down();
    for jitter in [Jitter::None, Jitter::Full, Jitter::Equal, Jitter::Decorrelated] {
        let endless = retried(exact(Duration::MAX, Duration::MAX, 2).jitter(jitter), &body);
        assert!(tokio::time::timeout(secs(3600), endless).await.is_err(), "{jitter:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn bo03_the_cap_holds_for_ever() {
    let pauses = delays(exact(secs(2), secs(300), 3000)).await;
    assert!(pauses.iter().skip(8).all(|pause| *pause == secs(300)));
    assert_eq!(pauses[7], secs(256));
}

#[tokio::test(start_paused = true)]
async fn bo05_jitter_of_tiny_delays() {
    for base in [Duration::ZERO, Duration::from_nanos(1), ms(1)] {
        for jitter in [Jitter::None, Jitter::Full, Jitter::Equal, Jitter::Decorrelated] {
            let config = exact(base, ms(1), 2000).jitter(jitter);
            assert!(delays(config).await.iter().all(|pause| *pause <= ms(1)), "{base:?} {jitter:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn bo08_calls_that_failed_together_come_back_apart() {
    let config = Config::new().max_attempts(9).base_delay(ms(100)).max_delay(secs(10));
    let bodies: Vec<_> = (0..1000).map(|_| Script::down()).collect();
    join_all(bodies.iter().map(|body| retried(config, body))).await;
    let mut bins = BTreeMap::<u128, u32>::new();
    for body in &bodies {
        *bins.entry(body.probe().starts()[8].as_millis() / 100).or_default() += 1;
    }
    let fullest = bins.values().max().unwrap();
    assert!(*fullest <= 50, "{fullest} of 1000 calls within 100 ms");
    assert_ne!(bodies[0].probe().gaps(), bodies[1].probe().gaps());
}

/// In real time: durations are never turned into instants that have passed already.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bo10_tiny_pauses_under_load() {
    let config =
        Config::new().max_attempts(500).base_delay(Duration::from_micros(1)).max_delay(Duration::from_micros(1));
    let calls = (0..16).map(|_| {
        tokio::spawn(async move {
            let body = Script::down();
            (retried(config, &body).await, body.entered())
        })
    });
    for call in join_all(calls).await {
        assert_eq!(call.unwrap(), (Err(Fault::Down), 500));
    }
}

#[tokio::test(start_paused = true)]
async fn no_pause_needs_no_timer() {
    let (body, clock) = (Script::down(), Clock::start());
    let _ = retried(at_once(1000), &body).await;
    assert_eq!((body.entered(), clock.elapsed()), (1000, Duration::ZERO));
}

#[retry(max_attempts = u32::MAX, base_delay = "0ms")]
async fn hot(body: &Script) -> Answer {
    body.run().await
}

#[retry(max_attempts = u32::MAX, base_delay = "0ms", on_retry = unheard)]
async fn hot_in_its_function(body: &Script) -> Answer {
    body.run().await
}

fn unheard(_: &RetryAttempt<'_, Fault>) {}

/// Endless attempts without a pause of a body that fails at once, in each of the forms that a retry has.
fn endless(form: u32, body: Script) -> Pin<Box<dyn Future<Output = Answer> + Send>> {
    match form {
        0 => Box::pin(async move { hot(&body).await }),
        1 => Box::pin(async move { hot_in_its_function(&body).await }),
        _ => Box::pin(async move { retried(at_once(u32::MAX), &body).await }),
    }
}

#[tokio::test(start_paused = true)]
async fn no_pause_lets_others_run_and_can_be_aborted() {
    for form in 0..3 {
        let body = Script::down();
        let hot = tokio::spawn(endless(form, body.clone()));
        for _ in 0..5 {
            let before = body.entered();
            // It would never be our turn again.
            tokio::task::yield_now().await;
            assert!(body.entered() > before);
        }
        hot.abort();
        assert!(hot.await.unwrap_err().is_cancelled());
    }
}

/// What is pending is polled when it has asked for it, once an attempt; and a poll that it has not asked for ends the pause.
#[tokio::test(start_paused = true)]
async fn no_pause_asks_for_one_poll() {
    for form in 0..3 {
        let (body, wakes) = (Script::down(), Arc::new(Wakes::default()));
        let waker = Waker::from(Arc::clone(&wakes));
        let mut call = endless(form, body.clone());
        for attempts in 1..10 {
            assert!(call.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
            assert_eq!((body.entered(), wakes.0.load(Ordering::Relaxed)), (attempts, attempts));
        }
    }
}

/// How often somebody has been woken.
#[derive(Default)]
struct Wakes(AtomicU32);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test(start_paused = true)]
async fn a_pause_with_a_timer_is_not_polled_before_it_ends() {
    let (body, wakes) = (Script::down(), Arc::new(Wakes::default()));
    let waker = Waker::from(Arc::clone(&wakes));
    let mut call = Box::pin(retried(exact(ms(10), ms(10), 3), &body));
    assert!(call.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    sleep(ms(9)).await;
    assert_eq!(wakes.0.load(Ordering::Relaxed), 0);
    sleep(ms(2)).await;
    assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
}

/// Spread out: the first repetitions of a hundred calls do not come in one slice of 100 ms.
#[tokio::test(start_paused = true)]
async fn rb07_defaults_pause_and_spread() {
    let bodies: Vec<_> = (0..100).map(|_| Script::down()).collect();
    join_all(bodies.iter().map(|body| retried(Config::new(), body))).await;
    let mut slices = BTreeMap::<u128, u32>::new();
    let mut totals = [0.0; 3];
    for body in &bodies {
        for start in body.probe().starts().iter().skip(1) {
            *slices.entry(start.as_millis() / 100).or_default() += 1;
        }
        for (total, gap) in totals.iter_mut().zip(body.probe().gaps()) {
            *total += gap.as_secs_f64();
        }
    }
    assert!(*slices.values().max().unwrap() <= 90, "300 repetitions: {slices:?}");
    assert!(totals[0] < totals[1] && totals[1] < totals[2], "mean gaps grow: {totals:?}");
}
