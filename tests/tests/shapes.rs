//! Every shape of function compiles under the attributes, stays `Send`, and sees its arguments as passed.
#![deny(warnings)]
#![allow(clippy::all, reason = "odd shapes are the subject; tests/lints.rs has clippy's part")]

use std::io::{Error, Result};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use resilience::{bulkhead, circuit_breaker, retry, timeout};

type Attempts = AtomicU32;

const NAME: &str = "shapes";

/// Fails until the third attempt.
fn third(attempts: &Attempts) -> Result<u32> {
    match attempts.fetch_add(1, Ordering::SeqCst) + 1 {
        n @ 3.. => Ok(n),
        n => Err(Error::other(format!("attempt {n}"))),
    }
}

/// `tokio::spawn` wants what production code wants: `Send + 'static`.
async fn spawned<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> T {
    tokio::spawn(future).await.expect("the task ends")
}

mod receivers {
    use super::*;
    use std::pin::Pin;

    #[derive(Default)]
    struct Client {
        attempts: Attempts,
        calls: u32,
    }

    impl Client {
        #[retry(base_delay = 0ms)]
        #[circuit_breaker("receivers")]
        #[bulkhead("receivers")]
        #[timeout("3s")]
        async fn shared(&self) -> Result<u32> {
            third(&self.attempts)
        }

        #[retry(base_delay = 0ms)]
        #[timeout("3s")]
        async fn unique(&mut self) -> Result<u32> {
            self.calls += 1;
            tokio::task::yield_now().await;
            third(&self.attempts).map(|_| self.calls)
        }

        #[circuit_breaker]
        #[timeout("3s")]
        async fn consumed(self) -> Result<Self> {
            Ok(self)
        }

        #[retry(base_delay = 0ms)]
        async fn by_value(mut self) -> Result<u32> {
            self.calls += 1;
            third(&self.attempts).map(|_| self.calls)
        }

        #[timeout("3s")]
        #[retry(base_delay = 0ms)]
        #[timeout("1s")]
        async fn arc(self: Arc<Self>) -> Result<u32> {
            third(&self.attempts)
        }

        #[timeout("1s")]
        async fn boxed(self: Box<Self>) -> Result<u32> {
            Ok(self.calls)
        }

        #[retry(base_delay = 0ms)]
        async fn pinned(mut self: Pin<&mut Self>) -> Result<u32> {
            self.as_mut().calls += 1;
            third(&self.attempts)
        }

        #[retry(base_delay = 0ms)]
        async fn longhand(self: &Self) -> Result<u32> {
            third(&self.attempts)
        }

        #[retry(base_delay = 0ms, when = |_| self.calls == 0)]
        #[circuit_breaker(when = |_| self.calls > 0)]
        #[timeout("1s")]
        async fn asked_afterwards(&mut self) -> Result<u32> {
            third(&self.attempts)
        }

        #[circuit_breaker(when = |_| self.calls > 0)]
        #[timeout("1s")]
        #[bulkhead]
        async fn asked_once(&mut self, tag: String) -> Result<String> {
            self.calls += 1;
            Ok(tag)
        }

