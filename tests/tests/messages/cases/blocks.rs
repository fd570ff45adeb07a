//! `#[resilient]` on `impl` blocks, methods under `#[async_trait]`, and functions that return a block.

mod no_async_method {
    use resilience::resilient;

    struct Client;

    #[resilient(retry)]
  //^^^^^^^^^^^^^^^^^^^ error: this `impl` block has no async method to guard: remove the attribute, or put it on the block that has them
    impl Client {
        const LIMIT: u8 = 3;

        fn blocking(&self) {}
    }
}

mod a_mistake_in_the_list_is_told_once {
    use resilience::resilient;

    struct Client;

    #[resilient(retry(max_attempts = "3"))]
    //                               ^^^ error: `max_attempts` is a number; write it without quotes: `max_attempts = 3`
    impl Client {
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }

        async fn write(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}

mod a_value_out_of_range_is_told_once {
    use resilience::resilient;

    struct Client;

    #[resilient(timeout("0s"))]
    //                  ^^^^ error[E0080]: evaluation panicked: `duration` must be longer than zero
    impl Client {
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }

        async fn write(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}

mod a_method_that_returns_nothing {
    use resilience::resilient;

    struct Client;

    #[resilient(retry)]
    impl Client {
        async fn close(&self) {}
        //       ^^^^^ error: `#[resilient]` needs a function that can fail: give `close` a return type such as `Result<(), E>`; or leave this method out with `#[resilient(skip)]`
    }
}

mod a_method_that_returns_a_value {
    use resilience::resilient;

    struct Client;

    #[resilient(retry)]
    impl Client {
        async fn count(&self) -> Option<u8> {
        //                       ^^^^^^ error[E0277]: a resilience attribute needs a function that returns a `Result`
            Some(1)
        }
    }
}

mod skipped_for_nothing {
    use resilience::resilient;

    struct Client;

    #[resilient(retry)]
    impl Client {
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }

        #[resilient(skip)]
        //^^^^^^^^^ error: `blocking` is not async, so it is not guarded anyway: remove `#[resilient(skip)]`
        fn blocking(&self) {}
    }
}

mod a_policy_of_the_list_on_a_method {
    use resilience::{resilient, retry};

    struct Client;

    #[resilient(retry)]
    impl Client {
        #[retry]
        //^^^^^ error: two `#[retry]` stand on this function, which multiplies the attempts; remove one
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}

mod a_guarded_method_of_a_renamed_crate {
    // resilience is renamed: guards
    use guards::resilient;

    struct Client;

    #[resilient(retry, timeout("1s"))]
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[E0433]: cannot find `resilience` in the crate root
    impl Client {
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }

        async fn write(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}

mod an_argument_of_a_boxed_method {
    use resilience::retry;

    struct Connection;

    #[async_trait::async_trait]
    trait Service {
        async fn call(&self, connection: Connection) -> std::io::Result<()>;
    }

    struct Client;

    #[async_trait::async_trait]
    impl Service for Client {
        #[retry]
        async fn call(&self, connection: Connection) -> std::io::Result<()> {
        //                   ^^^^^^^^^^ error[E0277]: `#[retry]` may run the body again and needs a copy of this argument for each attempt, but `Connection` is not `Clone`
            drop(connection);
            Ok(())
        }
    }
}

mod a_boxed_method_without_a_result {
    use resilience::{circuit_breaker, retry};

    struct Client;

    #[async_trait::async_trait]
    trait Service {
        #[retry]
        #[circuit_breaker]
        async fn call(&self) -> Option<u8> {
        //                      ^^^^^^ error[E0277]: a resilience attribute needs a function that returns a `Result`
            None
        }
    }
}

mod a_boxed_method_without_a_body {
    use resilience::retry;

    #[async_trait::async_trait]
    trait Service {
        #[retry]
        async fn call(&self) -> std::io::Result<()>;
        //       ^^^^ error: `#[retry]` needs a body to guard: put it on the method in the `impl`, or give this one a default body
    }
}

mod a_future_without_a_block {
    use resilience::retry;

    #[retry]
    fn call() -> impl Future<Output = std::io::Result<u8>> {
  //^^ error: `#[retry]` guards the future that this function returns, and finds no `async` block: end the body with `async move { … }` or `Box::pin(async move { … })`, or write `async fn call`
        std::future::ready(Ok(1))
    }
}

mod a_future_of_an_option {
    use resilience::retry;

    #[retry]
    fn call() -> impl Future<Output = Option<u8>> {
    //                                ^^^^^^ error[E0277]: a resilience attribute needs a function that returns a `Result`
        async move { Some(1) }
    }
}

mod a_block_that_is_returned_early {
    use std::pin::Pin;

    use resilience::retry;

    #[retry]
    fn call(cached: bool) -> Pin<Box<dyn Future<Output = std::io::Result<u8>>>> {
        if cached {
            return Box::pin(async move { Ok(0) });
          //^^^^^^ error: `#[retry]` guards the `async` block at the end of this function, and would leave the one returned here unguarded: decide inside of the block at the end, or make this an `async fn`
        }
        Box::pin(async move { Ok(1) })
    }
}

mod methods_under_an_alias {
    use std::pin::Pin;

    use resilience::resilient;

    type Boxed<'a, T> = Pin<Box<dyn Future<Output = std::io::Result<T>> + 'a>>;
    type AnswerFuture = std::future::Ready<std::io::Result<u8>>;

    struct Client;

    #[resilient(retry)]
    impl Client {
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }

