//! Calls that do not come to their end: dropped, aborted, timed out, panicked, at every await point of every stack.
//!
//! Whatever the way, the same holds afterwards: no slot is taken, nobody stands in line, no trial is in flight, and the
//! breaker has recorded what the table says.

mod panics;
mod ways;
mod without_runtime;

use futures::future::BoxFuture;
use resilience::{Bulkhead, CircuitBreaker, bulkhead, circuit_breaker, retry, timeout};
use resilience_tests::{Answer, Fault, Script, Step, ms};
use tokio::sync::{Mutex, MutexGuard};

/// The four policies in one order, under one name.
struct Stack {
    name: &'static str,
    /// The breaker stands below the retry, and so sees attempts.
    sees_attempts: bool,
    call: fn(Script) -> BoxFuture<'static, Answer>,
}

macro_rules! stacks {
    ($($function:ident $name:literal $sees_attempts:literal: $(#[$policy:meta])+)+) => {
        $(
            $(#[$policy])+
            async fn $function(body: &Script) -> Answer {
                body.run().await
            }
        )+

        const STACKS: &[Stack] = &[$(
            Stack {
                name: $name,
                sees_attempts: $sees_attempts,
                call: |body| Box::pin(async move { $function(&body).await }),
            },
        )+];
    };
}

stacks! {
    retry_first "cancel-a" true:
        #[retry(max_attempts = 3, base_delay = "3ms", backoff = "constant", jitter = "none")]
        #[circuit_breaker("cancel-a", window_calls = 10, cooldown = "1s", success_threshold = 1)]
        #[bulkhead("cancel-a", max_concurrent = 1, max_wait = "1m")]
        #[timeout("1h")]
    timeout_first "cancel-b" true:
        #[timeout("1h")]
        #[retry(max_attempts = 3, base_delay = "3ms", backoff = "constant", jitter = "none")]
        #[circuit_breaker("cancel-b", window_calls = 10, cooldown = "1s", success_threshold = 1)]
        #[bulkhead("cancel-b", max_concurrent = 1, max_wait = "1m")]
    breaker_first "cancel-c" false:
        #[circuit_breaker("cancel-c", window_calls = 10, cooldown = "1s", success_threshold = 1)]
        #[bulkhead("cancel-c", max_concurrent = 1, max_wait = "1m")]
        #[timeout("1h")]
        #[retry(max_attempts = 3, base_delay = "3ms", backoff = "constant", jitter = "none")]
    bulkhead_first "cancel-d" false:
        #[bulkhead("cancel-d", max_concurrent = 1, max_wait = "1m")]
        #[timeout("1h")]
        #[circuit_breaker("cancel-d", window_calls = 10, cooldown = "1s", success_threshold = 1)]
        #[retry(max_attempts = 3, base_delay = "3ms", backoff = "constant", jitter = "none")]
    breaker_last "cancel-e" true:
        #[timeout("1h")]
        #[bulkhead("cancel-e", max_concurrent = 1, max_wait = "1m")]
        #[retry(max_attempts = 3, base_delay = "3ms", backoff = "constant", jitter = "none")]
        #[circuit_breaker("cancel-e", window_calls = 10, cooldown = "1s", success_threshold = 1)]
}

/// The stacks are shared: one test at a time has them.
async fn stacks() -> (MutexGuard<'static, ()>, &'static [Stack]) {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());
    (ONE_AT_A_TIME.lock().await, STACKS)
}

/// Fails twice, then succeeds; every run waits twice.
fn third_time_lucky() -> Script {
    let waits = |step: Step| step.after(ms(2)).after(ms(2));
    Script::new([waits(Step::Err(Fault::Down)), waits(Step::Err(Fault::Down)), waits(Step::Ok)])
}

impl Stack {
    fn breaker(&self) -> CircuitBreaker {
        CircuitBreaker::get(self.name).unwrap()
    }

    fn bulkhead(&self) -> Bulkhead {
        Bulkhead::get(self.name).unwrap()
    }

    /// A call of the body behind somebody who has the only slot for three milliseconds.
    fn queued(&self, body: &Script) -> BoxFuture<'static, Answer> {
        self.breaker().reset();
        let slot = self.bulkhead().try_acquire().unwrap();
        tokio::spawn(async move {
            resilience_tests::sleep(ms(3)).await;
            drop(slot);
        });
        (self.call)(body.clone())
    }

    /// What the breaker must have recorded of a call that the caller gave up, or that came to its end.
    fn recorded(&self, body: &Script, ended: bool) -> u32 {
        if self.sees_attempts { body.probe().finished() } else { u32::from(ended) }
    }

    /// Nothing is held, and the breaker's window has so many calls.
    #[track_caller]
    fn assert_settled(&self, calls: u32, what: &str) {
        let bulkhead = self.bulkhead().snapshot();
        assert_eq!((bulkhead.in_flight, bulkhead.waiting), (0, 0), "{}, {what}: bulkhead", self.name);
        let breaker = self.breaker().snapshot();
        assert_eq!((breaker.calls, breaker.probes_in_flight), (calls, 0), "{}, {what}: breaker", self.name);
    }
}