        #[retry]
        async fn associated(attempts: &Attempts) -> Result<u32> {
            third(attempts)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn every_receiver() {
        let new = Client::default;
        assert_eq!(spawned(async move { new().shared().await.unwrap() }).await, 3);
        assert_eq!(spawned(async move { new().unique().await.unwrap() }).await, 3);
        assert_eq!(spawned(async move { new().consumed().await.unwrap().calls }).await, 0);
        assert_eq!(spawned(async move { new().by_value().await.unwrap() }).await, 3);
        assert_eq!(spawned(Arc::new(new()).arc()).await.unwrap(), 3);
        assert_eq!(spawned(Box::new(new()).boxed()).await.unwrap(), 0);
        assert_eq!(spawned(async move { Box::pin(new()).as_mut().pinned().await.unwrap() }).await, 3);
        assert_eq!(spawned(async move { new().longhand().await.unwrap() }).await, 3);
        assert_eq!(spawned(async move { new().asked_afterwards().await.unwrap() }).await, 3);
        assert_eq!(spawned(async move { new().asked_once("x".into()).await.unwrap() }).await, "x");
        assert_eq!(spawned(async move { Client::associated(&Attempts::new(0)).await.unwrap() }).await, 3);
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

    struct Wrapper(Tags);

    struct Unit;

    #[retry(base_delay = 0ms)]
    #[timeout("1s")]
    async fn as_passed(mut tags: Tags, seen: &Mutex<Vec<usize>>, attempts: &Attempts) -> Result<Tags> {
        tags.0.push("added");
        seen.lock().unwrap().push(tags.0.len());
        tokio::task::yield_now().await;
        third(attempts)?;
        Ok(tags)
    }

    #[retry(base_delay = 0ms)]
    async fn patterns(
        (a, mut b): (Tags, Tags),
        Pair { left, right: renamed }: Pair,
        [first, .., last]: [Tags; 3],
        Wrapper(inner): Wrapper,
        &(x, y): &(u8, u8),
        (s, t): &(Tags, Tags),
        (u, v): &mut (Vec<u8>, Vec<u8>),
        whole @ Wrapper(_): Wrapper,
        mut n: u32,
        ref kept: Tags,
        _: Tags,
        Unit: Unit,
        attempts: &Attempts,
    ) -> Result<usize>
    where
        Wrapper: Clone,
    {
        b.0.push("b");
        n += 1;
        u.push(1);
        v.push(1);
        third(attempts)?;
        let moved = [a, b, left, first, last, inner, whole.0];
        let shared = [s, t, kept];
        Ok(moved.len() + shared.len() + usize::from(x + y) + (renamed + n) as usize + u.len() + v.len())
    }

    impl Clone for Wrapper {
        fn clone(&self) -> Self {
            Self(self.0.clone())
        }
    }

    #[retry(base_delay = 0ms)]
    async fn unique(log: &mut Vec<u32>, mut rest: &[u8], attempts: &Attempts) -> Result<usize> {
        let log = log;
        log.push(1);
        rest = &rest[1..];
        third(attempts)?;
        Ok(log.len() + rest.len())
    }

    #[retry(base_delay = 0ms, borrow(call, job))]
    async fn borrowed(mut call: impl FnMut() -> Result<u32>, job: Box<dyn Fn() -> u32 + Send + Sync>) -> Result<u32> {
        Ok(call()? + job())
    }

    #[timeout("1s")]
    async fn send_but_not_sync(job: Box<dyn Fn() -> u32 + Send>) -> Result<u32> {
        tokio::task::yield_now().await;
        Ok(job())
    }

    #[timeout("2s")]
    #[retry(base_delay = 0ms)]
    #[timeout("1s")]
    #[bulkhead]
    async fn in_every_block(tags: Tags, mut extra: Tags, log: &mut Vec<u32>, attempts: &Attempts) -> Result<usize> {
        extra.0.push("extra");
        log.push(0);
        tokio::task::yield_now().await;
        third(attempts)?;
        Ok(tags.0.len() + extra.0.len() + log.len())
    }

    #[circuit_breaker(when = |_| !tags.0.is_empty())]
    #[timeout("2s")]
    #[bulkhead]
    #[timeout("1s")]
    async fn asked_and_consumed(tags: Tags, other: Tags, mut third: String) -> Result<(Tags, Tags, String)> {
        third.push('!');
        tokio::task::yield_now().await;
        Ok((tags, other, third))
    }

    #[retry]
    async fn unmentioned(guard: Arc<NoClone>, _unused: NoClone) -> Result<()> {
        let _ = guard;
        Ok(())
    }

    struct NoClone;

    #[retry(base_delay = 0ms)]
    async fn in_a_format_string(tags: String, width: usize, attempts: &Attempts) -> Result<String> {
        let shown = format!("{tags:>width$}");
        third(attempts)?;
        Ok(shown)
    }

    #[retry(base_delay = 0ms)]
    async fn impl_argument(text: impl Into<String> + Clone, attempts: &Attempts) -> Result<String> {
        third(attempts)?;
        Ok(text.into())
    }

    #[retry(base_delay = 0ms)]
    #[timeout(limit)]
    async fn raw(r#type: String, limit: std::time::Duration, r#match: &Attempts) -> Result<String> {
        third(r#match)?;
        Ok(format!("{type}{}", r#type))
    }

    #[retry(base_delay = 0ms)]
    #[circuit_breaker]
    #[bulkhead]
    #[timeout("1s")]
    #[allow(clippy::too_many_arguments)]
    async fn named_like_ours(
        __out: String,
        __edge: String,
        __owner: String,
        __error: String,
        __permit: String,
        __attempts: &Attempts,
        __a0: String,
        timeout: String,
        retry: String,
        rt: String,
        core: String,
        resilience: String,
    ) -> Result<String> {
        third(__attempts)?;
        Ok([__out, __edge, __owner, __error, __permit, __a0, timeout, retry, rt, core, resilience].concat())
    }

    #[retry(base_delay = 0ms)]
    async fn configured(
        #[cfg(all())] here: Tags,
        #[cfg(any())] gone: Missing,
        #[cfg(all())] mut changed: Tags,
        attempts: &Attempts,
    ) -> Result<usize> {
        #[cfg(any())]
        drop(gone);
        changed.0.push("x");
        third(attempts)?;
        Ok(here.0.len() + changed.0.len())
    }

    #[timeout("1s")]
    async fn configured_once(#[cfg(all())] here: Tags, #[cfg(any())] gone: Missing) -> Result<usize> {
        #[cfg(any())]
        drop(gone);
        Ok(here.0.len())
    }

    #[tokio::test(start_paused = true)]
    async fn arguments_as_passed() {
        let tags = |n| Tags(vec!["t"; n], std::marker::PhantomData);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = seen.clone();
        let returned = spawned(async move { as_passed(tags(1), &log, &Attempts::new(0)).await.unwrap().0.len() }).await;
        assert_eq!((returned, seen.lock().unwrap().as_slice()), (2, [2, 2, 2].as_slice()));
        let mut vectors = (vec![], vec![]);
        let pair = (tags(0), tags(0));
        let pair = patterns(
            pair.clone(),
            Pair { left: tags(0), right: 10 },
            [tags(0), tags(0), tags(0)],
            Wrapper(tags(0)),
            &(1, 2),
            &pair,
            &mut vectors,
            Wrapper(tags(0)),
            1,
            tags(0),
            tags(0),
            Unit,
            &Attempts::new(0),
        )
        .await;
        assert_eq!(pair.unwrap(), 7 + 3 + 3 + 12 + 6);
        assert_eq!(spawned(async { unique(&mut vec![], &[1, 2], &Attempts::new(0)).await.unwrap() }).await, 4);
        let attempts = Attempts::new(0);
        assert_eq!(spawned(borrowed(move || third(&attempts), Box::new(|| 1))).await.unwrap(), 4);
        assert_eq!(spawned(send_but_not_sync(Box::new(|| 1))).await.unwrap(), 1);
        let sum =
            spawned(async move { in_every_block(tags(1), tags(1), &mut vec![], &Attempts::new(0)).await.unwrap() });
        assert_eq!(sum.await, 6);
        assert_eq!(spawned(asked_and_consumed(tags(0), tags(0), "x".into())).await.unwrap().2, "x!");
        unmentioned(Arc::new(NoClone), NoClone).await.unwrap();
        assert_eq!(in_a_format_string("x".into(), 3, &Attempts::new(0)).await.unwrap(), "  x");
        assert_eq!(impl_argument("x", &Attempts::new(0)).await.unwrap(), "x");
        assert_eq!(raw("x".into(), std::time::Duration::MAX, &Attempts::new(0)).await.unwrap(), "xx");
        let s = |text: &str| text.to_owned();
        let attempts = Attempts::new(0);
        let all = named_like_ours(
            s("a"),
            s("b"),
            s("c"),
            s("d"),
            s("e"),
            &attempts,
            s("f"),
            s("g"),
            s("h"),
            s("i"),
            s("j"),
            s("k"),
        );
        assert_eq!(all.await.unwrap(), "abcdefghijk");
        assert_eq!(configured(tags(1), tags(1), &Attempts::new(0)).await.unwrap(), 3);
        assert_eq!(configured_once(tags(1)).await.unwrap(), 1);
    }
}

mod drop_order {
    use super::*;

    struct Noisy<'a>(&'static str, &'a Mutex<Vec<&'static str>>);

    impl Drop for Noisy<'_> {
        fn drop(&mut self) {
            self.1.lock().unwrap().push(self.0);
        }
    }

    impl Noisy<'_> {
        fn touch(&self) {}
    }

    async fn plain<'a>(a: Noisy<'a>, b: Noisy<'a>, c: Noisy<'a>) -> Result<()> {
        let _local = Noisy("local", a.1);
        tokio::task::yield_now().await;
        for noisy in [&a, &c, &b] {
            noisy.touch();
        }
        Ok(())
    }

    #[circuit_breaker]
    #[timeout("1s")]
    #[bulkhead]
    async fn guarded<'a>(a: Noisy<'a>, b: Noisy<'a>, c: Noisy<'a>) -> Result<()> {
        let _local = Noisy("local", a.1);
        tokio::task::yield_now().await;
        for noisy in [&a, &c, &b] {
            noisy.touch();
        }
        Ok(())
    }

