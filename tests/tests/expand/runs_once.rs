/// Documented.
async fn fetch(self, key: Key, tags: Vec<Tag>) -> Result<impl Display, Error> {
    use ::resilience as __resilience;
    const __RESILIENCE_CONFIG_0: __resilience::timeout::Config = __resilience::timeout::Config::new()
        .duration(::core::time::Duration::new(3, 0));
    static __RESILIENCE_SITES: __resilience::__private::Linked<
        (__resilience::__private::Site<__resilience::__private::policy::Timeout>,),
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
            #[allow(clippy::shadow_reuse, clippy::shadow_same, clippy::shadow_unrelated)]
            let mut tags = tags;
            #[allow(clippy::diverging_sub_expression)]
            let __ret: Result<_, Error> = {
                tags.push(key.tag());
                self.get(key, tags).await
            };
            #[allow(unreachable_code)] return __ret;
        };
        let __out = __resilience::__private::layers()
            .timeout(&__RESILIENCE_SITES.sites.0, &__RESILIENCE_CONFIG_0)
            .around(
                ::core::option::Option::Some(::core::any::type_name::<Self>),
                __resilience::__private::body(__body),
            )
            .await;
        __out
    };
    return __resilience::__private::finish(__out);
}
