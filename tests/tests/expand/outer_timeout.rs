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
            ::core::file!(),
            ::core::line!(),
            ::core::column!(),
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
    let __owner: __resilience::__private::Owner = ::core::option::Option::Some(
        ::core::any::type_name::<Self>,
    );
    let __out: ::core::result::Result<io::Result<()>, __resilience::Error> = {
        let __config_0 = __RESILIENCE_CONFIG_0.duration(self.limit);
        let __out = __resilience::__private::timeout(
                &__RESILIENCE_SITES.sites.0,
                __owner,
                &__config_0,
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
                            .begin(__owner, ::core::option::Option::None)
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
                                let __out = __resilience::__private::timeout(
                                        &__RESILIENCE_SITES.sites.2,
                                        __owner,
                                        &__RESILIENCE_CONFIG_2,
                                        async {
                                            #[allow(
                                                clippy::shadow_reuse,
                                                clippy::shadow_same,
                                                clippy::shadow_unrelated
                                            )]
                                            let cloned = __a1;
                                            #[allow(
                                                clippy::shadow_reuse,
                                                clippy::shadow_same,
                                                clippy::shadow_unrelated
                                            )]
                                            let right = __a3;
                                            let __out = '__layer_3: {
                                                let __permit = match __resilience::__private::bulkhead(
                                                        &__RESILIENCE_SITES.sites.3,
                                                        __owner,
                                                    )
                                                    .await
                                                {
                                                    ::core::result::Result::Ok(__permit) => __permit,
                                                    ::core::result::Result::Err(__error) => {
                                                        break '__layer_3 ::core::result::Result::Err(__error);
                                                    }
                                                };
                                                let __out = {
                                                    let __out = __resilience::__private::attempt(
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
                                                                let mut cloned = cloned;
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
                                                                let right = right;
                                                                #[allow(clippy::diverging_sub_expression)]
                                                                let __ret: io::Result<()> = {
                                                                    self.socket.send(shared, cloned, left, right).await
                                                                };
                                                                #[allow(unreachable_code)] return __ret;
                                                            },
                                                        )
                                                        .await;
                                                    __out
                                                };
                                                ::core::mem::drop(__permit);
                                                __out
                                            };
                                            __out
                                        },
                                    )
                                    .await;
                                __out
                            };
                            let __pause = match __attempts
                                .next_when(
                                    &__out,
                                    &mut {
                                        use __resilience::__private::probing::*;
                                        (&__resilience::__private::kind(&__out)).class()
                                    },
                                    {
                                        use __resilience::__private::probing::*;
                                        (&&__resilience::__private::kind(&__out)).text()
                                    },
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
