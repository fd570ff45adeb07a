//! Snapshots of expansions, so that a change of the generated code is seen in review. `UPDATE_EXPECT=1` renews them.
//!
//! The macro crate can export nothing but macros, so its modules are compiled in here.
#![allow(dead_code, reason = "the modules serve the macro crate")]

#[path = "../../resilience-macros/src/args.rs"]
mod args;
#[path = "../../resilience-macros/src/arguments.rs"]
mod arguments;
#[path = "../../resilience-macros/src/asked.rs"]
mod asked;
#[path = "../../resilience-macros/src/async_trait.rs"]
mod async_trait;
#[path = "../../resilience-macros/src/attribute.rs"]
mod attribute;
#[path = "../../resilience-macros/src/blocks.rs"]
mod blocks;
#[path = "../../resilience-macros/src/called.rs"]
mod called;
#[path = "../../resilience-macros/src/derive.rs"]
mod derive;
#[path = "../../resilience-macros/src/duration.rs"]
mod duration;
#[path = "../../resilience-macros/src/expand.rs"]
mod expand;
#[path = "../../resilience-macros/src/frame.rs"]
mod frame;
#[path = "../../resilience-macros/src/function.rs"]
mod function;
#[path = "../../resilience-macros/src/future.rs"]
mod future;
#[path = "../../resilience-macros/src/grammar.rs"]
mod grammar;
#[path = "../../resilience-macros/src/guarded.rs"]
mod guarded;
#[path = "../../resilience-macros/src/impl_block.rs"]
mod impl_block;
#[path = "../../resilience-macros/src/impl_items.rs"]
mod impl_items;
#[path = "../../resilience-macros/src/in_front.rs"]
mod in_front;
#[path = "../../resilience-macros/src/in_range.rs"]
mod in_range;
#[path = "../../resilience-macros/src/items.rs"]
mod items;
#[path = "../../resilience-macros/src/key.rs"]
mod key;
#[path = "../../resilience-macros/src/layers.rs"]
mod layers;
#[path = "../../resilience-macros/src/list.rs"]
mod list;
#[path = "../../resilience-macros/src/literal.rs"]
mod literal;
#[path = "../../resilience-macros/src/marks.rs"]
mod marks;
#[path = "../../resilience-macros/src/names.rs"]
mod names;
#[path = "../../resilience-macros/src/of_impl.rs"]
mod of_impl;
#[path = "../../resilience-macros/src/options.rs"]
mod options;
#[path = "../../resilience-macros/src/order.rs"]
mod order;
#[path = "../../resilience-macros/src/other_names.rs"]
mod other_names;
#[path = "../../resilience-macros/src/ours.rs"]
mod ours;
#[path = "../../resilience-macros/src/patterns.rs"]
mod patterns;
#[path = "../../resilience-macros/src/places.rs"]
mod places;
#[path = "../../resilience-macros/src/policy.rs"]
mod policy;
#[path = "../../resilience-macros/src/recover.rs"]
mod recover;
#[path = "../../resilience-macros/src/recovery.rs"]
mod recovery;
#[path = "../../resilience-macros/src/returns.rs"]
mod returns;
#[path = "../../resilience-macros/src/stack.rs"]
mod stack;
#[path = "../../resilience-macros/src/stand_in.rs"]
mod stand_in;
#[path = "../../resilience-macros/src/tokens.rs"]
mod tokens;
#[path = "../../resilience-macros/src/unfit.rs"]
mod unfit;
#[path = "../../resilience-macros/src/wording.rs"]
mod wording;
#[path = "../../resilience-macros/src/words.rs"]
mod words;

#[path = "agreement/in_range.rs"]
mod agreement;

use expect_test::expect_file;
use syn::{Meta, parse_quote};

/// Stands for the macro crate's own, which knows the runtime's features.
mod features {
    pub(crate) fn stale() -> bool {
        !super::WITHOUT_STALE.get()
    }
}

