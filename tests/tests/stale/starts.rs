//! A value is as old as the call that fetched it, and gives way to none that is older.

use std::sync::{Arc, Weak};

use resilience::stale_if_error;
use resilience_tests::{Answer, EventLog, Fault, alone, ms, now, secs, sleep};
use tokio::task::yield_now;
use tokio::time::Instant;

use super::ages;

#[stale_if_error("1h", name = "starts-racing", key = id)]
async fn racing(id: u32, takes: u64, value: Option<u32>) -> Answer {
    sleep(ms(takes)).await;
    value.ok_or(Fault::Down)
}

#[tokio::test(start_paused = true)]
async fn a_value_never_replaces_one_whose_call_started_later() {
    let later = |after: u64, call| async move {
        sleep(ms(after)).await;
        futures::FutureExt::boxed(call).await
    };
    // Starts first, ends last.
    let (old, new) = futures::join!(racing(1, 100, Some(1)), later(10, racing(1, 20, Some(2))));
    assert_eq!((old, new, racing(1, 0, None).await), (Ok(1), Ok(2), Ok(2)));
    // One after the other.
    let (old, new) = futures::join!(racing(1, 10, Some(3)), later(5, racing(1, 20, Some(4))));
    assert_eq!((old, new, racing(1, 0, None).await), (Ok(3), Ok(4), Ok(4)));
    // Of two that started at one moment, the one that ended last.
    let (slow, quick) = futures::join!(racing(1, 20, Some(5)), racing(1, 10, Some(6)));
    assert_eq!((slow, quick, racing(1, 0, None).await), (Ok(5), Ok(6), Ok(5)));
    // A failed call replaces nothing; another key is another race.
    let (old, failed, other) =
        futures::join!(racing(1, 100, Some(7)), later(10, racing(1, 20, None)), later(10, racing(2, 20, Some(8))));
    assert_eq!((old, failed, other), (Ok(7), Ok(5), Ok(8)));
    assert_eq!((racing(1, 0, None).await, racing(2, 0, None).await), (Ok(7), Ok(8)));
}

#[tokio::test(start_paused = true)]
async fn the_clock_runs_from_the_start_of_the_call_that_fetched_it() {
    let log = EventLog::of(["starts-aged"]);
    #[stale_if_error("1m", name = "starts-aged")]
    async fn aged(takes: u64, value: Option<u32>) -> Answer {
        sleep(ms(takes)).await;
        value.ok_or(Fault::Down)
    }
    // The key and the call that is served take their time, too: its age is told as it is served.
    aged(20_000, Some(1)).await.unwrap();
    assert_eq!(aged(10_000, None).await, Ok(1));
    sleep(ms(29_999)).await;
    assert_eq!(aged(0, None).await, Ok(1));
    sleep(ms(1)).await;
    assert_eq!(aged(0, None).await, Err(Fault::Down));
    assert_eq!(ages(&log), [30_000, 59_999]);
    // One that took longer than the limit was too old as it came.
    aged(60_000, Some(2)).await.unwrap();
    assert_eq!(aged(0, None).await, Err(Fault::Down));
}

#[test]
fn a_value_from_a_clock_that_was_ahead_ages_from_here_on() {
    #[stale_if_error("1m", key = id)]
    async fn ahead(id: u32, takes: u64, value: Option<u32>) -> Answer {
        sleep(secs(takes)).await;
        value.ok_or(Fault::Down)
    }
    // Both clocks begin about now: this runtime's is a day ahead when it is gone.
    alone().block_on(async {
        sleep(secs(86_400)).await;
        ahead(1, 0, Some(1)).await.unwrap();
        ahead(2, 0, Some(2)).await.unwrap();
    });
    alone().block_on(async {
        assert_eq!(ahead(1, 0, None).await, Ok(1), "it counts as one of now");
        sleep(ms(59_900)).await;
        assert_eq!(ahead(1, 0, None).await, Ok(1));
        sleep(ms(101)).await;
        assert_eq!(ahead(1, 0, None).await, Err(Fault::Down));
        // Nor does it keep a fresh one out: whose call began first nobody can tell.
        ahead(2, 5, Some(3)).await.unwrap();
        assert_eq!(ahead(2, 0, None).await, Ok(3));
    });
}

