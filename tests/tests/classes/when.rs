//! `when` beside classes: what it is asked about, and what its answers are.

use std::sync::atomic::{AtomicU32, Ordering};

use resilience::circuit_breaker::State;
use resilience::{CircuitBreaker, ErrorKind, circuit_breaker, fallback, retry, stale_if_error};
use resilience_tests::{Answer, Fault, Script, Step, cut_by_deadline, ms, now, refusal, secs, sleep};

/// Asked of each policy in turn, and never about what cannot be.
fn asked(fault: &Fault, times: &AtomicU32, answer: bool) -> bool {
    assert!(!matches!(fault, Fault::Invalid), "it was never sent");
    assert!(fault.refusal().is_none_or(resilience::Error::cut_in_flight), "the dependency was not asked");
    times.fetch_add(1, Ordering::Relaxed);
    answer
}

macro_rules! guarded {
    ($name:ident, $breaker:literal, $answer:literal) => {
        #[fallback(value = 1000, when = |fault| asked(fault, times, $answer))]
        #[stale_if_error("1h", when = |fault| asked(fault, times, $answer))]
        #[retry(max_attempts = 2, base_delay = "1ms", when = |fault| asked(fault, times, $answer))]
        #[circuit_breaker($breaker, when = |fault| asked(fault, times, $answer))]
        async fn $name(times: &AtomicU32, body: &Script) -> Answer {
            body.run().await
        }
    };
}

guarded!(when_true, "when-true", true);
guarded!(when_false, "when-false", false);

/// How often it was asked, attempts, the breaker's failures and calls, the answer.
type Seen = (u32, u32, u32, u32, Answer);

async fn seen(answer: bool, step: Step) -> Seen {
    let (times, body) = (AtomicU32::new(0), Script::new([step]));
    let (name, answer) = if answer {
        ("when-true", when_true(&times, &body).await)
    } else {
        ("when-false", when_false(&times, &body).await)
    };
    let breaker = CircuitBreaker::get(name).unwrap();
    let window = breaker.snapshot();
    breaker.reset();
    (times.into_inner(), body.entered(), window.failures, window.calls, answer)
}

#[tokio::test(start_paused = true)]
async fn it_is_asked_about_errors_that_say_something_of_the_dependency() {
    for answer in [true, false] {
        assert_eq!(seen(answer, Step::Ok).await, (0, 1, 0, 1, Ok(1)));
    }
    for fault in [Fault::Down, Fault::Broken, Fault::NotFound, Fault::Busy(None), cut_by_deadline().await.into()] {
        // Twice by the breaker, twice by the retry, which stops, and then by those that take its place; the value of `Ok(1)`
        // above is remembered for all functions of that site.
        let (_, attempts, failures, calls, _) = seen(true, fault.clone().into()).await;
        assert_eq!((attempts, failures, calls), (2, 2, 2), "{fault}");
        assert_eq!(seen(false, fault.clone().into()).await, (4, 1, 0, 1, Err(fault)));
    }
    let kinds = [ErrorKind::CircuitOpen, ErrorKind::BulkheadFull, ErrorKind::RateLimited, ErrorKind::DeadlineExceeded];
    for kind in kinds {
        let refused = Step::Err(refusal(kind).await.into());
        for answer in [true, false] {
            // The row of a refusal: neutral, not tried again, and replaced.
            assert_eq!(seen(answer, refused.clone()).await, (0, 1, 0, 0, Ok(1)), "{kind:?}");
        }
    }
    for answer in [true, false] {
        assert_eq!(seen(answer, Fault::Invalid.into()).await, (0, 1, 0, 0, Err(Fault::Invalid)));
    }
}

#[retry(max_attempts = 2, jitter = "none", base_delay = "1ms", when = |_| true)]
async fn again(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_hint_holds_where_it_says_again() {
    for (fault, pause) in [(Fault::Busy(Some(secs(5))), secs(5)), (Fault::Broken, ms(1)), (Fault::NotFound, ms(1))] {
        let start = now();
        assert_eq!(again(&Script::new([fault.clone().into(), Step::Ok])).await, Ok(2));
        assert_eq!(now() - start, pause, "{fault}");
    }
}

#[circuit_breaker("when-half-open", cooldown = "1s", success_threshold = 3, when = |fault| *fault == Fault::Down)]
async fn half_open(body: &Script) -> Answer {
    body.run().await
}

/// What it says false of is an answer: it ends half-open and is in the denominator.
#[tokio::test(start_paused = true)]
async fn what_it_says_false_of_is_a_success() {
    let breaker = CircuitBreaker::get("when-half-open").unwrap();
    let call = async |fault: Fault| assert_eq!(half_open(&Script::new([Step::Err(fault.clone())])).await, Err(fault));
    for _ in 0..10 {
        call(Fault::Down).await;
    }
    assert_eq!(breaker.state(), State::Open);
    sleep(secs(1)).await;
    for _ in 0..3 {
        call(Fault::Broken).await;
    }
    assert_eq!(breaker.state(), State::Closed);
    for round in 0..20 {
        call(if round % 3 == 2 { Fault::Down } else { Fault::NotFound }).await;
    }
    let window = breaker.snapshot();
    assert_eq!((window.state, window.calls, window.failures), (State::Closed, 20, 6));
}
