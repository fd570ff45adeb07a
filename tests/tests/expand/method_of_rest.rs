async fn get(&self) -> Result<Order, Error> {
    use ::facade::resilience as __resilience;
    use __resilience::__private as __rt;
    #[retry(__anchor)]
    const _: () = ();
    #[resilient(__anchor)]
    const _: () = ();
    static __RESILIENCE_SITES: __rt::Linked<
        (__rt::RetrySite, (__rt::TimeoutSite, (__rt::BulkheadSite, ()))),
    > = {
        let __place = __rt::Place::new(::core::module_path!(), "Orders::get");
        __rt::Linked::new(
            &__RESILIENCE_LINK,
            (
                __rt::retry_site(__place, __resilience::retry::Config::new()),
                (
                    __rt::timeout_site(
                        __place,
                        __resilience::timeout::Config::new()
                            .duration(::core::time::Duration::new(1, 0)),
                    ),
                    (
                        __rt::bulkhead_site(
                                __place,
                                __resilience::bulkhead::Config::new(),
                            )
                            .named("Orders"),
                        (),
                    ),
                ),
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
    let __edge = __rt::Edge::new();
    let __out: ::core::result::Result<Result<Order, Error>, __resilience::Error> = {
        let mut __attempts = __rt::Attempts::new(
            &__RESILIENCE_SITES.sites.0,
            {
                use __rt::probing::*;
                let __kind = __rt::kind_of::<Result<Order, Error>>();
                (&&__kind).keep()
            },
        );
        loop {
            let (__class, __text) = {
                use __rt::probing::*;
                let __kind = __rt::kind_of::<Result<Order, Error>>();
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
                        let __fake: Result<Order, Error> = loop {};
                        return __fake;
                    }
                    match () {
                        () => self.read().await,
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
}
