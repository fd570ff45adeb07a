//! What functions return, and how their bodies come to it.

use super::*;
use std::fmt::Display;

#[in_every_stack]
mod opaque {
    use super::*;

    #[guarded(without(stale_if_error))]
    async fn one(attempts: &Attempts) -> Result<impl Display + use<>> {
        yield_now().await;
        attempts.next().map(|n| format!("{n}"))
    }

    #[guarded(without(stale_if_error))]
    async fn nested(
        attempts: &Attempts,
    ) -> Result<(impl Fn(u8) -> Vec<u8> + use<>, Vec<impl Iterator<Item = (u8, impl Display + use<>)> + use<>>)> {
        yield_now().await;
        attempts.next()?;
        Ok((|n| vec![n], vec![Some((1, "x")).into_iter()]))
    }

    #[guarded(without(stale_if_error))]
    async fn borrowing<'a>(text: &'a str, attempts: &Attempts) -> Result<impl Iterator<Item = char> + use<'a>> {
        yield_now().await;
        attempts.next()?;
        Ok(text.chars().rev())
    }

    #[guarded(without(stale_if_error))]
    async fn generic<T: Display + Clone>(
        one: T,
        attempts: &Attempts,
    ) -> std::result::Result<impl Display + use<T>, Error> {
        yield_now().await;
        attempts.next()?;
        Ok(one)
    }

    #[tokio::test(start_paused = true)]
    async fn in_a_result() {
        assert_eq!(call(ATTEMPTS, |n| async move { Ok(one(n).await?.to_string()) }).await, ATTEMPTS.to_string());
        let (twice, shown) = call(ATTEMPTS, |n| async move {
            let (function, mut iterators) = nested(n).await?;
            Ok((function(2), iterators.remove(0).map(|(n, shown)| format!("{n}{shown}")).collect::<String>()))
        })
        .await;
        assert_eq!((twice, shown.as_str()), (vec![2], "1x"));
        let collected =
            call(ATTEMPTS, |n| async move { Ok(borrowing(&"ab".to_owned(), n).await?.collect::<String>()) });
        assert_eq!(collected.await, "ba");
        assert_eq!(call(ATTEMPTS, |n| async move { Ok(generic(5, n).await?.to_string()) }).await, "5");
    }
}

#[in_every_stack]
mod borrowed {
    use super::*;

    struct Store<T> {
        items: Vec<T>,
        attempts: &'static Attempts,
    }

    impl<T: Sync + Send> Store<T> {
        #[guarded(without(stale_if_error))]
        async fn elided(&self) -> Result<&T> {
            yield_now().await;
            self.attempts.next()?;
            Ok(&self.items[0])
        }

        #[guarded(without(stale_if_error))]
        async fn named<'a>(&'a self, other: &'a T) -> Result<[&'a T; 2]> {
            yield_now().await;
            self.attempts.next()?;
            Ok([&self.items[0], other])
        }

        #[guarded(without(stale_if_error))]
        async fn from_an_argument<'b>(&mut self, text: &'b str) -> Result<&'b str> {
            yield_now().await;
            self.attempts.next()?;
            Ok(&text[1..])
        }

        #[guarded]
        async fn lasting(&mut self) -> Result<&'static str> {
            yield_now().await;
            self.attempts.next()?;
            Ok("static")
        }

        #[guarded(without(stale_if_error))]
        async fn behind_a_pointer(&self) -> Result<Box<dyn Iterator<Item = &T> + Send + '_>> {
            yield_now().await;
            self.attempts.next()?;
            Ok(Box::new(self.items.iter()))
        }
    }

    #[guarded(without(stale_if_error))]
    async fn from_a_reference<'a, T>(items: &'a [T], attempts: &Attempts) -> Result<Option<&'a T>> {
        yield_now().await;
        attempts.next()?;
        Ok(items.first())
    }

    fn store(attempts: &'static Attempts) -> Store<u32> {
        Store { items: vec![7, 8], attempts }
    }

    #[tokio::test(start_paused = true)]
    async fn from_an_input() {
        assert_eq!(call(ATTEMPTS, |n| async move { store(n).elided().await.copied() }).await, 7);
        assert_eq!(call(ATTEMPTS, |n| async move { Ok(store(n).named(&1).await?.map(|n| *n)) }).await, [7, 1]);
        let text = call(ATTEMPTS, |n| async move { Ok(store(n).from_an_argument(&"xy".to_owned()).await?.to_owned()) });
        assert_eq!(text.await, "y");
        assert_eq!(call(ATTEMPTS, |n| async move { store(n).lasting().await }).await, "static");
        let sum = call(ATTEMPTS, |n| async move { Ok(store(n).behind_a_pointer().await?.sum::<u32>()) });
        assert_eq!(sum.await, 15);
        let first = call(ATTEMPTS, |n| async move { Ok(from_a_reference(&[3], n).await?.copied()) });
        assert_eq!(first.await, Some(3));
    }
}

#[in_every_stack]
mod types {
    use super::*;

    type Alias<T> = std::result::Result<T, Fault>;

    #[derive(Debug)]
    enum Fault {
        Refused(resilience::Error),
        Io(Error),
    }

    impl From<resilience::Error> for Fault {
        fn from(error: resilience::Error) -> Self {
            Self::Refused(error)
        }
    }

    impl From<Error> for Fault {
        fn from(error: Error) -> Self {
            Self::Io(error)
        }
    }

    #[guarded]
    async fn alias(attempts: &Attempts) -> Alias<u32> {
        yield_now().await;
        Ok(attempts.next()?)
    }

