/// Documented.
async fn fetch(self, key: Key, tags: Vec<Tag>) -> Result<impl Display, Error> {
    use ::resilience as __resilience;
    use __resilience::__private as __rt;
    static __RESILIENCE_SITES: __rt::Linked<(__rt::TimeoutSite, ())> = {
        let __place = __rt::Place::new(::core::module_path!(), "fetch");
        __rt::Linked::new(
            &__RESILIENCE_LINK,
            (
                __rt::timeout_site(
                    __place,
                    __resilience::timeout::Config::new()
                        .duration(::core::time::Duration::new(3, 0)),
                ),
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
    let __edge = __rt::Edge::new();
    let __out: ::core::result::Result<Result<_, Error>, __resilience::Error> = {
        let __body = async move {
            #[allow(unreachable_code)]
            if false {
                let __fake: Result<_, Error> = loop {};
                return __fake;
            }
            let _ = &tags;
            let _ = &key;
            let _ = &self;
            #[allow(clippy::restriction)]
            let mut tags = tags;
            match () {
                () => {
                    tags.push(key.tag());
                    self.get(key, tags).await
                }
            }
        };
        let __out = __rt::Guarded {
            guard: __rt::around(&__RESILIENCE_SITES.sites, __rt::Unasked),
            work: ::core::option::Option::Some(__body),
        }
            .await;
        __out
    };
    return __rt::finish(__out);
}
