async fn find(query: String) -> Result<Vec<Hit>, Error> {
    use ::resilience as __resilience;
    use __resilience::__private as __rt;
    static __RESILIENCE_SITES: __rt::Linked<(__rt::FallbackSite, ())> = {
        let __place = __rt::Place::new(::core::module_path!(), "find");
        __rt::Linked::new(
            &__RESILIENCE_LINK,
            (__rt::fallback_site(__place, __resilience::fallback::Config::new()), ()),
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
    let __out: ::core::result::Result<Result<Vec<Hit>, Error>, __resilience::Error> = {
        let __like: __rt::Like<Result<Vec<Hit>, Error>> = __rt::like();
        let __out = '__layer_0: {
            if let ::core::result::Result::Err(__error) = __rt::on_time(
                &__RESILIENCE_SITES.sites.0,
            ) {
                let __out = ::core::result::Result::Err(__error);
                break '__layer_0 __out;
            }
            let __out = {
                let __out = __rt::body(async move {
                        #[allow(unreachable_code)]
                        if false {
                            let __fake: Result<Vec<Hit>, Error> = loop {};
                            return __fake;
                        }
                        let _ = &query;
                        match () {
                            () => search(query).await,
                        }
                    })
                    .await;
                __out
            };
            __out
        };
        let __recovery = __rt::recover(
            &__RESILIENCE_SITES.sites.0,
            __like,
            __rt::class_by({
                use __rt::probing::*;
                (&&&__rt::kind(&__out)).class()
            }),
            __rt::text_by({
                use __rt::probing::*;
                (&&&__rt::kind(&__out)).text()
            }),
            __out,
        );
        match __recovery {
            __rt::Recovery::Keep(__out) => __out,
            __rt::Recovery::Replace(__error) => {
                let __ret: Result<Vec<Hit>, Error> = {
                    let __offered = __rt::offered(__like, Self::offline(__error));
                    {
                        use __rt::offering::*;
                        __offered.stand_in()
                    }
                }
                    .await;
                ::core::result::Result::Ok(__ret)
            }
        }
    };
    return __rt::finish(__out);
}
