async fn charge(
    &self,
    region: &str,
    order: Order,
    tags: Vec<Tag>,
) -> Result<Receipt, PaymentError> {
    use ::resilience as __resilience;
    const __RESILIENCE_EXPANDED: () = ();
    #[stale_if_error(__anchor)]
    const _: () = ();
    #[retry(__anchor)]
    const _: () = ();
    #[rate_limit(__anchor)]
    const _: () = ();
    const __RESILIENCE_CONFIG_0: __resilience::fallback::Config = __resilience::fallback::Config::new();
    const __RESILIENCE_CONFIG_1: __resilience::stale::Config = __resilience::stale::Config::new()
        .max_age(::core::time::Duration::new(600, 0))
        .capacity(1000);
    const _: () = __RESILIENCE_CONFIG_1.check("max_age");
    const _: () = __RESILIENCE_CONFIG_1.check("capacity");
    static __RESILIENCE_MEMORY_1: __resilience::__private::Memory = __resilience::__private::Memory::new();
    const __RESILIENCE_CONFIG_2: __resilience::retry::Config = __resilience::retry::Config::new();
    const __RESILIENCE_CONFIG_3: __resilience::rate_limit::Config = __resilience::rate_limit::Config::new()
        .limit(100);
    const _: () = __RESILIENCE_CONFIG_3.check("limit");
    static __RESILIENCE_SITES: (
        __resilience::__private::Site<__resilience::__private::policy::Fallback>,
        __resilience::__private::Site<__resilience::__private::policy::StaleIfError>,
        __resilience::__private::Site<__resilience::__private::policy::Retry>,
        __resilience::__private::Site<__resilience::__private::policy::RateLimit>,
        __resilience::__private::Site<__resilience::__private::policy::RetryBudget>,
    ) = {
        let __place = __resilience::__private::Place::new(
            ::core::module_path!(),
            "charge",
            ::core::file!(),
            ::core::line!(),
            ::core::column!(),
        );
        (
            __resilience::__private::Site::new(
                __place,
                ::core::option::Option::None,
                __RESILIENCE_CONFIG_0,
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
                __RESILIENCE_CONFIG_3,
            ),
            __resilience::__private::Site::new(
                __place,
                ::core::option::Option::Some("payments"),
                __resilience::retry_budget::Config::new(),
            ),
        )
    };
    __resilience::__private::submit! {
        & __RESILIENCE_SITES.0, & __RESILIENCE_SITES.1, & __RESILIENCE_SITES.2, &
        __RESILIENCE_SITES.3, & __RESILIENCE_SITES.4
    }
    let __edge = __resilience::__private::Edge::new();
    let __owner: __resilience::__private::Owner = ::core::option::Option::Some(
        ::core::any::type_name::<Self>,
    );
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
                &__RESILIENCE_SITES.1,
                __owner,
                &__RESILIENCE_MEMORY_1,
                &__RESILIENCE_CONFIG_1,
                __key,
            );
            let __out = '__layer_2: {
                let mut __attempts = __resilience::__private::Attempts::new(
                    &__RESILIENCE_SITES.2,
                    &__RESILIENCE_CONFIG_2,
                );
                match __attempts
                    .begin(__owner, ::core::option::Option::Some(&__RESILIENCE_SITES.4))
                {
                    ::core::result::Result::Ok(__admitted) => __admitted,
                    ::core::result::Result::Err(__error) => {
                        break '__layer_2 ::core::result::Result::Err(__error);
                    }
                };
                loop {
                    let __out = '__layer_3: {
                        match __resilience::__private::rate_limit(
                                &__RESILIENCE_SITES.3,
                                __owner,
                                order.items(),
                            )
                            .await
                        {
                            ::core::result::Result::Ok(__admitted) => __admitted,
                            ::core::result::Result::Err(__error) => {
                                break '__layer_3 ::core::result::Result::Err(__error);
                            }
                        };
                        let __out = {
                            let __a1 = __resilience::__private::ClonedForEachAttempt::dup(
                                &order,
                            );
                            let __a2 = __resilience::__private::WrapperClonedForEachAttempt::dup(
                                &tags,
                            );
                            let __out = __resilience::__private::attempt(
                                    &__RESILIENCE_SITES.2,
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
                                .await;
                            __out
                        };
                        __out
                    };
                    let __pause = match __attempts
                        .next(
                            &__out,
                            &mut |__error| {
                                use __resilience::__private::{
                                    ClassOfAny as _, ClassOfClassify as _, ClassOfSource as _,
                                };
                                (&__resilience::__private::Probe(__error)).class()
                            },
                            &|__error| {
                                use __resilience::__private::{
                                    TextOfAny as _, TextOfDebug as _, TextOfDisplay as _,
                                };
                                (&&__resilience::__private::Probe(__error)).text()
                            },
                            __resilience::__private::quiet,
                        )
                    {
                        ::core::option::Option::Some(__pause) => __pause,
                        ::core::option::Option::None => break __out,
                    };
                    ::core::mem::drop(__out);
                    let __resumed = __pause.await;
                    if let ::core::result::Result::Err(__error) = __resumed {
                        break ::core::result::Result::Err(__error);
                    }
                }
            };
            let __out = __stale
                .settle(
                    __out,
                    |__error| __resilience::__private::when(is_fatal, __error),
                    &|__error| {
                        use __resilience::__private::{
                            TextOfAny as _, TextOfDebug as _, TextOfDisplay as _,
                        };
                        (&&__resilience::__private::Probe(__error)).text()
                    },
                );
            __out
        };
        let __recovery = __resilience::__private::recover(
            &__RESILIENCE_SITES.0,
            __owner,
            __like,
            __out,
            |__error| {
                use __resilience::__private::{
                    ClassOfAny as _, ClassOfClassify as _, ClassOfSource as _,
                };
                (&__resilience::__private::Probe(__error)).class()
            },
            &|__error| {
                use __resilience::__private::{
                    TextOfAny as _, TextOfDebug as _, TextOfDisplay as _,
                };
                (&&__resilience::__private::Probe(__error)).text()
            },
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
