//! One value for each key; the number of keys is bounded.

use std::fmt::Debug;
use std::hash::Hash;

use resilience::stale_if_error;
use resilience_tests::{Answer, Fault, Script, Step, ms};

use super::once;

/// Gives that value, or fails.
async fn answer(value: Option<u32>) -> Answer {
    value.ok_or(Fault::Down)
}

#[stale_if_error("1h")]
async fn keyless(value: Option<u32>) -> Answer {
    answer(value).await
}

#[stale_if_error("1h")]
async fn other_keyless(value: Option<u32>) -> Answer {
    answer(value).await
}

#[tokio::test(start_paused = true)]
async fn without_a_key_there_is_one_value_for_each_site() {
    assert_eq!(keyless(None).await, Err(Fault::Down), "nothing is remembered yet");
    assert_eq!(keyless(Some(1)).await, Ok(1));
    assert_eq!((keyless(None).await, other_keyless(None).await), (Ok(1), Err(Fault::Down)));
    assert_eq!(keyless(Some(2)).await, Ok(2));
    assert_eq!(keyless(None).await, Ok(2), "the last one");
}

#[stale_if_error("1h", key = id)]
async fn by_number(id: u64, value: Option<u32>) -> Answer {
    answer(value).await
}

#[stale_if_error("1h", key = (region, sku))]
async fn by_borrowed(region: &str, sku: u32, value: Option<u32>) -> Answer {
    answer(value).await
}

#[stale_if_error("1h", key = name)]
async fn by_consumed(name: String, value: Option<u32>) -> Answer {
    drop(name);
    answer(value).await
}

#[stale_if_error("1h", key = *id)]
async fn by_changed(id: &mut u32, value: Option<u32>) -> Answer {
    // The key was taken before the body changes it.
    *id += 1;
    answer(value).await
}

struct Region {
    name: String,
}

impl Region {
    #[stale_if_error("1h", key = (self.name, number % 10))]
    async fn lookup(&self, number: u32, value: Option<u32>) -> Answer {
        answer(value).await
    }
}

#[tokio::test(start_paused = true)]
async fn each_key_has_its_own_value() {
    by_number(1, Some(10)).await.unwrap();
    by_number(2, Some(20)).await.unwrap();
    assert_eq!((by_number(1, None).await, by_number(2, None).await), (Ok(10), Ok(20)));
    assert_eq!(by_number(3, None).await, Err(Fault::Down));

    // Borrowed from a place that is gone when the value is served.
    by_borrowed(&String::from("eu"), 7, Some(1)).await.unwrap();
    assert_eq!(by_borrowed("eu", 7, None).await, Ok(1));
    for (region, sku) in [("eu", 8), ("us", 7), ("", 7), ("eu7", 0)] {
        assert_eq!(by_borrowed(region, sku, None).await, Err(Fault::Down), "{region} {sku}");
    }

    by_consumed("a".into(), Some(1)).await.unwrap();
    assert_eq!((by_consumed("a".into(), None).await, by_consumed("b".into(), None).await), (Ok(1), Err(Fault::Down)));

    let mut id = 5;
    by_changed(&mut id, Some(50)).await.unwrap();
    assert_eq!((id, by_changed(&mut id, None).await), (6, Err(Fault::Down)), "six was never remembered");
    id = 5;
    assert_eq!(by_changed(&mut id, None).await, Ok(50));

    let [eu, us] = ["eu", "us"].map(|name| Region { name: name.into() });
    eu.lookup(13, Some(3)).await.unwrap();
    assert_eq!((eu.lookup(23, None).await, us.lookup(13, None).await), (Ok(3), Err(Fault::Down)));
}

#[stale_if_error("1h", key = key)]
async fn generic<K, V>(key: K, value: Option<V>) -> Result<V, Fault>
where
    K: Hash + Eq + Clone + Debug + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    value.ok_or(Fault::Down)
}

#[tokio::test(start_paused = true)]
async fn a_generic_function_keeps_its_types_apart() {
    generic(1u8, Some("text")).await.unwrap();
    generic(1u16, Some(16)).await.unwrap();
    assert_eq!(generic::<u8, &str>(1, None).await, Ok("text"));
    assert_eq!(generic::<u16, i32>(1, None).await, Ok(16));
    assert_eq!(generic::<u8, i32>(1, None).await, Err(Fault::Down));
}

#[stale_if_error("1h", key = id, capacity = 100)]
async fn bounded(id: u32, value: Option<u32>) -> Answer {
    answer(value).await
}

#[tokio::test(start_paused = true)]
async fn the_number_of_keys_is_bounded() {
    for id in 0..100_000 {
        bounded(id, Some(id)).await.unwrap();
    }
    let mut served = 0;
    for id in 0..100_000 {
        match bounded(id, None).await {
            Ok(value) => {
                assert_eq!(value, id);
                served += 1;
            }
            Err(error) => assert_eq!(error, Fault::Down),
        }
    }
    // The cache tidies up in batches.
    assert!((1..=1000).contains(&served), "{served} of 100 keys");
}

/// What the caller does last is what is remembered last, whatever ran at once.
#[tokio::test(start_paused = true)]
async fn calls_at_once_do_not_mix_their_keys() {
    #[stale_if_error("1h", key = id)]
    async fn slow(id: u64, body: &Script) -> Answer {
        body.run().await
    }
    let bodies: Vec<_> =
        (0..50).map(|id| Script::new([Step::Ok.after(ms(50 - id)), Step::Err(Fault::Down).after(ms(id))])).collect();
    let calls = || bodies.iter().enumerate().map(|(id, body)| slow(id as u64, body));
    assert!(futures::future::join_all(calls()).await.iter().all(|answer| *answer == Ok(1)));
    assert!(futures::future::join_all(calls()).await.iter().all(|answer| *answer == Ok(1)));
    assert_eq!(slow(51, &Script::down()).await, Err(Fault::Down));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn threads_at_once_see_only_their_own_keys() {
    #[stale_if_error("1h", key = id)]
    async fn shared(id: u32, value: Option<u32>) -> Answer {
        answer(value).await
    }
    let mut tasks = Vec::new();
    for task in 0..16u32 {
        tasks.push(tokio::spawn(async move {
            for round in 0..500 {
                assert_eq!(shared(task, Some(task * 1000 + round)).await, Ok(task * 1000 + round));
                assert_eq!(shared(task, None).await, Ok(task * 1000 + round));
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_does_not_forget() {
    #[stale_if_error("1h")]
    async fn call(body: &Script) -> Answer {
        body.run().await
    }
    let body = once();
    for _ in 0..10 {
        assert_eq!(call(&body).await, Ok(1));
    }
    assert_eq!(body.entered(), 10, "each call asked the body first");
}
