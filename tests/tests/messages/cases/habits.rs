//! What others call it, and how others write it.

mod retry_retries {
    use resilience::retry;

    #[retry(retries = 3)]
    //      ^^^^^^^ error: `retry` has no option `retries`; did you mean `max_attempts`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod retry_initial_interval {
    use resilience::retry;

    #[retry(initial_interval = "1s")]
    //      ^^^^^^^^^^^^^^^^ error: `retry` has no option `initial_interval`; did you mean `base_delay`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod retry_delay_ms {
    use resilience::retry;

    #[retry(delay_ms = 100)]
    //      ^^^^^^^^ error: `retry` has no option `delay_ms`; did you mean `base_delay`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod retry_max_duration {
    use resilience::retry;

    #[retry(max_duration = "9s")]
    //      ^^^^^^^^^^^^ error: `retry` has no option `max_duration`; did you mean `max_elapsed`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod retry_retry_on {
    use resilience::retry;

    #[retry(retry_on = is_busy)]
    //      ^^^^^^^^ error: `retry` has no option `retry_on`; did you mean `when`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod retry_notify {
    use resilience::retry;

    #[retry(notify = log)]
    //      ^^^^^^ error: `retry` has no option `notify`; did you mean `on_retry`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod circuit_breaker_threshold {
    use resilience::circuit_breaker;

    #[circuit_breaker(threshold = 5)]
    //                ^^^^^^^^^ error: `circuit_breaker` has no option `threshold`; did you mean `failure_rate` or `consecutive_failures`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod circuit_breaker_max_failures {
    use resilience::circuit_breaker;

    #[circuit_breaker("a", max_failures = 5)]
    //                     ^^^^^^^^^^^^ error: `circuit_breaker` has no option `max_failures`; did you mean `consecutive_failures`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod circuit_breaker_failure_rate_threshold {
    use resilience::circuit_breaker;

    #[circuit_breaker(failure_rate_threshold = 50)]
    //                ^^^^^^^^^^^^^^^^^^^^^^ error: `circuit_breaker` has no option `failure_rate_threshold`; did you mean `failure_rate`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod circuit_breaker_window_size {
    use resilience::circuit_breaker;

    #[circuit_breaker(window_size = 100)]
    //                ^^^^^^^^^^^ error: `circuit_breaker` has no option `window_size`; did you mean `window_calls` or `window`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod circuit_breaker_wait_duration_in_open_state {
    use resilience::circuit_breaker;

    #[circuit_breaker(wait_duration_in_open_state = "30s")]
    //                ^^^^^^^^^^^^^^^^^^^^^^^^^^^ error: `circuit_breaker` has no option `wait_duration_in_open_state`; did you mean `cooldown`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod circuit_breaker_minimum_number_of_calls {
    use resilience::circuit_breaker;

    #[circuit_breaker(minimum_number_of_calls = 10)]
    //                ^^^^^^^^^^^^^^^^^^^^^^^ error: `circuit_breaker` has no option `minimum_number_of_calls`; did you mean `min_calls`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod rate_limit_permits_per_second {
    use resilience::rate_limit;

    #[rate_limit(permits_per_second = 10)]
    //           ^^^^^^^^^^^^^^^^^^ error: `rate_limit` has no option `permits_per_second`; did you mean `limit`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod rate_limit_interval {
    use resilience::rate_limit;

    #[rate_limit(limit = 1, interval = "1s")]
    //                      ^^^^^^^^ error: `rate_limit` has no option `interval`; did you mean `per`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod bulkhead_limit {
    use resilience::bulkhead;

    #[bulkhead(limit = 10)]
    //         ^^^^^ error: `bulkhead` has no option `limit`; did you mean `max_concurrent`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod bulkhead_max_wait_duration {
    use resilience::bulkhead;

    #[bulkhead(max_wait_duration = "1s")]
    //         ^^^^^^^^^^^^^^^^^ error: `bulkhead` has no option `max_wait_duration`; did you mean `max_wait`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod fallback_default {
    use resilience::fallback;

    #[fallback(default = ())]
    //         ^^^^^^^ error: `fallback` has no option `default`; did you mean `value`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_option_like_a_call {
    use resilience::retry;

