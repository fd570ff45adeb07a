//! Every kind of `self`.

use super::*;
use std::rc::Rc;

#[in_every_stack]
mod methods {
    use super::*;

    struct Client {
        attempts: &'static Attempts,
        calls: u32,
    }

    impl Client {
        #[guarded]
        async fn shared(&self) -> Result<u32> {
            yield_now().await;
            self.attempts.next()
        }

        #[guarded]
        async fn unique(&mut self) -> Result<u32> {
            self.calls += 1;
            yield_now().await;
            self.attempts.next()?;
            Ok(self.calls)
        }

        #[guarded]
        async fn named<'a>(&'a mut self, _: &'a str) -> Result<u32> {
            self.calls += 1;
            yield_now().await;
            self.attempts.next()?;
            Ok(self.calls)
        }

        // A body that may run again borrows it.
        #[guarded]
        async fn value(self) -> Result<u32> {
            yield_now().await;
            self.attempts.next()
        }

        #[guarded]
        async fn mutable(mut self) -> Result<u32> {
            self.calls += 1;
            yield_now().await;
            self.attempts.next()?;
            Ok(self.calls)
        }

        #[guarded]
        async fn longhand_value(self: Self) -> Result<u32> {
            yield_now().await;
            self.attempts.next()
        }

        #[guarded]
        async fn longhand_shared(self: &Self) -> Result<u32> {
            yield_now().await;
            self.attempts.next()
        }

        #[guarded]
        async fn longhand_unique(self: &mut Self) -> Result<u32> {
            self.calls += 1;
            yield_now().await;
            self.attempts.next()?;
            Ok(self.calls)
        }

        #[guarded]
        async fn arc(self: Arc<Self>) -> Result<u32> {
            yield_now().await;
            self.attempts.next()
        }

        #[guarded]
        async fn borrowed_arc(self: &Arc<Self>) -> Result<u32> {
            let kept = Arc::clone(self);
            yield_now().await;
            kept.attempts.next()
        }

        #[guarded]
        async fn boxed(self: Box<Self>) -> Result<u32> {
            yield_now().await;
            self.attempts.next()
        }

        #[guarded]
        async fn mutable_box(mut self: Box<Self>) -> Result<u32> {
            self.calls += 1;
            yield_now().await;
            self.attempts.next()?;
            Ok(self.calls)
        }

        #[guarded]
        async fn counted(self: Rc<Self>) -> Result<u32> {
            yield_now().await;
            self.attempts.next()
        }

        // A body that may run again projects anew: it cannot consume the pin.
        #[guarded]
        async fn pinned(mut self: Pin<&mut Self>) -> Result<u32> {
            self.as_mut().get_mut().calls += 1;
            yield_now().await;
            self.attempts.next()?;
            Ok(self.calls)
        }

        #[guarded]
        async fn pinned_shared(self: Pin<&Self>) -> Result<u32> {
            yield_now().await;
            self.get_ref().attempts.next()
        }

        #[guarded]
        async fn pinned_box(self: Pin<Box<Self>>) -> Result<u32> {
            yield_now().await;
            self.attempts.next()
        }

        #[guarded]
        async fn associated(attempts: &Attempts) -> Result<u32> {
            yield_now().await;
            attempts.next()
        }