    #[timeout("1s")]
    async fn bounded<'a>(a: Noisy<'a>, b: Noisy<'a>, c: Noisy<'a>) -> Result<()> {
        let _local = Noisy("local", a.1);
        tokio::task::yield_now().await;
        for noisy in [&a, &c, &b] {
            noisy.touch();
        }
        Ok(())
    }

    #[circuit_breaker(when = |_| true || mentioned)]
    async fn moved_in<'a>(mentioned: bool, a: Noisy<'a>, b: Noisy<'a>, c: Noisy<'a>) -> Result<()> {
        let _local = Noisy("local", a.1);
        tokio::task::yield_now().await;
        for noisy in [&a, &c, &b] {
            noisy.touch();
        }
        Ok(())
    }

    #[tokio::test]
    async fn arguments_drop_as_without_attributes() {
        let log = Mutex::new(Vec::new());
        let noisy = |name| Noisy(name, &log);
        plain(noisy("a"), noisy("b"), noisy("c")).await.unwrap();
        let expected = std::mem::take(&mut *log.lock().unwrap());
        assert_eq!(expected, ["local", "c", "b", "a"]);
        guarded(noisy("a"), noisy("b"), noisy("c")).await.unwrap();
        assert_eq!(std::mem::take(&mut *log.lock().unwrap()), expected);
        bounded(noisy("a"), noisy("b"), noisy("c")).await.unwrap();
        assert_eq!(std::mem::take(&mut *log.lock().unwrap()), expected);
        moved_in(true, noisy("a"), noisy("b"), noisy("c")).await.unwrap();
        assert_eq!(std::mem::take(&mut *log.lock().unwrap()), expected);
    }
}

