fn fetch(
    &self,
    #[allow(unused_mut)]
    mut key: Key,
) -> impl Future<Output = Result<Page, Error>> + Send + '_ {
    use ::resilience as __resilience;
    #[timeout(__anchor)]
    const _: () = ();
    const __RESILIENCE_CONFIG_0: __resilience::retry::Config = __resilience::retry::Config::new();
    const __RESILIENCE_CONFIG_1: __resilience::timeout::Config = __resilience::timeout::Config::new()
        .duration(::core::time::Duration::new(1, 0));
    static __RESILIENCE_SITES: __resilience::__private::Linked<
        (
            __resilience::__private::Site<__resilience::__private::policy::Retry>,
            __resilience::__private::Site<__resilience::__private::policy::Timeout>,
        ),
    > = {
        let __place = __resilience::__private::Place::new(
            ::core::module_path!(),
            "fetch",
        );
        __resilience::__private::Linked::new((
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
    #[allow(unused_mut)]
    let mut pages = self.pages.clone();
    async move {
        let __edge = __resilience::__private::Edge::new();
        let __out: ::core::result::Result<Result<Page, Error>, __resilience::Error> = {
            let mut __attempts = __resilience::__private::Attempts::new(
                &__RESILIENCE_SITES.sites.0,
                &__RESILIENCE_CONFIG_0,
            );
            loop {
                let __a0 = __resilience::__private::ClonedForEachAttempt::dup(&key);
                let __a1 = __resilience::__private::WrapperClonedForEachAttempt::dup(
                    &pages,
                );
                let (__class, __text) = {
                    use __resilience::__private::probing::*;
                    let __kind = __resilience::__private::kind_of(
                        __resilience::__private::returning::<Result<Page, Error>>(),
                    );
                    ((&__kind).class(), (&&__kind).text())
                };
                if let ::core::option::Option::Some(__out) = __resilience::__private::layers()
                    .timeout(&__RESILIENCE_SITES.sites.1, &__RESILIENCE_CONFIG_1)
                    .attempt(
                        ::core::option::Option::Some(::core::any::type_name::<Self>),
                        &mut __attempts,
                        __class,
                        __text,
                        async {
                            #[allow(unreachable_code)]
                            if false {
                                let __fake: Result<Page, Error> = loop {};
                                return __fake;
                            }
                            #[allow(unused_mut)]
                            #[allow(
                                clippy::shadow_reuse,
                                clippy::shadow_same,
                                clippy::shadow_unrelated
                            )]
                            let mut key = __a0;
                            #[allow(unused_mut)]
                            #[allow(
                                clippy::shadow_reuse,
                                clippy::shadow_same,
                                clippy::shadow_unrelated
                            )]
                            let mut pages = __a1;
                            #[allow(clippy::diverging_sub_expression)]
                            let __ret: Result<Page, Error> = { pages.get(key).await };
                            #[allow(unreachable_code)] return __ret;
                        },
                    )
                    .await
                {
                    break __out;
                }
            }
        };
        return __resilience::__private::finish(__out);
    }
}
