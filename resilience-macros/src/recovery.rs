//! The wrappers of the policies that put something in the place of a failed result.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::Expr;

use crate::blocks::{Around, Content, Kind, Passage, passage};
use crate::expand::{Expansion, async_block, next, words_after};
use crate::items::{memory_of, site_of};
use crate::layers::{layer_label, or_leave};
use crate::stack::Layer;
use crate::stand_in::{Closure, StandIn};
use crate::tokens::{local, moved_to, site_at, start_of};
use crate::words::Words;

impl Expansion<'_> {
    /// ```text
    /// INNER
    /// →
    /// '__layer_0: { if let Err(e) = rt::on_time(&SITE) { break '__layer_0 Err(e) } INNER }
    /// ```
    /// Right above the body only: a policy in between looks at the deadline itself, and what recovers further in goes
    /// first.
    fn on_time(&self, depth: usize, inner: TokenStream) -> TokenStream {
        if self.stack.layers.get(next(depth)).is_some() {
            return inner;
        }
        let (site, rt, site_name) = (Span::mixed_site(), &self.rt, site_of(depth));
        let layer = layer_label(depth);
        let on_time = or_leave(&layer, &quote_spanned!(site=> #rt::on_time(&#site_name)));
        quote_spanned! {site=> #layer: {
            #on_time
            let __out = #inner;
            __out
        }}
    }

    /// ```text
    /// INNER
    /// →
    /// {
    ///     let __like: rt::Like<R> = rt::like();
    ///     let __out = ON_TIME(INNER);
    ///     match rt::recover(&SITE, __like, CLASS, TEXT, __out) {
    ///         Recovery::Keep(__out) => __out,
    ///         Recovery::Replace(__error) => { let __ret: R = STAND_IN; Ok(__ret) }
    ///     }
    /// }
    /// ```
    pub(crate) fn replace(&self, depth: usize, layer: &Layer, around: &Around<'_>) -> TokenStream {
        let site = Span::mixed_site();
        let Self { rt, function, .. } = self;
        // `args` tells of a fallback that says nothing.
        let Some(stand_in) = &layer.args.stand_in else { return TokenStream::new() };
        let inner = self.on_time(depth, self.wrap(next(depth), &around.asking(words_after(layer))));
        let failed = self.failed(layer);
        let recover = if failed.is_some() { "recover_when_ok" } else { "recover" };
        let recover = self.rt_at_return(&local(recover).to_token_stream());
        let out = Ident::new("__out", self.at_return());
        let (site_name, class, text) = (site_of(depth), self.class(layer), self.text());
        let ret = &function.returned.ty;
        let like = self.rt_at_return(&local("like").to_token_stream());
        let like = quote_spanned!(self.at_return()=> #like());
        let value = self.stand_in(stand_in, around);
        // At the user's expression: where the function gives an `impl Trait`, it may be another type's.
        let replaced = site_at(start_of(stand_in.expression()));
        let replaced = quote_spanned!(replaced=> ::core::result::Result::Ok(__ret));
        // All of the call is at the return type, whose error type its result has, but for the user's own words.
        let recovered = quote_spanned!(self.at_return()=> #recover(&#site_name, __like, #class, #text, #failed #out));
        quote_spanned! {site=> {
            // First, so that a type that is not `Recoverable` is told before it is found not to be `Fallible` either.
            let __like: #rt::Like<#ret> = #like;
            let __out = #inner;
            let __recovery = #recovered;
            match __recovery {
                #rt::Recovery::Keep(__out) => __out,
                #rt::Recovery::Replace(__error) => {
                    let __ret: #ret = #value;
                    #replaced
                }
            }
        }}
    }

    /// ```text
    /// path          →  { let __offered = rt::offered(__like, path(__error)); { use rt::offering::*; __offered.stand_in() } }.await
    /// |error| expr  →  async { if false { let __fake: R = loop {}; return __fake; } let error = __error; match () { () => expr } }.await
    /// value = expr  →  the same, with `let __ret = rt::success(__like, expr); return __ret;`
    /// ```
    fn stand_in(&self, stand_in: &StandIn, around: &Around<'_>) -> TokenStream {
        let site = Span::mixed_site();
        let rt = &self.rt;
        match stand_in {
            StandIn::Path(path) => {
                // At the path's place: a function of another kind is underlined, not the attribute.
                let place = site_at(start_of(path));
                let call = quote_spanned!(place=> (__error));
                let offered = moved_to(&quote_spanned!(site=> #rt::offered), place);
                quote_spanned! {place=> {
                    let __offered = #offered(__like, #path #call);
                    {
                        use #rt::offering::*;
                        __offered.stand_in()
                    }
                }.await}
            }
            StandIn::Closure(closure) => {
                let Closure { parameter, returned, body } = closure;
                let error = Ident::new("__error", site_at(start_of(parameter)));
                let statements = match returned {
                    None => quote_spanned! {site=>
                        let #parameter = #error;
                        match () {
                            () => #body
                        }
                    },
                    Some(ty) => {
                        let returned = Ident::new("__ret", site_at(start_of(ty)));
                        quote_spanned! {site=>
                            let #parameter = #error;
                            // A closure that is one `panic!` is no mistake.
                            #[allow(clippy::diverging_sub_expression)]
                            let #returned: #ty = #body;
                            #[allow(unreachable_code)]
                            return #returned;
                        }
                    }
                };
                self.in_block(&statements, body, around)
            }
            StandIn::Value(value) => {
                let success = self.rt_at_return(&local("success").to_token_stream());
                let success = quote_spanned!(self.at_return()=> #success(__like, #value));
                // At the value: one that does not live long enough is told there, as what is returned.
                let returned = Ident::new("__ret", site_at(start_of(value)));
                let statements = quote_spanned! {site=>
                    #rt::discard(__error);
                    let #returned = #success;
                    #[allow(unreachable_code)]
                    return #returned;
                };
                self.in_block(&statements, value, around)
            }
        }
    }

    /// A block of its own, so that `?` and `return` end the stand-in and not the function.
    fn in_block(&self, statements: &TokenStream, code: &TokenStream, around: &Around<'_>) -> TokenStream {
        let site = Span::mixed_site();
        let ret = &self.function.returned.ty;
        let words = Words::of(code);
        let content = Content { kind: Kind::StandIn, words: &words, takes: &words };
        let Passage { before, inside } = passage(around, &self.rt, &content, self.moved_in());
        let returned = quote_spanned!(self.at_return()=> return __fake;);
        let mut braces = Group::new(
            Delimiter::Brace,
            quote_spanned! {site=>
                #[allow(unreachable_code)]
                if false {
                    let __fake: #ret = loop {};
                    #returned
                }
                #inside
                #statements
            },
        );
        braces.set_span(start_of(code));
        let block = async_block(around, &braces, start_of(code));
        quote_spanned! {site=> {
            #before
            let __ret = #block.await;
            __ret
        }}
    }

    /// ```text
    /// INNER
    /// →
    /// {
    ///     let __stale = rt::stale(&SITE, &MEMORY, || (), CONFIG, KEY);
    ///     let __out = ON_TIME(INNER);
    ///     __stale.settle(CLASS, TEXT, __out)
    /// }
    /// ```
    pub(crate) fn remember(&self, depth: usize, layer: &Layer, around: &Around<'_>) -> TokenStream {
        let site = Span::mixed_site();
        let rt = &self.rt;
        let (site_name, memory) = (site_of(depth), memory_of(depth));
        let (config, given) = self.per_call(depth, layer);
        let given = self.per_call_or_site(depth, given);
        let inner = self.on_time(depth, self.wrap(next(depth), &around.asking(words_after(layer))));
        let key = self.key(layer.args.key.as_ref());
        let way_in_ends = layer.args.key.as_ref().and_then(|key| self.way_in_ends(&key.to_token_stream()));
        let place = layer.args.key.as_ref().map_or_else(|| self.at_return(), |key| site_at(start_of(key)));
        // All of the calls are at the key: what is none is told once.
        let own_key = Ident::new("__key", place);
        let begin = moved_to(&quote_spanned!(site=> #rt::stale), place);
        // Its type is the function instance's: nothing else that can be written here names all that it is generic over.
        let instance = quote_spanned!(site=> || ());
        let stale = quote_spanned!(place=> #begin(&#site_name, &#memory, #instance, #given, #own_key));
        let out = Ident::new("__out", self.at_return());
        let (class, text) = (self.class(layer), self.text());
        let failed = self.failed(layer);
        let settle = Ident::new(if failed.is_some() { "settle_when_ok" } else { "settle" }, place);
        let settled = quote_spanned!(place=> __stale.#settle(#class, #text, #failed #out));
        quote_spanned! {site=> {
            #config
            #way_in_ends
            let #own_key = #key;
            let __stale = #stale;
            let __out = #inner;
            let __out = #settled;
            __out
        }}
    }

    /// `(region, id)` → `(region.to_owned(), id.to_owned())`: the method, so that a `&str` becomes a `String`, and then what
    /// an `Option<&str>` still borrows. Each part is checked at its place.
    fn key(&self, key: Option<&Expr>) -> TokenStream {
        let site = Span::mixed_site();
        let Some(key) = key else { return quote_spanned!(site=> ()) };
        let rt = moved_to(&self.rt, start_of(key));
        let owned = self.owned(key);
        quote_spanned! {site_at(start_of(key))=> {
            #[allow(unused_imports)]
            use #rt::{IntoOwned as _, ToOwned as _};
            #owned
        }}
    }

    fn owned(&self, key: &Expr) -> TokenStream {
        let place = site_at(start_of(key));
        match key {
            Expr::Group(group) => self.owned(&group.expr),
            Expr::Paren(paren) => self.owned(&paren.expr),
            // What it refers to becomes owned.
            Expr::Reference(reference) => self.owned(&reference.expr),
            Expr::Tuple(tuple) => {
                let elements = tuple.elems.iter().map(|element| self.owned(element));
                quote_spanned!(place=> (#(#elements,)*))
            }
            value => {
                let rt = moved_to(&self.rt, place);
                quote_spanned!(place=> #rt::key(#rt::Lent((#value).to_owned()).into_owned()))
            }
        }
    }
}
