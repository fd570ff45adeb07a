//! Options at odds with each other. Single options out of range are in the table's cases.

mod base_delay_above_max_delay {
    use resilience::retry;

    #[retry(base_delay = "5s", max_delay = "4s")]
    //                   ^^^^ error[E0080]: evaluation panicked: `base_delay` must be at most `max_delay`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod cooldown_above_max_cooldown {
    use resilience::circuit_breaker;

    #[circuit_breaker(cooldown = "10m", max_cooldown = "5m")]
    //                           ^^^^^ error[E0080]: evaluation panicked: `cooldown` must be at most `max_cooldown`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod more_calls_than_a_window_holds {
    use resilience::circuit_breaker;

    #[circuit_breaker(window_calls = 16_777_217)]
    //                               ^^^^^^^^^^ error[E0080]: evaluation panicked: `window_calls` must be at most 16,777,216: for a longer past give a `window` of time
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod as_many_calls_as_can_be_written {
    use resilience::circuit_breaker;

    const ALL: u32 = u32::MAX;

    #[circuit_breaker(window_calls = ALL, min_calls = 1)]
    //                               ^^^ error[E0080]: evaluation panicked: `window_calls` must be at most 16,777,216: for a longer past give a `window` of time
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod min_calls_above_window_calls {
    use resilience::circuit_breaker;

    #[circuit_breaker(window_calls = 5, min_calls = 10)]
    //                                              ^^ error[E0080]: evaluation panicked: `min_calls` must be at most `window_calls` (100 by default): the window never holds more
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod min_calls_above_the_default_window {
    use resilience::circuit_breaker;

    #[circuit_breaker(min_calls = 101)]
    //                            ^^^ error[E0080]: evaluation panicked: `min_calls` must be at most `window_calls` (100 by default): the window never holds more
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod two_windows {
    use resilience::circuit_breaker;

    #[circuit_breaker(window = "1m", window_calls = 10)]
    //                         ^^^^ error[E0080]: evaluation panicked: `window` and `window_calls` exclude each other: give one of the two
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod max_probes_above_success_threshold {
    use resilience::circuit_breaker;

    #[circuit_breaker(success_threshold = 2, max_probes = 3)]
    //                                                    ^ error[E0080]: evaluation panicked: `max_probes` must be at most `success_threshold` (5 by default)
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_slow_rate_without_slow_calls {
    use resilience::circuit_breaker;

    #[circuit_breaker(slow_call_rate = 0.5)]
    //                                 ^^^ error[E0080]: evaluation panicked: `slow_call_rate` needs `slow_call`, for example `slow_call = "2s"`
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_constant_out_of_range {
    use resilience::circuit_breaker;

    const CALLS: u32 = 0;

    #[circuit_breaker("payments", window_calls = CALLS)]
    //                                           ^^^^^ error[E0080]: evaluation panicked: `window_calls` must be at least 1
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}

mod a_rate_that_is_not_finite {
    use resilience::circuit_breaker;

    #[circuit_breaker(failure_rate = f64::NAN)]
    //                               ^^^ error[E0080]: evaluation panicked: `failure_rate` must be at least 0 and below 1 (`"50%"` and `0.5` are the same rate)
    async fn call() -> std::io::Result<()> {
        Ok(())
    }
}
