//! `call`, `call_when`, `call_classified`: what a future's end, and its lack of one, is to the breaker.

use std::pin::Pin;

use futures::FutureExt as _;
use resilience::circuit_breaker::{Config, State};
use resilience::{CircuitBreaker, ErrorKind};
use resilience_tests::{
    Answer, Fault, Script, Step, breaker, call, cut_by_deadline, inside_somebody_elses_panic, ms,
    outside_of_any_runtime, play, poll_times, refusal, secs, sleep, trip,
};

fn recorded(breaker: &CircuitBreaker) -> (u32, u32) {
    (breaker.snapshot().calls, breaker.snapshot().failures)
}

#[tokio::test(start_paused = true)]
async fn every_error_is_a_failure_unless_a_predicate_says_otherwise() {
    let breaker = breaker(Config::new());
    for (step, answer) in [(Step::Ok, Ok(1)), (Step::Err(Fault::NotFound), Err(Fault::NotFound))] {
        assert_eq!(breaker.call(Script::new([step]).run()).await.unwrap(), answer);
    }
    assert_eq!(recorded(&breaker), (2, 1));
    let missing = Script::new([Step::Err(Fault::NotFound)]);
    assert_eq!(breaker.call_when(missing.run(), |_| false).await.unwrap(), Err(Fault::NotFound));
    assert_eq!(recorded(&breaker), (3, 1), "the dependency answered");
    assert_eq!(breaker.call_when(missing.run(), |_| true).await.unwrap(), Err(Fault::NotFound));
    assert_eq!(recorded(&breaker), (4, 2));
}

#[tokio::test(start_paused = true)]
async fn by_class_it_is_what_the_attribute_makes_of_it() {
    let of = async |kind| Fault::from(refusal(kind).await);
    for (fault, expected) in [
        (Fault::Down, (1, 1)),
        (Fault::Busy(None), (1, 1)),
        (Fault::Broken, (1, 1)),
        (Fault::NotFound, (1, 0)),
        (Fault::Invalid, (0, 0)),
        (of(ErrorKind::CircuitOpen).await, (0, 0)),
        (of(ErrorKind::BulkheadFull).await, (0, 0)),
        (of(ErrorKind::DeadlineExceeded).await, (0, 0)),
        (of(ErrorKind::TimedOut).await, (1, 1)),
        (cut_by_deadline().await.into(), (1, 1)),
    ] {
        let breaker = breaker(Config::new());
        let body = Script::new([Step::Err(fault.clone())]);
        assert_eq!(breaker.call_classified(body.run()).await.unwrap(), Err(fault.clone()));
        assert_eq!(recorded(&breaker), expected, "{fault}");
    }
}

/// The dependency answers, if only with what the caller did wrong: that ends half-open, and is in the denominator.
#[tokio::test(start_paused = true)]
async fn an_answer_is_a_success() {
    let config = Config::new().cooldown(secs(1)).success_threshold(3);
    play(&breaker(config), "err*10 =open +1s missing*3 =closed").await;
    let predicate = breaker(config);
    trip(&predicate, 10);
    sleep(secs(1)).await;
    for _ in 0..3 {
        let body = Script::new([Step::Err(Fault::NotFound)]);
        let _ = predicate.call_when(body.run(), |fault| *fault != Fault::NotFound).await.unwrap();
    }
    assert_eq!(predicate.state(), State::Closed);
    // 15 in a hundred fail, the others are not found.
    for _ in 0..5 {
        play(&predicate, "missing*17 err*3 =closed").await;
    }
    assert_eq!(recorded(&predicate), (100, 15));
}

#[tokio::test(start_paused = true)]
async fn a_refused_call_does_not_touch_its_future() {
    let breaker = breaker(Config::new());
    breaker.force_open();
    let body = Script::ok();
    assert_eq!(breaker.call(body.run()).await.unwrap_err().kind(), ErrorKind::CircuitOpen);
    assert_eq!(body.entered(), 0);
    // It asks when it is polled, not when it is made.
    let later = breaker.call(body.run());
    breaker.reset();
    assert_eq!(later.await.unwrap(), Ok(1));
}

#[tokio::test(start_paused = true)]
async fn tk05_a_panic_of_the_future_is_a_failure() {
    let breaker = breaker(Config::new().min_calls(4).cooldown(secs(1)).success_threshold(1));
    let panics = || async move { call(&breaker, &Script::new([Step::Panic.after(ms(1))])).await };
    for panicked in 1..=4 {
        assert!(tokio::spawn(panics()).await.unwrap_err().is_panic());
        assert_eq!(recorded(&breaker), (panicked, panicked));
    }
    assert_eq!(breaker.state(), State::Open);
    sleep(secs(1)).await;
    assert!(tokio::spawn(panics()).await.unwrap_err().is_panic());
    assert_eq!(breaker.state(), State::Open, "so is that of a trial");
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_the_predicate_is_neutral() {
    let breaker = breaker(Config::new());
    let body = Script::down();
    let work = breaker.call_when(body.run(), |_| panic!("the predicate panics, on purpose"));
    assert!(std::panic::AssertUnwindSafe(work).catch_unwind().await.is_err());
    assert_eq!(recorded(&breaker), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn dropped_after_every_poll_it_is_neutral() {
    type Drop = fn(Pin<Box<dyn Future<Output = Answer> + Send>>);
    let ways: [Drop; 3] =
        [|work| drop(work), |work| inside_somebody_elses_panic(work), |work| outside_of_any_runtime(work)];
    for drop_it in ways {
        for times in 0..5 {
            let breaker = breaker(Config::new().cooldown(secs(1)).success_threshold(1));
            for trial in [false, true] {
                if trial {
                    trip(&breaker, 10);
                    sleep(secs(1)).await;
                }
                let mut work: Pin<Box<dyn Future<Output = Answer> + Send>> =
                    Box::pin(async move { call(&breaker, &Script::new([Step::Ok.after(ms(1)).after(ms(1))])).await });
                let ended = poll_times(work.as_mut(), times).await.is_some();
                drop_it(work);
                let snapshot = breaker.snapshot();
                assert_eq!(snapshot.probes_in_flight, 0);
                assert_eq!(snapshot.state, if trial && !ended { State::HalfOpen } else { State::Closed });
                assert_eq!(snapshot.calls, u32::from(ended && !trial));
                breaker.reset();
            }
        }
    }
}
