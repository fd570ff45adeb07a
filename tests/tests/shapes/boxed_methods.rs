//! Methods under `#[async_trait]`, which makes functions of them that return a box.

use super::*;
use async_trait::async_trait;

#[in_every_stack]
mod implemented {
    use super::*;

    #[async_trait]
    trait Store: Send + Sync {
        async fn get(&self, key: &str, tags: Vec<u8>) -> Result<String>;
        async fn put(&mut self, mut tags: Vec<u8>, (a, b): (u8, String)) -> Result<Vec<u8>>;
        async fn close(self: Box<Self>) -> Result<u32>;
        async fn share(self: Arc<Self>, name: String) -> Result<String>;
        async fn part<'a>(&'a self, name: &'a str) -> Result<&'a str>;
    }

    struct Client(&'static Attempts, u32);

    #[async_trait]
    impl Store for Client {
        #[guarded]
        async fn get(&self, key: &str, tags: Vec<u8>) -> Result<String> {
            let taken = tags;
            yield_now().await;
            let n = self.0.next()?;
            Ok(format!("{key} {n} {taken:?}"))
        }

        #[guarded]
        async fn put(&mut self, mut tags: Vec<u8>, (a, b): (u8, String)) -> Result<Vec<u8>> {
            self.1 += 1;
            tags.push(a);
            let taken = b;
            yield_now().await;
            self.0.next()?;
            tags.extend(taken.bytes());
            Ok(tags)
        }

        #[guarded]
        async fn close(self: Box<Self>) -> Result<u32> {
            yield_now().await;
            self.0.next()
        }

        #[guarded]
        async fn share(self: Arc<Self>, name: String) -> Result<String> {
            let taken = name;
            yield_now().await;
            self.0.next()?;
            Ok(taken)
        }

        #[guarded(without(stale_if_error))]
        async fn part<'a>(&'a self, name: &'a str) -> Result<&'a str> {
            yield_now().await;
            self.0.next()?;
            Ok(&name[1..])
        }
    }

    fn store(attempts: &'static Attempts) -> Box<dyn Store> {
        Box::new(Client(attempts, 0))
    }

    #[tokio::test(start_paused = true)]
    async fn behind_a_trait_object() {
        let got = call(ATTEMPTS, |n| async move { store(n).get("key", vec![1]).await }).await;
        assert_eq!(got, format!("key {ATTEMPTS} [1]"));
        let put = |n| async move {
            let mut client = Client(n, 0);
            let tags = client.put(vec![1], (2, "a".to_owned())).await?;
            Ok((tags, client.1))
        };
        assert_eq!(call(ATTEMPTS, put).await, (vec![1, 2, 97], ATTEMPTS));
        assert_eq!(call(ATTEMPTS, |n| store(n).close()).await, ATTEMPTS);
        let shared = |n| Arc::<dyn Store>::from(store(n)).share("name".to_owned());
        assert_eq!(call(ATTEMPTS, shared).await, "name");
        let part = |n| async move { store(n).part("name").await.map(str::to_owned) };
        assert_eq!(call(ATTEMPTS, part).await, "ame");
    }
}

#[in_every_stack]
mod defaults {
    use super::*;

    #[async_trait]
    trait Store: Send + Sync {
        fn attempts(&self) -> &'static Attempts;

        #[guarded]
        async fn count(&self, more: Vec<u32>) -> Result<usize> {
            let taken = more;
            yield_now().await;
            self.attempts().next()?;
            Ok(taken.len())
        }

        #[guarded(without(stale_if_error))]
        async fn generic<K: Clone + Send + Sync>(&mut self, key: K) -> Result<K>
        where
            Self: Sized,
        {
            yield_now().await;
            self.attempts().next().map(|_| key)
        }
    }

    struct Client(&'static Attempts);

    impl Store for Client {
        fn attempts(&self) -> &'static Attempts {
            self.0
        }
    }

    #[tokio::test(start_paused = true)]
    async fn with_a_body() {
        let count = |n| async move { (Box::new(Client(n)) as Box<dyn Store>).count(vec![1, 2]).await };
        assert_eq!(call(ATTEMPTS, count).await, 2);
        assert_eq!(call(ATTEMPTS, |n| async move { Client(n).generic("key".to_owned()).await }).await, "key");
    }
}
