//! Methods of traits, with their own `async fn`.

use super::*;

#[in_every_stack]
mod declared {
    use super::*;

    // A caller may ask for a `Send` future, and the guarded method has one.
    trait Service: Sync {
        fn call(&self, name: &str) -> impl Future<Output = Result<String>> + Send;
    }

    struct Client(&'static Attempts);

    impl Service for Client {
        #[guarded]
        async fn call(&self, name: &str) -> Result<String> {
            yield_now().await;
            self.0.next()?;
            Ok(name.to_owned())
        }
    }

    #[allow(async_fn_in_trait)]
    trait Plain {
        type Item;
        const MORE: u32;

        async fn item(&mut self, n: u32) -> Result<Self::Item>;
        async fn consumed(self) -> Result<u32>;
    }

    impl Plain for Client {
        type Item = u32;
        const MORE: u32 = 10;

        #[guarded]
        async fn item(&mut self, n: u32) -> Result<Self::Item> {
            yield_now().await;
            self.0.next()?;
            Ok(n + Self::MORE + <Self as Plain>::MORE)
        }

        #[guarded]
        async fn consumed(self) -> Result<u32> {
            yield_now().await;
            self.0.next()
        }
    }

    impl<T: Service> Service for Box<T>
    where
        T: Send,
    {
        #[guarded(max_attempts = 1)]
        async fn call(&self, name: &str) -> Result<String> {
            T::call(self, name).await
        }
    }

    async fn through<S: Service>(service: S) -> Result<String> {
        service.call(&"x".to_owned()).await
    }

    #[tokio::test(start_paused = true)]
    async fn implemented() {
        assert_eq!(call(ATTEMPTS, |n| through(Client(n))).await, "x");
        assert_eq!(call(ATTEMPTS, |n| through(Box::new(Client(n)))).await, "x");
        assert_eq!(call(ATTEMPTS, |n| async move { Client(n).item(1).await }).await, 21);
        assert_eq!(call(ATTEMPTS, |n| Client(n).consumed()).await, ATTEMPTS);
    }
}

#[in_every_stack]
mod defaults {
    use super::*;

    #[allow(async_fn_in_trait)]
    trait Service {
        const NAME: &'static str;

        fn attempts(&self) -> &'static Attempts;

        #[guarded]
        async fn shared(&self, more: &str) -> Result<String> {
            yield_now().await;
            self.attempts().next()?;
            Ok(format!("{}{more}", Self::NAME))
        }

        #[guarded]
        async fn unique(&mut self) -> Result<usize> {
            yield_now().await;
            self.attempts().next()?;
            Ok(size_of_val(self))
        }

        #[guarded]
        async fn arc(self: Arc<Self>) -> Result<usize>
        where
            Self: Sized,
        {
            yield_now().await;
            self.attempts().next()?;
            Ok(Arc::strong_count(&self))
        }

        #[guarded]
        async fn associated<T: Into<u32> + Clone>(n: T, attempts: &Attempts) -> Result<u32> {
            yield_now().await;
            attempts.next()?;
            Ok(n.into())
        }
    }

    struct Client(&'static Attempts);

    impl Service for Client {
        const NAME: &'static str = "client";

        fn attempts(&self) -> &'static Attempts {
            self.0
        }
    }

    #[tokio::test(start_paused = true)]
    async fn with_a_body() {
        assert_eq!(call(ATTEMPTS, |n| async move { Client(n).shared("!").await }).await, "client!");
        assert_eq!(call(ATTEMPTS, |n| async move { Client(n).unique().await }).await, size_of::<usize>());
        assert!(call(ATTEMPTS, |n| Arc::new(Client(n)).arc()).await >= 1);
        assert_eq!(call(ATTEMPTS, |n| Client::associated(7_u8, n)).await, 7);
    }
}
