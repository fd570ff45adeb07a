//! Expressions of the wrong type, and names that do not exist.

mod a_duration_for_a_count {
    use std::time::Duration;

    use resilience::retry;

    #[retry(max_attempts = Duration::from_secs(1))]
    //                     ^^^^^^^^^^^^^^^^^^^^^^ error[E0308]: mismatched types
    // | expected `u32`, found `Duration`
    async fn call() -> Result<(), resilience::Error> {
        Ok(())
    }
}

mod a_count_for_a_duration {
    use resilience::timeout;

    #[timeout(limit)]
    //        ^^^^^ error[E0308]: mismatched types
    // | expected `Duration`, found `u64`
    async fn call(limit: u64) -> std::io::Result<()> {
        Ok(())
    }
}

mod a_text_for_a_duration {
    use resilience::retry;

    #[retry(base_delay = text)]
    //                   ^^^^ error[E0308]: mismatched types
    async fn call(text: &str) -> std::io::Result<()> {
        Ok(())
    }
}

mod a_field_of_another_type {
    use resilience::timeout;

    struct Client {
        seconds: u64,
    }

    impl Client {
        #[timeout(self.seconds)]
        //        ^^^^^^^^^^^^ error[E0308]: mismatched types
        async fn call(&self) -> std::io::Result<()> {
            Ok(())
        }
    }
}

mod an_unknown_variable {
    use resilience::retry;

    #[retry(base_delay = missing)]
    //                   ^^^^^^^ error[E0425]: cannot find value `missing` in this scope
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod self_without_a_receiver {
    use resilience::timeout;

    #[timeout(self.limit)]
    //        ^^^^ error[E0424]: expected value, found module `self`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_unknown_field {
    use resilience::retry;

    #[retry(when = |error| error.code == 3)]
    //                           ^^^^ error[E0609]: no field `code` on type `&resilience::Error`
    async fn call() -> Result<(), resilience::Error> {
        Ok(())
    }
}

mod a_predicate_of_another_type {
    use resilience::retry;

    fn is_three(n: &u8) -> bool {
        *n == 3
    }

    #[retry(when = is_three)]
    //             ^^^^^^^^ error[E0308]: mismatched types
    // | expected `&u8`, found `&Error`
    async fn call() -> Result<(), resilience::Error> {
        Ok(())
    }
}

mod a_predicate_that_gives_no_answer {
    use resilience::circuit_breaker;

    #[circuit_breaker(when = |error| error.to_string())]
    //                               ^^^^^^^^^^^^^^^^^ error[E0308]: mismatched types
    async fn call() -> Result<(), resilience::Error> {
        Ok(())
    }
}

mod a_predicate_that_says_nothing {
    use resilience::retry;

    #[retry(when = drop)]
    //             ^^^^ error[E0308]: mismatched types
    // | expected `bool`, found `()`
    async fn call() -> Result<(), resilience::Error> {
        Ok(())
    }
}

mod a_field_that_cannot_be_called {
    use resilience::retry;

    struct Client {
        limit: u32,
    }

    impl Client {
        #[retry(on_retry = self.limit)]
        //                 ^^^^^^^^^^ error[E0618]: expected function, found `u32`
        async fn call(&self) -> Result<(), resilience::Error> {
            Ok(())
        }
    }
}

mod an_unknown_predicate {
    use resilience::retry;

    #[retry(when = is_transient)]
    //             ^^^^^^^^^^^^ error[E0425]: cannot find function `is_transient` in this scope
    async fn call() -> Result<(), resilience::Error> {
        Ok(())
    }
}

mod a_hook_of_another_type {
    use resilience::retry;

    fn log(n: &u8) {
        drop(n);
    }

    #[retry(on_retry = log)]
    //                 ^^^ error[E0308]: mismatched types
    async fn call() -> Result<(), resilience::Error> {
        Ok(())
    }
}

mod permits_of_another_type {
    use resilience::rate_limit;

    #[rate_limit("a", limit = 3, permits = tags.len())]
    //                                     ^^^^^^^^^^ error[E0308]: mismatched types
    // | expected `u32`, found `usize`
    async fn call(tags: Vec<String>) -> std::io::Result<()> {
        drop(tags);
        Ok(())
    }
}

mod shared_state_that_depends_on_self {
    use resilience::circuit_breaker;

    struct Service(u32);

    impl Service {
        #[circuit_breaker("payments", window_calls = self.0)]
        //                                           ^^^^^^ error: `window_calls` of `circuit_breaker` is the same for all calls: use a literal or a constant
        async fn call(&self) -> std::io::Result<()> {
            Ok(())
        }
    }
}

mod shared_state_that_depends_on_an_argument {
    use resilience::bulkhead;

    #[bulkhead("payments", max_concurrent = limit)]
    //                                      ^^^^^ error: `max_concurrent` of `bulkhead` is the same for all calls: use a literal or a constant
    async fn call(limit: u32) -> std::io::Result<()> {
        Ok(())
    }
}

mod a_name_that_depends_on_an_argument {
    use resilience::circuit_breaker;

    #[circuit_breaker(tenant)]
    //                ^^^^^^ error: `name` of `circuit_breaker` is the same for all calls: use a literal or a constant
    async fn call(tenant: &str) -> std::io::Result<()> {
        drop(tenant);
        Ok(())
    }
}

mod shared_state_that_is_not_constant {
    use resilience::circuit_breaker;

    fn calls() -> u32 {
        3
    }

