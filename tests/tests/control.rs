//! Run-time control while calls run on many threads: whatever is done to the policies, every call comes to one end, nothing
//! is held afterwards, and everything works again.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use resilience::circuit_breaker::State;
use resilience::{
    Bulkhead, CircuitBreaker, ErrorKind, Event, RateLimiter, RetryBudget, Subscription, bulkhead, circuit_breaker,
    rate_limit, retry, timeout,
};
use resilience_tests::{Answer, Dice, Fault, ms, secs, sleep};

const NAME: &str = "control";
const CALLS: u32 = 3000;
const MOST_SLOTS: u32 = 16;

#[derive(Default)]
struct Room {
    inside: AtomicU32,
    most: AtomicU32,
    bodies: AtomicU32,
}

impl Room {
    fn enter(&self) -> Inside<'_> {
        self.bodies.fetch_add(1, Ordering::SeqCst);
        self.most.fetch_max(self.inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        Inside(self)
    }
}

struct Inside<'a>(&'a Room);

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, Ordering::SeqCst);
    }
}

#[retry(max_attempts = 3, base_delay = "1ms", max_delay = "2ms", budget = "control")]
#[circuit_breaker("control", window_calls = 20, cooldown = "2ms", success_threshold = 2)]
#[rate_limit("control", limit = 100_000, max_wait = "20ms")]
#[bulkhead("control", max_concurrent = 16, max_wait = "5ms", max_queue = 64)]
#[timeout("20ms")]
async fn guarded(kind: u64, room: &Room) -> Answer {
    let _inside = room.enter();
    match kind {
        0..5 => Ok(1),
        5 => Err(Fault::Down),
        6 => Err(Fault::NotFound),
        7 => {
            sleep(ms(1)).await;
            Ok(1)
        }
        8 => {
            sleep(secs(1)).await;
            Ok(1)
        }
        _ => {
            tokio::task::yield_now().await;
            // Like `panic!`, but for the message, of which there would be hundreds.
            resume_unwind(Box::new("on purpose"));
        }
    }
}

/// How calls ended: with the body's own result, refused, panicked, dropped by the caller.
#[derive(Default)]
struct Ends([AtomicU32; 4]);

impl Ends {
    fn count(&self, end: usize) {
        self.0[end].fetch_add(1, Ordering::SeqCst);
    }

    fn of(&self) -> [u32; 4] {
        [0, 1, 2, 3].map(|end| self.0[end].load(Ordering::SeqCst))
    }
}

async fn call(seed: u64, room: Arc<Room>, ends: Arc<Ends>) {
    let mut dice = Dice::new(seed);
    let kind = dice.below(10);
    let patience = (dice.below(5) == 0).then(|| ms(dice.below(4)));
    let task = tokio::spawn({
        let room = Arc::clone(&room);
        async move { guarded(kind, &room).await }
    });
    if let Some(patience) = patience {
        sleep(patience).await;
        task.abort();
    }
    match task.await {
        Ok(Ok(_) | Err(Fault::Down | Fault::NotFound)) => ends.count(0),
        Ok(Err(Fault::Refused(error))) => {
            assert_ne!(error.kind(), ErrorKind::Misconfigured);
            assert!(error.policy().contains(NAME), "{error}");
            ends.count(1);
        }
        Ok(Err(other)) => panic!("nobody failed so: {other}"),
        Err(join) if join.is_panic() => ends.count(2),
        Err(_) => ends.count(3),
    }
}

/// Everything that can be done to the four policies, as often as there is time for.
async fn turn_all_knobs(stop: Arc<AtomicBool>) {
    let breaker = CircuitBreaker::get(NAME).unwrap();
    let bulkhead = Bulkhead::get(NAME).unwrap();
    let limiter = RateLimiter::get(NAME).unwrap();
    let budget = RetryBudget::get(NAME).unwrap();
    let mut dice = Dice::new(99);
    while !stop.load(Ordering::SeqCst) {
        match dice.below(12) {
            0 => breaker.force_open(),
            1 => breaker.disable(),
            2 => breaker.shadow(),
            3 | 4 => breaker.reset(),
            5 => bulkhead.resize(1 + dice.below(u64::from(MOST_SLOTS)) as u32).unwrap(),
            6 => {
                let burst = 1 + dice.below(1000) as u32;
                limiter.reconfigure(|config| config.limit(50_000 + burst).burst(burst)).unwrap();
            }
            7 => {
                let window = 5 + dice.below(20) as u32;
                breaker.reconfigure(|config| config.window_calls(window).min_calls(5).cooldown(ms(1))).unwrap();
            }
            8 => breaker.reconfigure(|config| config.window(ms(50))).unwrap(),
            9 => budget.reconfigure(|config| config.ratio(0.5).min_per_second(1000)).unwrap(),
            10 => {
                let snapshot = resilience::registry().snapshot();
                let known = snapshot.policies().iter().filter(|policy| policy.name() == NAME).count();
                assert_eq!(known, 4, "breaker, bulkhead, limiter, budget");
                assert!(!snapshot.to_string().is_empty());
            }
            _ => {
                let snapshot = breaker.snapshot();
                assert!(snapshot.failures <= snapshot.calls);
                assert!(bulkhead.snapshot().in_flight <= MOST_SLOTS);
                assert!(bulkhead.snapshot().waiting <= 64 && limiter.snapshot().available <= 100_000);
            }
        }
        tokio::task::yield_now().await;
    }
}

