//! Listeners that look at what they hear of, change it, panic, come and go.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use resilience::circuit_breaker::{Config, State};
use resilience::{Bulkhead, CircuitBreaker, Event, Outcome, Subscription, bulkhead, circuit_breaker, subscribe};
use resilience_tests::{Answer, EventLog, Script, Step, secs, trip, unique};

fn opens_after(failures: u32) -> Config {
    Config::new().window_calls(failures).min_calls(failures).consecutive_failures(failures).cooldown(secs(60))
}

fn fresh(prefix: &str) -> CircuitBreaker {
    CircuitBreaker::register(unique(prefix), opens_after(2)).unwrap()
}

/// Runs the work on a thread of its own and fails if it is not done after a while: a lock is held that should not be.
fn watched<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let _ = tell.send(work());
    });
    told.recv_timeout(Duration::from_secs(60)).expect("no deadlock")
}

fn on(policy: &'static str, listener: impl Fn(&Event) + Send + Sync + 'static) -> Subscription {
    subscribe(move |event| {
        if event.policy() == policy {
            listener(event);
        }
    })
}

#[test]
fn ev01_a_listener_sees_the_new_state() {
    let seen = watched(|| {
        let breaker = fresh("sees");
        let seen = Arc::new(Mutex::new(Vec::new()));
        let _subscription = on(breaker.name(), {
            let seen = Arc::clone(&seen);
            move |_| {
                let registry = resilience::registry().snapshot();
                let listed = registry.policies().iter().any(|policy| policy.name() == breaker.name());
                let found = CircuitBreaker::get(breaker.name()).is_some();
                seen.lock().unwrap().push((breaker.state(), breaker.snapshot().failures, listed && found));
            }
        });
        trip(&breaker, 2);
        seen.lock().unwrap().clone()
    });
    assert_eq!(seen, [(State::Open, 2, true)]);
}

#[test]
fn ev01_a_listener_may_change_what_it_hears_of() {
    let (state, order) = watched(|| {
        let breaker = fresh("changes");
        let log = EventLog::of([breaker.name()]);
        let _subscription = on(breaker.name(), move |event| match event.name() {
            "circuit_breaker.opened" => breaker.force_open(),
            "circuit_breaker.forced" if breaker.state() == State::ForcedOpen => breaker.reset(),
            _ => {}
        });
        for _ in 0..2 {
            breaker.try_acquire().unwrap().record(Outcome::Failure);
        }
        let order: Vec<_> = log
            .take()
            .into_iter()
            .map(|event| match event {
                Event::CircuitBreakerForced { state, .. } => state.to_string(),
                event => event.name().to_owned(),
            })
            .collect();
        (breaker.state(), order)
    });
    assert_eq!(state, State::Closed);
    // What a listener causes is told after what it was told of.
    assert_eq!(order, ["circuit_breaker.opened", "forced open", "closed"]);
}

#[test]
fn ev01_a_listener_may_call_through_the_breaker_register_and_reconfigure() {
    let (calls, cooldown) = watched(|| {
        let breaker = fresh("calls");
        let _subscription = on(breaker.name(), move |event| {
            if event.name() == "circuit_breaker.opened" {
                assert!(breaker.try_acquire().is_err());
                breaker.reconfigure(|config| config.cooldown(secs(7))).unwrap();
                CircuitBreaker::register(unique("from-a-listener"), Config::new()).unwrap();
                Bulkhead::register(breaker.name(), bulkhead::Config::new()).unwrap();
            }
        });
        trip(&breaker, 2);
        (breaker.snapshot().rejected, breaker.snapshot().cooldown_remaining)
    });
    assert_eq!(calls, 1);
    assert!(cooldown.is_some_and(|cooldown| cooldown <= secs(7)));
}

#[test]
fn ev01_a_listener_may_add_listeners_and_drop_its_own_subscription() {
    let heard = watched(|| {
        let breaker = fresh("comes-and-goes");
        let heard = Arc::new(Mutex::new(Vec::new()));
        let own: Arc<Mutex<Option<Subscription>>> = Arc::default();
        let added: Arc<Mutex<Vec<Subscription>>> = Arc::default();
        let first = on(breaker.name(), {
            let (heard, own, added) = (Arc::clone(&heard), Arc::clone(&own), Arc::clone(&added));
            move |event| {
                heard.lock().unwrap().push(("first", event.name()));
                drop(own.lock().unwrap().take());
                let heard = Arc::clone(&heard);
                added.lock().unwrap().push(on(breaker.name(), move |event| {
                    heard.lock().unwrap().push(("added", event.name()));
                }));
            }
        });
        *own.lock().unwrap() = Some(first);
        trip(&breaker, 2);
        breaker.reset();
        heard.lock().unwrap().clone()
    });
    assert_eq!(heard, [("first", "circuit_breaker.opened"), ("added", "circuit_breaker.forced")]);
}