mod generics {
    use super::*;
    use std::fmt::Debug;

    struct Cache<T, const N: usize> {
        items: [T; N],
        attempts: Attempts,
    }

    impl<T: Clone + Debug + Send + Sync, const N: usize> Cache<T, N> {
        const LIMIT: std::time::Duration = std::time::Duration::from_secs(1);

        #[retry(base_delay = 0ms, max_attempts = N as u32)]
        #[timeout(Self::LIMIT)]
        async fn first<'a, U>(&'a self, other: &U, owned: U, fallback: &'a T) -> Result<&'a T>
        where
            U: PartialEq + Clone + Send + Sync,
        {
            third(&self.attempts)?;
            if *other == owned { Ok(&self.items[0]) } else { Ok(fallback) }
        }

        #[retry(base_delay = 0ms)]
        async fn leaked(&mut self) -> Result<&'static str> {
            third(&self.attempts)?;
            Ok("static")
        }

        #[timeout("1s")]
        async fn returns_from_self(&mut self) -> Result<&mut T> {
            Ok(&mut self.items[0])
        }

        #[retry]
        async fn returns_argument<'b>(&mut self, text: &'b str) -> Result<&'b str> {
            Ok(text)
        }
    }

    #[retry(base_delay = 0ms)]
    async fn elided(text: &str, attempts: Arc<Attempts>) -> Result<String> {
        third(&attempts)?;
        Ok(text.to_owned())
    }

    trait Service {
        fn call(&self, name: &str) -> impl Future<Output = Result<String>> + Send;
    }

    impl Service for u32 {
        #[retry]
        #[timeout("1s")]
        async fn call(&self, name: &str) -> Result<String> {
            Ok(format!("{name}{self}"))
        }
    }

    trait WithDefault {
        #[retry]
        async fn call(&self) -> Result<usize> {
            Ok(size_of_val(self))
        }
    }

    impl WithDefault for u64 {}

    #[retry]
    #[bulkhead]
    async fn recursive(n: u32) -> Result<u32> {
        if n == 0 { Ok(0) } else { Ok(n + Box::pin(recursive(n - 1)).await?) }
    }

    #[tokio::test(start_paused = true)]
    async fn generic_functions() {
        let cache = Cache { items: [7, 8, 9], attempts: Attempts::new(0) };
        assert_eq!(spawned(async move { *cache.first(&"a", "a", &1).await.unwrap() }).await, 7);
        let mut cache = Cache { items: [7], attempts: Attempts::new(0) };
        assert_eq!(cache.leaked().await.unwrap(), "static");
        assert_eq!(cache.returns_from_self().await.unwrap(), &mut 7);
        assert_eq!(cache.returns_argument("x").await.unwrap(), "x");
        assert_eq!(spawned(async { elided("x", Arc::default()).await.unwrap() }).await, "x");
        assert_eq!(spawned(async { Service::call(&3_u32, "x").await.unwrap() }).await, "x3");
        assert_eq!(WithDefault::call(&1_u64).await.unwrap(), 8);
        assert_eq!(spawned(recursive(3)).await.unwrap(), 6);
    }
}

