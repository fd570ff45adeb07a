async fn send(
    &mut self,
    shared: Shared,
    cloned: Cloned,
    (left, right): (&mut Left, Right),
) -> io::Result<()> {
    use ::resilience as __resilience;
    use __resilience::__private as __rt;
    #[retry(__anchor)]
    const _: () = ();
    #[timeout(__anchor)]
    const _: () = ();
    #[bulkhead(__anchor)]
    const _: () = ();
    const __RESILIENCE_CONFIG_0: __resilience::timeout::Config = __resilience::timeout::Config::new();
    static __RESILIENCE_SITES: __rt::Linked<
        (
            __rt::TimeoutSite,
            (__rt::RetrySite, (__rt::TimeoutSite, (__rt::BulkheadSite, ()))),
        ),
    > = {
        let __place = __rt::Place::new(::core::module_path!(), "send");
        __rt::Linked::new(
            &__RESILIENCE_LINK,
            (
                __rt::timeout_site(__place, __RESILIENCE_CONFIG_0)
                    .computing(&["duration"]),
                (
                    __rt::retry_site(__place, __resilience::retry::Config::new()),
                    (
                        __rt::timeout_site(
                            __place,
                            __resilience::timeout::Config::new()
                                .duration(::core::time::Duration::new(1, 0)),
                        ),
                        (
                            __rt::bulkhead_site(
                                __place,
                                __resilience::bulkhead::Config::new(),
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
    let __out: ::core::result::Result<io::Result<()>, __resilience::Error> = {
        let __config_0 = __RESILIENCE_CONFIG_0.duration(self.limit);
        let __out = {
            let __out = __rt::Guarded {
                guard: __rt::bound_block(&__RESILIENCE_SITES.sites.0, __config_0),
                work: ::core::option::Option::Some(async move {
                    let _ = &right;
                    let _ = &left;
                    let _ = &cloned;
                    let _ = &shared;
                    let __out = '__layer_1: {
                        let mut __attempts = __rt::Attempts::new(
                            &__RESILIENCE_SITES.sites.1.0,
                            {
                                use __rt::probing::*;
                                let __kind = __rt::kind_of::<io::Result<()>>();
                                (&&__kind).keep()
                            },
                        );
                        if let ::core::result::Result::Err(__error) = __attempts.begin()
                        {
                            let __out = ::core::result::Result::Err(__error);
                            break '__layer_1 __out;
                        }
                        loop {
                            let __out = {
                                let __a1 = __rt::ClonedForEachAttempt::dup(&cloned);
                                let __a3 = __rt::WrapperClonedForEachAttempt::dup(&right);
                                let __out = __rt::Guarded {
                                    guard: __rt::around(
                                        &__RESILIENCE_SITES.sites.1.1,
                                        __rt::Unasked,
                                    ),
                                    work: ::core::option::Option::Some(
                                        __rt::attempt(
                                            &mut __attempts,
                                            async {
                                                #[allow(unreachable_code)]
                                                if false {
                                                    let __fake: io::Result<()> = loop {};
                                                    return __fake;
                                                }
                                                #[allow(clippy::restriction)]
                                                let mut cloned = __a1;
                                                #[allow(clippy::restriction)]
                                                let left = &mut *left;
                                                #[allow(clippy::restriction)]
                                                let right = __a3;
                                                match () {
                                                    () => self.socket.send(shared, cloned, left, right).await,
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
                                    &mut __rt::class_by({
                                        use __rt::probing::*;
                                        (&&&__rt::kind(&__out)).class()
                                    }),
                                    __rt::text_by({
                                        use __rt::probing::*;
                                        (&&&__rt::kind(&__out)).text()
                                    }),
                                    |__attempt| log(__attempt),
                                    &__RESILIENCE_SITES.sites.1.1,
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
                    __out
                }),
            }
                .await;
            __out
        };
        __out
    };
    return __rt::finish(__out);
}