        fn boxed(&self) -> Boxed<'_, u8> {
      //^^ error: `#[resilient]` does not see what this future gives: write `impl Future<Output = Result<T, E>>`, `Pin<Box<dyn Future<Output = Result<T, E>>>>` or `BoxFuture<'_, Result<T, E>>`, or make it an `async fn`; or leave this method out with `#[resilient(skip)]`
            Box::pin(async move { Ok(1) })
        }

        fn named(&self) -> AnswerFuture {
      //^^ error: `#[resilient]` does not see what this future gives: write `impl Future<Output = Result<T, E>>`, `Pin<Box<dyn Future<Output = Result<T, E>>>>` or `BoxFuture<'_, Result<T, E>>`, or make it an `async fn`; or leave this method out with `#[resilient(skip)]`
            std::future::ready(Ok(1))
        }

        #[resilient(skip)]
        fn left_out(&self) -> AnswerFuture {
            std::future::ready(Ok(1))
        }
    }
}

mod skipped_for_nothing_under_another_name {
    use resilience::resilient as guard;

    struct Client;

    #[guard(retry)]
    impl Client {
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }

        #[guard(skip)]
        //      ^^^^ error: `#[resilient(skip)]` leaves an async method out of the list of its `impl` block; here it has nothing to leave out: remove the attribute
        fn blocking(&self) {}
    }
}

mod skipped_under_another_name_and_a_wrong_list {
    use resilience::resilient as guard;

    struct Client;

    #[guard(retry(max_attempts = "3"))]
    //                           ^^^ error: `max_attempts` is a number; write it without quotes: `max_attempts = 3`
    impl Client {
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }

        #[guard(skip)]
        async fn skipped(&self) -> u8 {
            1
        }
    }
}

mod a_range_told_by_the_method_after_one_left_out {
    use resilience::resilient as guard;

    struct Client;

    #[guard(retry(max_attempts = 0))]
    //                           ^ error[E0080]: evaluation panicked: `max_attempts` must be at least 1
    impl Client {
        #[guard(skip)]
        async fn skipped(&self) -> u8 {
            1
        }

        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}

mod a_renamed_policy_of_a_method {
    use resilience::{resilient, timeout as limit};

    struct Client;

    #[resilient(retry)]
    impl Client {
        #[limit("1s")]
      //^^^^^^^^^^^^^^ error: `#[timeout]` has been expanded apart from the resilience attribute above, which knows it by its own name and as `resilience::timeout` only: write `#[timeout]` (imported without `as`), or put both in one `#[resilient(…)]`
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}

mod a_skip_that_is_a_function {
    use resilience::{fallback as or_else, resilient};

    struct Client;

    async fn skip(error: std::io::Error) -> std::io::Result<u8> {
        Err(error)
    }

    #[resilient(retry)]
    impl Client {
        #[or_else(skip)]
      //^^^^^^^^^^^^^^^^ error: `#[fallback]` has been expanded apart from the resilience attribute above, which knows it by its own name and as `resilience::fallback` only: write `#[fallback]` (imported without `as`), or put both in one `#[resilient(…)]`
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}

mod skipped_by_a_renamed_policy {
    use resilience::{resilient, retry as again};

    struct Client;

    #[resilient(retry)]
    impl Client {
        #[again(skip)]
        //      ^^^^ error: `retry` has no option `skip`; its options are `max_attempts`, `backoff`, `base_delay`, `max_delay`, `multiplier`, `jitter`, `max_elapsed`, `max_retry_after`, `budget`, `when`, `when_ok`, `on_retry`, `name`, `crate`, `order`, `borrow`
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}

mod skipped_and_no_method {
    use resilience::resilient;

    struct Client;

    #[resilient(retry)]
    impl Client {
        #[resilient(skip)]
        //^^^^^^^^^ error: only methods are guarded, so there is nothing to leave out: remove `#[resilient(skip)]`
        const LIMIT: u8 = 3;

        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}

mod skipped_with_a_policy {
    use resilience::resilient;

    struct Client;

    #[resilient(retry)]
    impl Client {
        #[resilient(skip, timeout("1s"))]
        //          ^^^^ error: `skip` leaves a method out of the list of its `impl` block, and stands alone: write `#[resilient(skip)]`, and the method's own policies in attributes below
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}

mod a_method_without_a_body {
    use resilience::resilient;

    struct Client;

    #[resilient(retry)]
    impl Client {
        async fn read(&self) -> std::io::Result<u8>;
      //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error: associated function in `impl` without body
    }
}

mod the_name_of_every_type {
    use resilience::resilient;

    trait Service {
        async fn call(&self) -> std::io::Result<u8>;
    }

    #[resilient(circuit_breaker("{type}"))]
    //                          ^^^^^^^^ error: `{type}` stands for the last name in a type's path, and this type has none: write a name
    impl<T> Service for T {
        async fn call(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}

mod self_in_the_attributes_of_boxed_methods {
    use resilience::{fallback, retry};

    #[async_trait::async_trait]
    trait Service {
        #[retry(borrow(self, other))]
        //             ^^^^ error: `self` is always borrowed; leave it out of `borrow`
        //                   ^^^^^ error: `borrow` lists arguments of the function, and `other` is none; they are `key`
        async fn get(&self, key: u8) -> std::io::Result<u8> {
            Ok(key)
        }

        #[fallback(self.other)]
        //         ^^^^^^^^^^ error: a fallback that needs `self` is a closure: `#[fallback(|error| self.other(error).await)]`
        async fn put(&self) -> std::io::Result<()> {
            Ok(())
        }
    }
}