mod returns {
    use super::*;
    use std::fmt::Display;

    #[retry(base_delay = 0ms)]
    #[circuit_breaker]
    #[timeout("1s")]
    async fn opaque(attempts: &Attempts) -> Result<impl Display + use<>> {
        third(attempts).map(|n| format!("{n}"))
    }

    #[retry(base_delay = 0ms)]
    async fn nested_opaque(
        attempts: &Attempts,
    ) -> Result<(impl Fn(u8) -> Vec<u8> + use<>, Vec<impl Iterator<Item = u8> + use<>>)> {
        third(attempts)?;
        Ok((|n| vec![n], vec![[1].into_iter()]))
    }

    #[retry]
    #[timeout("1s")]
    async fn unsized_coercion(early: bool) -> Result<Box<dyn Fn() -> u32 + Send>> {
        if early {
            return Ok(Box::new(|| 1));
        }
        Ok(Box::new(|| 2))
    }

    #[retry(base_delay = 0ms)]
    async fn question_mark_in_macros(attempts: &Attempts) -> std::result::Result<Vec<u32>, Error> {
        Ok(vec![third(attempts)?])
    }

    #[retry(base_delay = 0ms)]
    async fn question_mark_in_join(attempts: &Attempts) -> Result<u32> {
        let (n, ()) = tokio::join!(async { third(attempts) }, async {});
        let collected = vec!["1", "2"].into_iter().map(str::parse::<u32>).collect::<std::result::Result<Vec<_>, _>>();
        collected.map_err(Error::other)?;
        let n = n?;
        return Ok(n);
    }

    #[retry]
    async fn inferred() -> Result<Vec<u32>> {
        ["1"].iter().map(|text| text.parse().map_err(Error::other)).collect()
    }

    #[timeout("1s")]
    async fn ends_in_a_loop(attempts: &Attempts) -> Result<u32> {
        loop {
            if let Ok(n) = third(attempts) {
                return Ok(n);
            }
        }
    }

    #[retry]
    #[timeout("1s")]
    async fn panics(text: String) -> Result<u32> {
        panic!("{text}")
    }

    enum Shadowing {
        Result,
    }

    #[retry]
    async fn shadowing_body() -> Result<bool> {
        #[allow(unused_imports)]
        use Shadowing::*;
        Ok(matches!(Shadowing::Result, Shadowing::Result))
    }

