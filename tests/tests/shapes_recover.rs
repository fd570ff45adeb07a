//! Every shape of function compiles under the attributes that recover and under lists, stays `Send`, and sees its
//! arguments as passed, also those that the body has consumed.
#![deny(warnings)]
#![allow(clippy::all, reason = "odd shapes are the subject; tests/lints.rs has clippy's part")]

use std::fmt::Debug;
use std::hash::Hash;
use std::io::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use resilience::{
    Classify, bulkhead, circuit_breaker, fallback, rate_limit, resilient, retry, stale_if_error, timeout,
};

/// `tokio::spawn` wants what production code wants: `Send + 'static`.
async fn spawned<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> T {
    tokio::spawn(future).await.expect("the task ends")
}

fn down<T>() -> Result<T> {
    Err(Error::other("down"))
}

mod receivers {
    use super::*;

    #[derive(Default)]
    struct Client {
        calls: u32,
    }

    impl Client {
        #[fallback(|_| self.offline(key).await)]
        #[retry(base_delay = 0ms)]
        #[circuit_breaker("recover-receivers", min_calls = 50)]
        #[timeout("3s")]
        async fn shared(&self, key: &str) -> Result<String> {
            tokio::task::yield_now().await;
            down::<()>()?;
            Ok(key.to_owned())
        }

        async fn offline(&self, key: &str) -> Result<String> {
            tokio::task::yield_now().await;
            Ok(format!("{key}{}", self.calls))
        }

        #[fallback(|_| {
            self.calls += 10;
            Ok(self.calls)
        })]
        #[retry(base_delay = 0ms, max_attempts = 2)]
        #[timeout("1s")]
        async fn unique(&mut self) -> Result<u32> {
            self.calls += 1;
            tokio::task::yield_now().await;
            down()
        }

        #[timeout("9s")]
        #[fallback(|_| Ok(self.calls + more.len() as u32))]
        #[bulkhead]
        #[timeout("1s")]
        async fn in_a_block(&mut self, more: String) -> Result<u32> {
            self.calls += 1;
            drop(more);
            tokio::task::yield_now().await;
            down()
        }

        #[fallback(Self::handler)]
        #[retry(base_delay = 0ms)]
        async fn consumed(mut self) -> Result<u32> {
            self.calls += 1;
            down()
        }

        async fn handler(_: Error) -> Result<u32> {
            Ok(7)
        }

        #[fallback(|_| Ok(self.calls))]
        #[stale_if_error("1m")]
        async fn arc(self: Arc<Self>) -> Result<u32> {
            down()
        }

        #[stale_if_error("1m", key = (self.calls, key), when = |_| self.calls < 5)]
        #[timeout("1s")]
        async fn remembered(&mut self, key: &str, fails: bool) -> Result<usize> {
            if fails { down() } else { Ok(key.len()) }
        }

        #[rate_limit(limit = 100, permits = tags.len() as u32)]
        #[timeout("1s")]
        async fn limited(&self, tags: Vec<String>) -> Result<Vec<String>> {
            Ok(tags)
        }

        #[resilient(fallback(value = self.calls), retry(base_delay = 0ms), timeout("1s"))]
        async fn listed(&self) -> Result<u32> {
            down()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn every_receiver() {
        let new = Client::default;
        assert_eq!(spawned(async move { new().shared("x").await.unwrap() }).await, "x0");
        assert_eq!(spawned(async move { new().unique().await.unwrap() }).await, 12);
        assert_eq!(spawned(async move { new().in_a_block("abc".into()).await.unwrap() }).await, 4);
        assert_eq!(spawned(async move { new().consumed().await.unwrap() }).await, 7);
        assert_eq!(spawned(Arc::new(new()).arc()).await.unwrap(), 0);
        assert_eq!(spawned(async move { new().remembered("abc", false).await.unwrap() }).await, 3);
        assert_eq!(spawned(async move { new().remembered("abc", true).await.unwrap() }).await, 3);
        assert_eq!(spawned(async move { new().limited(vec!["x".into()]).await.unwrap() }).await, ["x"]);
        assert_eq!(spawned(async move { new().listed().await.unwrap() }).await, 0);
    }
}

mod arguments {
    use super::*;

