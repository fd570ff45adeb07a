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
