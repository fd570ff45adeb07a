async fn charge(
    &self,
    region: &str,
    order: Order,
    tags: Vec<Tag>,
) -> Result<Receipt, PaymentError> {
    use ::resilience as __resilience;
    #[stale_if_error(__anchor)]
    const _: () = ();
    #[retry(__anchor)]
    const _: () = ();
    #[rate_limit(__anchor)]
    const _: () = ();
    const __RESILIENCE_CONFIG_1: __resilience::stale::Config = __resilience::stale::Config::new()
        .max_age(::core::time::Duration::new(600, 0))
        .capacity(1000);
    static __RESILIENCE_MEMORY_1: __resilience::__private::Memory = __resilience::__private::Memory::new();
    const __RESILIENCE_CONFIG_2: __resilience::retry::Config = __resilience::retry::Config::new();
    static __RESILIENCE_SITES: __resilience::__private::Linked<
        (
            __resilience::__private::Site<__resilience::__private::policy::Fallback>,
            __resilience::__private::Site<__resilience::__private::policy::StaleIfError>,
            __resilience::__private::Site<__resilience::__private::policy::Retry>,
            __resilience::__private::Site<__resilience::__private::policy::RateLimit>,
            __resilience::__private::Site<__resilience::__private::policy::RetryBudget>,
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
                __resilience::fallback::Config::new(),
            ),
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
                ::core::option::Option::Some("payments"),
                __resilience::rate_limit::Config::new().limit(100),
            ),
            __resilience::__private::Site::new(
                __place,
                ::core::option::Option::Some("payments"),
                __resilience::retry_budget::Config::new(),
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
    > = {
        let __like: __resilience::__private::Like<Result<Receipt, PaymentError>> = __resilience::__private::like();
        let __out = {
            let __key = {
                #[allow(unused_imports)]
                use __resilience::__private::ToOwned as _;
                __resilience::__private::key((
                    (region).to_owned(),
                    (order.id).to_owned(),
                ))
            };
            let __stale = __resilience::__private::stale(
                &__RESILIENCE_SITES.sites.1,
                ::core::option::Option::Some(::core::any::type_name::<Self>),
                &__RESILIENCE_MEMORY_1,
                &__RESILIENCE_CONFIG_1,
                __key,
            );
            let __out = {
                let mut __attempts = __resilience::__private::Attempts::new(
                        &__RESILIENCE_SITES.sites.2,
                        &__RESILIENCE_CONFIG_2,
                    )
                    .budgeted(&__RESILIENCE_SITES.sites.4);
                loop {
                    let __permits: ::core::primitive::u32 = order.items();
                    let __a1 = __resilience::__private::ClonedForEachAttempt::dup(
                        &order,
                    );
                    let __a2 = __resilience::__private::WrapperClonedForEachAttempt::dup(
                        &tags,
                    );
                    let (__class, __text) = {
                        use __resilience::__private::probing::*;
                        let __kind = __resilience::__private::kind_of(
                            __resilience::__private::returning::<
                                Result<Receipt, PaymentError>,
                            >(),
                        );
                        ((&__kind).class(), (&&__kind).text())
                    };
                    if let ::core::option::Option::Some(__out) = __resilience::__private::layers()
                        .rate_limit(&__RESILIENCE_SITES.sites.3, __permits)
                        .attempt(
                            ::core::option::Option::Some(::core::any::type_name::<Self>),
                            &mut __attempts,
                            __class,
                            __text,
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
                                let order = __a1;
                                #[allow(
                                    clippy::shadow_reuse,
                                    clippy::shadow_same,
                                    clippy::shadow_unrelated
                                )]
                                let mut tags = __a2;
                                #[allow(clippy::diverging_sub_expression)]
                                let __ret: Result<Receipt, PaymentError> = {
                                    tags.push(order.tag());
                                    self.gateway.charge(region, order, tags).await
                                };
                                #[allow(unreachable_code)] return __ret;
                            },
                        )
                        .await
                    {
                        break __out;
                    }
                }
            };
            let __out = __stale
                .settle(
                    |__error| __resilience::__private::when(is_fatal, __error),
                    __resilience::__private::text_by({
                        use __resilience::__private::probing::*;
                        (&&__resilience::__private::kind(&__out)).text()
                    }),
                    __out,
                );
            __out
        };
        let __recovery = __resilience::__private::recover(
            &__RESILIENCE_SITES.sites.0,
            ::core::option::Option::Some(::core::any::type_name::<Self>),
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
                        #[allow(
                            clippy::shadow_reuse,
                            clippy::shadow_same,
                            clippy::shadow_unrelated
                        )]
                        let mut tags = tags;
                        let error: PaymentError = __error;
                        #[allow(clippy::diverging_sub_expression)]
                        let __ret: Result<Receipt, PaymentError> = self
                            .queue(order, tags, error)
                            .await;
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
