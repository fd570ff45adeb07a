async fn fetch(tags: Tags, other: Other) -> Result<(), Error> {
    use ::resilience as __resilience;
    #[timeout(__anchor)]
    const _: () = ();
    const __RESILIENCE_CONFIG_1: __resilience::timeout::Config = __resilience::timeout::Config::new()
        .duration(::core::time::Duration::new(1, 0));
    static __RESILIENCE_SITES: __resilience::__private::Linked<
        (
            __resilience::__private::Site<
                __resilience::__private::policy::CircuitBreaker,
            >,
            __resilience::__private::Site<__resilience::__private::policy::Timeout>,
        ),
    > = {
        let __place = __resilience::__private::Place::new(
            ::core::module_path!(),
            "fetch",
        );
        __resilience::__private::Linked::new((
            __resilience::__private::Site::new(
                __place,
                ::core::option::Option::None,
                __resilience::circuit_breaker::Config::new(),
            ),
            __resilience::__private::Site::new(
                __place,
                ::core::option::Option::None,
                __RESILIENCE_CONFIG_1,
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
    let __out: ::core::result::Result<Result<(), Error>, __resilience::Error> = '__layer_0: {
        let __permit = match __resilience::__private::circuit_breaker(
            &__RESILIENCE_SITES.sites.0,
            ::core::option::Option::None,
        ) {
            ::core::result::Result::Ok(__permit) => __permit,
            ::core::result::Result::Err(__error) => {
                break '__layer_0 ::core::result::Result::Err(__error);
            }
        };
        let __out = {
            let __a0 = __resilience::__private::ClonedForLater::dup(&tags);
            let __out = __resilience::__private::layers()
                .timeout(&__RESILIENCE_SITES.sites.1, &__RESILIENCE_CONFIG_1)
                .around(
                    ::core::option::Option::None,
                    __resilience::__private::body(async {
                        #[allow(unreachable_code)]
                        if false {
                            let __fake: Result<(), Error> = loop {};
                            return __fake;
                        }
                        #[allow(
                            clippy::shadow_reuse,
                            clippy::shadow_same,
                            clippy::shadow_unrelated
                        )]
                        let tags = __a0;
                        #[allow(
                            clippy::shadow_reuse,
                            clippy::shadow_same,
                            clippy::shadow_unrelated
                        )]
                        let other = other;
                        #[allow(clippy::diverging_sub_expression)]
                        let __ret: Result<(), Error> = { send(tags, other).await };
                        #[allow(unreachable_code)] return __ret;
                    }),
                )
                .await;
            __out
        };
        __permit
            .settle_when(
                &__out,
                |__error| __resilience::__private::when(|_| tags.is_empty(), __error),
            );
        __out
    };
    return __resilience::__private::finish(__out);
}
