//! What stands between the parentheses, whatever the option. Each option by itself is in the table's cases.

mod a_number_first {
    use resilience::retry;

    #[retry(3)]
    //      ^ error: `retry` takes options by name: `max_attempts = 3`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_name_first_where_there_is_none {
    use resilience::retry;

    #[retry("payments")]
    //      ^^^^^^^^^^ error: `retry` takes options by name: `name = "payments"`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_count_first {
    use resilience::bulkhead;

    #[bulkhead(25)]
    //         ^^ error: the first value is the name; write `max_concurrent = 25`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_limit_first {
    use resilience::rate_limit;

    #[rate_limit(100)]
    //           ^^^ error: the first value is the name; write `limit = 100`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_number_for_a_name {
    use resilience::circuit_breaker;

    #[circuit_breaker(3)]
    //                ^ error: the first value is the name, as in `#[circuit_breaker("payments")]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_name_last {
    use resilience::circuit_breaker;

    #[circuit_breaker(failure_rate = 0.5, "payments")]
    //                                    ^^^^^^^^^^ error: expected `key = value`; only the first value goes without a key, as in `#[circuit_breaker("payments")]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod two_names {
    use resilience::circuit_breaker;

    #[circuit_breaker("a", name = "b")]
    //                     ^^^^ error: `name` is given twice
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod no_duration {
    use resilience::timeout;

    #[timeout]
  //^^^^^^^^^^ error: `timeout` needs a duration: `#[timeout("2s")]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod no_duration_in_parentheses {
    use resilience::timeout;

    #[timeout()]
  //^^^^^^^^^^^^ error: `timeout` needs a duration: `#[timeout("2s")]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_duration_under_another_name {
    use resilience::timeout;

    #[timeout(secs = 3)]
    //        ^^^^ error: `timeout` has no option `secs`; the duration is the first value: `#[timeout("2s")]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_duration_with_its_key {
    use resilience::timeout;

    #[timeout(duration = "5s")]
    //        ^^^^^^^^ error: the duration is the first value and has no key: `#[timeout("2s")]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_duration_last {
    use resilience::timeout;

    #[timeout(name = "label", "5s")]
    //                        ^^^^ error: expected `key = value`; only the first value goes without a key, as in `#[timeout("2s")]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod two_durations {
    use resilience::timeout;

    #[timeout("5s", "6s")]
    //              ^^^^ error: expected `key = value`; only the first value goes without a key, as in `#[timeout("2s")]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod no_comma {
    use resilience::retry;

    #[retry(max_attempts = 3 jitter = "none")]
    //                       ^^^^^^ error: expected `,` between options
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_comparison {
    use resilience::retry;

    #[retry(max_attempts == 3)]
    //      ^^^^^^^^^^^^ error: `max_attempts` is written `max_attempts = 3`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_colon {
    use resilience::retry;

    #[retry(max_attempts: 3)]
    //      ^^^^^^^^^^^^ error: `max_attempts` is written `max_attempts = 3`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_arrow {
    use resilience::retry;

    #[retry(jitter => "none")]
    //      ^^^^^^ error: `jitter` is written `jitter = "full"`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_expression_that_breaks_off {
    use resilience::retry;

    #[retry(max_attempts = 3 +)]
    //                     ^ error: this expression is not complete
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_expression_that_breaks_off_before_another {
    use resilience::retry;

    #[retry(max_attempts = 3 +, jitter = "none")]
    //                        ^ error: expected an expression
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_keyword_as_key {
    use resilience::retry;

    #[retry(fn = 3)]
    //      ^^ error: `retry` has no option `fn`; its options are `max_attempts`, `backoff`, `base_delay`, `max_delay`, `multiplier`, `jitter`, `max_elapsed`, `max_retry_after`, `budget`, `when`, `when_ok`, `on_retry`, `name`, `crate`, `order`, `borrow`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod only_a_comma {
    use resilience::retry;

    #[retry(,)]
    //      ^ error: expected an expression
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_option_of_another_policy {
    use resilience::retry;

    #[retry(cooldown = "3s")]
    //      ^^^^^^^^ error: `retry` has no option `cooldown`: it belongs to `circuit_breaker`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod what_other_libraries_call_it {
    use resilience::retry;

    #[retry(attempts = 3)]
    //      ^^^^^^^^ error: `retry` has no option `attempts`; did you mean `max_attempts`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_percentage_without_quotes {
    use resilience::circuit_breaker;

    #[circuit_breaker(failure_rate = 50%)]
    //                               ^^ error: a percentage is written in quotes: `"50%"`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_broken_body {
    use resilience::retry;

    #[retry]
    async fn call() -> std::io::Result<()> {
        let half = ;
        //         ^ error: expected expression, found `;`
        Ok(())
    }

    async fn caller() -> std::io::Result<()> {
        call().await
    }
}
