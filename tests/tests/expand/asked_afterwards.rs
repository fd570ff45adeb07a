async fn fetch(tags: Tags, other: Other) -> Result<(), Error> {
    use ::resilience as __resilience;
    use __resilience::__private as __rt;
    #[timeout(__anchor)]
    const _: () = ();
    static __RESILIENCE_SITES: __rt::Linked<
        (__rt::CircuitBreakerSite, (__rt::TimeoutSite, ())),
    > = {
        let __place = __rt::Place::new(::core::module_path!(), "fetch");
        __rt::Linked::new(
            &__RESILIENCE_LINK,
            (
                __rt::circuit_breaker_site(
                    __place,
                    __resilience::circuit_breaker::Config::new(),
                ),
                (
                    __rt::timeout_site(
                        __place,
                        __resilience::timeout::Config::new()
                            .duration(::core::time::Duration::new(1, 0)),
                    ),
                    (),
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
    let __out: ::core::result::Result<Result<(), Error>, __resilience::Error> = '__layer_0: {
        let mut __permit = match __rt::circuit_breaker(&__RESILIENCE_SITES.sites.0) {
            ::core::result::Result::Ok(__permit) => __permit,
            ::core::result::Result::Err(__error) => {
                let __out = ::core::result::Result::Err(__error);
                break '__layer_0 __out;
            }
        };
        let __out = {
            let __a0 = __rt::ClonedForLater::dup(&tags);
            let __out = __rt::Guarded {
                guard: __rt::around_with(
                    &mut __permit,
                    &__RESILIENCE_SITES.sites.1,
                    __rt::Unasked,
                ),
                work: ::core::option::Option::Some(async {
                    #[allow(unreachable_code)]
                    if false {
                        let __fake: Result<(), Error> = loop {};
                        return __fake;
                    }
                    #[allow(clippy::restriction)]
                    let tags = __a0;
                    #[allow(clippy::restriction)]
                    let other = other;
                    match () {
                        () => send(tags, other).await,
                    }
                }),
            }
                .await;
            __out
        };
        __permit
            .settle_when(
                &__out,
                __rt::when(
                    __rt::error_of(&__out),
                    {
                        use __rt::probing::*;
                        (&&&__rt::kind(&__out)).class()
                    },
                    |__error| __rt::holds(|_| tags.is_empty(), __error),
                ),
            );
        __out
    };
    return __rt::finish(__out);
}
