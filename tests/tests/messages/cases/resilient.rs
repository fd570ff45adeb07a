//! The list of policies in one attribute.

mod nothing {
    use resilience::resilient;

    #[resilient]
  //^^^^^^^^^^^^ error: `resilient` needs at least one policy: `#[resilient(retry, timeout("2s"))]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_empty_list {
    use resilience::resilient;

    #[resilient()]
  //^^^^^^^^^^^^^^ error: `resilient` needs at least one policy: `#[resilient(retry, timeout("2s"))]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod only_keys {
    use resilience::resilient;

    #[resilient(order = "as_written")]
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error: `resilient` needs at least one policy: `#[resilient(retry, timeout("2s"))]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_misspelt_policy {
    use resilience::resilient;

    #[resilient(retri(max_attempts = 3))]
    //          ^^^^^ error: there is no policy `retri`; did you mean `retry`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_unknown_policy {
    use resilience::resilient;

    #[resilient(retry, cache("1m"))]
    //                 ^^^^^ error: there is no policy `cache`; there are `retry`, `circuit_breaker`, `bulkhead`, `rate_limit`, `timeout`, `fallback`, `stale_if_error`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_equals_sign {
    use resilience::resilient;

    #[resilient(retry, timeout = "2s")]
    //                 ^^^^^^^ error: write `timeout("2s")`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod no_comma {
    use resilience::resilient;

    #[resilient(retry bulkhead)]
    //                ^^^^^^^^ error: expected `,` between policies
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_string {
    use resilience::resilient;

    #[resilient("retry")]
    //          ^^^^^^^ error: expected a policy, as in `#[resilient(retry, timeout("2s"))]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_mistake_inside {
    use resilience::resilient;

    #[resilient(retry(max_attempts = "3"), timeout(2))]
    //                               ^^^ error: `max_attempts` is a number; write it without quotes: `max_attempts = 3`
    //                                             ^ error: a duration needs a unit: write `"2s"` or `"2ms"`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_wrong_order_inside {
    use resilience::resilient;

    #[resilient(retry, fallback(value = ()))]
    //                 ^^^^^^^^ error: `#[fallback]` below `#[retry]` hides every failure from it: put `#[fallback]` above `#[retry]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_policy_twice {
    use resilience::{resilient, retry};