    #[guarded]
    async fn boxed_error(attempts: &Attempts) -> std::result::Result<u32, Box<dyn std::error::Error + Send + Sync>> {
        yield_now().await;
        Ok(attempts.next()?)
    }

    #[guarded(without(stale_if_error))]
    async fn coerced(early: bool, attempts: &Attempts) -> Result<Box<dyn Fn() -> u32 + Send>> {
        yield_now().await;
        attempts.next()?;
        if early {
            return Ok(Box::new(|| 1));
        }
        Ok(Box::new(|| 2))
    }

    #[guarded]
    async fn unit(attempts: &Attempts) -> Result<()> {
        yield_now().await;
        attempts.next().map(drop)
    }

    #[tokio::test(start_paused = true)]
    async fn by_their_trait() {
        let io = |fault: Fault| match fault {
            Fault::Refused(error) => error.into(),
            Fault::Io(error) => error,
        };
        assert_eq!(call(ATTEMPTS, |n| async move { alias(n).await.map_err(io) }).await, ATTEMPTS);
        let call_boxed = call(ATTEMPTS, |n| async move { boxed_error(n).await.map_err(Error::other) });
        assert_eq!(call_boxed.await, ATTEMPTS);
        assert_eq!((call(ATTEMPTS, |n| coerced(true, n)).await)(), 1);
        assert_eq!((call(ATTEMPTS, |n| coerced(false, n)).await)(), 2);
        call(ATTEMPTS, unit).await;
    }
}

#[in_every_stack]
mod bodies {
    use super::*;

    #[guarded]
    async fn question_mark_in_vec(attempts: &Attempts) -> std::result::Result<Vec<u32>, Error> {
        yield_now().await;
        Ok(vec![attempts.next()?])
    }

    #[guarded]
    async fn question_mark_in_format(attempts: &Attempts) -> Result<String> {
        Ok(format!("{}", { attempts.next()? }))
    }

    #[guarded]
    async fn question_mark_in_join(attempts: &Attempts) -> Result<u32> {
        let (n, ()) = tokio::join!(async { attempts.next() }, yield_now());
        let n = n?;
        return Ok(n);
    }

    #[guarded]
    async fn question_mark_in_select(attempts: &Attempts) -> Result<u32> {
        tokio::select! {
            biased;
            () = yield_now() => Ok(attempts.next()?),
            () = std::future::pending() => return Ok(0),
        }
    }

    #[guarded]
    async fn question_mark_in_a_closure(attempts: &Attempts) -> Result<u32> {
        let once = || -> Result<u32> { Ok(attempts.next()? + 1) };
        yield_now().await;
        once()
    }

    #[guarded]
    async fn inferred(attempts: &Attempts) -> Result<Vec<u32>> {
        attempts.next()?;
        yield_now().await;
        ["1"].iter().map(|text| text.parse().map_err(Error::other)).collect()
    }

    #[guarded(max_attempts = 1)]
    async fn ends_in_a_loop(attempts: &Attempts) -> Result<u32> {
        loop {
            yield_now().await;
            if let Ok(n) = attempts.next() {
                return Ok(n);
            }
        }
    }

    #[guarded]
    async fn breaks_labels(attempts: &Attempts) -> Result<u32> {
        // A name that the expansion has, too.
        let n = '__layer_0: loop {
            loop {
                yield_now().await;
                break '__layer_0 attempts.next()?;
            }
        };
        Ok(n)
    }

    enum Shadowing {
        Result,
    }

    #[guarded]
    async fn shadows_its_type(attempts: &Attempts) -> Result<bool> {
        #[allow(unused_imports)]
        use Shadowing::*;
        yield_now().await;
        attempts.next()?;
        Ok(matches!(Shadowing::Result, Shadowing::Result))
    }

    #[guarded]
    async fn panics(text: String) -> Result<u32> {
        yield_now().await;
        panic!("{}", text)
    }

    #[tokio::test(start_paused = true)]
    async fn of_every_kind() {
        assert_eq!(call(ATTEMPTS, question_mark_in_vec).await, [ATTEMPTS]);
        assert_eq!(call(ATTEMPTS, question_mark_in_format).await, ATTEMPTS.to_string());
        assert_eq!(call(ATTEMPTS, question_mark_in_join).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, question_mark_in_select).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, question_mark_in_a_closure).await, ATTEMPTS + 1);
        assert_eq!(call(ATTEMPTS, inferred).await, [1]);
        assert_eq!(call(ATTEMPTS, ends_in_a_loop).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, breaks_labels).await, ATTEMPTS);
        assert!(call(ATTEMPTS, shadows_its_type).await);
        assert!(tokio::spawn(panics("x".to_owned())).await.unwrap_err().is_panic());
    }
}

/// A borrow of what is unique can be returned where the body runs once.
mod unique {
    use super::*;

    struct Store(Vec<u32>);

    impl Store {
        #[timeout("1s")]
        async fn item(&mut self) -> Result<&mut u32> {
            yield_now().await;
            Ok(&mut self.0[0])
        }

        #[circuit_breaker]
        #[timeout("1s")]
        #[bulkhead]
        async fn entry<'a>(&'a mut self, other: &'a mut u32) -> Result<(&'a mut u32, &'a mut u32)> {
            yield_now().await;
            Ok((&mut self.0[0], other))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn is_handed_out() {
        let sum = call(0, |_| async {
            let (mut store, mut other) = (Store(vec![1]), 2);
            *store.item().await? += 10;
            let (one, other) = store.entry(&mut other).await?;
            Ok(*one + *other)
        });
        assert_eq!(sum.await, 13);
    }
}
