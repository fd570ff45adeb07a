//! `..` in the list: where the attributes of a method stand.

use async_trait::async_trait;
use resilience::{Bulkhead, CircuitBreaker, ErrorKind, resilient, retry, timeout};
use resilience_tests::{Answer, Fault, Script, Step, ms, now, secs};

struct Orders;

#[resilient(timeout("5s"), .., circuit_breaker("rest.{type}.{method}"), bulkhead("rest.{type}"))]
impl Orders {
    /// Three calls of the breaker, and five seconds for all of them.
    #[retry(max_attempts = 3, base_delay = 0ms)]
    async fn read(&self, body: &Script) -> Answer {
        body.run().await
    }

    /// A list goes there too, and what is below it.
    #[resilient(retry(max_attempts = 3, base_delay = "1s", jitter = "none"))]
    #[timeout("1s")]
    async fn listed(&self, body: &Script) -> Answer {
        body.run().await
    }

    /// `..` stands for nothing.
    async fn write(&mut self, body: &Script) -> Answer {
        body.run().await
    }

    #[resilient(skip)]
    #[retry(max_attempts = 2, base_delay = 0ms)]
    async fn left_out(&self, body: &Script) -> Answer {
        body.run().await
    }

    #[cfg_attr(all(), retry(max_attempts = 2, base_delay = 0ms))]
    #[doc = "Documented."]
    async fn configured(&self, body: &Script) -> Answer {
        body.run().await
    }

    #[cfg_attr(any(), retry)]
    #[cfg_attr(all(), timeout("1s"))]
    #[retry(max_attempts = 2, base_delay = "1s", jitter = "none")]
    async fn configured_and_not(&self, body: &Script) -> Answer {
        body.run().await
    }

    /// What another macro stands above is not ours to take in.
    #[cfg_attr(any(), retry)]
    #[tracing::instrument(skip_all)]
    #[cfg_attr(all(), doc = "Documented.")]
    #[retry(max_attempts = 2, base_delay = 0ms)]
    async fn instrumented(&self, body: &Script) -> Answer {
        body.run().await
    }
}

fn failures(breaker: &str) -> u32 {
    CircuitBreaker::get(breaker).unwrap().snapshot().failures
}

#[tokio::test(start_paused = true)]
async fn a_methods_own_retry_is_above_the_shared_breaker_and_below_the_timeout() {
    let body = Script::down();
    assert_eq!(Orders.read(&body).await, Err(Fault::Down));
    assert_eq!((body.entered(), failures("rest.Orders.read")), (3, 3), "each attempt is a call of the breaker");
    let before = now();
    assert_eq!(Orders.read(&Script::hang()).await.unwrap_err().kind(), Some(ErrorKind::TimedOut));
    assert_eq!(now() - before, secs(5), "all attempts have the time of one");
}

#[tokio::test(start_paused = true)]
async fn so_does_a_methods_own_list() {
    let body = Script::new([Step::Hang, Step::Err(Fault::Down), Step::Ok]);
    assert_eq!(Orders.listed(&body).await, Ok(3));
    assert_eq!(body.probe().starts(), [ms(0), secs(2), secs(4)], "its timeout is for each attempt");
    assert_eq!(failures("rest.Orders.listed"), 2, "the breaker is below the timeout, and hears of its end");
}

#[tokio::test(start_paused = true)]
async fn without_attributes_of_its_own_a_method_has_the_list() {
    let body = Script::down();
    assert_eq!(Orders.write(&body).await, Err(Fault::Down));
    assert_eq!((body.entered(), failures("rest.Orders.write")), (1, 1));
    assert!(Bulkhead::get("rest.Orders").is_some());
}

#[tokio::test(start_paused = true)]
async fn a_method_that_is_left_out_has_its_own() {
    let body = Script::down();
    assert_eq!(Orders.left_out(&body).await, Err(Fault::Down));
    assert_eq!(body.entered(), 2);
    assert!(CircuitBreaker::get("rest.Orders.left_out").is_none());
}

#[tokio::test(start_paused = true)]
async fn attributes_of_one_configuration_stand_there() {
    let body = Script::down();
    assert_eq!(Orders.configured(&body).await, Err(Fault::Down));
    assert_eq!((body.entered(), failures("rest.Orders.configured")), (2, 2));
    let body = Script::down();
    assert_eq!(Orders.configured_and_not(&body).await, Err(Fault::Down));
    assert_eq!(body.entered(), 1, "a pause of a second does not fit into the timeout above");
    assert_eq!(failures("rest.Orders.configured_and_not"), 1);
    let body = Script::down();
    assert_eq!(Orders.instrumented(&body).await, Err(Fault::Down));
    assert_eq!((body.entered(), failures("rest.Orders.instrumented")), (2, 2));
}

