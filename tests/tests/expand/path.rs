async fn find(query: String) -> Result<Vec<Hit>, Error> {
    use ::resilience as __resilience;
    const __RESILIENCE_EXPANDED: () = ();
    const __RESILIENCE_CONFIG_0: __resilience::fallback::Config = __resilience::fallback::Config::new();
    static __RESILIENCE_SITES: (
        __resilience::__private::Site<__resilience::__private::policy::Fallback>,
    ) = {
        let __place = __resilience::__private::Place::new(
            ::core::module_path!(),
            "find",
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
        )
    };
    __resilience::__private::submit! {
        & __RESILIENCE_SITES.0
    }
    let __edge = __resilience::__private::Edge::new();
    let __owner: __resilience::__private::Owner = ::core::option::Option::None;
    let __out: ::core::result::Result<Result<Vec<Hit>, Error>, __resilience::Error> = {
        let __like: __resilience::__private::Like<Result<Vec<Hit>, Error>> = __resilience::__private::like();
        let __out = '__layer_0: {
            match __resilience::__private::on_time(&__RESILIENCE_SITES.0, __owner) {
                ::core::result::Result::Ok(__admitted) => __admitted,
                ::core::result::Result::Err(__error) => {
                    break '__layer_0 ::core::result::Result::Err(__error);
                }
            };
            let __out = {
                let __out = __resilience::__private::body(async move {
                        #[allow(unreachable_code)]
                        if false {
                            let __fake: Result<Vec<Hit>, Error> = loop {};
                            return __fake;
                        }
                        let _ = &query;
                        #[allow(clippy::diverging_sub_expression)]
                        let __ret: Result<Vec<Hit>, Error> = { search(query).await };
                        #[allow(unreachable_code)] return __ret;
                    })
                    .await;
                __out
            };
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
                let __ret: Result<Vec<Hit>, Error> = __resilience::__private::stand_in(
                        __like,
                        Self::offline(__error),
                    )
                    .await;
                ::core::result::Result::Ok(__ret)
            }
        }
    };
    return __resilience::__private::finish(__out);
}
