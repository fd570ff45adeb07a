//! Several attributes on one function.

mod every_mistake_of_a_stack_at_once {
    use resilience::{bulkhead, circuit_breaker, fallback, rate_limit, retry, timeout};

    #[fallback("nothing")]
    //         ^^^^^^^^^ error: a fallback takes a path, not a string: `#[fallback(nothing)]`
    #[retry(max_attempts = "3", jiter = "full", borrow(missing))]
    //                     ^^^ error: `max_attempts` is a number; write it without quotes: `max_attempts = 3`
    //                          ^^^^^ error: `retry` has no option `jiter`; did you mean `jitter`?
    //                                                 ^^^^^^^ error: `borrow` lists arguments of the function, and `missing` is none; they are `text`
    #[circuit_breaker("payments", failure_rate = 2)]
    //                                           ^ error: `failure_rate` is a share of calls, not a number of them: for 2 percent write `"2%"`
    #[rate_limit("{function}", limit = -1)]
    //           ^^^^^^^^^^^^ error: a name has no placeholder `{function}`; there are `{method}` and `{type}`
    //                                 ^^ error: `limit` cannot be negative; remove the `-`
    #[bulkhead("payments", max_concurrent)]
    //                     ^^^^^^^^^^^^^^ error: `max_concurrent` needs a value: `max_concurrent = 3`
    #[timeout(3)]
    //        ^ error: a duration needs a unit: write `"3s"` or `"3ms"`
    async fn call(text: &str) -> std::io::Result<()> {
        drop(text);
        Ok(())
    }

    async fn still_callable() -> std::io::Result<()> {
        call("text").await
    }
}

mod every_value_out_of_range_at_once {
    use resilience::{circuit_breaker, retry, timeout};

    #[timeout(0s)]
    //        ^^ error[E0080]: evaluation panicked: `duration` must be longer than zero
    #[retry(max_attempts = 0, multiplier = 0.5)]
    //                     ^ error[E0080]: evaluation panicked: `max_attempts` must be at least 1
    //                                     ^^^ error[E0080]: evaluation panicked: `multiplier` must be a number of at least 1
    #[circuit_breaker(failure_rate = 1.0)]
    //                               ^^^ error[E0080]: evaluation panicked: `failure_rate` must be at least 0 and below 1 (`"50%"` and `0.5` are the same rate)
    async fn call() -> std::io::Result<()> {
        Ok(())
    }

    async fn still_callable() -> std::io::Result<()> {
        call().await
    }
}

mod a_broken_method_is_still_callable {
    use resilience::retry;

    struct Service;

    impl Service {
        #[retry(3)]
        //      ^ error: `retry` takes options by name: `max_attempts = 3`
        async fn call(&self) -> std::io::Result<u8> {
            Ok(1)
        }
    }

    async fn caller() -> std::io::Result<u8> {
        Ok(Service.call().await? + 1)
    }
}

mod a_policy_twice {
    use resilience::{circuit_breaker, retry};

