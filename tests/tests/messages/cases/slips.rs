//! Slips of the pen, and habits from elsewhere.

mod a_unit_left_out_at_the_end {
    use resilience::timeout;

    #[timeout("1m30")]
    //        ^^^^^^ error: a duration needs a unit after each number: write `"1m30s"`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_comma_in_a_number {
    use resilience::retry;

    #[retry(base_delay = "1,5s")]
    //                   ^^^^^^ error: a duration is written with a point: `"1.5s"`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_key_that_is_a_word {
    use resilience::stale_if_error;

    #[stale_if_error("1m", key = "n")]
    //                           ^^^ error: `key` tells calls apart, and this is the same for all: write an expression, such as `key = n`
    async fn call(n: u32) -> std::io::Result<u32> {
        Ok(n)
    }
}

mod a_limit_that_nobody_can_give {
    use resilience::rate_limit;

    #[rate_limit(max_wait = "1s")]
  //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error: `rate_limit` without a name needs `limit`: `#[rate_limit(limit = 100)]`; with a name it may be given elsewhere
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_limit_that_nobody_can_give_in_a_list {
    use resilience::resilient;

    #[resilient(retry, rate_limit)]
    //                 ^^^^^^^^^^ error: `rate_limit` without a name needs `limit`: `#[rate_limit(limit = 100)]`; with a name it may be given elsewhere
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_policy_as_an_option {
    use resilience::retry;

    #[retry(timeout = "1s")]
    //      ^^^^^^^ error: `retry` has no option `timeout`: that is an attribute of its own, above or below this one
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_dash_in_a_key {
    use resilience::retry;

    #[retry(max-attempts = 3)]
    //      ^^^ error: options are written with `_`: `max_attempts = 3`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_key_in_capitals {
    use resilience::retry;

    #[retry(MAX_ATTEMPTS = 3)]
    //      ^^^^^^^^^^^^ error: `retry` has no option `MAX_ATTEMPTS`; did you mean `max_attempts`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_option_in_the_list_of_policies {
    use resilience::resilient;

    #[resilient(max_attempts = 3)]
    //          ^^^^^^^^^^^^ error: there is no policy `max_attempts`: it is an option, and belongs to a policy's own list: `retry(max_attempts = 3)`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_path_in_the_list_of_policies {
    use resilience::resilient;

    #[resilient(resilience::retry)]
    //          ^^^^^^^^^^ error: in this list a policy stands by its bare name: `retry`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_time_where_a_field_is_wanted {
    use resilience::Classify;

    #[derive(Classify)]
    enum Fault {
        #[overloaded(retry_after = "1s")]
        //                         ^^^^ error: `retry_after` names the field that holds the time, as the dependency gives it: `retry_after = field`
        Busy,
    }
}

mod option_names_of_others {
    use resilience::circuit_breaker;

    #[circuit_breaker(half_open_max_calls = 3)]
    //                ^^^^^^^^^^^^^^^^^^^ error: `circuit_breaker` has no option `half_open_max_calls`; did you mean `max_probes`?
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_closure {
    use resilience::retry;

    fn call() {
        #[retry]
      //^^^^^^^^ error[E0658]: custom attributes cannot be applied to statements
        let call = async || Ok::<(), std::io::Error>(());
      //^^^ error: `#[retry]` goes on an `async fn`: put what it is to guard into one, and call that here
        drop(call);
    }
}

mod a_block {
    use resilience::retry;

    fn call() {
        #[retry]
      //^^^^^^^^ error[E0658]: attributes on expressions are experimental
      //^^^^^^^^ error[E0658]: custom attributes cannot be applied to expressions
        {
      //^ error: `#[retry]` goes on an `async fn`: put what it is to guard into one, and call that here
            drop(1);
        }
    }
}

mod a_stream {
    use resilience::retry;

    #[retry]
    fn call() -> impl Iterator<Item = std::io::Result<u8>> {
  //^^ error: `#[retry]` guards one result, and this function gives a sequence of them: guard the `async fn` that gets one item, or the one that opens the sequence
        std::iter::empty()
    }
}

mod a_future_in_a_result {
    use resilience::retry;

    #[retry]
    fn call() -> std::io::Result<impl Future<Output = ()>> {
  //^^ error: `#[retry]` does not guard a future inside of a `Result`, which only runs when this function has returned: make it an `async fn call` that awaits it
        Ok(async {})
    }
}

mod a_returned_box {
    use std::pin::Pin;
    use resilience::retry;

    #[retry]
    fn call() -> Pin<Box<dyn Future<Output = std::io::Result<u8>>>> {
  //^^ error: `#[retry]` guards the `async` block at the end of this function, and finds it behind `return`: write it as the last expression, without `return` and `;`
        return Box::pin(async move { Ok(1) });
    }
}

mod an_empty_iterator {
    use resilience::fallback;

    #[fallback(|_| Ok(std::iter::empty()))]
    //             ^^ error[E0308]: mismatched types
    async fn call() -> std::io::Result<impl Iterator<Item = u8>> {
        Ok(vec![1].into_iter())
    }
}

mod a_key_of_a_type_that_borrows {
    use resilience::stale_if_error;

    #[derive(Clone, PartialEq, Eq, Hash)]
    struct Region<'a>(&'a str);

    #[stale_if_error("1m", key = (a, b, c))]
    //                                  ^ error[E0521]: borrowed data escapes outside of function
    async fn call(a: Option<&str>, b: std::borrow::Cow<'_, str>, c: Region<'_>) -> std::io::Result<u8> {
        Ok(1)
    }
}

mod a_time_without_quotes_where_a_field_is_wanted {
    use resilience::Classify;

    #[derive(Classify)]
    enum Fault {
        #[overloaded(retry_after = 1s)]
        //                         ^^ error: `retry_after` names the field that holds the time, as the dependency gives it: `retry_after = field`
        Busy(u8),
    }
}

mod a_colon_before_a_field {
    use resilience::Classify;

    #[derive(Classify)]
    enum Fault {
        #[overloaded(retry_after: after)]
        //           ^^^^^^^^^^^ error: `retry_after` is written with `=`: `#[overloaded(retry_after = field)]`
        Busy { after: std::time::Duration },
    }
}

mod a_closure_as_a_value {
    use resilience::retry;

    fn call() {
        let call = #[retry]
      //           ^^^^^^^^ error[E0658]: attributes on expressions are experimental
      //           ^^^^^^^^ error[E0658]: custom attributes cannot be applied to expressions
        || async { Ok::<(), std::io::Error>(()) };
      //^ error: `#[retry]` goes on an `async fn`: put what it is to guard into one, and call that here
        drop(call);
    }
}

mod a_loop {
    use resilience::retry;

    fn call() {
        #[retry]
      //^^^^^^^^ error[E0658]: attributes on expressions are experimental
      //^^^^^^^^ error[E0658]: custom attributes cannot be applied to expressions
        for _ in 0..3 {
      //^^^ error: `#[retry]` goes on an `async fn`: put what it is to guard into one, and call that here
            drop(1);
        }
    }
}

mod an_async_sequence {
    use resilience::retry;

    #[retry]
    async fn call() -> Box<dyn Iterator<Item = std::io::Result<u8>> + Send> {
    //                 ^^^ error: `#[retry]` guards one result, and this function gives a sequence of them: guard the `async fn` that gets one item, or the one that opens the sequence
        Box::new(std::iter::empty())
    }
}

mod a_sequence_in_a_result {
    use resilience::retry;

    #[retry]
    fn call() -> std::io::Result<Box<dyn Iterator<Item = u8>>> {
  //^^ error: `#[retry]` goes on an `async fn`: write `async fn call`
        Ok(Box::new(std::iter::empty()))
    }
}

mod another_path {
    use resilience::timeout;

    mod prelude {
        pub use resilience::retry;
    }

    #[timeout("1s")]
    #[prelude::retry]
  //^^^^^^^^^^^^^^^^^ error: `#[retry]` has been expanded apart from the resilience attribute above, which knows it by its own name and as `resilience::retry` only: write `#[retry]` (imported without `as`), or put both in one `#[resilient(…)]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}
