//! A timeout that is up looks at its work once more, which may be ready; nothing begins in that look.

use std::time::Duration;

use resilience::{Bulkhead, ErrorKind, bulkhead, circuit_breaker, rate_limit, retry, timeout};
use resilience_tests::{Answer, Fault, Script, Step, ms, poll_times, secs};

use crate::forms::Work;

type Function = (&'static str, for<'a> fn(&'a Script) -> Work<'a>);

/// `name: attributes` is a function whose timeout has that name; the list has all of them.
macro_rules! functions {
    ($all:ident: $($name:ident $shown:literal: $($attribute:meta)*;)*) => {
        $(
            $(#[$attribute])*
            async fn $name(body: &Script) -> Answer {
                body.run().await
            }
        )*

        const $all: &[Function] = &[$(($shown, |body| Box::pin($name(body)))),*];
    };
}

functions! { RETRIES:
    retries "up": timeout("3s", name = "up") retry(base_delay = 1s, jitter = "none");
    retries_asked "up asked": timeout("3s", name = "up asked") retry(base_delay = 1s, jitter = "none", when = |_| true);
    retries_apart "up apart": timeout(secs(3), name = "up apart") circuit_breaker retry(base_delay = 1s, jitter = "none") timeout("1h");
}

functions! { QUEUES:
    queue "up queue": timeout("3s", name = "up queue", order = "as_written") bulkhead("up queue", max_concurrent = 1, max_wait = "1m");
    queue_apart "up queue apart": timeout(secs(3), name = "up queue apart") circuit_breaker("up queue apart", when = |_| true) bulkhead("up queue apart", max_concurrent = 1, max_wait = "1m");
}

functions! { LIMITS:
    limit "up limit": timeout("3s", name = "up limit", order = "as_written") rate_limit(limit = 1, per = "2s", max_wait = "1m");
    limit_apart "up limit apart": timeout(secs(3), name = "up limit apart") rate_limit(limit = 1, per = "2s", max_wait = "1m", permits = 1);
}

/// Kind and policy of the refusal.
fn refusal(answer: &Answer) -> (ErrorKind, &str) {
    let refusal = answer.as_ref().expect_err("refused").refusal().expect("a refusal");
    (refusal.kind(), refusal.policy())
}

/// Polls a call so far, and then not until so much later, when all its timers are due at once.
async fn late(mut call: Work<'_>, after: Duration) -> Answer {
    assert_eq!(poll_times(call.as_mut(), 1).await, None);
    tokio::time::advance(after).await;
    call.await
}

#[tokio::test(start_paused = true)]
async fn no_attempt_begins() {
    for (name, call) in RETRIES {
        let body = Script::new([Step::Err(Fault::Down), Step::Ok]);
        assert_eq!(
            (late(call(&body), secs(9)).await, body.entered()),
            (Err(Fault::Down), 1),
            "{name}: after a late pause"
        );
        let body = Script::new([Step::Err(Fault::Down).after(secs(3)), Step::Ok]);
        assert_eq!(
            (call(&body).await, body.entered()),
            (Err(Fault::Down), 1),
            "{name}: with its failure as the answer"
        );
        let body = Script::new([Step::Ok.after(secs(3))]);
        assert_eq!(call(&body).await, Ok(1), "{name}: with its value");
    }
}

#[tokio::test(start_paused = true)]
async fn no_body_begins_whose_slot_comes_late() {
    for (name, call) in QUEUES {
        let slots = Bulkhead::get(name).expect("declared");
        for at in [ms(2_999), secs(3), secs(9)] {
            let slot = slots.try_acquire().expect("free");
            let body = Script::ok();
            let mut waits = call(&body);
            assert_eq!(poll_times(waits.as_mut(), 1).await, None);
            tokio::time::advance(at).await;
            drop(slot);
            let answer = waits.await;
            if at < secs(3) {
                assert_eq!(answer, Ok(1), "{name}: in time");
            } else {
                assert_eq!((refusal(&answer), body.entered()), ((ErrorKind::TimedOut, *name), 0), "{at:?}");
            }
            assert_eq!((slots.snapshot().in_flight, slots.snapshot().waiting), (0, 0), "{name}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn no_body_begins_whose_permit_comes_late() {
    for (name, call) in LIMITS {
        let body = Script::ok();
        assert_eq!(call(&body).await, Ok(1));
        let answer = late(call(&body), secs(9)).await;
        assert_eq!((refusal(&answer), body.entered()), ((ErrorKind::TimedOut, *name), 1));
        assert_eq!(call(&body).await, Ok(2), "{name}: the permit is there");
    }
}