/// What nobody can be served any more is let go, by the clock that decides who is served.
#[tokio::test(start_paused = true)]
async fn what_is_too_old_is_not_kept() {
    #[stale_if_error("1m", key = id)]
    async fn kept(id: u32, value: Option<Arc<u32>>) -> Result<Arc<u32>, Fault> {
        value.ok_or(Fault::Down)
    }
    let alive = |values: &[Weak<u32>]| values.iter().filter(|value| value.upgrade().is_some()).count();
    let mut values = Vec::new();
    for id in 0..5000 {
        let value = Arc::new(id);
        values.push(Arc::downgrade(&value));
        kept(id, Some(value)).await.unwrap();
    }
    sleep(secs(30)).await;
    for id in 0..1000 {
        assert_eq!(*kept(id, None).await.unwrap(), id);
        // Half of them are fetched anew.
        if id % 2 == 0 {
            kept(id, Some(values[id as usize].upgrade().unwrap())).await.unwrap();
        }
    }
    assert_eq!(alive(&values), 5000, "all are young enough");
    sleep(secs(30)).await;
    kept(9999, Some(Arc::new(1))).await.unwrap();
    // The cache tidies up in batches, as it is used.
    for _ in 0..20_000 {
        if alive(&values) < 600 {
            break;
        }
        kept(9999, Some(Arc::new(1))).await.unwrap();
    }
    assert!((500..600).contains(&alive(&values)), "{}", alive(&values));
    assert_eq!(*kept(0, None).await.unwrap(), 0);
    assert_eq!(kept(1, None).await, Err(Fault::Down));
    for _ in 0..1000 {
        sleep(secs(60)).await;
        assert_eq!(kept(0, None).await, Err(Fault::Down));
        if alive(&values) < 100 {
            break;
        }
    }
    assert!(alive(&values) < 100, "calls that fail let go of it, too: {}", alive(&values));
}

#[tokio::test(start_paused = true)]
async fn a_computed_limit_may_be_a_longer_one_next_time() {
    #[stale_if_error(limit, key = id)]
    async fn computed(limit: std::time::Duration, id: u32, value: Option<u32>) -> Answer {
        value.ok_or(Fault::Down)
    }
    computed(secs(10), 1, Some(1)).await.unwrap();
    for _ in 0..90 {
        sleep(secs(1)).await;
        computed(secs(1), 2, Some(2)).await.unwrap();
    }
    assert_eq!(computed(secs(90), 1, None).await, Err(Fault::Down));
    assert_eq!(computed(secs(91), 1, None).await, Ok(1));
    sleep(secs(900)).await;
    assert_eq!(computed(secs(1), 1, None).await, Err(Fault::Down));
    assert_eq!(computed(secs(9000), 1, None).await, Err(Fault::Down), "not ten times as long as any has been");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn threads_leave_the_value_of_the_call_that_started_last() {
    /// The moment at which the body was.
    #[stale_if_error("1h")]
    async fn shared(fails: bool) -> Result<Instant, Fault> {
        let at = now();
        yield_now().await;
        if fails { Err(Fault::Down) } else { Ok(at) }
    }
    let calls = (0..8).map(|_| {
        tokio::spawn(async {
            for _ in 0..1000 {
                let before = now();
                shared(false).await.unwrap();
                // What is there now is from that call, or from one that started later.
                assert!(shared(true).await.unwrap() >= before);
            }
        })
    });
    futures::future::join_all(calls).await.into_iter().for_each(|ended| ended.unwrap());
}
