//! What a function owns is dropped when, and in the order in which, it would be without the attribute.

use std::io::{Error, Result};
use std::sync::{Mutex, PoisonError};

use resilience::{bulkhead, circuit_breaker, fallback, rate_limit, resilient, retry, timeout};
use resilience_tests::{Clock, ms};

/// What was dropped, in order.
#[derive(Default)]
struct Log(Mutex<Vec<&'static str>>);

impl Log {
    fn write(&self, name: &'static str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(name);
    }

    fn take(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn noisy(&self, name: &'static str) -> Noisy<'_> {
        Noisy { name, log: self }
    }
}

/// Says when it is dropped; its clone is the attempt's.
struct Noisy<'a> {
    name: &'static str,
    log: &'a Log,
}

impl Noisy<'_> {
    fn touch(&self) {}

    fn rename(&mut self, name: &'static str) {
        self.name = name;
    }
}

impl Clone for Noisy<'_> {
    fn clone(&self) -> Self {
        let name = match self.name {
            "self" => "self's clone",
            "a" => "a's clone",
            "b" => "b's clone",
            name => name,
        };
        Self { name, log: self.log }
    }
}

impl Drop for Noisy<'_> {
    fn drop(&mut self) {
        self.log.write(self.name);
    }
}

macro_rules! stacks {
    ($($module:ident: $(#[$policy:meta])*)+) => {
        $(
            mod $module {
                use super::*;

                impl<'a> Noisy<'a> {
                    /// Uses its arguments in another order than it takes them in, and one of them not at all.
                    $(#[$policy])*
                    pub(super) async fn $module(
                        self,
                        a: Noisy<'a>,
                        (left, mut right): (Noisy<'a>, Noisy<'a>),
                        _unnamed: Noisy<'a>,
                        early: bool,
                    ) -> Result<()> {
                        let _local = self.log.noisy("local");
                        right.touch();
                        tokio::task::yield_now().await;
                        right.rename("right, changed");
                        if early {
                            return Err(Error::other("early"));
                        }
                        let _later = self.log.noisy("later");
                        left.touch();
                        a.touch();
                        Ok(())
                    }
                }
            }
        )+

        const STACKS: &[&str] = &[$(stringify!($module)),+];

        async fn run(stack: &str, log: &Log, early: bool) -> Vec<&'static str> {
            let [own, a, left, right, unnamed] = ["self", "a", "left", "right", "unnamed"].map(|name| log.noisy(name));
            let result = match stack {
                $(stringify!($module) => own.$module(a, (left, right), unnamed, early).await,)+
                _ => unreachable!("the stacks are listed above"),
            };
            assert_eq!(result.is_err(), early, "{stack}");
            log.take()
        }
    };
}

// Every stack that runs the body once.
stacks! {
    plain:
    broken: #[circuit_breaker]
    partitioned: #[bulkhead]
    limited: #[rate_limit(limit = 1000)]
    bounded: #[timeout("1s")]
    twice_bounded:
        #[timeout("2s")]
        #[bulkhead]
        #[timeout("1s")]
    admitted:
        #[circuit_breaker]
        #[bulkhead]
        #[rate_limit(limit = 1000)]
        #[timeout("1s")]
    replaced: #[fallback(|error| Err(error))]
    by_class: #[circuit_breaker(when = |_| true)]
    listed: #[resilient(fallback(|error| Err(error)), timeout("2s"), circuit_breaker, bulkhead)]
}

#[tokio::test]
async fn arguments_are_dropped_in_the_order_of_a_plain_function() {
    for early in [false, true] {
        let log = Log::default();
        let expected = run("plain", &log, early).await;
        for stack in STACKS {
            assert_eq!(without_unnamed(&run(stack, &log, early).await), without_unnamed(&expected), "{stack}, {early}");
        }
    }
}

/// What the body does not name stays with the function, and so is dropped after all that the body had.
fn without_unnamed<'a>(dropped: &[&'a str]) -> Vec<&'a str> {
    dropped.iter().copied().filter(|name| *name != "unnamed").collect()
}