    #[retry]
    #[circuit_breaker]
    #[retry(max_attempts = 2)]
    //^^^^^ error: two `#[retry]` stand on this function, which multiplies the attempts; remove one
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod two_breakers_without_names {
    use resilience::circuit_breaker;

    #[circuit_breaker]
    #[circuit_breaker("a")]
    //^^^^^^^^^^^^^^^ error: two `#[circuit_breaker]` stand on this function; remove one, or give each its own name: `#[circuit_breaker("a")]` and `#[circuit_breaker("b")]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod two_bulkheads_of_one_name {
    use resilience::bulkhead;

    #[bulkhead("a")]
    #[bulkhead("a")]
    //^^^^^^^^ error: two `#[bulkhead]` of the name "a" stand on this function; remove one, or give it another name
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod two_fallbacks {
    use resilience::fallback;

    #[fallback(value = 1)]
    #[fallback(value = 2)]
    //^^^^^^^^ error: two `#[fallback]` stand on this function; remove one
    async fn call() -> std::io::Result<u8> {
        Ok(1)
    }
}

mod a_fallback_below_a_retry {
    use resilience::{fallback, retry};

    #[retry]
    #[fallback(value = 1)]
    //^^^^^^^^ error: `#[fallback]` below `#[retry]` hides every failure from it: put `#[fallback]` above `#[retry]`
    async fn call() -> std::io::Result<u8> {
        Ok(1)
    }
}

mod stale_data_below_a_breaker {
    use resilience::{circuit_breaker, stale_if_error};

    #[circuit_breaker]
    #[stale_if_error("1m")]
    //^^^^^^^^^^^^^^ error: `#[stale_if_error]` below `#[circuit_breaker]` hides every failure from it: put `#[stale_if_error]` above `#[circuit_breaker]`
    async fn call() -> std::io::Result<u8> {
        Ok(1)
    }
}

mod more_permits_than_the_bucket_holds {
    use resilience::rate_limit;

    #[rate_limit("a", limit = 100, permits = 200)]
    //                                       ^^^ error: no call ever gets 200 permits, as `limit = 100` is all there can be at once: raise `burst`, or lower `permits`
    async fn call() -> std::io::Result<u8> {
        Ok(1)
    }
}

mod more_permits_than_the_burst {
    use resilience::rate_limit;

    #[rate_limit("a", limit = 100, burst = 5, permits = 6)]
    //                                                  ^ error: no call ever gets 6 permits, as `burst = 5` is all there can be at once: raise `burst`, or lower `permits`
    async fn call() -> std::io::Result<u8> {
        Ok(1)
    }
}

mod an_inner_timeout_that_never_fires {
    use resilience::{retry, timeout};

    #[timeout("1s")]
    #[retry]
    #[timeout("2s")]
    //        ^^^^ error: the inner `#[timeout("2s")]` never fires, as the outer `#[timeout("1s")]` ends the call no later: swap the two, or make the inner one shorter
    async fn call() -> std::io::Result<u8> {
        Ok(1)
    }
}

mod a_wait_longer_than_the_timeout {
    use resilience::{bulkhead, timeout};

    #[timeout("3s")]
    #[bulkhead("a", max_wait = "3s")]
    //                         ^^^^ error: `#[bulkhead(max_wait = "3s")]` waits longer than `#[timeout("3s")]` above it allows: make `max_wait` the shorter of the two, or put `#[bulkhead]` above `#[timeout]`
    async fn call() -> std::io::Result<u8> {
        Ok(1)
    }
}

mod order_below_the_outermost {
    use resilience::{retry, timeout};

    #[timeout("3s")]
    #[retry(order = "as_written")]
    //      ^^^^^ error: `order` goes on the outermost attribute, `#[timeout]`
    async fn call() -> std::io::Result<u8> {
        Ok(1)
    }
}

mod a_foreign_attribute_between {
    use resilience::{retry, timeout};

    #[retry]
    #[tracing::instrument]
    #[timeout("1s")]
    //^^^^^^^ error: put the resilience attributes together: `#[tracing::instrument]` stands between `#[retry]` and `#[timeout]`, and would turn their order around
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_renamed_sibling {
    use resilience::{retry, timeout as limit};

    #[retry]
    #[limit("1s")]
  //^^^^^^^^^^^^^^ error: `#[timeout]` has been expanded apart from the resilience attribute above, which knows it by its own name and as `resilience::timeout` only: write `#[timeout]` (imported without `as`), or put both in one `#[resilient(…)]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod every_attribute_renamed {
    use resilience::{bulkhead as slots, circuit_breaker as fuse, fallback as plan, retry as again, timeout as limit};

    #[plan(value = 1)]
    #[again(base_delay = 0ms)]
  //^^^^^^^^^^^^^^^^^^^^^^^^^^ error: `#[retry]` has been expanded apart from the resilience attribute above, which knows it by its own name and as `resilience::retry` only: write `#[retry]` (imported without `as`), or put both in one `#[resilient(…)]`
    #[fuse("a")]
    #[slots]
    #[limit("1s")]
    async fn call(text: String) -> std::io::Result<u8> {
        drop(text);
        Ok(1)
    }
}

mod renamed_on_a_returned_future {
    use resilience::{retry as again, timeout as limit};

    #[again]
    #[limit("1s")]
  //^^^^^^^^^^^^^^ error: `#[timeout]` has been expanded apart from the resilience attribute above, which knows it by its own name and as `resilience::timeout` only: write `#[timeout]` (imported without `as`), or put both in one `#[resilient(…)]`
    fn call() -> impl Future<Output = std::io::Result<u8>> + Send {
        async move { Ok(1) }
    }
}

mod renamed_and_wrong {
    use resilience::{retry as again, timeout as limit};

    #[again(max_attempts = "3")]
    //                     ^^^ error: `max_attempts` is a number; write it without quotes: `max_attempts = 3`
    #[limit(5)]
    //      ^ error: a duration needs a unit: write `"5s"` or `"5ms"`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_facade_s_path_that_leads_nowhere {
    mod framework {
        pub(crate) use resilience as runtime;
    }

    #[resilience::retry(crate = crate::a_facade_s_path_that_leads_nowhere::framework::runtime)]
    #[crate::a_facade_s_path_that_leads_nowhere::framework::timeout("1s")]
    //^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[E0432]: unresolved import `crate::a_facade_s_path_that_leads_nowhere::framework::timeout`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_facade_s_own_attribute {
    mod framework {
        pub(crate) use resilience as runtime;
        pub(crate) use resilience_tests_every_stack::timeout;
    }

    #[resilience::retry(crate = crate::a_facade_s_own_attribute::framework::runtime)]
    #[crate::a_facade_s_own_attribute::framework::timeout("1s")]
    //                                            ^^^^^^^ error[E0080]: evaluation panicked: `#[crate::a_facade_s_own_attribute::framework::timeout]` is taken for the attribute of `resilience`, which is in `crate::a_facade_s_own_attribute::framework::runtime`, and is another one: import it under another name
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_facade_s_own_attribute_for_functions {
    mod framework {
        pub(crate) use resilience as runtime;
        pub(crate) use resilience_tests_every_stack::of_functions as timeout;
    }

    #[resilience::retry(crate = crate::a_facade_s_own_attribute_for_functions::framework::runtime)]
    #[crate::a_facade_s_own_attribute_for_functions::framework::timeout("1s")]
    //                                                          ^^^^^^^ error[E0080]: evaluation panicked: `#[crate::a_facade_s_own_attribute_for_functions::framework::timeout]` is taken for the attribute of `resilience`, which is in `crate::a_facade_s_own_attribute_for_functions::framework::runtime`, and is another one: import it under another name
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_mistake_in_a_method_of_a_facade {
    mod framework {
        #[allow(unused_imports)]
        pub(crate) use resilience as runtime;
        pub(crate) use resilience::timeout;
    }

    struct Client;

    impl Client {
        #[resilience::retry(max_attempts = "3", crate = crate::a_mistake_in_a_method_of_a_facade::framework::runtime)]
        //                                 ^^^ error: `max_attempts` is a number; write it without quotes: `max_attempts = 3`
        #[crate::a_mistake_in_a_method_of_a_facade::framework::timeout("1s")]
        async fn call(&self) -> std::io::Result<()> {
            Ok(())
        }
    }
}

mod a_sibling_with_an_equals_sign {
    use resilience::{retry, timeout};

    #[retry]
    #[timeout = "1s"]
    //          ^^^^ error: the value goes in parentheses: `#[timeout("1s")]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_sibling_that_is_not_imported {
    use resilience::retry;

    #[retry]
    #[timeout("1s")]
    //^^^^^^^ error: cannot find attribute `timeout` in this scope
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod two_crates {
    use resilience::{retry, timeout};

    #[retry(crate = ::resilience)]
    #[timeout("1s", crate = crate::facade)]
    //                      ^^^^^^^^^^^^^ error: one stack has one `crate`; above it is `::resilience`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_crate_path_of_this_module {
    use resilience::retry;

    #[retry(crate = self::facade)]
    //              ^^^^ error: `crate` takes an absolute path: `crate = crate::…`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_renamed_crate {
    // resilience is renamed: guards
    use guards::retry;

    #[retry]
  //^^^^^^^^ error[E0432]: unresolved import `resilience`
  // | no external crate `resilience`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_renamed_crate_below_every_policy {
    // resilience is renamed: guards
    use guards::{bulkhead, circuit_breaker, fallback, rate_limit, retry, stale_if_error, timeout};

    #[fallback(value = 1)]
  //^^^^^^^^^^^^^^^^^^^^^^ error[E0432]: unresolved import `resilience`
    #[stale_if_error("1m", key = text)]
    #[retry(jitter = "none")]
    #[circuit_breaker]
    #[rate_limit("renamed", limit = 3)]
    #[bulkhead]
    #[timeout("1s")]
    async fn call(text: String) -> std::io::Result<u8> {
        drop(text);
        Ok(1)
    }
}

mod a_renamed_crate_and_classify {
    // resilience is renamed: guards
    #[derive(guards::Classify)]
    //       ^^^^^^^^^^^^^^^^ error[E0433]: cannot find `resilience` in the crate root
    enum Error {
        #[caller]
        NotFound,
        Io(std::io::Error),
    }
}

mod a_path_that_is_no_runtime {
    use resilience::retry;

    #[retry(crate = crate::facade)]
    //              ^^^^^^^^^^^^^ error[E0432]: unresolved import `crate::facade`
    // | no `facade` in the root
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_feature_that_is_off {
    use resilience_without_features::{retry, stale_if_error};

    #[stale_if_error("1m")]
  //^^^^^^^^^^^^^^^^^^^^^^^ error: `#[stale_if_error]` needs the feature `stale` of `resilience`: add `features = ["stale"]` in Cargo.toml
    #[retry]
    async fn call() -> std::io::Result<u8> {
        Ok(1)
    }
}