    #[retry(attempts(3))]
    //      ^^^^^^^^ error: `retry` has no option `attempts`; did you mean `max_attempts`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_number_in_quotes {
    use resilience::retry;

    #[retry("3")]
    //      ^^^ error: `retry` takes options by name: `max_attempts = 3`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_rate_in_the_limit {
    use resilience::rate_limit;

    #[rate_limit(limit = "10/s")]
    //                   ^^^^^^ error: `limit` is a number, and `per` is its time: `limit = 10, per = "1s"`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_rate_in_words {
    use resilience::rate_limit;

    #[rate_limit(limit = "100 per minute")]
    //                   ^^^^^^^^^^^^^^^^ error: `limit` is a number, and `per` is its time: `limit = 100, per = "1m"`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_limit_and_its_time {
    use resilience::rate_limit;

    #[rate_limit(100, "1s")]
    //           ^^^ error: the first value is the name; write `limit = 100, per = "1s"`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod numbers_without_names {
    use resilience::circuit_breaker;

    #[circuit_breaker(5, "30s")]
    //                ^ error: the first value is the name, as in `#[circuit_breaker("payments")]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod no_digit_before_the_point {
    use resilience::circuit_breaker;

    #[circuit_breaker(failure_rate = .5)]
    //                               ^ error: a number has a digit before its point: `0.5`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_comma_for_the_point {
    use resilience::circuit_breaker;

    #[circuit_breaker(failure_rate = 0,5)]
    //                                 ^ error: a number is written with a point: `failure_rate = 0.5`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_key_without_its_name {
    use resilience::stale_if_error;

    #[stale_if_error("1m", id)]
    //                     ^^ error: what tells calls apart has the key `key`: `key = id`
    async fn call(id: u32) -> std::io::Result<u32> {
        Ok(id)
    }
}

mod a_key_in_two_parts {
    use resilience::stale_if_error;

    #[stale_if_error("1m", key = id, region)]
    //                               ^^^^^^ error: a key of several parts is a tuple: `key = (id, region)`
    async fn call(id: u32, region: u32) -> std::io::Result<u32> {
        Ok(id + region)
    }
}

mod a_key_in_braces {
    use resilience::stale_if_error;

    #[stale_if_error("1m", key = "{id}")]
    //                           ^^^^^^ error: `key` tells calls apart, and this is the same for all: write an expression, such as `key = id`
    async fn call(id: u32) -> std::io::Result<u32> {
        Ok(id)
    }
}

mod a_future_as_a_fallback {
    use resilience::fallback;

    #[fallback(|_| async move { Ok(()) })]
    //             ^^^^^ error: what a fallback's closure gives is the result, and it may await: write it without `async`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_answer_for_a_predicate {
    use resilience::retry;

