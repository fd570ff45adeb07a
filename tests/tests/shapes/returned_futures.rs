//! Functions that are not `async`, and end in a block that is.

use super::*;
use futures::FutureExt;
use futures::future::{BoxFuture, LocalBoxFuture};

#[in_every_stack]
mod methods {
    use super::*;

    struct Client(&'static Attempts, u32);

    impl Client {
        #[guarded]
        fn opaque(&self, text: String) -> impl Future<Output = Result<String>> + Send + '_ {
            async move {
                let taken = text;
                yield_now().await;
                self.0.next()?;
                Ok(taken)
            }
        }

        #[guarded]
        fn pinned<'a>(&'a mut self, mut seen: Vec<u8>) -> Pin<Box<dyn Future<Output = Result<Vec<u8>>> + Send + 'a>> {
            seen.push(0);
            let mut more = vec![0];
            Box::pin(async move {
                self.1 += 1;
                seen.push(1);
                more.push(1);
                yield_now().await;
                self.0.next()?;
                Ok([seen, more].concat())
            })
        }

        #[guarded]
        fn boxed(&self, seen: String) -> BoxFuture<'_, Result<String>> {
            let first = seen.clone();
            async move {
                yield_now().await;
                self.0.next()?;
                Ok(seen + &first)
            }
            .boxed()
        }

        #[guarded]
        fn local(self: std::rc::Rc<Self>) -> LocalBoxFuture<'static, Result<u32>> {
            Box::pin(async move {
                yield_now().await;
                self.0.next()
            })
        }
    }

    #[guarded(without(stale_if_error))]
    fn generic<'a, T: Clone + Send + 'a>(n: T, attempts: &'a Attempts) -> impl Future<Output = Result<T>> + Send + 'a {
        async move {
            let taken = n;
            yield_now().await;
            attempts.next()?;
            Ok(taken)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn every_way_to_return_one() {
        assert_eq!(call(ATTEMPTS, |n| async move { Client(n, 0).opaque("a".to_owned()).await }).await, "a");
        let pinned = |n| async move {
            let mut client = Client(n, 0);
            let seen = client.pinned(vec![7]).await?;
            Ok((seen, client.1))
        };
        assert_eq!(call(ATTEMPTS, pinned).await, (vec![7, 0, 1, 0, 1], ATTEMPTS));
        assert_eq!(call(ATTEMPTS, |n| async move { Client(n, 0).boxed("a".to_owned()).await }).await, "aa");
        assert_eq!(call_here(ATTEMPTS, |n| std::rc::Rc::new(Client(n, 0)).local()).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, |n| generic(7, n)).await, 7);
    }
}

#[in_every_stack]
mod of_traits {
    use super::*;

    trait Service: Send + Sync {
        fn attempts(&self) -> &'static Attempts;

        fn boxed<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<String>>;

        #[guarded]
        fn by_default(&self, name: String) -> Pin<Box<dyn Future<Output = Result<String>> + Send + '_>> {
            Box::pin(async move {
                let taken = name;
                yield_now().await;
                self.attempts().next()?;
                Ok(taken)
            })
        }
    }

    trait Opaque: Sync {
        fn opaque(&self, name: &str) -> impl Future<Output = Result<String>> + Send;
    }

    struct Client(&'static Attempts);

    impl Service for Client {
        fn attempts(&self) -> &'static Attempts {
            self.0
        }

        #[guarded]
        fn boxed<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<String>> {
            Box::pin(async move {
                yield_now().await;
                self.0.next()?;
                Ok(name.to_owned())
            })
        }
    }

    impl Opaque for Client {
        #[guarded]
        fn opaque(&self, name: &str) -> impl Future<Output = Result<String>> + Send {
            let name = name.to_owned();
            async move {
                let taken = name;
                yield_now().await;
                self.0.next()?;
                Ok(taken)
            }
        }
    }

    fn service(attempts: &'static Attempts) -> Box<dyn Service> {
        Box::new(Client(attempts))
    }

    async fn through<S: Opaque>(service: S) -> Result<String> {
        service.opaque("x").await
    }

    #[tokio::test(start_paused = true)]
    async fn declared_and_by_default() {
        assert_eq!(call(ATTEMPTS, |n| async move { service(n).boxed("x").await }).await, "x");
        assert_eq!(call(ATTEMPTS, |n| async move { service(n).by_default("x".to_owned()).await }).await, "x");
        assert_eq!(call(ATTEMPTS, |n| through(Client(n))).await, "x");
    }
}
