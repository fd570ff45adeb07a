//! What an attribute may stand on.

mod a_blocking_function {
    use resilience::retry;

    #[retry]
    fn call() -> std::io::Result<()> {
  //^^ error: `#[retry]` goes on an `async fn`: write `async fn call`
        Ok(())
    }
}

mod a_const_function {
    use resilience::retry;

    #[retry]
    const fn call() -> std::io::Result<()> {
  //^^^^^ error: `#[retry]` goes on an `async fn`, and a `const fn` cannot be async
        Ok(())
    }
}

mod an_extern_function {
    use resilience::timeout;

    #[timeout("1s")]
    async extern "C" fn call() -> std::io::Result<()> {
    //    ^^^^^^ error: `#[timeout]` does not support `extern` functions: guard an `async fn` and call it from here
        Ok(())
    }
}

mod a_method_without_a_body {
    use resilience::retry;

    trait Service {
        #[retry]
        fn call(&self) -> impl Future<Output = std::io::Result<()>>;
      //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error: `#[retry]` needs a body to guard: put it on the method in the `impl`, or give this one a default body
    }
}

mod a_struct {
    use resilience::retry;

    #[retry]
    pub struct Service;
    //  ^^^^^^ error: `#[retry]` goes on an `async fn`, and this is a `struct`

    fn still_there() -> Service {
        Service
    }
}

mod an_enum {
    use resilience::circuit_breaker;

    #[circuit_breaker("payments")]
    enum Service {}
  //^^^^ error: `#[circuit_breaker]` goes on an `async fn`, and this is an `enum`
}

mod a_union {
    use resilience::bulkhead;

    #[bulkhead]
    union Service {
  //^^^^^ error: `#[bulkhead]` goes on an `async fn`, and this is a `union`
        a: u8,
    }
}

mod an_impl {
    use resilience::retry;

    struct Service;

    #[retry]
    impl Service {
  //^^^^ error: `#[retry]` goes on an `async fn`: put it on the methods of this `impl`, or write `#[resilient(retry(…))]` here
        async fn call(&self) -> std::io::Result<()> {
            Ok(())
        }
    }

    async fn still_there() -> std::io::Result<()> {
        Service.call().await
    }
}

mod a_trait {
    use resilience::timeout;

    #[timeout("1s")]
    pub trait Service {}
    //  ^^^^^ error: `#[timeout]` goes on an `async fn`: put it on the methods of this `trait`
}

mod a_module {
    use resilience::rate_limit;

    #[rate_limit("a", limit = 3)]
    mod inner {}
  //^^^ error: `#[rate_limit]` goes on an `async fn`: put it on the functions of this module
}

mod a_constant {
    use resilience::retry;

    #[retry]
    const LIMIT: u8 = 3;
    //    ^^^^^ error: `#[retry]` goes on an `async fn`
}

mod a_static {
    use resilience::retry;

    #[retry]
    static LIMIT: u8 = 3;
  //^^^^^^ error: `#[retry]` goes on an `async fn`, and this is a `static`
}

mod a_type {
    use resilience::retry;

    #[retry]
    type Alias = u8;
  //^^^^ error: `#[retry]` goes on an `async fn`, and this is a `type`
}

mod an_import {
    use resilience::retry;

    #[retry]
    pub use std::fmt;
    //  ^^^ error: `#[retry]` goes on an `async fn`, and this is a `use`
}

mod a_function_of_a_foreign_block {
    use resilience::retry;

    unsafe extern "C" {
        #[retry]
        fn call() -> u8;
      //^^^^^^^^^^^^^^^ error: `#[retry]` needs a body to guard: put it on the method in the `impl`, or give this one a default body
    }
}

mod below_tokio_main {
    use resilience::retry;

    #[tokio::main]
    #[retry]
    async fn start() -> std::io::Result<()> {
    //    ^^ error: `#[retry]` goes on an `async fn`: put it above `#[tokio::main]` or `#[tokio::test]`, which make this function a blocking one
        Ok(())
    }
}

mod below_tokio_main_with_options {
    use resilience::{retry, timeout};

    #[tokio::main(flavor = "current_thread")]
    #[retry]
    #[timeout("1s")]
    async fn start() -> std::io::Result<()> {
    //    ^^ error: `#[retry]` goes on an `async fn`: put it above `#[tokio::main]` or `#[tokio::test]`, which make this function a blocking one
        Ok(())
    }
}

mod instrument_above_a_retry_of_mut_self {
    use resilience::retry;

    struct Service(u8);

    impl Service {
        #[tracing::instrument(skip(self))]
        #[retry]
        async fn call(&mut self) -> std::io::Result<u8> {
        //            ^^^^^^^^^ error: put `#[retry]` above `#[instrument]`: the body that `#[instrument]` makes moves `&mut self`, so it cannot run twice
            self.0 += 1;
            Ok(self.0)
        }
    }
}
