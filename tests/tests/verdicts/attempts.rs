//! `Attempt::current()`: which attempt the code that asks is part of.

use resilience::retry::{Attempt, Config};
use resilience::{Error, Retry, circuit_breaker, fallback, resilient, retry, timeout};
use resilience_tests::{Fault, ms, secs, sleep};
use std::sync::Mutex;

/// Number and most.
fn current() -> Option<(u32, u32)> {
    Attempt::current().map(|attempt| (attempt.number(), attempt.max()))
}

type Seen = Mutex<Vec<Option<(u32, u32)>>>;

fn see(seen: &Seen) {
    seen.lock().expect("nobody panics").push(current());
}

fn seen(seen: Seen) -> Vec<Option<(u32, u32)>> {
    seen.into_inner().expect("nobody panics")
}

/// A body that sees which attempt it is at its first poll and after a wait, and fails.
async fn look(at: &Seen) -> Result<u32, Fault> {
    see(at);
    sleep(ms(1)).await;
    see(at);
    Err(Fault::Down)
}

#[retry(max_attempts = 3, base_delay = 0ms)]
async fn one_future(at: &Seen) -> Result<u32, Fault> {
    look(at).await
}

#[retry(max_attempts = at_most, base_delay = 0ms, when = |_| true)]
async fn spelled_out(at: &Seen, at_most: u32) -> Result<u32, Fault> {
    look(at).await
}

#[retry(max_attempts = 3, base_delay = 0ms)]
#[timeout("1h")]
#[circuit_breaker("attempts below", when = |_| true, min_calls = 50)]
async fn above_others(at: &Seen) -> Result<u32, Fault> {
    look(at).await
}

fn each_twice(max: u32) -> Vec<Option<(u32, u32)>> {
    (1..=max).flat_map(|number| [Some((number, max)); 2]).collect()
}

#[tokio::test(start_paused = true)]
async fn a_body_knows_its_attempt() {
    assert_eq!(current(), None);
    let at = Seen::default();
    one_future(&at).await.expect_err("down");
    assert_eq!(seen(at), each_twice(3));
    let at = Seen::default();
    spelled_out(&at, 5).await.expect_err("down");
    assert_eq!(seen(at), each_twice(5));
    let at = Seen::default();
    spelled_out(&at, 0).await.expect_err("down");
    assert_eq!(seen(at), each_twice(1), "at least one is made");
    let at = Seen::default();
    above_others(&at).await.expect_err("down");
    assert_eq!(seen(at), each_twice(3));
    assert_eq!(current(), None);
}

#[tokio::test(start_paused = true)]
async fn a_handles_attempts_are_known_too() {
    let at = Seen::default();
    let retry = Retry::new(Config::new().max_attempts(3).base_delay(ms(0)));
    retry.call(|| look(&at)).await.expect_err("down");
    assert_eq!(seen(at), each_twice(3));
    let at = Seen::default();
    Retry::new(Config::new().base_delay(ms(0))).call(|| look(&at)).await.expect_err("down");
    assert_eq!(seen(at), each_twice(4), "the default");
}

#[circuit_breaker("attempts nested", min_calls = 50)]
#[timeout(secs(9))]
async fn without_a_retry(at: &Seen) -> Result<u32, Fault> {
    look(at).await
}

#[retry(max_attempts = 2, base_delay = 0ms)]
async fn with_one(at: &Seen) -> Result<u32, Fault> {
    see(at);
    let ended = without_a_retry(at).await;
    let _ = one_future(at).await;
    see(at);
    ended
}

#[tokio::test(start_paused = true)]
async fn a_nested_function_sees_its_callers_or_its_own() {
    let at = Seen::default();
    with_one(&at).await.expect_err("down");
    let expected: Vec<_> = (1..=2)
        .flat_map(|number| {
            let outer = Some((number, 2));
            [vec![outer; 3], each_twice(3), vec![outer]].concat()
        })
        .collect();
    assert_eq!(seen(at), expected);
}

#[retry(max_attempts = 2)]
async fn spawns() -> Result<Option<(u32, u32)>, Error> {
    let spawned = tokio::spawn(async {
        sleep(ms(1)).await;
        current()
    });
    let scoped = std::thread::spawn(current).join().expect("it ends");
    Ok(spawned.await.expect("it ends").or(scoped))
}

#[tokio::test(start_paused = true)]
async fn a_task_or_thread_of_its_own_is_part_of_none() {
    assert_eq!(spawns().await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn neighbours_see_their_own() {
    let (first, second) = (Seen::default(), Seen::default());
    let outside = async {
        for _ in 0..10 {
            assert_eq!(current(), None);
            sleep(ms(1)).await;
        }
    };
    let _ = tokio::join!(one_future(&first), outside, spelled_out(&second, 5));
    assert_eq!((seen(first), seen(second)), (each_twice(3), each_twice(5)));
}

#[tokio::test(start_paused = true)]
async fn it_is_nothing_in_listeners_pauses_and_fallbacks() {
    #[fallback(|_error| Ok(current()))]
    #[retry(max_attempts = 2, base_delay = 1ms, name = "attempts.listened", on_retry = between)]
    async fn recovers() -> Result<Option<(u32, u32)>, Fault> {
        assert_eq!(current().map(|(_, max)| max), Some(2));
        inner().await
    }
    fn between<E>(_attempt: &retry::RetryAttempt<'_, E>) {
        assert_eq!(current(), None, "between two attempts");
    }
    #[circuit_breaker("attempts.listened", consecutive_failures = 1)]
    async fn inner() -> Result<Option<(u32, u32)>, Fault> {
        Err(Fault::Down)
    }
    let heard = std::sync::Arc::new(Seen::default());
    let _subscription = resilience::subscribe({
        let heard = std::sync::Arc::clone(&heard);
        move |event| {
            if event.policy() == "attempts.listened" {
                see(&heard);
            }
        }
    });
    assert_eq!(recovers().await.expect("recovered"), None);
    // The first attempt failed, its breaker opened and refused the second, and that ended the retry.
    assert_eq!(*heard.lock().expect("nobody panics"), vec![None; 4]);
}

#[tokio::test(start_paused = true)]
async fn it_follows_the_polls() {
    struct Api;
    #[resilient(retry(max_attempts = 3, base_delay = 0ms))]
    impl Api {
        async fn get(&self, work: &mut crate::forms::Work<'_>) -> Result<u32, Fault> {
            work.await
        }
    }
    let at = Seen::default();
    let mut work: crate::forms::Work<'_> = Box::pin(async {
        see(&at);
        sleep(secs(1)).await;
        see(&at);
        Ok(1)
    });
    assert_eq!(resilience_tests::polls(Api.get(&mut work), 1).await, None);
    assert_eq!(work.await, Ok(1));
    assert_eq!(seen(at), [Some((1, 3)), None]);
}
