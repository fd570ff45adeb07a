//! A list on an `impl` block.

use super::*;
use async_trait::async_trait;
use futures::future::BoxFuture;

#[in_every_stack]
mod inherent {
    use super::*;

    struct Client<T>(&'static Attempts, T);

    #[guarded(list)]
    impl<T: Clone + Into<u32> + Send + Sync> Client<T> {
        const MORE: u32 = 10;

        async fn shared(&self, text: String) -> Result<String> {
            let taken = text;
            yield_now().await;
            self.0.next()?;
            Ok(taken)
        }

        /// A policy of its own goes inside of the list's.
        #[timeout("5s")]
        async fn unique(&mut self, n: T) -> Result<u32> {
            self.1 = n;
            yield_now().await;
            self.0.next()?;
            Ok(self.1.clone().into() + Self::MORE)
        }

        async fn associated(attempts: &Attempts) -> Result<u32> {
            yield_now().await;
            attempts.next()
        }

        fn boxed(&self) -> BoxFuture<'_, Result<u32>> {
            Box::pin(async move {
                yield_now().await;
                self.0.next()
            })
        }

        #[guarded(skip)]
        async fn skipped(&self) -> Result<u32> {
            yield_now().await;
            self.0.next()
        }

        /// Its own policies only.
        #[guarded(skip)]
        #[retry(base_delay = 0ms, max_attempts = 2)]
        async fn twice(&self) -> Result<u32> {
            yield_now().await;
            self.0.next()
        }

        #[guarded(skip)]
        async fn cannot_fail(&self) -> u32 {
            yield_now().await;
            self.blocking()
        }

        fn blocking(&self) -> u32 {
            self.1.clone().into()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn every_method_of_a_block() {
        assert_eq!(call(ATTEMPTS, |n| async move { Client(n, 1_u8).shared("a".to_owned()).await }).await, "a");
        assert_eq!(call(ATTEMPTS, |n| async move { Client(n, 1_u8).unique(7).await }).await, 17);
        assert_eq!(call(ATTEMPTS, |n| Client::<u8>::associated(n)).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, |n| async move { Client(n, 1_u8).boxed().await }).await, ATTEMPTS);
    }

    #[tokio::test(start_paused = true)]
    async fn but_those_left_out() {
        let attempts = Attempts::needed(2);
        assert!(Client(attempts, 1_u8).skipped().await.is_err());
        assert_eq!(attempts.made.load(Ordering::SeqCst), 1);
        assert_eq!(call(2, |n| async move { Client(n, 1_u8).twice().await }).await, 2);
        assert_eq!(call(0, |n| async move { Ok(Client(n, 1_u8).cannot_fail().await) }).await, 1);
    }
}

#[in_every_stack]
mod of_traits {
    use super::*;

    trait Native {
        async fn get(&self, key: String) -> Result<String>;
        async fn skipped(&self) -> u32;
    }

    struct Client(&'static Attempts);

    #[guarded(list)]
    impl Native for Client {
        async fn get(&self, key: String) -> Result<String> {
            yield_now().await;
            self.0.next().map(|_| key)
        }

        #[guarded(skip)]
        async fn skipped(&self) -> u32 {
            0
        }
    }

    #[async_trait]
    trait Boxed: Send + Sync {
        async fn get(&self, key: String) -> Result<String>;
        async fn put(&mut self, mut tags: Vec<u8>) -> Result<Vec<u8>>;
        async fn skipped(&self) -> u32;
    }

    struct Above(&'static Attempts);
    struct Below(&'static Attempts);

    #[guarded(list)]
    #[async_trait]
    impl Boxed for Above {
        async fn get(&self, key: String) -> Result<String> {
            yield_now().await;
            self.0.next().map(|_| key)
        }

        #[timeout("5s")]
        async fn put(&mut self, mut tags: Vec<u8>) -> Result<Vec<u8>> {
            tags.push(1);
            yield_now().await;
            self.0.next().map(|_| tags)
        }

        #[guarded(skip)]
        async fn skipped(&self) -> u32 {
            0
        }
    }

    #[async_trait]
    #[guarded(list)]
    impl Boxed for Below {
        #[timeout("5s")]
        async fn get(&self, key: String) -> Result<String> {
            yield_now().await;
            self.0.next().map(|_| key)
        }

        async fn put(&mut self, mut tags: Vec<u8>) -> Result<Vec<u8>> {
            tags.push(1);
            yield_now().await;
            self.0.next().map(|_| tags)
        }

        #[guarded(skip)]
        async fn skipped(&self) -> u32 {
            0
        }
    }

    async fn through(mut store: Box<dyn Boxed>, puts: bool) -> Result<Vec<u8>> {
        assert_eq!(store.skipped().await, 0);
        if puts { store.put(vec![7]).await } else { Ok(store.get("key".to_owned()).await?.into_bytes()) }
    }

    #[tokio::test(start_paused = true)]
    async fn with_async_trait_and_without() {
        let native = |n| async move {
            assert_eq!(Client(n).skipped().await, 0);
            Client(n).get("key".to_owned()).await
        };
        assert_eq!(call(ATTEMPTS, native).await, "key");
        assert_eq!(call(ATTEMPTS, |n| through(Box::new(Above(n)), false)).await, b"key");
        assert_eq!(call(ATTEMPTS, |n| through(Box::new(Below(n)), false)).await, b"key");
        assert_eq!(call(ATTEMPTS, |n| through(Box::new(Above(n)), true)).await, [7, 1]);
        assert_eq!(call(ATTEMPTS, |n| through(Box::new(Below(n)), true)).await, [7, 1]);
    }
}
