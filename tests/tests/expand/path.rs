async fn find(query: String) -> Result<Vec<Hit>, Error> {
    use ::resilience as __resilience;
    static __RESILIENCE_SITES: __resilience::__private::Linked<
        (__resilience::__private::Site<__resilience::__private::policy::Fallback>,),
    > = {
        let __place = __resilience::__private::Place::new(
            ::core::module_path!(),
            "find",
        );
        __resilience::__private::Linked::new((
            __resilience::__private::Site::new(
                __place,
                ::core::option::Option::None,
                __resilience::fallback::Config::new(),
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
    let __out: ::core::result::Result<Result<Vec<Hit>, Error>, __resilience::Error> = {
        let __like: __resilience::__private::Like<Result<Vec<Hit>, Error>> = __resilience::__private::like();
        let __out = '__layer_0: {
            if let ::core::result::Result::Err(__error) = __resilience::__private::on_time(
                &__RESILIENCE_SITES.sites.0,
                ::core::option::Option::None,
            ) {
                break '__layer_0 ::core::result::Result::Err(__error);
            }
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
            &__RESILIENCE_SITES.sites.0,
            ::core::option::Option::None,
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