    #[retry]
    async fn inner_attributes() -> Result<u32> {
        #![allow(unused_variables)]
        let unused = 1;
        Ok(1)
    }

    #[retry]
    #[doc = "Documented."]
    #[must_use]
    #[inline]
    #[timeout("1s")]
    #[allow(clippy::unused_async)]
    #[bulkhead]
    async fn attributes_between() -> Result<u32> {
        Ok(1)
    }

    #[tokio::test(start_paused = true)]
    async fn every_return() {
        let n = || Attempts::new(0);
        assert_eq!(opaque(&n()).await.unwrap().to_string(), "3");
        assert_eq!(spawned(async move { opaque(&n()).await.unwrap().to_string() }).await, "3");
        assert_eq!(nested_opaque(&n()).await.unwrap().0(1), [1]);
        assert_eq!(unsized_coercion(true).await.unwrap()(), 1);
        assert_eq!(unsized_coercion(false).await.unwrap()(), 2);
        assert_eq!(question_mark_in_macros(&n()).await.unwrap(), [3]);
        assert_eq!(question_mark_in_join(&n()).await.unwrap(), 3);
        assert_eq!(inferred().await.unwrap(), [1]);
        assert_eq!(ends_in_a_loop(&n()).await.unwrap(), 3);
        assert!(tokio::spawn(panics("x".into())).await.unwrap_err().is_panic());
        assert!(shadowing_body().await.unwrap());
        assert_eq!(inner_attributes().await.unwrap() + attributes_between().await.unwrap(), 2);
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

    #[timeout("9s")]
    #[retry(base_delay = 0ms)]
    #[timeout("2s")]
    #[bulkhead]
    #[timeout("1s")]
    async fn cloned(counted: Counted<'_>, _unmentioned: Counted<'_>, attempts: &Attempts) -> Result<u32> {
        drop(counted);
        third(attempts)
    }

    #[circuit_breaker]
    #[timeout("1s")]
    async fn moved(counted: Counted<'_>) -> Result<u32> {
        drop(counted);
        Ok(1)
    }

    #[tokio::test(start_paused = true)]
    async fn one_clone_per_attempt_and_none_without_retry() {
        let clones = AtomicU32::new(0);
        cloned(Counted(&clones), Counted(&clones), &Attempts::new(0)).await.unwrap();
        assert_eq!(clones.swap(0, Ordering::SeqCst), 3);
        moved(Counted(&clones)).await.unwrap();
        assert_eq!(clones.into_inner(), 0);
    }

    const BODY: usize = 8 * 1024;

    #[timeout("9s")]
    #[retry]
    #[circuit_breaker]
    #[bulkhead]
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

mod corners {
    use super::*;
    use std::collections::HashMap;

    trait Shape {
        fn area(&self) -> u32;
    }

    impl Shape for u32 {
        fn area(&self) -> u32 {
            *self
        }
    }

    #[retry(base_delay = 0ms)]
    #[timeout("1s")]
    async fn const_generic<const N: usize, F>(bytes: [u8; N], each: F, attempts: &Attempts) -> Result<usize>
    where
        F: for<'a> Fn(&'a u8) -> &'a u8 + Clone + Send + Sync,
    {
        third(attempts)?;
        Ok(bytes.iter().map(each).count())
    }

    #[retry(base_delay = 0ms)]
    async fn callbacks(each: &mut (dyn FnMut() + Send), next: fn(u32) -> u32, attempts: &Attempts) -> Result<u32> {
        each();
        tokio::task::yield_now().await;
        third(attempts).map(next)
    }

    #[retry(base_delay = 0ms, borrow(log))]
    async fn reborrowed_option(mut log: Option<&mut Vec<u32>>, attempts: &Attempts) -> Result<usize> {
        if let Some(log) = log.as_mut() {
            log.push(0);
        }
        third(attempts)?;
        Ok(log.as_ref().map_or(0, |log| log.len()))
    }

    #[retry(base_delay = 0ms)]
    async fn shadowed(tags: Vec<u32>, attempts: &Attempts) -> Result<usize> {
        let mut tags = tags;
        tags.push(1);
        let tags: Vec<_> = tags.into_iter().map(|tag| tag + 1).collect();
        third(attempts)?;
        Ok(tags.len())
    }

    #[retry(base_delay = 0ms)]
    async fn one_of_two(
        #[cfg(any())] value: Missing,
        #[cfg(not(any()))] mut value: Vec<u32>,
        attempts: &Attempts,
    ) -> Result<usize> {
        value.push(1);
        third(attempts)?;
        Ok(value.len())
    }

    #[retry(base_delay = 0ms)]
    async fn with_items_inside(attempts: &Attempts) -> Result<u32> {
        #[retry(base_delay = 0ms)]
        #[timeout("1s")]
        async fn inner(attempts: &Attempts) -> Result<u32> {
            third(attempts)
        }
        const OFFSET: u32 = 10;
        let own = Attempts::new(0);
        Ok(inner(&own).await? + third(attempts)? + OFFSET)
    }

    #[retry(base_delay = 0ms)]
    async fn question_mark_in_a_closure(attempts: &Attempts) -> Result<u32> {
        let once = || -> Result<u32> { Ok(third(attempts)? + 1) };
        once()
    }

    struct Index<'a> {
        words: HashMap<&'a str, u32>,
        attempts: &'a Attempts,
    }

