//! `#[stale_if_error]` on functions and methods.

use std::time::Duration;

use resilience::{ErrorKind, Event, circuit_breaker, fallback, retry, stale_if_error, timeout};
use resilience_tests::{Answer, EventLog, Fault, Script, Step, ms, secs};

async fn pass(time: Duration) {
    tokio::time::advance(time).await;
}

#[stale_if_error("10s", name = "stale-site")]
async fn one_value(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn the_last_good_value_is_served_while_it_is_young() {
    let log = EventLog::of(["stale-site"]);
    let body = Script::new([Step::Err(Fault::Down), Step::Ok, Step::Err(Fault::Down)]);
    assert_eq!(one_value(&body).await, Err(Fault::Down), "nothing is remembered yet");
    assert_eq!(one_value(&body).await, Ok(2));
    log.assert_finished();
    pass(ms(9_999)).await;
    assert_eq!(one_value(&body).await, Ok(2));
    let served = log.expect(["stale.served"]);
    assert!(
        matches!(&served[0], Event::StaleServed { age, error, refusal: None, .. } if *age == ms(9_999) && error == "down")
    );
    pass(ms(1)).await;
    assert_eq!(one_value(&body).await, Err(Fault::Down), "too old");
    log.assert_finished();
}

struct Prices {
    factor: u32,
}

impl Prices {
    #[stale_if_error("10s", key = (region, sku, &self.factor), capacity = 100)]
    async fn get(&self, region: &str, sku: u32, body: &Script) -> Answer {
        let _ = (region, sku);
        body.run().await.map(|run| run * self.factor)
    }
}

#[tokio::test(start_paused = true)]
async fn values_are_remembered_by_key() {
    let (one, ten) = (Prices { factor: 1 }, Prices { factor: 10 });
    let body = Script::new([Step::Ok, Step::Ok, Step::Ok, Step::Err(Fault::Down)]);
    assert_eq!(one.get("eu", 1, &body).await, Ok(1));
    assert_eq!(ten.get("eu", 1, &body).await, Ok(20));
    assert_eq!(one.get("us", 1, &body).await, Ok(3));
    let region = String::from("eu");
    assert_eq!(one.get(&region, 1, &body).await, Ok(1));
    assert_eq!(ten.get(&region, 1, &body).await, Ok(20));
    assert_eq!(one.get("us", 1, &body).await, Ok(3));
    assert_eq!(one.get("us", 2, &body).await, Err(Fault::Down));
}

#[stale_if_error("10s", key = key)]
async fn changed_in_the_body(mut key: String, body: &Script) -> Answer {
    key.push('!');
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn the_key_is_evaluated_before_the_body() {
    let body = Script::new([Step::Ok, Step::Err(Fault::Down)]);
    assert_eq!(changed_in_the_body("a".to_owned(), &body).await, Ok(1));
    assert_eq!(changed_in_the_body("a".to_owned(), &body).await, Ok(1));
    assert_eq!(changed_in_the_body("a!".to_owned(), &body).await, Err(Fault::Down));
}

#[stale_if_error("10s", when = |error| *error == Fault::NotFound)]
async fn narrowed(body: &Script) -> Answer {
    body.run().await
}

#[stale_if_error("10s")]
async fn by_class(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn when_decides_else_the_class() {
    let body = || Script::new([Step::Ok, Step::Err(Fault::NotFound), Step::Err(Fault::Down)]);
    let (first, second) = (body(), body());
    assert_eq!((narrowed(&first).await, narrowed(&first).await), (Ok(1), Ok(1)));
    assert_eq!(narrowed(&first).await, Err(Fault::Down));
    assert_eq!((by_class(&second).await, by_class(&second).await), (Ok(1), Err(Fault::NotFound)));
    assert_eq!(by_class(&second).await, Ok(1));
}

#[fallback(value = 0)]
#[stale_if_error(patience)]
#[circuit_breaker("stale-breaker", consecutive_failures = 1, cooldown = "1h")]
#[timeout("50ms")]
async fn whole(patience: Duration, body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn an_open_circuit_serves_the_last_good_answer() {
    let body = Script::new([Step::Ok, Step::Hang]);
    assert_eq!(whole(secs(10), &body).await, Ok(1));
    assert_eq!(whole(secs(10), &body).await, Ok(1), "timed out");
    assert_eq!(whole(secs(10), &body).await, Ok(1), "refused");
    assert_eq!(body.entered(), 2);
    assert_eq!(whole(ms(1), &body).await, Ok(0), "this caller wants it younger");
}

#[stale_if_error("10s")]
#[retry(max_attempts = 2, base_delay = 0ms)]
#[timeout("50ms")]
async fn cancelled(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_changes_nothing() {
    let body = Script::new([Step::Ok, Step::Ok.after(ms(40)), Step::Hang]);
    assert_eq!(cancelled(&body).await, Ok(1));
    assert!(tokio::time::timeout(ms(10), cancelled(&body)).await.is_err());
    assert_eq!(cancelled(&body).await, Ok(1), "both attempts time out");
    pass(secs(10)).await;
    assert_eq!(cancelled(&body).await.unwrap_err().kind(), Some(ErrorKind::TimedOut));
}

#[stale_if_error("10s", key = key, capacity = 1000)]
async fn many(key: u32, body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn new_keys_are_remembered_however_many_were_before() {
    let (ok, down) = (Script::ok(), Script::down());
    for key in 0..2000 {
        many(key, &ok).await.unwrap();
    }
    pass(secs(3600)).await;
    for key in 10_000..10_500 {
        many(key, &ok).await.unwrap();
    }
    for key in 10_000..10_500 {
        assert!(many(key, &down).await.is_ok(), "{key}");
    }
}

struct Of<T>(std::marker::PhantomData<T>, u32);

impl<T: Send + Sync> Of<T> {
    #[stale_if_error("10s")]
    async fn number(&self, body: &Script) -> Answer {
        body.run().await.map(|_| self.1)
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_remembered_is_the_instantiations_own() {
    let (ok, down) = (Script::ok(), Script::down());
    assert_eq!(Of::<u8>(std::marker::PhantomData, 8).number(&ok).await, Ok(8));
    assert_eq!(Of::<u16>(std::marker::PhantomData, 16).number(&down).await, Err(Fault::Down));
    assert_eq!(Of::<u8>(std::marker::PhantomData, 9).number(&down).await, Ok(8));
}
