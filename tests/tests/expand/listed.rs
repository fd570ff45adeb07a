async fn find(query: String) -> Result<Vec<Hit>, Error> {
    use ::facade::resilience as __resilience;
    #[timeout(__anchor)]
    const _: () = ();
    const __RESILIENCE_CONFIG_2: __resilience::timeout::Config = __resilience::timeout::Config::new()
        .duration(::core::time::Duration::new(1, 0));
    static __RESILIENCE_SITES: __resilience::__private::Linked<
        (
            __resilience::__private::Site<__resilience::__private::policy::Fallback>,
            __resilience::__private::Site<
                __resilience::__private::policy::CircuitBreaker,
            >,
            __resilience::__private::Site<__resilience::__private::policy::Timeout>,
        ),
    > = {
        let __place = __resilience::__private::Place::new(
            ::core::module_path!(),
            "find",
        );
        __resilience::__private::Linked::new((
            __resilience::__private::Site::new(
                __place,
                ::core::option::Option::None,
                __resilience::fallback::Config::new(),
            ),
            __resilience::__private::Site::new(
                __place,
                ::core::option::Option::Some("search.find"),
                __resilience::circuit_breaker::Config::new(),
            ),
            __resilience::__private::Site::new(
                __place,
                ::core::option::Option::None,
                __RESILIENCE_CONFIG_2,
            ),
        ))
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
    let __edge = __resilience::__private::Edge::new();
    let __out: ::core::result::Result<Result<Vec<Hit>, Error>, __resilience::Error> = {
        let __like: __resilience::__private::Like<Result<Vec<Hit>, Error>> = __resilience::__private::like();
        let __out = {
            let __class = {
                use __resilience::__private::probing::*;
                let __kind = __resilience::__private::kind_of(
                    __resilience::__private::returning::<Result<Vec<Hit>, Error>>(),
                );
                (&__kind).class()
            };
            let __out = __resilience::__private::layers()
                .circuit_breaker(&__RESILIENCE_SITES.sites.1, __class)
                .timeout(&__RESILIENCE_SITES.sites.2, &__RESILIENCE_CONFIG_2)
                .around(
                    ::core::option::Option::None,
                    __resilience::__private::body(async move {
                        #[allow(unreachable_code)]
                        if false {
                            let __fake: Result<Vec<Hit>, Error> = loop {};
                            return __fake;
                        }
                        let _ = &query;
                        #[allow(clippy::diverging_sub_expression)]
                        let __ret: Result<Vec<Hit>, Error> = { search(query).await };
                        #[allow(unreachable_code)] return __ret;
                    }),
                )
                .await;
            __out
        };
        let __recovery = __resilience::__private::recover(
            &__RESILIENCE_SITES.sites.0,
            ::core::option::Option::None,
            __like,
            __resilience::__private::class_by({
                use __resilience::__private::probing::*;
                (&__resilience::__private::kind(&__out)).class()
            }),
            __resilience::__private::text_by({
                use __resilience::__private::probing::*;
                (&&__resilience::__private::kind(&__out)).text()
            }),
            __out,
        );
        match __recovery {
            __resilience::__private::Recovery::Keep(__out) => __out,
            __resilience::__private::Recovery::Replace(__error) => {
                let __ret: Result<Vec<Hit>, Error> = {
                    let __ret = async move {
                        #[allow(unreachable_code)]
                        if false {
                            let __fake: Result<Vec<Hit>, Error> = loop {};
                            return __fake;
                        }
                        __resilience::__private::discard(__error);
                        let __ret: Result<Vec<Hit>, Error> = __resilience::__private::success(
                            __like,
                            Vec::new(),
                        );
                        #[allow(unreachable_code)] return __ret;
                    }
                        .await;
                    __ret
                };
                ::core::result::Result::Ok(__ret)
            }
        }
    };
    return __resilience::__private::finish(__out);
}
