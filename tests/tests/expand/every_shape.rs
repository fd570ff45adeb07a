pub async fn charge(
    &self,
    order: &Order,
    tags: Vec<Tag>,
) -> Result<Receipt, PaymentError> {
    use ::resilience as __resilience;
    #[circuit_breaker(__anchor)]
    const _: () = ();
    #[bulkhead(__anchor)]
    const _: () = ();
    #[timeout(__anchor)]
    const _: () = ();
    const __RESILIENCE_CONFIG_0: __resilience::retry::Config = __resilience::retry::Config::new()
        .max_attempts(3);
    const __RESILIENCE_CONFIG_3: __resilience::timeout::Config = __resilience::timeout::Config::new()
        .duration(::core::time::Duration::new(3, 0));
    static __RESILIENCE_SITES: __resilience::__private::Linked<
        (
            __resilience::__private::Site<__resilience::__private::policy::Retry>,
            __resilience::__private::Site<
                __resilience::__private::policy::CircuitBreaker,
            >,
            __resilience::__private::Site<__resilience::__private::policy::Bulkhead>,
            __resilience::__private::Site<__resilience::__private::policy::Timeout>,
        ),
    > = {
        let __place = __resilience::__private::Place::new(
            ::core::module_path!(),
            "charge",
        );
        __resilience::__private::Linked::new((
            __resilience::__private::Site::new(
                __place,
                ::core::option::Option::None,
                __RESILIENCE_CONFIG_0,
            ),
            __resilience::__private::Site::new(
                __place,
                ::core::option::Option::Some("payments"),
                __resilience::circuit_breaker::Config::new().failure_rate(0.4),
            ),
            __resilience::__private::Site::new(
                __place,
                ::core::option::Option::Some("payments"),
                __resilience::bulkhead::Config::new().max_concurrent(25),
            ),
            __resilience::__private::Site::new(
                __place,
                ::core::option::Option::None,
                __RESILIENCE_CONFIG_3,
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
    let __out: ::core::result::Result<
        Result<Receipt, PaymentError>,
        __resilience::Error,
    > = '__layer_0: {
        let mut __attempts = __resilience::__private::Attempts::new(
            &__RESILIENCE_SITES.sites.0,
            &__RESILIENCE_CONFIG_0,
        );
        if let ::core::result::Result::Err(__error) = __attempts
            .begin(::core::option::Option::Some(::core::any::type_name::<Self>))
        {
            break '__layer_0 ::core::result::Result::Err(__error);
        }
        loop {
            let __out = {
                let __a1 = __resilience::__private::WrapperClonedForEachAttempt::dup(
                    &tags,
                );
                let __class = {
                    use __resilience::__private::probing::*;
                    let __kind = __resilience::__private::kind_of(
                        __resilience::__private::returning::<
                            Result<Receipt, PaymentError>,
                        >(),
                    );
                    (&__kind).class()
                };
                let __out = __resilience::__private::layers()
                    .circuit_breaker(&__RESILIENCE_SITES.sites.1, __class)
                    .bulkhead(&__RESILIENCE_SITES.sites.2)
                    .timeout(&__RESILIENCE_SITES.sites.3, &__RESILIENCE_CONFIG_3)
                    .around(
                        ::core::option::Option::Some(::core::any::type_name::<Self>),
                        __resilience::__private::attempt(
                            &__RESILIENCE_SITES.sites.0,
                            async {
                                #[allow(unreachable_code)]
                                if false {
                                    let __fake: Result<Receipt, PaymentError> = loop {};
                                    return __fake;
                                }
                                #[allow(
                                    clippy::shadow_reuse,
                                    clippy::shadow_same,
                                    clippy::shadow_unrelated
                                )]
                                let tags = __a1;
                                #[allow(clippy::diverging_sub_expression)]
                                let __ret: Result<Receipt, PaymentError> = {
                                    self.gateway.charge(order, tags).await
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
                    &mut |__error| __resilience::__private::when(
                        Error::is_transient,
                        __error,
                    ),
                    __resilience::__private::text_by({
                        use __resilience::__private::probing::*;
                        (&&__resilience::__private::kind(&__out)).text()
                    }),
                    __resilience::__private::quiet,
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
    return __resilience::__private::finish(__out);
}
