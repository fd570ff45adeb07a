//! Listeners that cause what they listen to, and those that are not to be called any more.

use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Waker};
use std::thread;
use std::time::Duration;

use resilience::{Bulkhead, CircuitBreaker, Error, Event, bulkhead, circuit_breaker, subscribe, timeout};
use resilience_tests::{secs, unique};

/// A bulkhead whose only slot is taken: whoever asks is refused, with an event.
fn full(prefix: &str) -> (Bulkhead, bulkhead::Permit) {
    let bulkhead = Bulkhead::register(unique(prefix), bulkhead::Config::new().max_concurrent(1)).unwrap();
    (bulkhead, bulkhead.try_acquire().unwrap())
}

/// What reports to the metrics back end is guarded itself, and the back end is down.
#[test]
fn a_listener_that_causes_what_it_hears_is_not_called_inside_of_itself_and_not_for_ever() {
    let (bulkhead, _slot) = full("reentrant");
    let (heard, inside, deepest) = (Arc::new(AtomicU32::new(0)), AtomicU32::new(0), Arc::new(AtomicU32::new(0)));
    let _subscription = subscribe({
        let (heard, deepest) = (Arc::clone(&heard), Arc::clone(&deepest));
        move |event: &Event| {
            if event.policy() == bulkhead.name() {
                heard.fetch_add(1, Ordering::SeqCst);
                deepest.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                assert!(bulkhead.try_acquire().is_err());
                inside.fetch_sub(1, Ordering::SeqCst);
            }
        }
    });
    for round in 1..=3 {
        assert!(bulkhead.try_acquire().is_err());
        assert_eq!((heard.load(Ordering::SeqCst), deepest.load(Ordering::SeqCst)), (round * 64, 1));
    }
    assert_eq!(bulkhead.snapshot().rejected, 3 * (1 + 64), "each of them was refused");
}

#[test]
fn a_breaker_that_its_listener_flips_for_ever_comes_to_an_end() {
    let breaker = CircuitBreaker::register(unique("flips"), circuit_breaker::Config::new()).unwrap();
    let heard = Arc::new(AtomicU32::new(0));
    let _subscription = subscribe({
        let heard = Arc::clone(&heard);
        move |event: &Event| {
            if event.policy() == breaker.name() {
                heard.fetch_add(1, Ordering::SeqCst);
                if breaker.snapshot().state == circuit_breaker::State::Closed {
                    breaker.force_open();
                } else {
                    breaker.reset();
                }
            }
        }
    });
    breaker.force_open();
    assert_eq!(heard.load(Ordering::SeqCst), 64);
    breaker.shadow();
    assert_eq!(heard.load(Ordering::SeqCst), 128, "what was left over is told, too");
}

#[test]
fn what_a_listener_causes_is_told_to_all_after_what_they_hear_of() {
    let ((first, _slot), (second, _other_slot)) = (full("cause"), full("effect"));
    let order = Arc::new(Mutex::new(Vec::new()));
    let listens = |who: &'static str, causes: bool| {
        let order = Arc::clone(&order);
        subscribe(move |event: &Event| {
            if event.policy() == first.name() {
                order.lock().unwrap().push((who, "cause"));
                if causes {
                    assert!(second.try_acquire().is_err());
                }
            } else if event.policy() == second.name() {
                order.lock().unwrap().push((who, "effect"));
            }
        })
    };
    let _subscriptions = [listens("one", true), listens("other", false)];
    assert!(first.try_acquire().is_err());
    let expected = [("one", "cause"), ("other", "cause"), ("one", "effect"), ("other", "effect")];
    assert_eq!(*order.lock().unwrap(), expected);
}

#[circuit_breaker("reentrant-cut", consecutive_failures = 1, slow_call = "100ms", slow_call_rate = 0.9)]
async fn is_cut() -> Result<(), Error> {
    std::future::pending().await
}

/// It is called while a deadline has a call dropped: what it drops itself is dropped by its own will.
#[tokio::test(start_paused = true)]
async fn a_call_that_a_listener_drops_is_not_cut_by_the_deadline_that_it_hears_of() {
    let other = CircuitBreaker::register(unique("own-will"), circuit_breaker::Config::new()).unwrap();
    let dropped = Arc::new(AtomicU32::new(0));
    let _subscription = subscribe({
        let dropped = Arc::clone(&dropped);
        move |event: &Event| {
            if event.policy() == "reentrant-cut" && event.name() == "circuit_breaker.opened" {
                let mut call = Box::pin(other.call(std::future::pending::<Result<(), Error>>()));
                assert!(call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
                drop(call);
                dropped.fetch_add(1, Ordering::SeqCst);
            }
        }
    });
    // The caller's deadline passes, and the call is dropped because of it.
    let cut = timeout_around(is_cut()).await;
    assert!(cut.is_err());
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    assert_eq!(other.snapshot().calls, 0, "nobody cut it");
}

#[timeout("900ms")]
async fn timeout_around(call: impl Future<Output = Result<(), Error>>) -> Result<(), Error> {
    call.await
}

/// Another thread is in the listener while the subscription is dropped: it comes out of it first.
#[test]
fn a_dropped_subscription_waits_for_calls_that_are_running() {
    let (bulkhead, _slot) = full("waits");
    let (enter, entered) = mpsc::channel();
    let (tell, dropped) = mpsc::channel::<()>();
    let dropped = Mutex::new(dropped);
    let ended = Arc::new(AtomicBool::new(false));
    let subscription = subscribe({
        let ended = Arc::clone(&ended);
        move |event: &Event| {
            if event.policy() == bulkhead.name() {
                enter.send(()).unwrap();
                // It must not come.
                let too_early = dropped.lock().unwrap().recv_timeout(Duration::from_millis(200));
                ended.store(too_early.is_err(), Ordering::SeqCst);
            }
        }
    });
    let caller = thread::spawn(move || drop(bulkhead.try_acquire()));
    entered.recv_timeout(secs(60)).unwrap();
    drop(subscription);
    let _ = tell.send(());
    assert!(ended.load(Ordering::SeqCst), "dropped while the listener ran");
    caller.join().unwrap();
}

#[test]
fn nobody_is_called_after_its_subscription_is_gone() {
    let (bulkhead, _slot) = full("gone");
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    assert!(bulkhead.try_acquire().is_err());
                }
            });
        }
        let late = Arc::new(AtomicU32::new(0));
        for _ in 0..2000 {
            let gone = Arc::new(AtomicBool::new(false));
            let subscription = subscribe({
                let (gone, late) = (Arc::clone(&gone), Arc::clone(&late));
                move |_: &Event| {
                    late.fetch_add(u32::from(gone.load(Ordering::SeqCst)), Ordering::SeqCst);
                }
            });
            thread::yield_now();
            drop(subscription);
            gone.store(true, Ordering::SeqCst);
        }
        over.store(true, Ordering::Relaxed);
        assert_eq!(late.load(Ordering::SeqCst), 0);
    });
}