    /// `Clone`, but no `Copy`; `Send`, but no `Sync`.
    #[derive(Clone, Default)]
    struct Tags(Vec<&'static str>, std::marker::PhantomData<std::cell::Cell<u32>>);

    struct Pair {
        left: Tags,
        right: u32,
    }

    fn tags(n: usize) -> Tags {
        Tags(vec!["t"; n], std::marker::PhantomData)
    }

    #[fallback(|error| {
        tags.0.push("fallback");
        drop(error);
        Ok((tags, other))
    })]
    #[retry(base_delay = 0ms)]
    #[timeout("1s")]
    async fn as_passed(mut tags: Tags, other: Tags) -> Result<(Tags, Tags)> {
        tags.0.push("body");
        tokio::task::yield_now().await;
        drop((tags, other));
        down()
    }

    #[fallback(|_| Ok(tags.0.len()))]
    async fn not_changed(mut tags: Tags) -> Result<usize> {
        tags.0.push("body");
        down()
    }

    #[fallback(|_| Ok(a.0.len() + b.0.len() + left.0.len() + renamed as usize + u.len() + named_by_fallback_only.0.len()))]
    #[circuit_breaker(when = |_| !b.0.is_empty())]
    #[timeout("1s")]
    async fn patterns(
        (a, mut b): (Tags, Tags),
        Pair { left, right: renamed }: Pair,
        (u, v): &mut (Vec<u8>, Vec<u8>),
        named_by_fallback_only: Tags,
    ) -> Result<usize> {
        b.0.push("b");
        u.push(1);
        v.push(1);
        tokio::task::yield_now().await;
        drop((a, b, left));
        down()
    }

    #[fallback(|_| Ok(job() + 1))]
    #[timeout("1s")]
    async fn send_but_not_sync(job: Box<dyn Fn() -> u32 + Send>, consumed: Box<dyn Fn() -> u32 + Send>) -> Result<u32> {
        tokio::task::yield_now().await;
        down::<u32>().map(|_| consumed())
    }

    #[fallback(|_| handler(0).await)]
    async fn impl_arguments(
        handler: impl AsyncFnOnce(u32) -> Result<String>,
        text: impl Into<String>,
    ) -> Result<String> {
        let text = text.into();
        down::<()>().map(|()| text)
    }

    #[fallback(handler)]
    async fn path_of_an_argument<H: AsyncFnOnce(Error) -> Result<u32>>(handler: H) -> Result<u32> {
        down()
    }

    #[resilient(
        retry(max_attempts = 2, base_delay = 0ms),
        fallback(|_| Ok(tags)),
        bulkhead,
        timeout("1s"),
        order = "as_written"
    )]
    async fn below_a_retry(tags: Tags) -> Result<Tags> {
        tokio::task::yield_now().await;
        drop(tags);
        down()
    }

    #[fallback(|_| Ok(__ret + __error + &__out + error))]
    async fn named_like_ours(__ret: String, __error: &str, __out: String, error: &str) -> Result<String> {
        drop(__out);
        down()
    }

    #[fallback(|_| Ok(here.0.len()))]
    #[stale_if_error("1m", key = here.0.len())]
    #[retry(base_delay = 0ms)]
    async fn configured(#[cfg(all())] here: Tags, #[cfg(any())] gone: Missing) -> Result<usize> {
        #[cfg(any())]
        drop(gone);
        drop(here);
        down()
    }

    #[tokio::test(start_paused = true)]
    async fn arguments_as_passed() {
        let (one, other) = spawned(as_passed(tags(1), tags(2))).await.unwrap();
        assert_eq!((one.0, other.0.len()), (vec!["t", "fallback"], 2));
        assert_eq!(spawned(not_changed(tags(1))).await.unwrap(), 1);
        let mut vectors = (vec![], vec![]);
        let pair = Pair { left: tags(1), right: 10 };
        assert_eq!(patterns((tags(1), tags(1)), pair, &mut vectors, tags(1)).await.unwrap(), 15);
        assert_eq!(spawned(send_but_not_sync(Box::new(|| 1), Box::new(|| 1))).await.unwrap(), 2);
        assert_eq!(impl_arguments(async |n| Ok(n.to_string()), "x").await.unwrap(), "0");
        assert_eq!(path_of_an_argument(async |_| Ok(3)).await.unwrap(), 3);
        assert_eq!(spawned(below_a_retry(tags(1))).await.unwrap().0.len(), 1);
        assert_eq!(named_like_ours("a".into(), "b", "c".into(), "d").await.unwrap(), "abcd");
        assert_eq!(spawned(configured(tags(2))).await.unwrap(), 2);
    }
}

mod closures {
    use super::*;

    #[derive(Debug)]
    struct Coded {
        code: u32,
        #[allow(dead_code)]
        more: u8,
    }

    impl From<resilience::Error> for Coded {
        fn from(_: resilience::Error) -> Self {
            Self { code: 1, more: 0 }
        }
    }

    type Answer = std::result::Result<u32, Coded>;

    #[fallback(|Coded { code, .. }| Ok(code))]
    async fn pattern() -> Answer {
        Err(Coded { code: 5, more: 0 })
    }

    #[fallback(|error: Coded| -> Answer { Ok(error.code) })]
    async fn typed() -> Answer {
        Err(Coded { code: 6, more: 0 })
    }