    #[retry(when = error.attempts() > 3)]
    //             ^^^^^ error: `when` takes a function: put `|error|` before this, and ask about that
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_pattern_for_a_predicate {
    use resilience::retry;

    #[retry(when = matches!(error, Fault::Busy))]
    //             ^^^^^^^ error: `when` takes a function: put `|error|` before this, and ask about that
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_predicate_of_two {
    use resilience::circuit_breaker;

    #[circuit_breaker(when = |error, count| true)]
    //                               ^^^^^ error: `when` takes one argument: `|error|`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_predicate_of_nothing {
    use resilience::retry;

    #[retry(when_ok = || true)]
    //                ^ error: `when_ok` takes one argument: `|value|`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_hook_of_two {
    use resilience::retry;

    #[retry(on_retry = |number, error| ())]
    //                          ^^^^^ error: `on_retry` takes one argument: `|attempt|`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_hook_that_prints {
    use resilience::retry;

    #[retry(on_retry = println!("again"))]
    //                 ^^^^^^^ error: `on_retry` takes a function: put `|attempt|` before this, and ask about that
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_hook_that_waits {
    use resilience::retry;

    #[retry(on_retry = async |attempt| ())]
    //                 ^^^^^ error: `on_retry` cannot wait: write the closure without `async`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_budget_as_a_number {
    use resilience::retry;

    #[retry(budget = 0.2)]
    //               ^^^ error: `budget` is a name, `budget = "payments"`; how much it allows is said by `RetryBudget::register("payments", …)`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_budget_as_a_share {
    use resilience::retry;

    #[retry(budget = "20%")]
    //               ^^^^^ error: `budget` is a name, `budget = "payments"`; how much it allows is said by `RetryBudget::register("payments", …)`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod another_list_of_arguments {
    use resilience::retry;

    #[retry(borrows(a))]
    //      ^^^^^^^ error: `retry` has no option `borrows`; did you mean `borrow`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_factor_with_its_sign {
    use resilience::retry;

    #[retry(multiplier = "2x")]
    //                   ^^^^ error: `multiplier` is a number; write it without quotes: `multiplier = 2`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_factor_with_a_comma {
    use resilience::retry;

    #[retry(multiplier = 2,5)]
    //                     ^ error: a number is written with a point: `multiplier = 2.5`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_factor_in_percent {
    use resilience::retry;

    #[retry(multiplier = 200%)]
    //                   ^^^ error: `multiplier` is a number: `multiplier = 2.0`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_option_in_quotes {
    use resilience::retry;

    #[retry("max_attempts" = 3)]
    //      ^^^^^^^^^^^^^^ error: an option stands by its bare name: `max_attempts = 3`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_option_by_path {
    use resilience::bulkhead;

    #[bulkhead("a", bulkhead::max_wait = "1s")]
    //              ^^^^^^^^ error: an option stands by its bare name: `max_wait = "1s"`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_option_in_parentheses {
    use resilience::retry;

    #[retry((max_attempts = 3))]
    //      ^ error: an option stands by its bare name: `max_attempts = 3`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_limit_behind_a_name {
    use resilience::rate_limit;

    #[rate_limit("a", 10, "1s")]
    //                ^^ error: write `limit = 10, per = "1s"`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_number_behind_a_name {
    use resilience::bulkhead;

    #[bulkhead("a", 10)]
    //              ^^ error: write `max_concurrent = 10`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

// The list of `resilient`.

mod a_value_for_a_policy {
    use resilience::resilient;

    #[resilient(retry = 3)]
    //          ^^^^^ error: write `retry(max_attempts = 3)`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_colon_for_a_policy {
    use resilience::resilient;

    #[resilient(bulkhead: 3)]
    //          ^^^^^^^^ error: write `bulkhead(max_concurrent = 3)`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_arrow_for_a_policy {
    use resilience::resilient;

    #[resilient(timeout => "1s")]
    //          ^^^^^^^ error: write `timeout("1s")`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod nothing_between_a_policy_and_its_value {
    use resilience::resilient;

    #[resilient(timeout "1s")]
    //          ^^^^^^^ error: write `timeout("1s")`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod braces_for_parentheses {
    use resilience::resilient;

    #[resilient(retry { max_attempts = 3 })]
    //          ^^^^^ error: write `retry(max_attempts = 3)`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_dash_in_a_policy {
    use resilience::resilient;

    #[resilient(circuit-breaker)]
    //          ^^^^^^^ error: a policy is written with `_`: `circuit_breaker`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_dash_in_an_option {
    use resilience::resilient;

    #[resilient(max-attempts = 3)]
    //          ^^^ error: there is no policy `max_attempts`: it is an option, and belongs to a policy's own list: `retry(max_attempts = 3)`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_option_of_others {
    use resilience::resilient;

    #[resilient(retries = 3)]
    //          ^^^^^^^ error: there is no policy `retries`: it is an option, and belongs to a policy's own list: `retry(max_attempts = 3)`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_name_for_all {
    use resilience::resilient;

    #[resilient(name = "a")]
    //          ^^^^ error: there is no policy `name`: it is an option, and belongs to a policy's own list: `circuit_breaker(name = "a")`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_absolute_path_in_the_list {
    use resilience::resilient;

    #[resilient(::resilience::retry, timeout("1s"))]
    //          ^ error: in this list a policy stands by its bare name: `retry`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_key_that_is_a_word_in_a_list_of_a_block {
    use resilience::resilient;

    struct Shop;

    #[resilient(stale_if_error("1m", key = "id"))]
    //                                     ^^^^ error: `key` tells calls apart, and this is the same for all: write an expression, such as `key = (region, id)`
    impl Shop {
        async fn first(&self, id: u32) -> std::io::Result<u32> {
            Ok(id)
        }

        async fn second(&self, id: u32) -> std::io::Result<u32> {
            Ok(id)
        }
    }
}
