//! `#[resilient(…)]` on an `impl` block: every async method gets the list, and nothing else does.
//!
//! The shapes of methods are in `tests/tests/shapes/impl_blocks.rs`; here are names, state, and odd items, and in `rest.rs`
//! where the attributes of a method stand.
#![deny(warnings)]

mod rest;

use std::io::{Error, Result};
use std::sync::atomic::{AtomicU32, Ordering};

use futures::future::BoxFuture;
use resilience::circuit_breaker::State;
use resilience::{Bulkhead, CircuitBreaker, ErrorKind, resilient, retry, timeout};
use resilience_tests::{now, secs};

#[derive(Default)]
struct Orders<T> {
    calls: AtomicU32,
    _item: Vec<T>,
}

impl<T> Orders<T> {
    fn call(&self) -> u32 {
        self.calls.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn third(&self) -> Result<u32> {
        match self.call() {
            n if n % 3 == 0 => Ok(n),
            n => Err(Error::other(format!("call {n}"))),
        }
    }
}

#[resilient(retry(base_delay = 0ms, max_attempts = 3), circuit_breaker("orders.{type}", min_calls = 100), bulkhead("{type}::{method}"))]
impl<T: Send + Sync> Orders<T> {
    const FIRST: u32 = { 1 };

    /// Has a name of its own beside the list's.
    async fn get(&self, id: String) -> Result<String> {
        let taken = id;
        Ok(format!("{taken}{}", self.third()?))
    }

    /// A policy of its own goes inside of the list's.
    #[timeout("1s")]
    async fn slow(&mut self) -> Result<u32> {
        if self.call() == 1 {
            std::future::pending::<()>().await;
        }
        Ok(self.calls.load(Ordering::SeqCst))
    }

    #[resilient(skip)]
    async fn unguarded(&self) -> Result<u32> {
        self.third()
    }

    /// Its own policies only.
    #[resilient(skip)]
    #[retry(base_delay = 0ms, max_attempts = 2)]
    async fn twice(&self) -> Result<u32> {
        self.third()
    }

    #[resilient(skip)]
    async fn nothing_to_fail(&self) -> u32 {
        Self::FIRST
    }

    fn boxed(&self) -> BoxFuture<'_, Result<u32>> {
        Box::pin(async move { self.third() })
    }

    fn plain(&self) -> u32 {
        self.call()
    }

    async fn without_self(calls: &AtomicU32) -> Result<u32> {
        calls.fetch_add(1, Ordering::SeqCst);
        Err(Error::other("always"))
    }

    #[cfg(any())]
    async fn never_built(&self) -> NoSuchType {}
}

#[tokio::test(start_paused = true)]
async fn every_async_method_has_the_list() {
    let orders = Orders::<u8>::default();
    assert_eq!(orders.get("a".to_owned()).await.unwrap(), "a3");
    assert_eq!(orders.boxed().await.unwrap(), 6);
    let calls = AtomicU32::new(0);
    Orders::<u8>::without_self(&calls).await.unwrap_err();
    assert_eq!(calls.load(Ordering::SeqCst), 3);
}

#[tokio::test(start_paused = true)]
async fn a_method_s_own_policies_are_inside() {
    let mut orders = Orders::<u8>::default();
    let before = now();
    assert_eq!(orders.slow().await.unwrap(), 2);
    assert_eq!(now() - before, secs(1), "the first attempt was cut, the second is the answer");
}

#[tokio::test(start_paused = true)]
async fn what_is_left_out_is_left_alone() {
    let orders = Orders::<u8>::default();
    orders.unguarded().await.unwrap_err();
    assert_eq!(orders.calls.load(Ordering::SeqCst), 1);
    assert_eq!(orders.twice().await.unwrap(), 3);
    assert_eq!(orders.plain(), 4);
    assert_eq!(orders.nothing_to_fail().await, 1);
}

#[test]
fn names_are_filled_in() {
    let state = CircuitBreaker::get("orders.Orders").map(|breaker| breaker.state());
    assert_eq!(state, Some(State::Closed));
    for method in ["get", "slow", "boxed", "without_self"] {
        assert!(Bulkhead::get(&format!("Orders::{method}")).is_some(), "{method}");
    }
    for method in ["unguarded", "twice", "plain", "never_built"] {
        assert!(Bulkhead::get(&format!("Orders::{method}")).is_none(), "{method}");
    }
}

trait Store {
    async fn get(&self) -> Result<u32>;
    fn len(&self) -> u32;
}

#[derive(Default)]
struct Native(AtomicU32);