    impl<'a> Index<'a> {
        #[retry(base_delay = 0ms)]
        async fn insert(&mut self, word: &'a str) -> Result<Option<u32>> {
            let old = self.words.insert(word, 1);
            third(self.attempts)?;
            Ok(old)
        }

        #[circuit_breaker]
        #[timeout("1s")]
        async fn entry(&mut self, word: &'a str) -> Result<&mut u32> {
            Ok(self.words.entry(word).or_default())
        }

        #[retry]
        async fn boxed(&mut self) -> Result<Box<dyn Shape>> {
            Ok(Box::new(1_u32))
        }

        #[retry]
        async fn borrowed_box(&self) -> Result<Box<dyn Shape + '_>> {
            Ok(Box::new(self.words.len() as u32))
        }
    }

    mod name {
        pub(super) const LIMIT: std::time::Duration = std::time::Duration::from_secs(1);
    }

    fn duration(seconds: u64) -> std::time::Duration {
        std::time::Duration::from_secs(seconds)
    }

    // First values that begin like a key.
    #[timeout(duration(9))]
    #[timeout(crate::corners::duration(8))]
    #[timeout(name::LIMIT, name = "limit")]
    #[bulkhead(crate::NAME)]
    #[allow(unused_qualifications, reason = "`crate::` is what is tested")]
    async fn like_keys() -> Result<u32> {
        Ok(1)
    }

    #[retry(max_attempts = limits.0, base_delay = limits.1)]
    #[timeout(limits.1.max(std::time::Duration::from_secs(1)))]
    async fn options_from_arguments(limits: (u32, std::time::Duration), attempts: &Attempts) -> Result<u32> {
        third(attempts)
    }

    #[retry(when = |error| words.iter().all(|word| !error.to_string().contains(word)), base_delay = 0ms)]
    async fn asked_about_arguments(words: Vec<String>, attempts: &Attempts) -> Result<usize> {
        third(attempts)?;
        Ok(words.into_iter().count())
    }

    #[tokio::test(start_paused = true)]
    async fn odd_functions() {
        let n = || Attempts::new(0);
        assert_eq!(spawned(async move { const_generic([1, 2], |byte| byte, &n()).await.unwrap() }).await, 2);
        let mut called = 0;
        assert_eq!(callbacks(&mut || called += 1, |n| n * 2, &n()).await.unwrap(), 6);
        assert_eq!(called, 3);
        assert_eq!(reborrowed_option(Some(&mut vec![]), &n()).await.unwrap(), 3);
        assert_eq!(shadowed(vec![], &n()).await.unwrap(), 1);
        assert_eq!(one_of_two(vec![], &n()).await.unwrap(), 1);
        assert_eq!(with_items_inside(&n()).await.unwrap(), 3 + 3 + 10);
        assert_eq!(question_mark_in_a_closure(&n()).await.unwrap(), 4);
        let attempts = n();
        let mut index = Index { words: HashMap::new(), attempts: &attempts };
        assert_eq!(index.insert("a").await.unwrap(), Some(1));
        assert_eq!(index.entry("a").await.unwrap(), &mut 1);
        assert_eq!(index.boxed().await.unwrap().area() + index.borrowed_box().await.unwrap().area(), 2);
        assert_eq!(like_keys().await.unwrap(), 1);
        let limits = (2, std::time::Duration::from_millis(1));
        assert_eq!(options_from_arguments(limits, &n()).await.unwrap_err().to_string(), "attempt 2");
        assert_eq!(asked_about_arguments(vec!["x".into()], &n()).await.unwrap(), 1);
        assert!(asked_about_arguments(vec!["attempt 2".into()], &n()).await.unwrap_err().to_string().ends_with('2'));
    }
}