    #[fallback(|mut error| {
        error.code += 1;
        if error.code == 8 {
            return Ok(8);
        }
        Err(error)?;
        Ok(0)
    })]
    async fn returns(code: u32) -> Answer {
        Err(Coded { code, more: 0 })
    }

    #[fallback(move |_| ["1"].iter().map(|text| text.parse().map_err(Error::other)).collect())]
    async fn inferred() -> Result<Vec<u32>> {
        down()
    }

    #[fallback(|_| Ok(Box::new(|| 2)))]
    async fn unsized_coercion() -> Result<Box<dyn Fn() -> u32 + Send>> {
        down()
    }

    #[fallback(|error| Err(error))]
    #[timeout("1s")]
    async fn opaque(fails: bool) -> Result<impl Debug> {
        if fails { down() } else { Ok(1_u8) }
    }

    #[fallback(value = text.parse::<u32>().map_err(Error::other)?)]
    async fn question_mark_in_a_value(text: &str) -> Result<u32> {
        down()
    }

    #[fallback(|error| panic!("{error}"))]
    async fn panics() -> Result<u32> {
        down()
    }

    async fn generic<T: Default>(_: Error) -> Result<T> {
        Ok(T::default())
    }

    #[fallback(generic::<T>)]
    async fn turbofish<T: Default>() -> Result<T> {
        down()
    }

    macro_rules! wrapped {
        ($text:ident, $with:expr, $value:expr, $key:expr) => {
            #[fallback($with)]
            #[stale_if_error("1m", key = $key)]
            async fn in_a_macro($text: &str) -> Result<u32> {
                down::<()>().map(|()| $text.len() as u32)
            }

            #[fallback(value = $value)]
            async fn value_in_a_macro() -> Result<u32> {
                down()
            }
        };
    }

    wrapped!(text, |_| Ok(4), 5, (text, 1));

    #[tokio::test]
    async fn every_closure() {
        assert_eq!(pattern().await.unwrap(), 5);
        assert_eq!(typed().await.unwrap(), 6);
        assert_eq!(returns(7).await.unwrap(), 8);
        assert_eq!(returns(8).await.unwrap_err().code, 9);
        assert_eq!(inferred().await.unwrap(), [1]);
        assert_eq!(unsized_coercion().await.unwrap()(), 2);
        assert!(opaque(true).await.is_err());
        assert!(opaque(false).await.is_ok());
        assert_eq!(question_mark_in_a_value("3").await.unwrap(), 3);
        assert!(question_mark_in_a_value("x").await.is_err());
        assert!(tokio::spawn(panics()).await.unwrap_err().is_panic());
        assert_eq!(turbofish::<u8>().await.unwrap(), 0);
        assert_eq!((in_a_macro("x").await.unwrap(), value_in_a_macro().await.unwrap()), (4, 5));
    }
}

mod keys {
    use super::*;

    #[derive(Clone, PartialEq, Eq, Hash)]
    enum Region {
        North,
    }

    struct Cache<T> {
        item: T,
    }

    impl<T: Clone + Send + Sync + Hash + Eq + 'static> Cache<T> {
        #[stale_if_error("1m", key = (&self.item, key, (region, number), text, &*text, slice, [1_u8]), capacity = CAPACITY)]
        #[retry(base_delay = 0ms)]
        #[timeout("1s")]
        async fn get<K: Hash + Eq + Clone + Send + Sync + 'static>(
            &self,
            key: &K,
            region: Region,
            number: &u32,
            text: &str,
            slice: &[u8],
            fails: bool,
        ) -> Result<Arc<T>> {
            let _ = (key, region, number, text, slice);
            tokio::task::yield_now().await;
            if fails { down() } else { Ok(Arc::new(self.item.clone())) }
        }
    }

    const CAPACITY: u32 = 100;

    #[stale_if_error(limit)]
    async fn no_key(limit: std::time::Duration, fails: bool) -> Result<u32> {
        if fails { down() } else { Ok(1) }
    }

    #[stale_if_error("1m", key = format!("{text}-{}", tags.len()))]
    async fn computed(text: &str, tags: Vec<u8>, fails: bool) -> Result<Vec<u8>> {
        if fails { down() } else { Ok(text.bytes().chain(tags).collect()) }
    }

    #[tokio::test]
    async fn every_key() {
        for fails in [false, true] {
            let cache = Cache { item: 7 };
            let got = spawned(async move { cache.get(&"k", Region::North, &1, "x", &[1], fails).await.unwrap() });
            assert_eq!(*got.await, 7);
            assert_eq!(spawned(no_key(std::time::Duration::from_secs(9), fails)).await.unwrap(), 1);
            assert_eq!(spawned(computed("x", vec![1], fails)).await.unwrap(), [120, 1]);
        }
    }
}