    #[circuit_breaker("payments", window_calls = calls())]
    //                                           ^^^^^^^ error[E0015]: cannot call non-const function `calls` in constants
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_name_without_quotes {
    use resilience::circuit_breaker;

    #[circuit_breaker(payments)]
    //                ^^^^^^^^ error: a name is a string: write `"payments"` (or name a constant, such as `PAYMENTS`)
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_name_with_a_key_and_without_quotes {
    use resilience::timeout;

    #[timeout("1s", name = payments)]
    //                     ^^^^^^^^ error: a name is a string: write `"payments"` (or name a constant, such as `PAYMENTS`)
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_budget_without_quotes {
    use resilience::retry;

    #[retry(budget = small)]
    //               ^^^^^ error: a name is a string: write `"small"` (or name a constant, such as `SMALL`)
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_name_that_is_a_number {
    use resilience::circuit_breaker;

    const CALLS: u32 = 3;

    #[circuit_breaker(CALLS)]
    //                ^^^^^ error[E0308]: mismatched types
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_unknown_constant {
    use resilience::bulkhead;

    #[bulkhead(PAYMENTS)]
    //         ^^^^^^^^ error[E0425]: cannot find value `PAYMENTS` in this scope
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_rate_as_name {
    use resilience::rate_limit;

    #[rate_limit("10/s")]
    //           ^^^^^^ error: the first value is the name, not the rate: write `#[rate_limit(limit = 10, per = "1s")]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_rate_over_many_seconds_as_name {
    use resilience::rate_limit;

    #[rate_limit("100 / 30s", max_wait = "1s")]
    //           ^^^^^^^^^^^ error: the first value is the name, not the rate: write `#[rate_limit(limit = 100, per = "30s")]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_choice_of_another_type {
    use resilience::retry;

    #[retry(jitter = 3u8 + 1)]
    //               ^^^^^^^ error[E0308]: mismatched types
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_choice_of_another_enum {
    use resilience::retry;

    #[retry(jitter = resilience::retry::Backoff::Linear)]
    //               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[E0308]: mismatched types
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_value_predicate_of_another_type {
    use resilience::retry;

    fn is_three(n: &u8) -> bool {
        *n == 3
    }

    #[retry(when_ok = is_three)]
    //                ^^^^^^^^ error[E0308]: mismatched types
    // | expected `&u8`, found `&u32`
    async fn call() -> Result<u32, resilience::Error> {
        Ok(1)
    }
}

mod a_value_predicate_over_the_error {
    use resilience::fallback;

    #[fallback(value = 1, when_ok = |error: &resilience::Error| error.retry_after().is_some())]
    //                              ^ error[E0631]: type mismatch in closure arguments
    // | expected closure signature `for<'a> fn(&'a u32) -> _`
    async fn call() -> Result<u32, resilience::Error> {
        Ok(1)
    }
}

mod a_value_predicate_that_gives_no_answer {
    use resilience::circuit_breaker;

    #[circuit_breaker(when_ok = |value| value + 1)]
    //                                  ^^^^^^^^^ error[E0308]: mismatched types
    async fn call() -> Result<u32, resilience::Error> {
        Ok(1)
    }
}

mod a_value_predicate_of_an_unknown_field {
    use resilience::stale_if_error;

    #[stale_if_error("1m", when_ok = |value| value.status == 503)]
    //                                             ^^^^^^ error[E0609]: no field `status` on type `&u32`
    async fn call() -> Result<u32, resilience::Error> {
        Ok(1)
    }
}

mod an_unknown_value_predicate {
    use resilience::circuit_breaker;

    #[circuit_breaker(when_ok = is_degraded)]
    //                          ^^^^^^^^^^^ error[E0425]: cannot find function `is_degraded` in this scope
    async fn call() -> Result<u32, resilience::Error> {
        Ok(1)
    }
}

mod a_value_predicate_where_there_is_no_result {
    use resilience::{circuit_breaker, retry};

    #[retry(when_ok = |value| *value == 3)]
    #[circuit_breaker(when_ok = |value| *value == 3)]
    async fn call() -> Option<u8> {
    //                 ^^^^^^ error[E0277]: a resilience attribute needs a function that returns a `Result`
        Some(1)
    }
}

mod a_value_predicate_where_no_refusal_fits_in {
    use resilience::{fallback, retry, stale_if_error};

    #[fallback(value = 1, when_ok = |value| *value == 3)]
    #[stale_if_error("1m", when_ok = |value| *value == 3)]
    #[retry(when_ok = |value| *value == 3)]
    async fn call() -> Result<u8, String> {
    //                 ^^^^^^ error[E0277]: the error type `String` cannot take in a `resilience::Error`
        Ok(1)
    }
}

mod a_value_predicate_of_a_policy_without {
    use resilience::bulkhead;

    #[bulkhead(when_ok = |_| true)]
    //         ^^^^^^^ error: `bulkhead` has no option `when_ok`: it belongs to `retry`, `circuit_breaker`, `fallback`, `stale_if_error`
    async fn call() -> Result<u32, resilience::Error> {
        Ok(1)
    }
}

mod a_predicate_under_another_name {
    use resilience::retry;

    #[retry(when_err = |_| true, retry_on_result = |_| true)]
    //      ^^^^^^^^ error: `retry` has no option `when_err`; did you mean `when`?
    //                           ^^^^^^^^^^^^^^^ error: `retry` has no option `retry_on_result`; did you mean `when_ok`?
    async fn call() -> Result<u32, resilience::Error> {
        Ok(1)
    }
}
