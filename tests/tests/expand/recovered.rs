async fn charge(
    &self,
    region: &str,
    order: Order,
    tags: Vec<Tag>,
) -> Result<Receipt, PaymentError> {
    use ::resilience as __resilience;
    use __resilience::__private as __rt;
    #[stale_if_error(__anchor)]
    const _: () = ();
    #[retry(__anchor)]
    const _: () = ();
    #[rate_limit(__anchor)]
    const _: () = ();
    static __RESILIENCE_MEMORY_1: __rt::Memory = __rt::Memory::new();
    static __RESILIENCE_SITES: __rt::Linked<
        (
            __rt::FallbackSite,
            (
                __rt::StaleIfErrorSite,
                (
                    __rt::RetrySite,
                    (__rt::RateLimitSite, __rt::Beside<(__rt::RetryBudgetSite, ())>),
                ),
            ),
        ),
    > = {
        let __place = __rt::Place::new(::core::module_path!(), "charge");
        __rt::Linked::new(
            &__RESILIENCE_LINK,
            (
                __rt::fallback_site(__place, __resilience::fallback::Config::new()),
                (
                    __rt::stale_if_error_site(
                        __place,
                        __resilience::stale::Config::new()
                            .max_age(::core::time::Duration::new(600, 0))
                            .capacity(1000),
                    ),
                    (
                        __rt::retry_site(__place, __resilience::retry::Config::new()),
                        (
                            __rt::rate_limit_site(
                                    __place,
                                    __resilience::rate_limit::Config::new().limit(100),
                                )
                                .named("payments"),
                            __rt::Beside((
                                __rt::retry_budget_site(
                                        __place,
                                        __resilience::retry_budget::Config::new(),
                                    )
                                    .named("payments"),
                                (),
                            )),
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
    > = {
        let __like: __rt::Like<Result<Receipt, PaymentError>> = __rt::like();
        let __out = {
            let __key = {
                #[allow(unused_imports)]
                use __rt::{IntoOwned as _, ToOwned as _};
                (
                    __rt::key(__rt::Lent((region).to_owned()).into_owned()),
                    __rt::key(__rt::Lent((order.id).to_owned()).into_owned()),
                )
            };
            let __stale = __rt::stale(
                &__RESILIENCE_SITES.sites.1.0,
                &__RESILIENCE_MEMORY_1,
                || (),
                *__RESILIENCE_SITES.sites.1.0.config(),
                __key,
            );
            let __out = '__layer_2: {
                let mut __attempts = __rt::Attempts::new(
                        &__RESILIENCE_SITES.sites.1.1.0,
                        {
                            use __rt::probing::*;
                            let __kind = __rt::kind_of::<
                                Result<Receipt, PaymentError>,
                            >();
                            (&&__kind).keep()
                        },
                    )
                    .budgeted(&__RESILIENCE_SITES.sites.1.1.1.1.0.0);
                if let ::core::result::Result::Err(__error) = __attempts.begin() {
                    let __out = ::core::result::Result::Err(__error);
                    break '__layer_2 __out;
                }
                loop {
                    let __out = '__layer_3: {
                        let mut __permit = match __rt::rate_limit(
                                &__RESILIENCE_SITES.sites.1.1.1.0,
                                order.items(),
                            )
                            .await
                        {
                            ::core::result::Result::Ok(__permit) => __permit,
                            ::core::result::Result::Err(__error) => {
                                let __out = ::core::result::Result::Err(__error);
                                break '__layer_3 __out;
                            }
                        };
                        let __out = {
                            let __a1 = __rt::ClonedForEachAttempt::dup(&order);
                            let __a2 = __rt::WrapperClonedForEachAttempt::dup(&tags);
                            let __out = __rt::Guarded {
                                guard: __rt::around_with(
                                    &mut __permit,
                                    &__RESILIENCE_SITES.sites.1.1.1.1,
                                    __rt::Unasked,
                                ),
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
                                            let order = __a1;
                                            #[allow(clippy::restriction)]
                                            let mut tags = __a2;
                                            match () {
                                                () => {
                                                    tags.push(order.tag());
                                                    self.gateway.charge(region, order, tags).await
                                                }
                                            }
                                        },
                                    ),
                                ),
                            }
                                .await;
                            __out
                        };
                        ::core::mem::drop(__permit);
                        __out
                    };
                    let __pause = match __attempts
                        .next(
                            &__out,
                            __rt::class_by({
                                use __rt::probing::*;
                                (&&&__rt::kind(&__out)).class()
                            }),
                            __rt::text_by({
                                use __rt::probing::*;
                                (&&&__rt::kind(&__out)).text()
                            }),
                            &__RESILIENCE_SITES.sites.1.1.1,
                        )
                    {
                        ::core::option::Option::Some(__pause) => __pause,
                        ::core::option::Option::None => break __attempts.end(__out),
                    };
                    __attempts.keep(__out);
                    if let ::core::option::Option::Some(__out) = __attempts
                        .pause(__pause)
                        .await
                    {
                        break __out;
                    }
                }
            };
            let __out = __stale
                .settle(
                    __rt::when(
                        __rt::error_of(&__out),
                        {
                            use __rt::probing::*;
                            (&&&__rt::kind(&__out)).class()
                        },
                        |__error| is_fatal(__error),
                    ),
                    __rt::text_by({
                        use __rt::probing::*;
                        (&&&__rt::kind(&__out)).text()
                    }),
                    __out,
                );
            __out
        };
        let __recovery = __rt::recover(
            &__RESILIENCE_SITES.sites.0,
            __like,
            __rt::class_by({
                use __rt::probing::*;
                (&&&__rt::kind(&__out)).class()
            }),
            __rt::text_by({
                use __rt::probing::*;
                (&&&__rt::kind(&__out)).text()
            }),
            __out,
        );
        match __recovery {
            __rt::Recovery::Keep(__out) => __out,
            __rt::Recovery::Replace(__error) => {
                let __ret: Result<Receipt, PaymentError> = {
                    let __ret = async move {
                        #[allow(unreachable_code)]
                        if false {
                            let __fake: Result<Receipt, PaymentError> = loop {};
                            return __fake;
                        }
                        let _ = &tags;
                        let _ = &order;
                        #[allow(unused_mut)]
                        #[allow(clippy::restriction)]
                        let mut tags = tags;
                        let error: PaymentError = __error;
                        match () {
                            () => self.queue(order, tags, error).await,
                        }
                    }
                        .await;
                    __ret
                };
                ::core::result::Result::Ok(__ret)
            }
        }
    };
    return __rt::finish(__out);
}
