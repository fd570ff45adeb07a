async fn find(query: String) -> Result<Vec<Hit>, Error> {
    use ::facade::resilience as __resilience;
    use __resilience::__private as __rt;
    #[timeout(__anchor)]
    const _: () = ();
    static __RESILIENCE_SITES: __rt::Linked<
        (__rt::FallbackSite, (__rt::CircuitBreakerSite, (__rt::TimeoutSite, ()))),
    > = {
        let __place = __rt::Place::new(::core::module_path!(), "find");
        __rt::Linked::new(
            &__RESILIENCE_LINK,
            (
                __rt::fallback_site(__place, __resilience::fallback::Config::new()),
                (
                    __rt::circuit_breaker_site(
                            __place,
                            __resilience::circuit_breaker::Config::new(),
                        )
                        .named("search.find"),
                    (
                        __rt::timeout_site(
                            __place,
                            __resilience::timeout::Config::new()
                                .duration(::core::time::Duration::new(1, 0)),
                        ),
                        (),
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
    let __out: ::core::result::Result<Result<Vec<Hit>, Error>, __resilience::Error> = {
        let __like: __rt::Like<Result<Vec<Hit>, Error>> = __rt::like();
        let __out = {
            let __class = {
                use __rt::probing::*;
                let __kind = __rt::kind_of::<Result<Vec<Hit>, Error>>();
                (&&&__kind).class()
            };
            let __out = __rt::Guarded {
                guard: __rt::around(&__RESILIENCE_SITES.sites.1, __class),
                work: ::core::option::Option::Some(async move {
                    #[allow(unreachable_code)]
                    if false {
                        let __fake: Result<Vec<Hit>, Error> = loop {};
                        return __fake;
                    }
                    let _ = &query;
                    match () {
                        () => search(query).await,
                    }
                }),
            }
                .await;
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
                let __ret: Result<Vec<Hit>, Error> = {
                    let __ret = async move {
                        #[allow(unreachable_code)]
                        if false {
                            let __fake: Result<Vec<Hit>, Error> = loop {};
                            return __fake;
                        }
                        __rt::discard(__error);
                        let __ret = __rt::success(__like, Vec::new());
                        #[allow(unreachable_code)] return __ret;
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
