fn fetch<'life0, 'async_trait>(
    &'life0 mut self,
    key: Key,
) -> ::core::pin::Pin<
    Box<dyn ::core::future::Future<Output = Result<Page, Error>> + Send + 'async_trait>,
> {
    use ::resilience as __resilience;
    use __resilience::__private as __rt;
    const __RESILIENCE_CONFIG_0: __resilience::retry::Config = __resilience::retry::Config::new();
    static __RESILIENCE_SITES: __rt::Linked<(__rt::RetrySite, ())> = {
        let __place = __rt::Place::new(::core::module_path!(), "fetch");
        __rt::Linked::new(
            &__RESILIENCE_LINK,
            (
                __rt::retry_site(__place, __RESILIENCE_CONFIG_0)
                    .computing(&["max_attempts"]),
                (),
            ),
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
    Box::pin(async move {
        if let ::core::option::Option::Some(__ret) = ::core::option::Option::None::<
            Result<Page, Error>,
        > {
            #[allow(unreachable_code)] return __ret;
        }
        #[allow(unused_mut)]
        let mut __self = self;
        #[allow(unused_mut)]
        let mut key = key;
        let __edge = __rt::Edge::new();
        let __out: ::core::result::Result<Result<Page, Error>, __resilience::Error> = {
            let __config_0 = __RESILIENCE_CONFIG_0.max_attempts(__self.attempts);
            let mut __attempts = __rt::Attempts::new(
                    &__RESILIENCE_SITES.sites.0,
                    {
                        use __rt::probing::*;
                        let __kind = __rt::kind_of::<Result<Page, Error>>();
                        (&&__kind).keep()
                    },
                )
                .with(&__config_0);
            loop {
                let __a1 = __rt::WrapperClonedForEachAttempt::dup(&key);
                let (__class, __text) = {
                    use __rt::probing::*;
                    let __kind = __rt::kind_of::<Result<Page, Error>>();
                    ((&&&__kind).class(), (&&&__kind).text())
                };
                if let ::core::option::Option::Some(__out) = (__rt::Guarded {
                    guard: __rt::attempt_under(
                        &__RESILIENCE_SITES.sites.1,
                        &mut __attempts,
                        __class,
                        __text,
                    ),
                    work: ::core::option::Option::Some(async {
                        #[allow(unreachable_code)]
                        if false {
                            let __fake: Result<Page, Error> = loop {};
                            return __fake;
                        }
                        #[allow(clippy::restriction)]
                        let __self = &mut *__self;
                        #[allow(clippy::restriction)]
                        let mut key = __a1;
                        match () {
                            () => {
                                key.normalize();
                                __self.pages.get(key).await
                            }
                        }
                    }),
                }
                    .await)
                {
                    break __out;
                }
            }
        };
        return __rt::finish(__out);
    })
}
