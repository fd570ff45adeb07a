//! Dropping needs no runtime: after it has shut down, and on threads that never had one.

use std::sync::{Arc, Mutex};

use resilience::{Bulkhead, CircuitBreaker, ErrorKind, bulkhead as bulkheads, circuit_breaker, timeout};
use resilience_tests::{
    Answer, Script, Step, alone, breaker, bulkhead, ms, outside_of_any_runtime, poll_times, secs, sleep, trip,
};

use super::{stacks, third_time_lucky};

#[tokio::test(start_paused = true)]
async fn tk04_dropped_on_a_thread_without_a_runtime_after_every_poll() {
    let (_guard, stacks) = stacks().await;
    for stack in stacks {
        for times in 0..40 {
            let body = third_time_lucky();
            let mut call = stack.queued(&body);
            let ended = poll_times(call.as_mut(), times).await.is_some();
            outside_of_any_runtime(call);
            sleep(ms(10)).await;
            stack.assert_settled(stack.recorded(&body, ended), &format!("{times} polls"));
        }
    }
}

#[test]
fn tk04_a_runtime_shuts_down_in_the_middle_of_a_hundred_calls() {
    let (_guard, stacks) = alone().block_on(stacks());
    for stack in stacks {
        for at in [0, 1, 4, 6, 8, 11] {
            for background in [false, true] {
                let body = third_time_lucky();
                let runtime = alone();
                let endings = Arc::new(Mutex::new(0));
                runtime.block_on(async {
                    let first = stack.queued(&body);
                    let rest = (1..100).map(|_| (stack.call)(body.clone()));
                    for call in std::iter::once(first).chain(rest) {
                        let endings = Arc::clone(&endings);
                        tokio::spawn(async move {
                            let refused = call.await.is_err_and(|fault| fault.kind() == Some(ErrorKind::BulkheadFull));
                            *endings.lock().unwrap() += u32::from(!refused);
                        });
                    }
                    sleep(ms(at)).await;
                });
                if background {
                    runtime.shutdown_background();
                } else {
                    drop(runtime);
                }
                assert_eq!(body.probe().in_flight(), 0);
                let ended = *endings.lock().unwrap();
                // The bulkhead's line has room for one: the others were refused, which no breaker records.
                let recorded = if stack.sees_attempts { body.probe().finished() } else { ended };
                let bulkhead = stack.bulkhead().snapshot();
                assert_eq!((bulkhead.in_flight, bulkhead.waiting), (0, 0), "{} at {at} ms", stack.name);
                assert_eq!(stack.breaker().snapshot().calls, recorded, "{} at {at} ms", stack.name);
            }
        }
    }
}

#[test]
fn tk04_trials_waiters_and_pauses_are_dropped_with_their_runtime() {
    let breaker = breaker(circuit_breaker::Config::new().cooldown(ms(1)).success_threshold(1));
    let bulkhead = bulkhead(bulkheads::Config::new().max_concurrent(1).max_wait(secs(60)));
    let runtime = alone();
    runtime.block_on(async {
        trip(&breaker, 10);
        sleep(ms(2)).await;
        tokio::spawn(async move { breaker.call(Script::hang().run()).await });
        tokio::spawn(async move {
            let _slot = bulkhead.acquire().await;
            std::future::pending::<()>().await;
        });
        tokio::task::yield_now().await;
        tokio::spawn(async move { bulkhead.acquire().await });
        tokio::task::yield_now().await;
        assert_eq!(breaker.snapshot().probes_in_flight, 1);
        assert_eq!((bulkhead.snapshot().in_flight, bulkhead.snapshot().waiting), (1, 1));
    });
    drop(runtime);
    assert_eq!(breaker.snapshot().probes_in_flight, 0);
    assert_eq!((bulkhead.snapshot().in_flight, bulkhead.snapshot().waiting), (0, 0));
    assert!(bulkhead.try_acquire().is_ok());
}

/// A call that needs no timer works without a runtime; permits are dropped anywhere.
#[test]
fn tk04_without_any_runtime() {
    let (breaker, bulkhead) = (breaker(circuit_breaker::Config::new()), bulkhead(bulkheads::Config::new()));
    let body = Script::new([Step::Ok]);
    let answer = futures::executor::block_on(async {
        let _slot = bulkhead.acquire().await?;
        breaker.call(body.run()).await
    });
    assert_eq!(answer.unwrap(), Ok(1));
    let (permit, slot) = (breaker.try_acquire().unwrap(), bulkhead.try_acquire().unwrap());
    outside_of_any_runtime((permit, slot));
    assert_eq!((breaker.snapshot().calls, bulkhead.snapshot().in_flight), (1, 0));
}

#[timeout("1s")]
async fn timed(body: &Script) -> Answer {
    body.run().await
}

/// A timer needs a runtime; a body that is ready at once needs no timer.
#[test]
fn tk04_a_timeout_needs_a_runtime_only_once_the_body_waits() {
    assert_eq!(futures::executor::block_on(timed(&Script::ok())), Ok(1));
    let waits = std::panic::catch_unwind(|| futures::executor::block_on(timed(&Script::hang())));
    let message = waits.unwrap_err();
    let message = message.downcast_ref::<String>().map_or("", String::as_str);
    assert!(message.contains("no reactor running"), "tokio's own words: {message}");
}

/// One runtime after another, and two at once, on the same policies.
#[test]
fn the_same_policies_on_many_runtimes() {
    let name = resilience_tests::unique("runtimes");
    let breaker = CircuitBreaker::register(name, circuit_breaker::Config::new()).unwrap();
    let bulkhead = Bulkhead::register(name, bulkheads::Config::new().max_concurrent(1).max_wait(secs(60))).unwrap();
    for calls in 1..=3 {
        alone().block_on(async { breaker.call(Script::ok().run()).await.unwrap().unwrap() });
        assert_eq!(breaker.snapshot().calls, calls);
    }
    // A slot that one runtime gives back wakes who waits in another.
    let slot = bulkhead.try_acquire().unwrap();
    let waiter = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(bulkhead.acquire()).map(drop)
    });
    while bulkhead.snapshot().waiting == 0 {
        std::thread::yield_now();
    }
    drop(slot);
    assert!(waiter.join().unwrap().is_ok());
    assert_eq!(bulkhead.snapshot().in_flight, 0);
}