#[test]
fn ev03_a_listener_that_panics_hurts_nobody() {
    let breaker = CircuitBreaker::register(unique("panics"), opens_after(1000)).unwrap();
    let slots = Bulkhead::register(breaker.name(), bulkhead::Config::new().max_concurrent(1)).unwrap();
    let (before, after) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let count = |counter: &Arc<AtomicU32>| {
        let counter = Arc::clone(counter);
        on(breaker.name(), move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
        })
    };
    let _first = count(&before);
    let _faulty = on(breaker.name(), |_| panic!("the listener panics, on purpose"));
    let _third = count(&after);
    for _ in 0..100 {
        let slot = slots.try_acquire().unwrap();
        assert!(slots.try_acquire().is_err());
        drop(slot);
    }
    trip(&breaker, 1000);
    breaker.reset();
    trip(&breaker, 1000);
    assert!(breaker.try_acquire().is_err());
    let events = 100 + 3 + 1;
    assert_eq!((before.load(Ordering::Relaxed), after.load(Ordering::Relaxed)), (events, events));
    assert_eq!((slots.snapshot().in_flight, breaker.state()), (0, State::Open));
}

/// A panic of a body opens its breaker while it unwinds: what a listener does meanwhile is its own affair.
#[tokio::test]
async fn a_permit_that_a_listener_gives_back_is_neutral_even_in_a_panic() {
    #[circuit_breaker("listeners-panic", consecutive_failures = 1)]
    async fn panics() -> Answer {
        Script::new([Step::Panic]).run().await
    }
    let other = CircuitBreaker::register(unique("other"), Config::new()).unwrap();
    let _subscription = on("listeners-panic", move |_| drop(other.try_acquire()));
    assert!(tokio::spawn(panics()).await.unwrap_err().is_panic());
    assert_eq!(CircuitBreaker::get("listeners-panic").unwrap().state(), State::Open);
    assert_eq!(other.snapshot().calls, 0);
}

#[test]
fn ev05_a_subscription_that_is_dropped_is_gone() {
    struct Held(Arc<AtomicU32>);
    impl Drop for Held {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let breaker = fresh("once");
    let (alive, heard) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    for round in 1..=1000 {
        alive.fetch_add(1, Ordering::Relaxed);
        let (held, heard_here) = (Held(Arc::clone(&alive)), Arc::clone(&heard));
        let subscription = on(breaker.name(), move |_| {
            let _ = &held;
            heard_here.fetch_add(1, Ordering::Relaxed);
        });
        trip(&breaker, 2);
        drop(subscription);
        breaker.reset();
        assert_eq!(heard.load(Ordering::Relaxed), round);
    }
    // A thread that was telling an event to everybody may have held on to some of them a little longer.
    while alive.load(Ordering::Relaxed) > 0 {
        thread::yield_now();
    }
}

#[test]
fn nobody_listening_changes_nothing() {
    let breaker = fresh("unheard");
    trip(&breaker, 2);
    let log = EventLog::of([breaker.name()]);
    log.assert_finished();
    breaker.reset();
    log.expect(["circuit_breaker.forced"]);
    log.assert_finished();
}

/// Transitions made on many threads at once are told in the order they happened in.
#[test]
fn transitions_of_one_breaker_arrive_in_their_order() {
    let breaker = CircuitBreaker::register(unique("ordered"), opens_after(1)).unwrap();
    let log = EventLog::anywhere([breaker.name()]);
    thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for round in 0..200 {
                    if (thread + round) % 2 == 0 {
                        if let Ok(permit) = breaker.try_acquire() {
                            permit.record(Outcome::Failure);
                        }
                    } else {
                        breaker.reset();
                    }
                }
            });
        }
    });
    breaker.reset();
    let mut open = false;
    for event in log.take() {
        match event {
            Event::CircuitBreakerOpened { .. } => {
                assert!(!open, "opened twice");
                open = true;
            }
            Event::CircuitBreakerForced { state, .. } => {
                assert!(open && state == State::Closed, "closed twice");
                open = false;
            }
            _ => {}
        }
    }
    assert!(!open, "the last is the reset");
}