mod generics {
    use super::*;

    trait Service {
        fn call(&self, name: &str) -> impl Future<Output = Result<String>> + Send;
    }

    impl Service for u32 {
        #[fallback(|_| Ok(format!("{name}{self}")))]
        #[stale_if_error("1m", key = name)]
        #[rate_limit("recover-service", limit = 100)]
        #[timeout("1s")]
        async fn call(&self, name: &str) -> Result<String> {
            let _ = name;
            down()
        }
    }

    trait WithDefault {
        #[resilient(fallback(|_| Ok(size_of_val(self))), retry(base_delay = 0ms))]
        async fn call(&self) -> Result<usize> {
            down()
        }
    }

    impl WithDefault for u64 {}

    #[fallback(|_| Ok(fallback.clone()))]
    #[retry(base_delay = 0ms)]
    async fn generic<T, const N: usize>(items: [T; N], fallback: &T) -> Result<T>
    where
        T: Clone + Send + Sync,
    {
        let _ = items;
        down()
    }

    #[resilient(fallback(|_| Ok(0)), bulkhead)]
    async fn recursive(n: u32) -> Result<u32> {
        if n == 0 { down() } else { Ok(n + Box::pin(recursive(n - 1)).await?) }
    }

    #[tokio::test(start_paused = true)]
    async fn generic_functions() {
        assert_eq!(spawned(async { Service::call(&3_u32, "x").await.unwrap() }).await, "x3");
        assert_eq!(WithDefault::call(&1_u64).await.unwrap(), 8);
        assert_eq!(spawned(async { generic(["a"], &"b").await.unwrap() }).await, "b");
        assert_eq!(spawned(recursive(3)).await.unwrap(), 6);
    }
}

mod derives {
    use super::*;
    use resilience::Class;
    use std::time::Duration;

    #[derive(Classify)]
    enum Generic<'a, T: Debug, const N: usize>
    where
        T: Clone,
    {
        #[classify(transparent)]
        Inner(T),
        #[classify(transparent)]
        Boxed { source: Box<T> },
        #[permanent]
        #[allow(dead_code)]
        Borrowed(&'a str, [u8; N]),
    }

    #[derive(Classify)]
    enum Never {}

    #[derive(Classify)]
    #[allow(non_camel_case_types)]
    enum Raw {
        #[overloaded(retry_after = r#type)]
        r#struct { r#type: Option<Duration> },
    }

    #[derive(Debug, Clone, Classify)]
    #[caller]
    struct Marked;

    #[derive(Classify)]
    #[classify(crate = ::resilience)]
    #[classify(transparent)]
    struct Transparent(Marked);

    #[test]
    fn every_derive() {
        assert_eq!(Generic::<Marked, 0>::Inner(Marked).classify(), Class::Caller);
        let boxed: Generic<'_, Marked, 0> = Generic::Boxed { source: Box::new(Marked) };
        assert_eq!(boxed.classify(), Class::Caller);
        assert_eq!(Generic::<Marked, 1>::Borrowed("", [0]).classify(), Class::Permanent);
        assert_eq!(Transparent(Marked).classify(), Class::Caller);
        let raw = Raw::r#struct { r#type: None };
        assert_eq!(raw.classify(), Class::Overloaded { retry_after: None });
        let never: Option<Never> = None;
        assert!(never.is_none_or(|never| never.is_failure()));
    }
}

mod cost {
    use super::*;

    struct Counted<'a>(&'a AtomicU32);

    impl Clone for Counted<'_> {
        fn clone(&self) -> Self {
            self.0.fetch_add(1, Ordering::SeqCst);
            Self(self.0)
        }
    }

    #[fallback(|_| Ok(named.0.load(Ordering::SeqCst)))]
    #[timeout("2s")]
    #[bulkhead]
    #[timeout("1s")]
    async fn consumed(named: Counted<'_>, other: Counted<'_>) -> Result<u32> {
        drop((named, other));
        down()
    }

    #[tokio::test]
    async fn only_what_both_take_is_cloned_once() {
        let clones = AtomicU32::new(0);
        assert_eq!(consumed(Counted(&clones), Counted(&clones)).await.unwrap(), 1);
    }

    const BODY: usize = 8 * 1024;

    #[fallback(value = 0)]
    #[stale_if_error("1m")]
    #[retry]
    #[rate_limit(limit = 1)]
    #[timeout("1s")]
    async fn guarded() -> Result<usize> {
        let buffer = [1_u8; BODY];
        tokio::task::yield_now().await;
        Ok(buffer.len())
    }

    #[test]
    fn layers_do_not_multiply_the_future() {
        let size = size_of_val(&guarded());
        assert!(size < BODY + 1024, "{size} bytes");
    }
}
