//! What a guarded function may return.

mod nothing {
    use resilience::retry;

    #[retry]
    async fn call() {}
    //       ^^^^ error: `#[retry]` needs a function that can fail: give `call` a return type such as `Result<(), E>`
}

mod unit {
    use resilience::timeout;

    #[timeout("1s")]
    async fn call() -> () {}
    //       ^^^^ error: `#[timeout]` needs a function that can fail: give `call` a return type such as `Result<(), E>`
}

mod never {
    use resilience::circuit_breaker;

    #[circuit_breaker]
    async fn call() -> ! {
    //                 ^ error: `#[circuit_breaker]` needs a function that can fail: a function that returns `!` never ends; return a `Result<T, E>`
        loop {}
    }
}

mod an_option_below_every_policy {
    use resilience::{bulkhead, circuit_breaker, fallback, rate_limit, retry, stale_if_error, timeout};

    #[fallback(value = "nothing".to_owned())]
    #[stale_if_error("10m")]
    #[retry]
    #[circuit_breaker]
    #[rate_limit("option", limit = 3)]
    #[bulkhead]
    #[timeout("1s")]
    async fn call(text: String) -> Option<String> {
    //                             ^^^^^^ error[E0277]: `#[fallback]` needs a function that returns a `Result`
        Some(text)
    }
}

mod an_option_below_a_retry {
    use resilience::retry;

    #[retry]
    async fn call() -> Option<u8> {
    //                 ^^^^^^ error[E0277]: a resilience attribute needs a function that returns a `Result`
    // | `Option<u8>` is neither a `Result<T, E>` nor a type that implements `resilience::Fallible`
    // | return `Result<T, E>` where `E: From<resilience::Error>`, or implement `resilience::Fallible` for `Option<u8>`
        Some(1)
    }
}

mod an_option_below_a_timeout {
    use resilience::timeout;

    #[timeout("1s")]
    async fn call() -> Option<u8> {
    //                 ^^^^^^ error[E0277]: a resilience attribute needs a function that returns a `Result`
        Some(1)
    }
}

mod an_option_below_a_bulkhead {
    use resilience::bulkhead;

    #[bulkhead]
    async fn call() -> Option<u8> {
    //                 ^^^^^^ error[E0277]: a resilience attribute needs a function that returns a `Result`
        Some(1)
    }
}

mod a_number {
    use resilience::{circuit_breaker, retry};

    #[retry(when = |_| true)]
    #[circuit_breaker(when = |_| true)]
    async fn call() -> u8 {
    //                 ^^ error[E0277]: a resilience attribute needs a function that returns a `Result`
        1
    }
}

mod an_error_of_our_own_without_from {
    use resilience::{bulkhead, circuit_breaker, fallback, rate_limit, retry, timeout};

    struct Mine;

    #[fallback(value = 1)]
    #[retry]
    #[circuit_breaker]
    #[rate_limit("no-from", limit = 3)]
    #[bulkhead]
    #[timeout("1s")]
    async fn call() -> Result<u8, Mine> {
    //                 ^^^^^^ error[E0277]: the error type `Mine` cannot take in a `resilience::Error`
    // | write `impl From<resilience::Error> for Mine` (with thiserror: `#[error(transparent)] Refused(#[from] resilience::Error)`)
        Err(Mine)
    }
}

mod an_error_without_from_in_an_opaque_result {
    use resilience::{circuit_breaker, timeout};

    struct Mine;

    #[timeout("1s")]
    #[circuit_breaker]
    async fn call() -> Result<impl Copy, Mine> {
    //                 ^^^^^^ error[E0277]: the error type `Mine` cannot take in a `resilience::Error`
        if true { Err(Mine) } else { Ok(1) }
    }
}

mod a_string_as_error {
    use resilience::retry;

    #[retry]
    async fn call() -> Result<u8, String> {
    //                 ^^^^^^ error[E0277]: the error type `String` cannot take in a `resilience::Error`
    // | for a type of another crate, such as `String` or `()`, return an error type of your own
        Err("no".to_owned())
    }
}

