async fn fetch(tags: Tags, other: Other) -> Result<(), Error> {
    const __RESILIENCE_EXPANDED: () = ();
    #[timeout(__anchor)]
    const _: () = ();
    const __RESILIENCE_PLACE: ::resilience::__private::Place = ::resilience::__private::Place::new(
        ::core::module_path!(),
        "fetch",
        ::core::file!(),
        ::core::line!(),
        ::core::column!(),
    );
    const __RESILIENCE_CONFIG_0: ::resilience::circuit_breaker::Config = ::resilience::circuit_breaker::Config::new();
    static __RESILIENCE_SITE_0: ::resilience::__private::Site<
        ::resilience::__private::policy::CircuitBreaker,
    > = ::resilience::__private::Site::new(
        __RESILIENCE_PLACE,
        ::core::option::Option::None,
        __RESILIENCE_CONFIG_0,
    );
    ::resilience::__private::submit! {
        & __RESILIENCE_SITE_0
    }
    const __RESILIENCE_CONFIG_1: ::resilience::timeout::Config = ::resilience::timeout::Config::new()
        .duration(::core::time::Duration::new(1, 0));
    const _: () = __RESILIENCE_CONFIG_1.check("duration");
    static __RESILIENCE_SITE_1: ::resilience::__private::Site<
        ::resilience::__private::policy::Timeout,
    > = ::resilience::__private::Site::new(
        __RESILIENCE_PLACE,
        ::core::option::Option::None,
        __RESILIENCE_CONFIG_1,
    );
    ::resilience::__private::submit! {
        & __RESILIENCE_SITE_1
    }
    let __edge = ::resilience::__private::Edge::new();
    let __owner: ::resilience::__private::Owner = ::core::option::Option::None;
    let __out: ::core::result::Result<Result<(), Error>, ::resilience::Error> = '__layer_0: {
        let __permit = match ::resilience::__private::circuit_breaker(
            &__RESILIENCE_SITE_0,
            __owner,
        ) {
            ::core::result::Result::Ok(__admitted) => __admitted,
            ::core::result::Result::Err(__error) => {
                break '__layer_0 ::core::result::Result::Err(__error);
            }
        };
        let __out = {
            let __a0 = ::resilience::__private::LaterArg::dup(&tags);
            let __out = ::resilience::__private::timeout(
                    &__RESILIENCE_SITE_1,
                    __owner,
                    &__RESILIENCE_CONFIG_1,
                    ::resilience::__private::body(async {
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
            .settle(
                &__out,
                |__error| ::resilience::__private::when(|_| tags.is_empty(), __error),
            );
        __out
    };
    return ::resilience::__private::finish(__out);
}
