async fn fetch(tags: Tags, other: Other) -> Result<(), Error> {
    use ::resilience as __resilience;
    const __RESILIENCE_EXPANDED: () = ();
    #[timeout(__anchor)]
    const _: () = ();
    const __RESILIENCE_CONFIG_0: __resilience::circuit_breaker::Config = __resilience::circuit_breaker::Config::new();
    const __RESILIENCE_CONFIG_1: __resilience::timeout::Config = __resilience::timeout::Config::new()
        .duration(::core::time::Duration::new(1, 0));
    const _: () = __RESILIENCE_CONFIG_1.check("duration");
    static __RESILIENCE_SITES: (
        __resilience::__private::Site<__resilience::__private::policy::CircuitBreaker>,
        __resilience::__private::Site<__resilience::__private::policy::Timeout>,
    ) = {
        let __place = __resilience::__private::Place::new(
            ::core::module_path!(),
            "fetch",
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
        )
    };
    __resilience::__private::submit! {
        & __RESILIENCE_SITES.0, & __RESILIENCE_SITES.1
    }
    let __edge = __resilience::__private::Edge::new();
    let __owner: __resilience::__private::Owner = ::core::option::Option::None;
    let __out: ::core::result::Result<Result<(), Error>, __resilience::Error> = '__layer_0: {
        let __permit = match __resilience::__private::circuit_breaker(
            &__RESILIENCE_SITES.0,
            __owner,
        ) {
            ::core::result::Result::Ok(__admitted) => __admitted,
            ::core::result::Result::Err(__error) => {
                break '__layer_0 ::core::result::Result::Err(__error);
            }
        };
        let __out = {
            let __a0 = __resilience::__private::ClonedForLater::dup(&tags);
            let __out = __resilience::__private::timeout(
                    &__RESILIENCE_SITES.1,
                    __owner,
                    &__RESILIENCE_CONFIG_1,
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
