async fn fetch(tags: Tags) -> Result<Page, Error> {
    use ::resilience as __resilience;
    use __resilience::__private as __rt;
    #[stale_if_error(__anchor)]
    const _: () = ();
    #[retry(__anchor)]
    const _: () = ();
    #[circuit_breaker(__anchor)]
    const _: () = ();
    static __RESILIENCE_MEMORY_1: __rt::Memory = __rt::Memory::new();
    static __RESILIENCE_SITES: __rt::Linked<
        (
            __rt::FallbackSite,
            (__rt::StaleIfErrorSite, (__rt::RetrySite, (__rt::CircuitBreakerSite, ()))),
        ),
    > = {
        let __place = __rt::Place::new(::core::module_path!(), "fetch");
        __rt::Linked::new(
            &__RESILIENCE_LINK,
            (
                __rt::fallback_site(__place, __resilience::fallback::Config::new()),
                (
                    __rt::stale_if_error_site(
                        __place,
                        __resilience::stale::Config::new()
                            .max_age(::core::time::Duration::new(600, 0)),
                    ),
                    (
                        __rt::retry_site(__place, __resilience::retry::Config::new()),
                        (
                            __rt::circuit_breaker_site(
                                __place,
                                __resilience::circuit_breaker::Config::new(),
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
    let __out: ::core::result::Result<Result<Page, Error>, __resilience::Error> = {
        let __like: __rt::Like<Result<Page, Error>> = __rt::like();
        let __out = {
            let __key = ();
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
                        let __kind = __rt::kind_of::<Result<Page, Error>>();
                        (&&__kind).keep()
                    },
                );
                if let ::core::result::Result::Err(__error) = __attempts.begin() {
                    let __out = ::core::result::Result::Err(__error);
                    break '__layer_2 __out;
                }
                loop {
                    let __out = '__layer_3: {
                        let mut __permit = match __rt::circuit_breaker(
                            &__RESILIENCE_SITES.sites.1.1.1.0,
                        ) {
                            ::core::result::Result::Ok(__permit) => __permit,
                            ::core::result::Result::Err(__error) => {
                                let __out = ::core::result::Result::Err(__error);
                                break '__layer_3 __out;
                            }
                        };
                        let __out = {
                            let __a0 = __rt::ClonedForEachAttempt::dup(&tags);
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
                                                let __fake: Result<Page, Error> = loop {};
                                                return __fake;
                                            }
                                            #[allow(clippy::restriction)]
                                            let tags = __a0;
                                            match () {
                                                () => send(tags).await,
                                            }
                                        },
                                    ),
                                ),
                            }
                                .await;
                            __out
                        };
                        __permit
                            .settle_when_ok(
                                &__out,
                                __rt::when_ok(
                                    __rt::value(&__out),
                                    |__value| Page::is_error(__value),
                                ),
                                __rt::class_by({
                                    use __rt::probing::*;
                                    (&&&__rt::kind(&__out)).class()
                                }),
                            );
                        __out
                    };
                    let __pause = match __attempts
                        .next_when_ok(
                            &__out,
                            __rt::when_ok(
                                __rt::value(&__out),
                                |page| page.is_late(&tags),
                            ),
                            &mut __rt::class_by({
                                use __rt::probing::*;
                                (&&&__rt::kind(&__out)).class()
                            }),
                            __rt::text_by({
                                use __rt::probing::*;
                                (&&&__rt::kind(&__out)).text()
                            }),
                            __rt::quiet,
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
                .settle_when_ok(
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
                    __rt::when_ok(__rt::value(&__out), |page| page.is_stub()),
                    __out,
                );
            __out
        };
        let __recovery = __rt::recover_when_ok(
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
            __rt::when_ok(__rt::value(&__out), |__value| Page::is_stub(__value)),
            __out,
        );
        match __recovery {
            __rt::Recovery::Keep(__out) => __out,
            __rt::Recovery::Replace(__error) => {
                let __ret: Result<Page, Error> = {
                    let __offered = __rt::offered(__like, offline(__error));
                    {
                        use __rt::offering::*;
                        __offered.stand_in()
                    }
                }
                    .await;
                ::core::result::Result::Ok(__ret)
            }
        }
    };
    return __rt::finish(__out);
}
