async fn send(
    &mut self,
    shared: Shared,
    cloned: Cloned,
    (left, right): (&mut Left, Right),
) -> io::Result<()> {
    use ::resilience as __resilience;
    #[retry(__anchor)]
    const _: () = ();
    #[timeout(__anchor)]
    const _: () = ();
    #[bulkhead(__anchor)]
    const _: () = ();
    const __RESILIENCE_CONFIG_0: __resilience::timeout::Config = __resilience::timeout::Config::new();
    const __RESILIENCE_CONFIG_1: __resilience::retry::Config = __resilience::retry::Config::new();
    const __RESILIENCE_CONFIG_2: __resilience::timeout::Config = __resilience::timeout::Config::new()
        .duration(::core::time::Duration::new(1, 0));
    static __RESILIENCE_SITES: __resilience::__private::Linked<
        (
            __resilience::__private::Site<__resilience::__private::policy::Timeout>,
            __resilience::__private::Site<__resilience::__private::policy::Retry>,
            __resilience::__private::Site<__resilience::__private::policy::Timeout>,
            __resilience::__private::Site<__resilience::__private::policy::Bulkhead>,
        ),
    > = {
        let __place = __resilience::__private::Place::new(
            ::core::module_path!(),
            "send",
        );
        __resilience::__private::Linked::new((
            __resilience::__private::Site::new(
                    __place,
                    ::core::option::Option::None,
                    __RESILIENCE_CONFIG_0,
                )
                .computing(&["duration"]),
            __resilience::__private::Site::new(
                __place,
                ::core::option::Option::None,
                __RESILIENCE_CONFIG_1,
            ),
            __resilience::__private::Site::new(
                __place,
                ::core::option::Option::None,
                __RESILIENCE_CONFIG_2,
            ),
            __resilience::__private::Site::new(
                __place,
                ::core::option::Option::None,
                __resilience::bulkhead::Config::new(),
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
    let __out: ::core::result::Result<io::Result<()>, __resilience::Error> = {
        let __config_0 = __RESILIENCE_CONFIG_0.duration(self.limit);
        let __out = __resilience::__private::layers()
            .timeout(&__RESILIENCE_SITES.sites.0, &__config_0)
            .around(
                ::core::option::Option::Some(::core::any::type_name::<Self>),
                async move {
                    let _ = &right;
                    let _ = &left;
                    let _ = &cloned;
                    let _ = &shared;
                    let __out = '__layer_1: {
                        let mut __attempts = __resilience::__private::Attempts::new(
                            &__RESILIENCE_SITES.sites.1,
                            &__RESILIENCE_CONFIG_1,
                        );
                        if let ::core::result::Result::Err(__error) = __attempts
                            .begin(
                                ::core::option::Option::Some(::core::any::type_name::<Self>),
                            )
                        {
                            break '__layer_1 ::core::result::Result::Err(__error);
                        }
                        loop {
                            let __out = {
                                let __a1 = __resilience::__private::ClonedForEachAttempt::dup(
                                    &cloned,
                                );
                                let __a3 = __resilience::__private::WrapperClonedForEachAttempt::dup(
                                    &right,
                                );
                                let __out = __resilience::__private::layers()
                                    .timeout(
                                        &__RESILIENCE_SITES.sites.2,
                                        &__RESILIENCE_CONFIG_2,
                                    )
                                    .bulkhead(&__RESILIENCE_SITES.sites.3)
                                    .around(
                                        ::core::option::Option::Some(
                                            ::core::any::type_name::<Self>,
                                        ),
                                        __resilience::__private::attempt(
                                            &__RESILIENCE_SITES.sites.1,
                                            async {
                                                #[allow(unreachable_code)]
                                                if false {
                                                    let __fake: io::Result<()> = loop {};
                                                    return __fake;
                                                }
                                                #[allow(
                                                    clippy::shadow_reuse,
                                                    clippy::shadow_same,
                                                    clippy::shadow_unrelated
                                                )]
                                                let mut cloned = __a1;
                                                #[allow(
                                                    clippy::shadow_reuse,
                                                    clippy::shadow_same,
                                                    clippy::shadow_unrelated
                                                )]
                                                let left = &mut *left;
                                                #[allow(
                                                    clippy::shadow_reuse,
                                                    clippy::shadow_same,
                                                    clippy::shadow_unrelated
                                                )]
                                                let right = __a3;
                                                #[allow(clippy::diverging_sub_expression)]
                                                let __ret: io::Result<()> = {
                                                    self.socket.send(shared, cloned, left, right).await
                                                };
                                                #[allow(unreachable_code)] return __ret;
                                            },
                                        ),
                                    )
                                    .await;
                                __out
                            };
                            let __pause = match __attempts
                                .next_when(
                                    &__out,
                                    &mut __resilience::__private::class_by({
                                        use __resilience::__private::probing::*;
                                        (&__resilience::__private::kind(&__out)).class()
                                    }),
                                    __resilience::__private::text_by({
                                        use __resilience::__private::probing::*;
                                        (&&__resilience::__private::kind(&__out)).text()
                                    }),
                                    log,
                                )
                            {
                                ::core::option::Option::Some(__pause) => __pause,
                                ::core::option::Option::None => break __out,
                            };
                            ::core::mem::drop(__out);
                            if let ::core::result::Result::Err(__error) = __pause.await {
                                break ::core::result::Result::Err(__error);
                            }
                        }
                    };
                    __out
                },
            )
            .await;
        __out
    };
    return __resilience::__private::finish(__out);
}
