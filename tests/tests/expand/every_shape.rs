pub async fn charge(
    &self,
    order: &Order,
    tags: Vec<Tag>,
) -> Result<Receipt, PaymentError> {
    use ::resilience as __resilience;
    use __resilience::__private as __rt;
    #[circuit_breaker(__anchor)]
    const _: () = ();
    #[bulkhead(__anchor)]
    const _: () = ();
    #[timeout(__anchor)]
    const _: () = ();
    static __RESILIENCE_SITES: __rt::Linked<
        (
            __rt::RetrySite,
            (__rt::CircuitBreakerSite, (__rt::BulkheadSite, (__rt::TimeoutSite, ()))),
        ),
    > = {
        let __place = __rt::Place::new(::core::module_path!(), "charge");
        __rt::Linked::new(
            &__RESILIENCE_LINK,
            (
                __rt::retry_site(
                    __place,
                    __resilience::retry::Config::new().max_attempts(3),
                ),
                (
                    __rt::circuit_breaker_site(
                            __place,
                            __resilience::circuit_breaker::Config::new()
                                .failure_rate(0.4),
                        )
                        .named("payments"),
                    (
                        __rt::bulkhead_site(
                                __place,
                                __resilience::bulkhead::Config::new().max_concurrent(25),
                            )
                            .named("payments"),
                        (
                            __rt::timeout_site(
                                __place,
                                __resilience::timeout::Config::new()
                                    .duration(::core::time::Duration::new(3, 0)),
                            ),
                            (),
                        ),
                    ),
                ),
            ),
        )
    };
    #[used]
    #[cfg_attr(windows, unsafe(link_section = ".CRT$XCU"))]
    #[cfg_attr(
        target_vendor = "apple",
        unsafe(link_section = "__DATA,__mod_init_func,mod_init_funcs")
    )]
    #[cfg_attr(
        not(any(windows, target_vendor = "apple")),
        unsafe(link_section = ".init_array")
    )]
    static __RESILIENCE_LINK: extern "C" fn() = {
        extern "C" fn __link() {
            __RESILIENCE_SITES.link();
        }
        __link
    };
    let __edge = __rt::Edge::new();
    let __out: ::core::result::Result<
        Result<Receipt, PaymentError>,
        __resilience::Error,
    > = '__layer_0: {
        let mut __attempts = __rt::Attempts::new(
            &__RESILIENCE_SITES.sites.0,
            {
                use __rt::probing::*;
                let __kind = __rt::kind_of::<Result<Receipt, PaymentError>>();
                (&&__kind).keep()
            },
        );
        if let ::core::result::Result::Err(__error) = __attempts.begin() {
            let __out = ::core::result::Result::Err(__error);
            break '__layer_0 __out;
        }
        loop {
            let __out = {
                let __a1 = __rt::WrapperClonedForEachAttempt::dup(&tags);
                let __class = {
                    use __rt::probing::*;
                    let __kind = __rt::kind_of::<Result<Receipt, PaymentError>>();
                    (&&&__kind).class()
                };
                let __out = __rt::Guarded {
                    guard: __rt::around(&__RESILIENCE_SITES.sites.1, __class),
                    work: ::core::option::Option::Some(
                        __rt::attempt(
                            &mut __attempts,
                            async {
                                #[allow(unreachable_code)]
                                if false {
                                    let __fake: Result<Receipt, PaymentError> = loop {};
                                    return __fake;
                                }
                                #[allow(clippy::restriction)]
                                let tags = __a1;
                                match () {
                                    () => self.gateway.charge(order, tags).await,
                                }
                            },
                        ),
                    ),
                }
                    .await;
                __out
            };
            let __pause = match __attempts
                .next_when(
                    &__out,
                    &mut __rt::when(
                        __rt::error_of(&__out),
                        {
                            use __rt::probing::*;
                            (&&&__rt::kind(&__out)).class()
                        },
                        |__error| Error::is_transient(__error),
                    ),
                    __rt::text_by({
                        use __rt::probing::*;
                        (&&&__rt::kind(&__out)).text()
                    }),
                    __rt::quiet,
                    &__RESILIENCE_SITES.sites.1,
                )
            {
                ::core::option::Option::Some(__pause) => __pause,
                ::core::option::Option::None => break __attempts.end(__out),
            };
            __attempts.keep(__out);
            if let ::core::option::Option::Some(__out) = __attempts.pause(__pause).await
            {
                break __out;
            }
        }
    };
    return __rt::finish(__out);
}
