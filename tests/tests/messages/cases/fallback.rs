//! What stands in for a failed result.

mod a_value_that_does_not_live_long_enough {
    use resilience::fallback;

    #[fallback(value = other)]
    //                 ^^^^^ error[E0621]: explicit lifetime required in the type of `other`
    async fn call<'a>(text: &'a str, other: &str) -> std::io::Result<&'a str> {
        Ok(text)
    }
}

mod nothing {
    use resilience::fallback;

    #[fallback]
  //^^^^^^^^^^^ error: `fallback` needs what stands in for a failed result: `#[fallback(path)]`, `#[fallback(|error| expr)]` with an `expr` that may await, or `#[fallback(value = expr)]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod only_a_predicate {
    use resilience::fallback;

    #[fallback(when = |_| true)]
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error: `fallback` needs what stands in for a failed result: `#[fallback(path)]`, `#[fallback(|error| expr)]` with an `expr` that may await, or `#[fallback(value = expr)]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod two_forms {
    use resilience::fallback;

    #[fallback(offline, value = ())]
    //                  ^^^^^ error: a fallback has one form, and here are two: keep one of `#[fallback(path)]`, `#[fallback(|error| expr)]` with an `expr` that may await, or `#[fallback(value = expr)]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod two_forms_the_other_way {
    use resilience::fallback;

    #[fallback(value = (), |_| Ok(()))]
    //                     ^ error: a fallback has one form, and here are two: keep one of `#[fallback(path)]`, `#[fallback(|error| expr)]` with an `expr` that may await, or `#[fallback(value = expr)]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_method_without_the_error {
    use resilience::fallback;

    struct Client;

    impl Client {
        #[fallback(self.queue)]
        //         ^^^^^^^^^^ error: a fallback that needs `self` is a closure: `#[fallback(|error| self.queue(error).await)]`
        async fn call(&self) -> std::io::Result<()> {
            Ok(())
        }
    }
}

mod a_call {
    use resilience::fallback;

    struct Client;

    impl Client {
        #[fallback(self.queue(error).await)]
        //         ^^^^^^^^^^^^^^^^^^^^^^^ error: a fallback that is computed is a closure: `#[fallback(|error| self.queue(error).await)]`
        async fn call(&self) -> std::io::Result<()> {
            Ok(())
        }
    }
}

mod a_path_in_quotes {
    use resilience::fallback;

    #[fallback("offline")]
    //         ^^^^^^^^^ error: a fallback takes a path, not a string: `#[fallback(offline)]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_value_without_its_key {
    use resilience::fallback;

    #[fallback(3)]
    //         ^ error: a fallback that is a value has the key `value`: `#[fallback(value = 3)]`
    async fn call() -> std::io::Result<u8> {
        Ok(1)
    }
}

mod a_closure_without_a_parameter {
    use resilience::fallback;

    #[fallback(|| Ok(()))]
    //         ^ error: the closure of a fallback takes the error: write `|error|`, or `|_|`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_closure_of_two_parameters {
    use resilience::fallback;

    #[fallback(|error, order| Ok(()))]
    //                 ^^^^^ error: the closure of a fallback takes the error and nothing else; the function's arguments are in scope
    async fn call(order: u8) -> std::io::Result<()> {
        Ok(())
    }
}

mod a_key_for_the_function {
    use resilience::fallback;

    #[fallback(with = offline)]
    //         ^^^^ error: `fallback` has no option `with`; its options are `value`, `when`, `when_ok`, `name`, `crate`, `order`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_unknown_function {
    use resilience::fallback;

    #[fallback(offline)]
    //         ^^^^^^^ error[E0425]: cannot find function `offline` in this scope
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_function_that_is_not_async {
    use resilience::fallback;

    fn offline(_: std::io::Error) -> std::io::Result<u8> {
        Ok(1)
    }

    #[fallback(offline)]
    //         ^^^^^^^ error[E0277]: the function of a fallback is async and returns what this function returns: `Result<u8, std::io::Error>`
    // | returns `Result<u8, std::io::Error>`
    // | in a closure, any function will do: `#[fallback(|error| f(error))]`
    async fn call() -> std::io::Result<u8> {
        Ok(1)
    }
}

mod a_function_that_returns_a_bare_value {
    use resilience::fallback;

    async fn offline(_: std::io::Error) -> u8 {
        1
    }

    #[fallback(offline)]
    //         ^^^^^^^ error[E0277]: the function of a fallback is async and returns what this function returns: `Result<u8, std::io::Error>`
    // | returns `impl Future<Output = u8>`
    async fn call() -> std::io::Result<u8> {
        Ok(1)
    }
}

mod a_function_that_is_not_async_and_returns_a_bare_value {
    use resilience::fallback;

    fn offline(_: std::io::Error) -> u8 {
        1
    }

    #[fallback(offline)]
    //         ^^^^^^^ error[E0277]: the function of a fallback is async and returns what this function returns: `Result<u8, std::io::Error>`
    async fn call() -> std::io::Result<u8> {
        Ok(1)
    }
}

mod a_function_without_a_parameter {
    use resilience::fallback;

    async fn offline() -> std::io::Result<u8> {
        Ok(1)
    }

    #[fallback(offline)]
    //         ^^^^^^^ error[E0061]: this function takes 0 arguments but 1 argument was supplied
    async fn call() -> std::io::Result<u8> {
        Ok(1)
    }
}

mod a_function_of_another_error {
    use resilience::fallback;

    async fn offline(_: String) -> std::io::Result<u8> {
        Ok(1)
    }

    #[fallback(offline)]
    //         ^^^^^^^ error[E0308]: mismatched types
    // | expected `String`, found `Error`
    async fn call() -> std::io::Result<u8> {
        Ok(1)
    }
}

mod a_closure_that_gives_a_bare_value {
    use resilience::fallback;

    #[fallback(|_| 3)]
    //             ^ error[E0308]: mismatched types
    async fn call() -> std::io::Result<u8> {
        Ok(1)
    }
}

mod a_closure_of_another_error {
    use resilience::fallback;

    #[fallback(|error: String| Ok(error.len() as u8))]
    //          ^^^^^ error[E0308]: mismatched types
    async fn call() -> std::io::Result<u8> {
        Ok(1)
    }
}

mod a_value_of_another_type {
    use resilience::fallback;

    #[fallback(value = "3")]
    //                 ^^^ error[E0308]: mismatched types
    // | expected `u8`, found `&str`
    async fn call() -> std::io::Result<u8> {
        Ok(1)
    }
}

mod a_whole_result_as_value {
    use resilience::fallback;

    #[fallback(value = Ok(3))]
    //                 ^^^^^ error[E0308]: mismatched types
    async fn call() -> std::io::Result<u8> {
        Ok(1)
    }
}

mod a_return_type_that_cannot_be_taken_apart {
    use resilience::{Fallible, fallback};

    struct Answer;

    impl Fallible for Answer {
        type Value = ();
        type Error = ();
        fn result(&self) -> Result<&(), &()> {
            Ok(&())
        }
        fn success((): ()) -> Self {
            Answer
        }
        fn refused(_: resilience::Error) -> Self {
            Answer
        }
    }

    #[fallback(|()| Answer)]
    async fn call() -> Answer {
    //                 ^^^^^^ error[E0277]: `#[fallback]` needs a function that returns a `Result`
        Answer
    }
}