#[resilient(circuit_breaker(consecutive_failures = 2))]
impl Store for Native {
    async fn get(&self) -> Result<u32> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Err(Error::other("down"))
    }

    fn len(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

#[resilient(circuit_breaker(consecutive_failures = 2))]
impl Native {
    async fn other(&self) -> Result<u32> {
        Ok(self.0.load(Ordering::SeqCst))
    }
}

#[tokio::test(start_paused = true)]
async fn a_trait_s_methods_are_guarded_and_unnamed_state_is_per_method() {
    let store = Native::default();
    for _ in 0..4 {
        store.get().await.unwrap_err();
    }
    assert_eq!(store.len(), 2);
    assert_eq!(store.other().await.unwrap(), 2);
    let shown = CircuitBreaker::get("impl_block::Native::get").map(|breaker| breaker.state());
    assert_eq!(shown, Some(State::Open));
}

#[derive(Debug)]
struct Refused(resilience::Error);

impl From<resilience::Error> for Refused {
    fn from(error: resilience::Error) -> Self {
        Self(error)
    }
}

struct Limited;

#[resilient(bulkhead("limited", max_concurrent = 1, max_wait = 0ms))]
impl Limited {
    async fn outer(&self) -> std::result::Result<(), Refused> {
        self.inner().await
    }

    async fn inner(&self) -> std::result::Result<(), Refused> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn one_name_is_one_state_for_all_methods() {
    let slot = Bulkhead::get("limited").unwrap().try_acquire().unwrap();
    assert_eq!(Limited.outer().await.unwrap_err().0.kind(), ErrorKind::BulkheadFull);
    assert_eq!(Limited.inner().await.unwrap_err().0.kind(), ErrorKind::BulkheadFull);
    drop(slot);
    Limited.outer().await.expect("the inner call runs in the slot of the outer one");
}

struct Documented;

#[resilient(bulkhead("{type}.{method}"))]
impl Documented {
    #![allow(unused_variables)]
    //! Attributes inside of the block stay there.

    async fn first(&self, unused: u8) -> Result<u32> {
        Ok(1)
    }

    /// The list's, but for this configuration.
    #[cfg_attr(all(), resilient(skip))]
    async fn left_out(&self) -> Result<u32> {
        Ok(2)
    }

    async fn last(&self) -> Result<u32> {
        Ok(3)
    }
}

/// Each attribute may have another name, if it stands alone.
mod under_other_names {
    use super::*;
    use resilience::{resilient as guard, retry as again};

    #[derive(Default)]
    pub(super) struct Renamed(pub(super) AtomicU32);

    #[guard(retry(base_delay = 0ms))]
    impl Renamed {
        pub(super) async fn guarded(&self) -> Result<u32> {
            second(&self.0)
        }

        #[doc = "Documented."]
        #[tracing::instrument(skip(self))]
        #[guard(skip)]
        pub(super) async fn left_out(&self) -> Result<u32> {
            second(&self.0)
        }

        #[guard(skip)]
        #[again(base_delay = 0ms, max_attempts = 2)]
        pub(super) async fn own(&self) -> Result<u32> {
            second(&self.0)
        }

        #[cfg_attr(all(), guard(skip,))]
        pub(super) async fn cannot_fail(&self) -> u32 {
            0
        }
    }
}

fn second(calls: &AtomicU32) -> Result<u32> {
    match calls.fetch_add(1, Ordering::SeqCst) {
        0 => Err(Error::other("first")),
        n => Ok(n + 1),
    }
}

#[tokio::test(start_paused = true)]
async fn methods_are_left_out_under_another_name() {
    use under_other_names::Renamed;

    assert_eq!(Renamed::default().guarded().await.unwrap(), 2);
    assert_eq!(Renamed::default().own().await.unwrap(), 2);
    let renamed = Renamed::default();
    renamed.left_out().await.unwrap_err();
    assert_eq!((renamed.0.into_inner(), Renamed::default().cannot_fail().await), (1, 0));
}

macro_rules! made {
    ($type:ty { $($name:ident -> $output:ty $body:block)* } $($item:item)*) => {
        #[resilient(bulkhead("{type}.{method}"))]
        impl $type {
            $(async fn $name(&self) -> $output $body)*
            $($item)*
        }
    };
}

struct Made;

made! {
    Made { one -> Result<u32> { Ok(1) } two -> Result<u32> { Ok(2) } }
    async fn three(&self) -> Result<u32> {
        Ok(3)
    }
}

#[tokio::test(start_paused = true)]
async fn no_method_is_lost_among_odd_items() {
    for name in ["Documented.first", "Documented.last", "Made.one", "Made.two", "Made.three"] {
        assert!(Bulkhead::get(name).is_some(), "{name}");
    }
    assert!(Bulkhead::get("Documented.left_out").is_none());
    let documented = [Documented.first(0).await.unwrap(), Documented.left_out().await.unwrap()];
    assert_eq!((documented, Documented.last().await.unwrap()), ([1, 2], 3));
    assert_eq!([Made.one().await.unwrap(), Made.two().await.unwrap(), Made.three().await.unwrap()], [1, 2, 3]);
}