    #[resilient(retry)]
    #[retry]
    //^^^^^ error: two `#[retry]` stand on this function, which multiplies the attempts; remove one
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_unknown_order {
    use resilience::resilient;

    #[resilient(retry, order = "mine")]
    //                         ^^^^^^ error: `order` has one value: `order = "as_written"`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_order_without_a_value {
    use resilience::resilient;

    #[resilient(retry, order)]
    //                 ^^^^^ error: `order` needs a value: `order = "as_written"`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_order_twice {
    use resilience::resilient;

    #[resilient(retry, order = "as_written", order = "as_written")]
    //                                       ^^^^^ error: `order` is given twice
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_relative_crate {
    use resilience::resilient;

    #[resilient(retry, crate = resilience)]
    //                         ^^^^^^^^^^ error: `crate` takes an absolute path: `crate = ::resilience`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod two_crates {
    use resilience::resilient;

    #[resilient(retry(crate = ::other), crate = ::resilience)]
    //                        ^^^^^^^ error: one stack has one `crate`; the list's is `::resilience`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_unknown_placeholder {
    use resilience::resilient;

    #[resilient(circuit_breaker("{function}"))]
    //                          ^^^^^^^^^^^^ error: a name has no placeholder `{function}`; there are `{method}` and `{type}`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_sibling_with_an_equals_sign {
    use resilience::{resilient, timeout};

    #[timeout("1s")]
    #[resilient = "retry"]
    //            ^^^^^^^ error: policies go in parentheses: `#[resilient(retry, timeout("2s"))]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod the_rest_on_a_function {
    use resilience::{resilient, timeout};

    #[resilient(retry, .., circuit_breaker)]
    //                 ^^ error: `..` belongs in the list of an `impl` block, where each method's own attributes stand in its place; on a function attributes stand where they are written: remove it
    #[timeout("1s")]
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod the_rest_alone_on_a_function {
    use resilience::{resilient, retry};

    #[retry]
    #[resilient(..)]
    //          ^^ error: `..` belongs in the list of an `impl` block, where each method's own attributes stand in its place; on a function attributes stand where they are written: remove it
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod the_rest_in_a_methods_own_list {
    use resilience::resilient;

    struct Client;

    #[resilient(timeout("5s"), .., circuit_breaker)]
    impl Client {
        #[resilient(retry, ..)]
        //                 ^^ error: `..` belongs in the list of an `impl` block, where each method's own attributes stand in its place; on a function attributes stand where they are written: remove it
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}

mod the_rest_twice {
    use resilience::{resilient, retry};

    struct Client;

    #[resilient(.., timeout("5s"), .., circuit_breaker)]
    //                             ^^ error: `..` is given twice
    impl Client {
        #[retry]
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}

mod nothing_but_the_rest {
    use resilience::{resilient, retry};

    struct Client;

    #[resilient(.., order = "as_written")]
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error: `resilient` needs at least one policy: `#[resilient(retry, timeout("2s"))]`
    impl Client {
        #[retry]
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}

mod the_rest_without_a_comma {
    use resilience::resilient;

    struct Client;

    #[resilient(..retry)]
    //            ^^^^^ error: expected `,` between policies
    impl Client {
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}

mod the_rest_of_a_policy {
    use resilience::resilient;

    #[resilient(circuit_breaker("db", ..))]
    //                                ^ error: expected `key = value`; only the first value goes without a key, as in `#[circuit_breaker("payments")]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

// A method and its list are one stack. What is wrong with it is told at what the method says, as the list is every method's.

mod a_policy_of_the_list_above_itself {
    use resilience::{circuit_breaker, resilient};

    struct Client;

    #[resilient(.., circuit_breaker("db"))]
    impl Client {
        #[circuit_breaker("db")]
        //^^^^^^^^^^^^^^^ error: two `#[circuit_breaker]` of the name "db" stand on this function; remove one, or give it another name
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }

        async fn write(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}

mod a_retry_above_the_lists_fallback {
    use resilience::{resilient, retry};

    struct Client;

    #[resilient(.., fallback(value = 0))]
    impl Client {
        #[retry]
        //^^^^^ error: `#[fallback]` below `#[retry]` hides every failure from it: put `#[fallback]` above `#[retry]`; `..` in the list of the `impl` block says where this method's own attributes stand
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}

mod a_fallback_below_the_lists_retry {
    use resilience::{fallback, resilient};

    struct Client;

    #[resilient(retry)]
    impl Client {
        #[fallback(value = 0)]
        //^^^^^^^^ error: `#[fallback]` below `#[retry]` hides every failure from it: put `#[fallback]` above `#[retry]`; `..` in the list of the `impl` block says where this method's own attributes stand
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}

mod a_timeout_above_a_longer_one_of_the_list {
    use resilience::{resilient, timeout};

    struct Client;

    #[resilient(.., timeout("5s"))]
    impl Client {
        #[timeout("2s")]
        //        ^^^^ error: the inner `#[timeout("5s")]` never fires, as the outer `#[timeout("2s")]` ends the call no later: swap the two, or make the inner one shorter; `..` in the list of the `impl` block says where this method's own attributes stand
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}

mod an_order_on_a_method_above_the_list {
    use resilience::{resilient, retry};

    struct Client;

    #[resilient(.., timeout("5s"))]
    impl Client {
        #[retry(order = "as_written")]
        //      ^^^^^ error: `order` goes on the outermost attribute, `#[resilient]`
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}

mod another_crate_on_a_method_above_the_list {
    use resilience::{resilient, retry};

    struct Client;

    #[resilient(.., timeout("5s"), crate = ::resilience)]
    impl Client {
        #[retry(crate = ::other)]
        //              ^^^^^^^ error: one stack has one `crate`; above it is `::resilience`
        async fn read(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }
}