        // `self` where a macro that renames it would miss it.
        #[guarded]
        async fn in_macros(&mut self) -> Result<String> {
            macro_rules! calls {
                ($of:expr) => {
                    $of.calls
                };
            }
            self.calls += 1;
            let shown = format!("{} {}", self.calls, calls!(self));
            tokio::select! {
                biased;
                () = yield_now() => drop(self.attempts.next()?),
                () = std::future::pending() => self.calls = 0,
            }
            Ok(shown)
        }
    }

    fn client(attempts: &'static Attempts) -> Client {
        Client { attempts, calls: 0 }
    }

    #[tokio::test(start_paused = true)]
    async fn by_reference() {
        assert_eq!(call(ATTEMPTS, |n| async move { client(n).shared().await }).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, |n| async move { client(n).unique().await }).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, |n| async move { client(n).named("x").await }).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, |n| async move { client(n).longhand_shared().await }).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, |n| async move { client(n).longhand_unique().await }).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, |n| async move { client(n).in_macros().await }).await, format!("{0} {0}", ATTEMPTS));
    }

    // What holds a `self` by value has no lifetime: it can be spawned as it is.
    #[tokio::test(start_paused = true)]
    async fn by_value() {
        assert_eq!(call(ATTEMPTS, |n| client(n).value()).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, |n| client(n).mutable()).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, |n| client(n).longhand_value()).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, Client::associated).await, ATTEMPTS);
    }

    #[tokio::test(start_paused = true)]
    async fn by_pointer() {
        assert_eq!(call(ATTEMPTS, |n| Arc::new(client(n)).arc()).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, |n| async move { Arc::new(client(n)).borrowed_arc().await }).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, |n| Box::new(client(n)).boxed()).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, |n| Box::new(client(n)).mutable_box()).await, ATTEMPTS);
        assert_eq!(call_here(ATTEMPTS, |n| Rc::new(client(n)).counted()).await, ATTEMPTS);
        assert_eq!(call(ATTEMPTS, |n| async move { Box::pin(client(n)).as_mut().pinned().await }).await, ATTEMPTS);
        assert_eq!(
            call(ATTEMPTS, |n| async move { Box::pin(client(n)).as_ref().pinned_shared().await }).await,
            ATTEMPTS
        );
        assert_eq!(call(ATTEMPTS, |n| Box::pin(client(n)).pinned_box()).await, ATTEMPTS);
    }
}

/// A body that runs once may consume what it is called on.
mod consumed {
    use super::*;

    #[derive(Default)]
    struct Client {
        calls: u32,
        _sent_but_not_shared: Cell<u32>,
    }

    impl Client {
        #[timeout("1s")]
        async fn value(self) -> Result<Self> {
            yield_now().await;
            Ok(self)
        }

        #[circuit_breaker]
        #[timeout("2s")]
        #[bulkhead]
        #[timeout("1s")]
        async fn in_many(mut self) -> Result<Self> {
            self.calls += 1;
            yield_now().await;
            Ok(self)
        }

        #[bulkhead]
        #[timeout("1s")]
        async fn boxed(self: Box<Self>) -> Result<Self> {
            yield_now().await;
            Ok(*self)
        }

        #[timeout("1s")]
        async fn pinned(self: Pin<&mut Self>) -> Result<&mut Self> {
            yield_now().await;
            Ok(self.get_mut())
        }

        #[timeout("1s")]
        async fn counted(self: Rc<Self>) -> Result<Option<Self>> {
            yield_now().await;
            Ok(Rc::into_inner(self))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn by_the_body() {
        let client = Client::default;
        assert_eq!(call(0, |_| client().value()).await.calls, 0);
        assert_eq!(call(0, |_| client().in_many()).await.calls, 1);
        assert_eq!(call(0, |_| Box::new(client()).boxed()).await.calls, 0);
        assert_eq!(call(0, |_| async move { Ok(Pin::new(&mut client()).pinned().await?.calls) }).await, 0);
        assert!(call_here(0, |_| Rc::new(client()).counted()).await.is_some());
    }
}

/// What runs after the body may ask `self`, also a `&mut self`.
mod asked_afterwards {
    use super::*;

    struct Client {
        attempts: &'static Attempts,
        calls: u32,
    }

    impl Client {
        #[retry(base_delay = 0ms, when = |_| self.calls > 0)]
        #[circuit_breaker(when = |_| self.calls > 10)]
        #[timeout("1s")]
        async fn by_two(&mut self) -> Result<u32> {
            self.calls += 1;
            yield_now().await;
            self.attempts.next()?;
            Ok(self.calls)
        }

        #[circuit_breaker(when = |_| self.calls > 0)]
        #[timeout("1s")]
        #[bulkhead]
        async fn by_one(&mut self, tag: String) -> Result<String> {
            self.calls += 1;
            yield_now().await;
            Ok(tag)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn by_predicates() {
        let client = |attempts| Client { attempts, calls: 0 };
        assert_eq!(call(3, |n| async move { client(n).by_two().await }).await, 3);
        assert_eq!(call(0, |n| async move { client(n).by_one("x".to_owned()).await }).await, "x");
    }
}
