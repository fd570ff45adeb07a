async fn charge(
    &self,
    region: &str,
    order: Order,
    tags: Vec<Tag>,
) -> Result<Receipt, PaymentError> {
    const __RESILIENCE_EXPANDED: () = ();
    #[stale_if_error(__anchor)]
    const _: () = ();
    #[retry(__anchor)]
    const _: () = ();
    #[rate_limit(__anchor)]
    const _: () = ();
    const __RESILIENCE_PLACE: ::resilience::__private::Place = ::resilience::__private::Place::new(
        ::core::module_path!(),
        "charge",
        ::core::file!(),
        ::core::line!(),
        ::core::column!(),
    );
    const __RESILIENCE_CONFIG_0: ::resilience::fallback::Config = ::resilience::fallback::Config::new();
    static __RESILIENCE_SITE_0: ::resilience::__private::Site<
        ::resilience::__private::policy::Fallback,
    > = ::resilience::__private::Site::new(
        __RESILIENCE_PLACE,
        ::core::option::Option::None,
        __RESILIENCE_CONFIG_0,
    );
    ::resilience::__private::submit! {
        & __RESILIENCE_SITE_0
    }
    const __RESILIENCE_CONFIG_1: ::resilience::stale::Config = ::resilience::stale::Config::new()
        .max_age(::core::time::Duration::new(600, 0))
        .capacity(1000);
    const _: () = __RESILIENCE_CONFIG_1.check("max_age");
    const _: () = __RESILIENCE_CONFIG_1.check("capacity");
    static __RESILIENCE_SITE_1: ::resilience::__private::Site<
        ::resilience::__private::policy::StaleIfError,
    > = ::resilience::__private::Site::new(
        __RESILIENCE_PLACE,
        ::core::option::Option::None,
        __RESILIENCE_CONFIG_1,
    );
    ::resilience::__private::submit! {
        & __RESILIENCE_SITE_1
    }
    static __RESILIENCE_MEMORY_1: ::resilience::__private::Memory = ::resilience::__private::Memory::new();
    const __RESILIENCE_CONFIG_2: ::resilience::retry::Config = ::resilience::retry::Config::new();
    static __RESILIENCE_SITE_2: ::resilience::__private::Site<
        ::resilience::__private::policy::Retry,
    > = ::resilience::__private::Site::new(
        __RESILIENCE_PLACE,
        ::core::option::Option::None,
        __RESILIENCE_CONFIG_2,
    );
    ::resilience::__private::submit! {
        & __RESILIENCE_SITE_2
    }
    static __RESILIENCE_BUDGET_2: ::resilience::__private::Site<
        ::resilience::__private::policy::RetryBudget,
    > = ::resilience::__private::Site::new(
        __RESILIENCE_PLACE,
        ::core::option::Option::Some("payments"),
        ::resilience::retry_budget::Config::new(),
    );
    ::resilience::__private::submit! {
        & __RESILIENCE_BUDGET_2
    }
    const __RESILIENCE_CONFIG_3: ::resilience::rate_limit::Config = ::resilience::rate_limit::Config::new()
        .limit(100);
    const _: () = __RESILIENCE_CONFIG_3.check("limit");
    static __RESILIENCE_SITE_3: ::resilience::__private::Site<
        ::resilience::__private::policy::RateLimit,
    > = ::resilience::__private::Site::new(
        __RESILIENCE_PLACE,
        ::core::option::Option::Some("payments"),
        __RESILIENCE_CONFIG_3,
    );
    ::resilience::__private::submit! {
        & __RESILIENCE_SITE_3
    }
    let __edge = ::resilience::__private::Edge::new();
    let __owner: ::resilience::__private::Owner = ::core::option::Option::Some(
        ::core::any::type_name::<Self>,
    );
    let __out: ::core::result::Result<
        Result<Receipt, PaymentError>,
        ::resilience::Error,
    > = {
        let __out = {
            let __key = {
                #[allow(unused_imports)]
                use ::resilience::__private::ToOwned as _;
                ::resilience::__private::key((
                    (region).to_owned(),
                    (order.id).to_owned(),
                ))
            };
            let __stale = ::resilience::__private::stale(
                &__RESILIENCE_SITE_1,
                __owner,
                &__RESILIENCE_MEMORY_1,
                &__RESILIENCE_CONFIG_1,
                __key,
            );
            let __out = '__layer_2: {
                let mut __attempts = match ::resilience::__private::begin(
                    &__RESILIENCE_SITE_2,
                    __owner,
                    &__RESILIENCE_CONFIG_2,
                    ::core::option::Option::Some(&__RESILIENCE_BUDGET_2),
                ) {
                    ::core::result::Result::Ok(__admitted) => __admitted,
                    ::core::result::Result::Err(__error) => {
                        break '__layer_2 ::core::result::Result::Err(__error);
                    }
                };
                loop {
                    let __out = '__layer_3: {
                        match ::resilience::__private::rate_limit(
                                &__RESILIENCE_SITE_3,
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
                            let __a1 = ::resilience::__private::AttemptArg::dup(&order);
                            let __a2 = ::resilience::__private::AttemptArg::dup(&tags);
                            let __out = ::resilience::__private::attempt(
                                    &__RESILIENCE_SITE_2,
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
                            |__error| {
                                use ::resilience::__private::{
                                    ClassOfAny as _, ClassOfClassify as _, ClassOfSource as _,
                                };
                                (&::resilience::__private::Probe(__error)).class()
                            },
                            |__error| {
                                use ::resilience::__private::{
                                    TextOfAny as _, TextOfDebug as _, TextOfDisplay as _,
                                };
                                (&&::resilience::__private::Probe(__error)).text()
                            },
                            |_| (),
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
            let __out = ::resilience::__private::Stale::settle(
                __stale,
                __out,
                |__error| ::resilience::__private::when(is_fatal, __error),
                |__error| {
                    use ::resilience::__private::{
                        TextOfAny as _, TextOfDebug as _, TextOfDisplay as _,
                    };
                    (&&::resilience::__private::Probe(__error)).text()
                },
            );
            __out
        };
        let __recovery = ::resilience::__private::recover(
            &__RESILIENCE_SITE_0,
            __owner,
            __out,
            |__error| {
                use ::resilience::__private::{
                    ClassOfAny as _, ClassOfClassify as _, ClassOfSource as _,
                };
                (&::resilience::__private::Probe(__error)).class()
            },
            |__error| {
                use ::resilience::__private::{
                    TextOfAny as _, TextOfDebug as _, TextOfDisplay as _,
                };
                (&&::resilience::__private::Probe(__error)).text()
            },
        );
        match __recovery {
            ::resilience::__private::Recovery::Keep(__out) => __out,
            ::resilience::__private::Recovery::Replace(__error) => {
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
    return ::resilience::__private::finish(__out);
}
