//! What can be remembered, and under what.

mod no_age {
    use resilience::stale_if_error;

    #[stale_if_error]
  //^^^^^^^^^^^^^^^^^ error: `stale_if_error` needs an age: `#[stale_if_error("10m")]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod an_unknown_key {
    use resilience::stale_if_error;

    #[stale_if_error(ttl = "10m")]
    //               ^^^ error: `stale_if_error` has no option `ttl`; the age is the first value: `#[stale_if_error("10m")]`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_capacity_of_one_call {
    use resilience::stale_if_error;

    #[stale_if_error("1m", capacity = most)]
    //                                ^^^^ error: `capacity` of `stale_if_error` is the same for all calls: use a literal or a constant
    async fn call(most: u32) -> std::io::Result<()> {
        Ok(())
    }
}

mod a_key_that_is_not_hash {
    use resilience::stale_if_error;

    #[stale_if_error("1m", key = rate)]
    //                           ^^^^ error[E0277]: `#[stale_if_error]` remembers values by key, but `f64` cannot be one
    // | must be `Hash + Eq + Send + Sync + 'static`
    async fn call(rate: f64) -> std::io::Result<u8> {
        Ok(1)
    }
}

mod a_key_that_cannot_be_owned {
    use resilience::stale_if_error;

    struct Region;

    #[stale_if_error("1m", key = (1, region))]
    //                               ^^^^^^ error[E0599]: the method `to_owned` exists for struct `Region`, but its trait bounds were not satisfied
    async fn call(region: Region) -> std::io::Result<u8> {
        drop(region);
        Ok(1)
    }
}

mod an_unknown_argument_as_key {
    use resilience::stale_if_error;

    #[stale_if_error("1m", key = (region, id))]
    //                                    ^^ error[E0425]: cannot find value `id` in this scope
    async fn call(region: &str) -> std::io::Result<u8> {
        drop(region);
        Ok(1)
    }
}

mod a_value_that_is_not_clone {
    use resilience::stale_if_error;

    struct Page;

    #[stale_if_error("1m")]
    async fn call() -> std::io::Result<Page> {
    //                          ^^^^^^ error[E0277]: `#[stale_if_error]` remembers the value, but `Page` cannot be
    // | must be `Clone + Send + Sync + 'static`
    // | derive `Clone`, or return an `Arc`
        Ok(Page)
    }
}

mod a_value_that_is_not_send {
    use resilience::stale_if_error;

    #[stale_if_error("1m")]
    async fn call() -> std::io::Result<std::rc::Rc<u8>> {
    //                          ^^^^^^ error[E0277]: `#[stale_if_error]` remembers the value, but `Rc<u8>` cannot be
        Ok(std::rc::Rc::new(1))
    }
}

mod a_value_that_borrows_from_an_argument {
    use resilience::stale_if_error;

    #[stale_if_error("1m")]
    async fn call(text: &str) -> std::io::Result<&str> {
    //                                           ^^^^ error: `#[stale_if_error]` remembers the value after the call, and this one borrows from it: return an owned value, or an `Arc`
        Ok(text)
    }
}

mod a_value_that_borrows_from_an_argument_below_a_key {
    use resilience::stale_if_error;

    #[stale_if_error("1m", key = text)]
    async fn call<'a>(text: &'a str) -> std::io::Result<std::borrow::Cow<'a, str>> {
    //                                                  ^^^^^^^^^^^^^^^^^^^^^^^^^ error: `#[stale_if_error]` remembers the value after the call, and this one borrows from it: return an owned value, or an `Arc`
        Ok(text.into())
    }
}

mod a_generic_value {
    use resilience::stale_if_error;

    #[stale_if_error("1m")]
    async fn call<T: Default>() -> std::io::Result<T> {
    //                                      ^^^^^^ error[E0277]: `#[stale_if_error]` remembers the value, but `T` cannot be
        Ok(T::default())
    }
}