/// First in the list, and with the keys of the whole stack.
struct First;

#[resilient(.., timeout("1s"), bulkhead("rest.{type}"), order = "as_written", crate = ::resilience,)]
impl First {
    /// The order is as written: what is hidden from the retry is not tried again.
    #[retry(max_attempts = 3, base_delay = 0ms)]
    #[resilience::fallback(value = 0)]
    async fn hidden(&self, body: &Script) -> Answer {
        body.run().await
    }

    #[retry(max_attempts = 2, base_delay = "1s", jitter = "none", crate = ::resilience)]
    async fn read(&self, body: &Script) -> Answer {
        body.run().await
    }
}

/// Last in the list, which is where they stand anyway.
struct Last;

#[resilient(retry(max_attempts = 2, base_delay = "1s", jitter = "none"), ..,)]
impl Last {
    #[timeout("1s")]
    async fn read(&self, body: &Script) -> Answer {
        body.run().await
    }
}

#[tokio::test(start_paused = true)]
async fn at_either_end_of_the_list() {
    let body = Script::down();
    assert_eq!(First.hidden(&body).await, Ok(0));
    assert_eq!(body.entered(), 1);
    let first = Script::hang();
    assert_eq!(First.read(&first).await.unwrap_err().kind(), Some(ErrorKind::TimedOut));
    assert_eq!(first.probe().starts(), [ms(0), secs(2)], "each attempt is cut");
    let last = Script::hang();
    assert_eq!(Last.read(&last).await.unwrap_err().kind(), Some(ErrorKind::TimedOut));
    assert_eq!(last.probe().starts(), [ms(0), secs(2)], "each attempt is cut");
}

#[async_trait]
trait Store: Send + Sync {
    async fn get(&self, key: String) -> Answer;
    async fn put(&mut self, tags: Vec<u8>) -> Answer;
}

struct Above(Script);
struct Below(Script);

#[resilient(.., circuit_breaker("rest.{type}.{method}"))]
#[async_trait]
impl Store for Above {
    #[retry(max_attempts = self.0.entered() + 3, base_delay = 0ms)]
    async fn get(&self, key: String) -> Answer {
        drop(key);
        self.0.run().await
    }

    async fn put(&mut self, mut tags: Vec<u8>) -> Answer {
        tags.push(1);
        self.0.run().await
    }
}

#[async_trait]
#[resilient(.., circuit_breaker("rest.{type}.{method}"))]
impl Store for Below {
    #[retry(max_attempts = self.0.entered() + 3, base_delay = 0ms)]
    async fn get(&self, key: String) -> Answer {
        drop(key);
        self.0.run().await
    }

    async fn put(&mut self, mut tags: Vec<u8>) -> Answer {
        tags.push(1);
        self.0.run().await
    }
}

#[tokio::test(start_paused = true)]
async fn with_async_trait() {
    let stores: [(Box<dyn Store>, &str); 2] =
        [(Box::new(Above(Script::down())), "Above"), (Box::new(Below(Script::down())), "Below")];
    for (mut store, name) in stores {
        assert_eq!(store.get("key".to_owned()).await, Err(Fault::Down));
        assert_eq!(store.put(vec![7]).await, Err(Fault::Down));
        assert_eq!((failures(&format!("rest.{name}.get")), failures(&format!("rest.{name}.put"))), (3, 1));
    }
}

/// The list under another name.
mod renamed {
    use resilience::resilient as guard;
    use resilience_tests::{Answer, Script};

    pub(super) struct Renamed;

    #[guard(.., circuit_breaker("rest.{type}.{method}"))]
    impl Renamed {
        #[resilience::retry(max_attempts = 3, base_delay = 0ms)]
        pub(super) async fn read(&self, body: &Script) -> Answer {
            body.run().await
        }

        #[guard(skip)]
        #[resilience::retry(max_attempts = 2, base_delay = 0ms)]
        pub(super) async fn left_out(&self, body: &Script) -> Answer {
            body.run().await
        }
    }
}

#[tokio::test(start_paused = true)]
async fn under_another_name() {
    let (read, left_out) = (Script::down(), Script::down());
    assert_eq!(renamed::Renamed.read(&read).await, Err(Fault::Down));
    assert_eq!(renamed::Renamed.left_out(&left_out).await, Err(Fault::Down));
    assert_eq!((read.entered(), left_out.entered(), failures("rest.Renamed.read")), (3, 2, 3));
    assert!(CircuitBreaker::get("rest.Renamed.left_out").is_none());
}