thread_local! {
    static WITHOUT_STALE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Expands the first attribute of a function, as rustc does.
fn expanded(mut function: syn::ItemFn) -> String {
    let first = function.attrs.remove(0);
    expanded_by(first, quote::ToTokens::to_token_stream(&function))
}

fn expanded_by(first: syn::Attribute, item: proc_macro2::TokenStream) -> String {
    let ours = ours::Ours::named(&first.path().get_ident().expect("a bare name").to_string()).expect("one of ours");
    let args = match first.meta {
        Meta::List(list) => list.tokens,
        _ => proc_macro2::TokenStream::new(),
    };
    let item = attribute::expand(ours, args, item);
    assert_parseable_by_others(&item);
    prettyplease::unparse(&syn::parse2(item).expect("an expansion is a file of items"))
}

/// Attribute macros below ours are handed what ours expand to, and most of them read it by an older syn.
fn assert_parseable_by_others(item: &proc_macro2::TokenStream) {
    if let Err(error) = syn2::parse2::<syn2::File>(item.clone()) {
        panic!("syn 2 cannot read it: {error}\n{item}");
    }
    if let Err(error) = syn1::parse2::<syn1::File>(item.clone()) {
        panic!("syn 1 cannot read it: {error}\n{item}");
    }
}

/// Not only what the snapshots show: every policy above every other one, in each form of a function that can be guarded.
#[test]
fn every_pair_in_every_form_is_read_by_older_parsers() {
    const POLICIES: [&str; 14] = [
        "retry",
        "retry(max_attempts = self.attempts, on_retry = log, budget = \"b\")",
        "retry(when = is_late, when_ok = |page| page.is_late())",
        "circuit_breaker",
        "circuit_breaker(\"a\", when = self.all[0])",
        "bulkhead(max_concurrent = limit(key).await)",
        "rate_limit(limit = 1, permits = key.len()?)",
        "timeout(\"1s\")",
        "timeout(self.limit)",
        "fallback(Self::offline)",
        "fallback(value = Page::default())",
        "fallback(|error: Fault| -> Result<Page, Fault> { self.offline(error).await })",
        "fallback(|_| Err(late()), when_ok = Page::is_late)",
        "stale_if_error(\"1m\", key = (key, &self.id), when = *when)",
    ];
    const FORMS: [&str; 4] = [
        "async fn get(&mut self, mut key: Key, (a, b): (A, &mut B)) -> Result<Page, Fault> { self.read(key, a, b).await }",
        "pub async unsafe fn get<'a, T: Into<Key>>(&'a self, key: T) -> io::Result<impl Page> where { #![allow(a)] panic!() }",
        "fn get(&self, key: Key) -> impl Future<Output = Result<Page, Fault>> + '_ { let key = key.next(); async { self.read(key).await } }",
        "fn get(self: Arc<Self>, key: Key) -> BoxFuture<'static, Result<Page, Fault>> { Box::pin(async move { self.read(key).await }) }",
    ];
    let mut expanded_whole = 0;
    for first in POLICIES {
        for second in POLICIES {
            for form in FORMS {
                let function = syn::parse_str(&format!("#[{first}] #[{second}] {form}")).expect("a function");
                expanded_whole += usize::from(!expanded(function).contains("compile_error!"));
            }
        }
    }
    assert!(expanded_whole > 200, "{expanded_whole} pairs are right");
}

#[test]
fn every_shape() {
    expect_file!["expand/every_shape.rs"].assert_eq(&expanded(parse_quote! {
        #[retry(max_attempts = 3, when = Error::is_transient)]
        #[circuit_breaker("payments", failure_rate = "40%")]
        #[bulkhead("payments", max_concurrent = 25)]
        #[timeout("3s")]
        pub async fn charge(&self, order: &Order, tags: Vec<Tag>) -> Result<Receipt, PaymentError> {
            self.gateway.charge(order, tags).await
        }
    }));
}

#[test]
fn runs_once() {
    expect_file!["expand/runs_once.rs"].assert_eq(&expanded(parse_quote! {
        #[timeout("3s")]
        /// Documented.
        async fn fetch(self, key: Key, mut tags: Vec<Tag>) -> Result<impl Display, Error> {
            tags.push(key.tag());
            self.get(key, tags).await
        }
    }));
}

#[test]
fn outer_timeout() {
    expect_file!["expand/outer_timeout.rs"].assert_eq(&expanded(parse_quote! {
        #[timeout(self.limit)]
        #[retry(borrow(shared), on_retry = log)]
        #[timeout("1s")]
        #[bulkhead]
        async fn send(&mut self, shared: Shared, mut cloned: Cloned, (left, right): (&mut Left, Right)) -> io::Result<()> {
            self.socket.send(shared, cloned, left, right).await
        }
    }));
}

#[test]
fn asked_afterwards() {
    expect_file!["expand/asked_afterwards.rs"].assert_eq(&expanded(parse_quote! {
        #[circuit_breaker(when = |_| tags.is_empty())]
        #[timeout("1s")]
        async fn fetch(tags: Tags, other: Other) -> Result<(), Error> {
            send(tags, other).await
        }
    }));
}

/// What the policies make of a value that `when_ok` takes for a failure.
#[test]
fn values_asked() {
    expect_file!["expand/values_asked.rs"].assert_eq(&expanded(parse_quote! {
        #[fallback(offline, when_ok = Page::is_stub)]
        #[stale_if_error("10m", when_ok = |page| page.is_stub(), when = is_fatal)]
        #[retry(when_ok = |page| page.is_late(&tags))]
        #[circuit_breaker(when_ok = Page::is_error)]
        async fn fetch(tags: Tags) -> Result<Page, Error> {
            send(tags).await
        }
    }));
}

#[test]
fn recovered() {
    expect_file!["expand/recovered.rs"].assert_eq(&expanded(parse_quote! {
        #[fallback(|error: PaymentError| self.queue(order, tags, error).await)]
        #[stale_if_error("10m", key = (region, &order.id), capacity = 1000, when = is_fatal)]
        #[retry(budget = "payments")]
        #[rate_limit("payments", limit = 100, permits = order.items())]
        async fn charge(&self, region: &str, order: Order, mut tags: Vec<Tag>) -> Result<Receipt, PaymentError> {
            tags.push(order.tag());
            self.gateway.charge(region, order, tags).await
        }
    }));
}

#[test]
fn listed() {
    expect_file!["expand/listed.rs"].assert_eq(&expanded(parse_quote! {
        #[resilient(fallback(value = Vec::new()), circuit_breaker("search.{method}"), crate = ::facade::resilience)]
        #[timeout("1s")]
        async fn find(query: String) -> Result<Vec<Hit>, Error> {
            search(query).await
        }
    }));
    expect_file!["expand/path.rs"].assert_eq(&expanded(parse_quote! {
        #[fallback(Self::offline)]
        async fn find(query: String) -> Result<Vec<Hit>, Error> {
            search(query).await
        }
    }));
}

#[test]
fn derived() {
    let input: syn::DeriveInput = parse_quote! {
        enum ApiError<T> {
            #[permanent]
            Broken { at: T },
            #[overloaded(retry_after = 1)]
            Busy(u8, Duration),
            #[overloaded]
            Full,
            #[classify(transparent)]
            Inner(Inner<T>),
            #[classify(with = class_of)]
            Foreign(Foreign),
            #[caller]
            NotFound,
            Lost,
            Unmarked { context: u8, source: Repo },
            Several(u8, u8),
        }
    };
    let item = derive::expand(quote::ToTokens::to_token_stream(&input));
    assert_parseable_by_others(&item);
    let item = prettyplease::unparse(&syn::parse2(item).expect("an expansion is a file of items"));
    expect_file!["expand/derived.rs"].assert_eq(&item);
}

#[test]
fn a_missing_feature_is_one_error_and_the_function_stays() {
    WITHOUT_STALE.set(true);
    expect_file!["expand/without_stale.rs"].assert_eq(&expanded(parse_quote! {
        #[fallback(offline)]
        #[stale_if_error("10m", key = city)]
        async fn weather(city: &str) -> Result<Weather, Error> {
            fetch(city).await
        }
    }));
}

#[test]
fn errors() {
    expect_file!["expand/errors.rs"].assert_eq(&expanded(parse_quote! {
        #[retry(max_attempts = "3")]
        #[must_use]
        #[resilience::timeout(5)]
        async fn fetch() -> Result<(), Error> {
            send().await
        }
    }));
}

/// Everything an expansion names by path is `core`'s or stands here.
#[test]
fn expansions_name_only_what_is_meant_for_them() {
    const NAMED: [&str; 13] = [
        "__private",
        "Class",
        "Classify",
        "Error",
        "Fallible",
        "bulkhead",
        "circuit_breaker",
        "fallback",
        "rate_limit",
        "retry",
        "retry_budget",
        "stale",
        "timeout",
    ];
    for snapshot in [
        "every_shape",
        "runs_once",
        "outer_timeout",
        "asked_afterwards",
        "values_asked",
        "recovered",
        "path",
        "derived",
    ] {
        let file = format!("{}/tests/expand/{snapshot}.rs", env!("CARGO_MANIFEST_DIR"));
        let source = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
        for path in source.split("resilience::").skip(1) {
            let name = path.split(|letter: char| letter != '_' && !letter.is_alphanumeric()).next();
            assert!(name.is_some_and(|name| NAMED.contains(&name)), "{snapshot} names {name:?}");
        }
        let roots = source.split(|letter: char| letter.is_whitespace() || "(<&".contains(letter));
        for root in roots.filter_map(|word| word.strip_prefix("::")) {
            let known = root.starts_with("core::") || root.starts_with("resilience::") || root == "resilience";
            assert!(known, "{snapshot} names ::{root}");
        }
    }
}

#[test]
fn returned_future() {
    expect_file!["expand/returned_future.rs"].assert_eq(&expanded(parse_quote! {
        #[retry]
        #[timeout("1s")]
        fn fetch(&self, mut key: Key) -> impl Future<Output = Result<Page, Error>> + Send + '_ {
            let mut pages = self.pages.clone();
            async move { pages.get(key).await }
        }
    }));
}