#[tokio::test]
async fn what_the_body_does_not_name_is_dropped_once_and_last() {
    let log = Log::default();
    for stack in STACKS.iter().filter(|stack| **stack != "plain") {
        assert_eq!(run(stack, &log, false).await.last(), Some(&"unnamed"), "{stack}");
    }
}

// The predicate is asked after the body, so its arguments are moved in one by one.
#[circuit_breaker(when = |_| counts)]
#[timeout("1s")]
async fn asked_about<'a>(counts: bool, a: Noisy<'a>, b: Noisy<'a>) -> Result<()> {
    let _local = a.log.noisy("local");
    tokio::task::yield_now().await;
    a.touch();
    b.touch();
    Err(Error::other("every time"))
}

#[tokio::test(start_paused = true)]
async fn what_is_asked_about_an_argument_changes_no_order() {
    let log = Log::default();
    assert!(asked_about(true, log.noisy("a"), log.noisy("b")).await.is_err());
    assert_eq!(log.take(), ["local", "b", "a"]);
}

#[retry(max_attempts = 2, base_delay = 0ms, jitter = "none")]
#[timeout("1s")]
async fn retried<'a>(a: Noisy<'a>, b: Noisy<'a>, log: &Log) -> Result<()> {
    let _local = log.noisy("local");
    tokio::task::yield_now().await;
    b.touch();
    a.touch();
    log.write("failed");
    Err(Error::other("every time"))
}

#[tokio::test(start_paused = true)]
async fn each_attempt_drops_its_clones_in_that_order_and_the_arguments_go_last() {
    let log = Log::default();
    retried(log.noisy("a"), log.noisy("b"), &log).await.unwrap_err();
    let attempt = ["failed", "local", "b's clone", "a's clone"];
    assert_eq!(log.take(), [&attempt[..], &attempt[..], &["b", "a"]].concat());
}

/// Says at what time it is dropped.
struct Timed<'a> {
    clock: Clock,
    dropped: &'a Mutex<Vec<u64>>,
}

impl Drop for Timed<'_> {
    fn drop(&mut self) {
        let after = u64::try_from(self.clock.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.dropped.lock().unwrap_or_else(PoisonError::into_inner).push(after);
    }
}

macro_rules! paused {
    ($($function:ident: $(#[$policy:meta])+)+) => {
        $(
            $(#[$policy])+
            async fn $function(clock: Clock, dropped: &Mutex<Vec<u64>>) -> Result<()> {
                let _connection = Timed { clock, dropped };
                resilience_tests::sleep(ms(10)).await;
                Err(Error::other("every time"))
            }
        )+

        #[tokio::test(start_paused = true)]
        async fn an_attempt_is_dropped_before_the_pause() {
            $(
                let dropped = Mutex::default();
                $function(Clock::start(), &dropped).await.unwrap_err();
                assert_eq!(dropped.into_inner().unwrap(), [10, 1020, 2030], stringify!($function));
            )+
        }
    };
}

paused! {
    paused: #[retry(max_attempts = 3, base_delay = "1s", backoff = "constant", jitter = "none")]
    paused_around_a_timeout:
        #[retry(max_attempts = 3, base_delay = "1s", backoff = "constant", jitter = "none")]
        #[circuit_breaker]
        #[bulkhead]
        #[timeout("1m")]
    paused_inside_a_timeout:
        #[timeout("1m")]
        #[bulkhead]
        #[retry(max_attempts = 3, base_delay = "1s", backoff = "constant", jitter = "none")]
}

#[retry(max_attempts = 3, base_delay = "1s", backoff = "constant", jitter = "none")]
#[timeout("10ms")]
async fn cut(clock: Clock, dropped: &Mutex<Vec<u64>>) -> Result<()> {
    let _connection = Timed { clock, dropped };
    std::future::pending().await
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_is_cut_is_dropped_before_the_pause() {
    let dropped = Mutex::default();
    cut(Clock::start(), &dropped).await.unwrap_err();
    assert_eq!(dropped.into_inner().unwrap(), [10, 1020, 2030]);
}