mod a_str_as_error {
    use resilience::retry;

    #[retry]
    async fn call() -> Result<u8, &'static str> {
    //                 ^^^^^^ error[E0277]: the error type `&str` cannot take in a `resilience::Error`
        Err("no")
    }
}

mod unit_as_error {
    use resilience::timeout;

    #[timeout("1s")]
    async fn call() -> Result<u8, ()> {
    //                 ^^^^^^ error[E0277]: the error type `()` cannot take in a `resilience::Error`
        Err(())
    }
}

mod a_foreign_error {
    use resilience::retry;

    #[retry]
    async fn call() -> Result<u8, std::num::ParseIntError> {
    //                 ^^^^^^ error[E0277]: the error type `ParseIntError` cannot take in a `resilience::Error`
        "1".parse()
    }
}

mod a_generic_error {
    use resilience::retry;

    #[retry]
    async fn call<E>(value: &Result<u8, E>) -> Result<u8, E>
    //                                         ^^^^^^ error[E0277]: the error type `E` cannot take in a `resilience::Error`
    // | for a type parameter, bound it: `E: From<resilience::Error>`
    where
        E: Clone,
    {
        value.clone()
    }
}

mod a_boxed_error_that_is_not_send {
    use resilience::retry;

    #[retry]
    async fn call() -> Result<u8, Box<dyn std::fmt::Debug>> {
    //                 ^^^^^^ error[E0277]: the error type `Box<dyn Debug>` cannot take in a `resilience::Error`
        Ok(1)
    }
}

mod a_reference_into_mut_self_below_retry {
    use resilience::retry;

    struct Pool(Vec<String>);

    impl Pool {
        #[retry]
        async fn first(&mut self) -> std::io::Result<&str> {
        //             ^^^^^^^^^ error: `#[retry]` cannot return a reference into `&mut self`: the next attempt needs it again while the result of the last one lives; return an owned value, or take `&` instead of `&mut`
            Ok(&self.0[0])
        }
    }
}

mod a_reference_into_a_mut_argument_below_retry {
    use resilience::{retry, timeout};

    #[timeout("1s")]
    #[retry]
    async fn first<'a>(pool: &'a mut Vec<String>, _at: &usize) -> std::io::Result<&'a mut String> {
    //                 ^^^^ error: `#[retry]` cannot return a reference into `pool`: the next attempt needs it again while the result of the last one lives; return an owned value, or take `&` instead of `&mut`
        Ok(&mut pool[0])
    }
}

mod a_reference_that_a_fallback_asks_for {
    use resilience::fallback;

    struct Client(String);

    impl Client {
        #[fallback(|_| Ok(&self.0))]
        //             ^^^^^^^^^^^ error: `#[fallback]` cannot use `&mut self` here, as the result may be a reference into it; return an owned value, or take `&` instead of `&mut`
        async fn call(&mut self) -> std::io::Result<&str> {
            self.0.push('a');
            Ok(&self.0)
        }
    }
}

mod the_wrong_value {
    use resilience::{retry, timeout};

    #[retry]
    #[timeout("1s")]
    async fn call() -> Result<u8, resilience::Error> {
        Ok("text")
        // ^^^^^^ error[E0308]: mismatched types
        // | expected `u8`, found `&str`
    }
}

mod no_value {
    use resilience::retry;

    #[retry]
    async fn call() -> Result<u8, resilience::Error> {
    //                                               ^ error[E0308]: mismatched types
        "text";
    }
}

mod an_unknown_type {
    use resilience::{retry, timeout};

    #[retry]
    #[timeout("1s")]
    async fn call() -> Result<Missing, resilience::Error> {
    //                        ^^^^^^^ error[E0425]: cannot find type `Missing` in this scope
        todo!()
    }
}

mod an_error_that_does_not_convert {
    use resilience::timeout;

    #[timeout("1s")]
    async fn call() -> Result<u8, resilience::Error> {
        let n: u8 = "1".parse()?;
        //              ^^^^^ error[E0271]: type mismatch resolving `<u8 as FromStr>::Err == Error`
        Ok(n)
    }
}