/// Listeners that look, that change what they hear of, that panic, and one that unsubscribes itself.
fn meddlers(heard: &Arc<AtomicU32>) -> Vec<Subscription> {
    let of_ours = |event: &Event| event.policy() == NAME;
    let looks = resilience::subscribe({
        let heard = Arc::clone(heard);
        move |event| {
            if of_ours(event) {
                heard.fetch_add(1, Ordering::SeqCst);
                let _ = (CircuitBreaker::get(NAME).unwrap().snapshot(), Bulkhead::get(NAME).unwrap().snapshot());
                let _ = (RateLimiter::get(NAME).unwrap().snapshot(), RetryBudget::get(NAME).unwrap().snapshot());
            }
        }
    });
    let meddles = resilience::subscribe(move |event| {
        if of_ours(event) && event.name() == "circuit_breaker.opened" {
            let breaker = CircuitBreaker::get(NAME).unwrap();
            if breaker.try_acquire().is_err() {
                breaker.reset();
            }
            Bulkhead::get(NAME).unwrap().resize(MOST_SLOTS).unwrap();
            RateLimiter::get(NAME).unwrap().reconfigure(|config| config.burst(500)).unwrap();
        }
    });
    let panics = resilience::subscribe(move |event| {
        if of_ours(event) {
            resume_unwind(Box::new("a listener that panics"));
        }
    });
    let own = Arc::new(Mutex::new(None::<Subscription>));
    *own.lock().unwrap() = Some(resilience::subscribe({
        let own = Arc::clone(&own);
        move |_| drop(own.lock().unwrap_or_else(PoisonError::into_inner).take())
    }));
    vec![looks, meddles, panics]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn everything_at_once_ends_and_leaves_nothing_behind() {
    let (room, ends, heard) = (Arc::<Room>::default(), Arc::<Ends>::default(), Arc::<AtomicU32>::default());
    let subscriptions = meddlers(&heard);
    let stop = Arc::<AtomicBool>::default();
    let knobs = tokio::spawn(turn_all_knobs(Arc::clone(&stop)));
    for batch in 0..CALLS / 100 {
        let calls = (0..100).map(|seed| {
            let (room, ends) = (Arc::clone(&room), Arc::clone(&ends));
            tokio::spawn(call(u64::from(batch * 100 + seed), room, ends))
        });
        for task in calls.collect::<Vec<_>>() {
            task.await.unwrap();
        }
    }
    stop.store(true, Ordering::SeqCst);
    knobs.await.unwrap();
    drop(subscriptions);

    assert_eq!(ends.of().iter().sum::<u32>(), CALLS, "each call came to one end");
    assert!(ends.of().iter().all(|number| *number > 0), "{:?}: of every kind there were some", ends.of());
    assert!(room.most.load(Ordering::SeqCst) <= MOST_SLOTS, "never more inside than there ever were slots");
    assert_eq!(room.inside.load(Ordering::SeqCst), 0);
    assert!(heard.load(Ordering::SeqCst) > 0);

    let breaker = CircuitBreaker::get(NAME).unwrap();
    let bulkhead = Bulkhead::get(NAME).unwrap();
    let limiter = RateLimiter::get(NAME).unwrap();
    assert_eq!((bulkhead.snapshot().in_flight, bulkhead.snapshot().waiting), (0, 0));
    assert_eq!((limiter.snapshot().waiting, breaker.snapshot().probes_in_flight), (0, 0));
    // What attributes declare, and nothing else, is in force again; all slots are there, all of it works.
    CircuitBreaker::register(NAME, circuit_breaker::Config::new()).unwrap();
    Bulkhead::register(NAME, bulkhead::Config::new()).unwrap();
    RateLimiter::register(NAME, rate_limit::Config::new()).unwrap();
    breaker.reset();
    assert_eq!(breaker.state(), State::Closed);
    let slots: Vec<_> = (0..16).map(|_| bulkhead.try_acquire().unwrap()).collect();
    assert_eq!(bulkhead.try_acquire().unwrap_err().kind(), ErrorKind::BulkheadFull);
    drop(slots);
    let before = room.bodies.load(Ordering::SeqCst);
    for _ in 0..10 {
        assert_eq!(guarded(0, &room).await, Ok(1));
    }
    assert_eq!((breaker.snapshot().calls, room.bodies.load(Ordering::SeqCst) - before), (10, 10));
    assert!(resilience::verify().is_ok());
}