mod macro_rules {
    use super::*;

    macro_rules! function {
        ($(#[$meta:meta])* $vis:vis $name:ident, $argument:ident: $ty:ty, $limit:literal, $max:expr, $body:block) => {
            $(#[$meta])*
            #[retry(max_attempts = $max, base_delay = 0ms)]
            #[timeout($limit)]
            $vis async fn $name($argument: $ty) -> Result<usize> $body
        };
    }

    function!(
        /// Made by a macro.
        pub(crate) made, text: String, "1s", 3, {
            Ok(text.len())
        }
    );

    macro_rules! method {
        ($name:ident) => {
            #[retry(base_delay = 0ms)]
            async fn $name(&mut self, text: String) -> Result<u32> {
                self.0 += 1;
                third(&self.1).map(|_| self.0 + text.len() as u32)
            }
        };
    }

    struct Made(u32, Attempts);

    impl Made {
        method!(call);
    }

    #[tokio::test(start_paused = true)]
    async fn functions_made_by_macros() {
        assert_eq!(made("xx".into()).await.unwrap(), 2);
        assert_eq!(Made(0, Attempts::new(0)).call("x".into()).await.unwrap(), 4);
    }
}

mod options {
    use super::*;
    use std::time::Duration;

    const NAME: &str = "options";
    const CALLS: u32 = 20;

    struct Configured {
        attempts: u32,
        limit: Duration,
        made: Attempts,
    }

    impl Configured {
        #[retry(
            max_attempts = self.attempts,
            backoff = retry::Backoff::Linear,
            base_delay = Duration::ZERO,
            max_delay = "1h30m",
            multiplier = 2,
            jitter = "none",
            max_elapsed = 1.5s,
            name = "label",
            when = |error: &Error| error.kind() == std::io::ErrorKind::Other,
            on_retry = count,
        )]
        #[circuit_breaker(NAME, window_calls = CALLS * 2, min_calls = 1_0, failure_rate = "50%", cooldown = Duration::from_secs(5), when = is_other)]
        #[bulkhead(name = "options", max_wait = "10ms")]
        #[timeout(self.limit, name = "label")]
        async fn every_form(&self) -> Result<u32> {
            third(&self.made)
        }
    }

    #[::resilience::retry(crate = ::resilience)]
    #[resilience::circuit_breaker]
    #[::resilience::timeout(100ms)]
    async fn qualified() -> Result<u32> {
        Ok(1)
    }

    static COUNTED: AtomicU32 = AtomicU32::new(0);

    fn count(attempt: &resilience::RetryAttempt<'_, Error>) {
        COUNTED.fetch_add(attempt.attempt, Ordering::SeqCst);
    }

    fn is_other(error: &Error) -> bool {
        error.kind() == std::io::ErrorKind::Other
    }

    #[tokio::test(start_paused = true)]
    async fn every_form_of_value() {
        let configured = Configured { attempts: 3, limit: Duration::from_secs(1), made: Attempts::new(0) };
        assert_eq!(configured.every_form().await.unwrap(), 3);
        assert_eq!(COUNTED.load(Ordering::SeqCst), 1 + 2);
        assert_eq!(qualified().await.unwrap(), 1);
    }
}
