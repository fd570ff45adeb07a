//! Type parameters, constants and lifetimes.

use super::*;
use std::collections::HashMap;
use std::fmt::Debug;
use std::time::Duration;

#[in_every_stack]
mod functions {
    use super::*;

    #[guarded]
    async fn types<T, U>(one: &T, other: U, attempts: &Attempts) -> Result<bool>
    where
        T: PartialEq<U> + ?Sized + Sync,
        U: Clone + Send + Sync,
    {
        yield_now().await;
        attempts.next()?;
        Ok(*one == other)
    }

    #[guarded]
    async fn constants<const N: usize, F>(bytes: [u8; N], each: F, attempts: &Attempts) -> Result<usize>
    where
        F: for<'a> Fn(&'a u8) -> &'a u8 + Clone + Send + Sync,
    {
        yield_now().await;
        attempts.next()?;
        Ok(bytes.iter().map(each).count() + N)
    }

    #[guarded]
    async fn defaulted<T: Default + Debug>(attempts: &Attempts) -> Result<String> {
        yield_now().await;
        attempts.next()?;
        Ok(format!("{:?}", T::default()))
    }

    #[guarded]
    async fn elided(text: &str, more: Words<'_>, attempts: &Attempts) -> Result<usize> {
        yield_now().await;
        attempts.next()?;
        Ok(text.len() + more.0.len())
    }

    #[guarded]
    async fn named<'a, 'b: 'a>(text: &'a str, more: &'b mut Words<'a>, attempts: &Attempts) -> Result<usize> {
        more.0 = text;
        yield_now().await;
        attempts.next()?;
        Ok(text.len() + more.0.len())
    }

    // Late bound: the function is good for any lifetime.
    #[guarded]
    async fn late<'a>(text: &'a str, attempts: &'a Attempts) -> Result<usize> {
        yield_now().await;
        attempts.next()?;
        Ok(text.len())
    }

    // Early bound, by its bound.
    #[guarded]
    async fn early<'a: 'a>(text: &'a str, attempts: &'a Attempts) -> Result<usize> {
        yield_now().await;
        attempts.next()?;
        Ok(text.len())
    }

    struct Words<'a>(&'a str);

    impl Clone for Words<'_> {
        fn clone(&self) -> Self {
            Words(self.0)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn parameters() {
        assert!(call(ATTEMPTS, |n| async move { types("x", "x".to_owned(), n).await }).await);
        assert_eq!(call(ATTEMPTS, |n| async move { constants([1, 2], |byte| byte, n).await }).await, 4);
        assert_eq!(call(ATTEMPTS, defaulted::<Option<u8>>).await, "None");
        assert_eq!(call(ATTEMPTS, |n| async move { elided(&"x".to_owned(), Words("y"), n).await }).await, 2);
        assert_eq!(call(ATTEMPTS, |n| async move { named(&"x".to_owned(), &mut Words("yy"), n).await }).await, 2);
        assert_eq!(call(ATTEMPTS, |n| async move { late(&"x".to_owned(), n).await }).await, 1);
        assert_eq!(call(ATTEMPTS, |n| async move { early::<'_>(&"x".to_owned(), n).await }).await, 1);
    }
}

#[in_every_stack]
mod methods {
    use super::*;

    struct Cache<'w, T, const N: usize> {
        items: [T; N],
        words: HashMap<&'w str, u32>,
        attempts: &'static Attempts,
    }

    impl<'w, T: Clone + Debug + Send + Sync, const N: usize> Cache<'w, T, N> {
        const LIMIT: usize = 1;

        #[guarded]
        async fn first(&self) -> Result<String> {
            yield_now().await;
            self.attempts.next()?;
            Ok(format!("{:?}", &self.items[..Self::LIMIT]))
        }

        #[guarded]
        async fn with<U>(&self, other: U) -> Result<usize>
        where
            U: AsRef<str> + Clone + Send + Sync,
            T: PartialEq,
        {
            yield_now().await;
            self.attempts.next()?;
            Ok(other.as_ref().len() + N)
        }

        #[guarded]
        async fn insert(&mut self, word: &'w str) -> Result<Option<u32>> {
            let old = self.words.insert(word, 1);
            yield_now().await;
            self.attempts.next()?;
            Ok(old)
        }
    }

    fn cache<'w>(attempts: &'static Attempts) -> Cache<'w, u8, 2> {
        Cache { items: [7, 8], words: HashMap::new(), attempts }
    }

    #[tokio::test(start_paused = true)]
    async fn of_a_generic_type() {
        assert_eq!(call(ATTEMPTS, |n| async move { cache(n).first().await }).await, "[7]");
        assert_eq!(call(ATTEMPTS, |n| async move { cache(n).with("x").await }).await, 3);
        // The second attempt finds what the first one left.
        let old = call(ATTEMPTS, |n| async move { cache(n).insert(&"x".to_owned()).await }).await;
        assert_eq!(old.is_some(), ATTEMPTS > 1);
    }
}

#[in_every_stack]
mod recursion {
    use super::*;

    #[guarded]
    async fn boxed(n: u32, attempts: &Attempts) -> Result<u32> {
        if n == 0 {
            yield_now().await;
            attempts.next()?;
            return Ok(0);
        }
        Ok(n + Box::pin(boxed(n - 1, attempts)).await?)
    }

    struct Tree(Vec<Tree>);

    impl Tree {
        #[guarded(max_attempts = 1)]
        async fn count(&mut self, seen: &mut Vec<u32>) -> Result<u32> {
            let mut all = 1;
            for child in &mut self.0 {
                all += Box::pin(child.count(seen)).await?;
            }
            yield_now().await;
            seen.push(all);
            Ok(all)
        }
    }

    #[guarded]
    async fn with_items_inside(attempts: &Attempts) -> Result<u32> {
        #[guarded]
        async fn inner(left: &Cell<u32>) -> Result<u32> {
            left.set(left.get() - 1);
            if left.get() > 0 { Err(Error::other("again")) } else { Ok(10) }
        }
        const OFFSET: u32 = 100;
        let ten = inner(&Cell::new(ATTEMPTS)).await?;
        attempts.next()?;
        Ok(ten + OFFSET)
    }

    #[tokio::test(start_paused = true)]
    async fn calls_in_calls() {
        // The innermost function tries again, and it is enough.
        assert_eq!(call(ATTEMPTS, |n| boxed(3, n)).await, 6);
        let tree = || Tree(vec![Tree(vec![Tree(vec![])]), Tree(vec![])]);
        assert_eq!(call(0, |_| async move { tree().count(&mut vec![]).await }).await, 4);
        assert_eq!(call_here(ATTEMPTS, with_items_inside).await, 110);
    }
}

/// Options may name what the function is generic over, where they belong to one call.
mod options {
    use super::*;

    struct Service<T, const N: usize>(T, &'static Attempts);

    impl<T: Into<Duration> + Copy + Send + Sync, const N: usize> Service<T, N> {
        const LIMIT: Duration = Duration::from_secs(1);

        #[timeout(self.0.into())]
        #[retry(base_delay = 0ms, max_attempts = N as u32)]
        #[timeout(Self::LIMIT)]
        async fn call(&self) -> Result<u32> {
            yield_now().await;
            self.1.next()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn of_generic_methods() {
        let limit = Duration::from_secs(2);
        assert_eq!(call(3, |n| async move { Service::<_, 3>(limit, n).call().await }).await, 3);
    }
}