#[test]
fn async_trait_method() {
    expect_file!["expand/async_trait.rs"].assert_eq(&expanded(parse_quote! {
        #[retry(max_attempts = self.attempts)]
        fn fetch<'life0, 'async_trait>(
            &'life0 mut self,
            key: Key,
        ) -> ::core::pin::Pin<Box<dyn ::core::future::Future<Output = Result<Page, Error>> + Send + 'async_trait>> {
            Box::pin(async move {
                if let ::core::option::Option::Some(__ret) = ::core::option::Option::None::<Result<Page, Error>> {
                    #[allow(unreachable_code)]
                    return __ret;
                }
                let mut __self = self;
                let mut key = key;
                let __ret: Result<Page, Error> = {
                    key.normalize();
                    __self.pages.get(key).await
                };
                #[allow(unreachable_code)]
                __ret
            })
        }
    }));
}

#[test]
fn impl_block_of_a_type() {
    let list: syn::Attribute = parse_quote!(#[resilient(retry(max_attempts = 3), circuit_breaker("{type}"))]);
    let block = quote::quote! {
        impl<T> my::Orders<T> {
            const LIMIT: u32 = 3;
            /// Documented.
            #[cfg(feature = "reads")]
            async fn get(&self) -> Result<T, Error> { self.read().await }
            #[instrument]
            #[timeout("1s")]
            async fn put(&self, value: T) -> Result<(), Error> { self.write(value).await }
            #[resilient(skip)]
            async fn ping(&self) {}
            fn len(&self) -> u32 { 0 }
        }
    };
    expect_file!["expand/impl_block.rs"].assert_eq(&expanded_by(list, block));
}

/// The method's own attributes stand where the dots are, and the list's keys hold for all of it.
#[test]
fn impl_block_with_the_rest() {
    let list: syn::Attribute = parse_quote!(#[resilient(.., bulkhead("{type}"), crate = ::facade::resilience)]);
    let block = quote::quote! {
        impl Orders {
            async fn get(&self) -> Result<Order, Error> { self.read().await }
        }
    };
    let block = expanded_by(list, block);
    expect_file!["expand/impl_block_with_rest.rs"].assert_eq(&block);
    let block: syn::ItemImpl = syn::parse_str(&block).expect("a block");
    let Some(syn::ImplItem::Fn(method)) = block.items.into_iter().next() else { unreachable!("it has a method") };
    let Meta::List(list) = &method.attrs[0].meta else { unreachable!("it has a list") };
    let tokens = &list.tokens;
    expect_file!["expand/method_of_rest.rs"].assert_eq(&expanded(parse_quote! {
        #[resilient(#tokens)]
        #[retry]
        #[resilient(timeout("1s"))]
        async fn get(&self) -> Result<Order, Error> { self.read().await }
    }));
}
