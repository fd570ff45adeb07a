//! The wrappers that admit and repeat where their parts stand in the function, and what they ask its error for.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::Lifetime;

use crate::args::Args;
use crate::blocks::Around;
use crate::expand::{Expansion, next, words_after};
use crate::items::{config_of, setter, site_of, sites_from};
use crate::policy::Permit;
use crate::stack::Layer;
use crate::tokens::{local, may_wait_or_leave, moved_to, site_at, start_of};

impl Expansion<'_> {
    /// ```text
    /// INNER
    /// →
    /// '__layer_1: {
    ///     let mut __permit = match rt::circuit_breaker(&SITE) { Ok(p) => p, Err(e) => break '__layer_1 Err(e) };
    ///     let __out = INNER;
    ///     __permit.settle(&__out, CLASS);
    ///     __out
    /// }
    /// ```
    /// INNER is one future, so that the permit is known to whatever it polls. Around a `match` with INNER in an arm, the
    /// function's future would hold what is matched beside the permit moved out of it.
    pub(crate) fn admit(
        &self,
        depth: usize,
        layer: &Layer,
        around: &Around<'_>,
        waits: bool,
        permit: Permit,
    ) -> TokenStream {
        let site = Span::mixed_site();
        let rt = &self.rt;
        let policy = local(layer.policy.name);
        let site_name = site_of(depth);
        let inner = self.under_permit(next(depth), &around.asking(words_after(layer)));
        let wait = waits.then(|| quote_spanned!(site=> .await));
        let amount = layer.args.permits.as_ref().map(|permits| permits.tokens(self.krate));
        let amount = match permit {
            Permit::Spent => Some(amount.unwrap_or_else(|| quote_spanned!(site=> 1))),
            _ => None,
        };
        let way_in_ends = amount.as_ref().and_then(|amount| self.way_in_ends(amount));
        let amount = amount.map(|amount| quote_spanned!(site=> , #amount));
        let settled = match permit {
            Permit::Judges => {
                let settle = match &layer.args {
                    Args { when_ok: Some(_), .. } => "settle_when_ok",
                    Args { when: Some(_), .. } => "settle_when",
                    _ => "settle",
                };
                let settle = Ident::new(settle, self.at_return());
                let (failed, class, out) = (self.failed(layer), self.class(layer), self.out_at_return());
                quote_spanned!(site=> __permit.#settle(#out, #failed #class);)
            }
            Permit::Held | Permit::Spent => quote_spanned!(site=> ::core::mem::drop(__permit);),
        };
        let layer = layer_label(depth);
        let call = quote_spanned!(site=> #rt::#policy(&#site_name #amount)#wait);
        quote_spanned! {site=> #layer: {
            #way_in_ends
            let mut __permit = match #call {
                ::core::result::Result::Ok(__permit) => __permit,
                ::core::result::Result::Err(__error) => {
                    let __out = ::core::result::Result::Err(__error);
                    break #layer __out;
                }
            };
            let __out = #inner;
            #settled
            __out
        }}
    }

    /// ```text
    /// INNER
    /// →
    /// '__layer_0: {
    ///     let mut __attempts = rt::Attempts::new(&SITE, KEEPS).with(&CONFIG);
    ///     if let Err(e) = __attempts.begin() { break '__layer_0 Err(e) }
    ///     loop {
    ///         let __out = INNER;
    ///         let __pause = match __attempts.next(&__out, CLASS, TEXT, HOOK, &SITES) {
    ///             Some(delay) => delay,
    ///             None => break __attempts.end(__out),
    ///         };
    ///         __attempts.keep(__out);
    ///         if let Some(__out) = __attempts.pause(__pause).await { break __out }
    ///     }
    /// }
    /// ```
    pub(crate) fn again(&self, depth: usize, layer: &Layer, around: &Around<'_>) -> TokenStream {
        let site = Span::mixed_site();
        let (config, attempts) = self.attempts(depth, layer);
        let inner = self.wrap(next(depth), &around.asking(words_after(layer)).repeated());
        let asked = self.asks_next(next(depth), layer);
        let layer = layer_label(depth);
        let begun = or_leave(&layer, &quote_spanned!(site=> __attempts.begin()));
        quote_spanned! {site=> #layer: {
            #config
            #attempts
            #begun
            loop {
                let __out = #inner;
                let __pause = match __attempts.#asked {
                    ::core::option::Option::Some(__pause) => __pause,
                    ::core::option::Option::None => break __attempts.end(__out),
                };
                __attempts.keep(__out);
                if let ::core::option::Option::Some(__out) = __attempts.pause(__pause).await {
                    break __out;
                }
            }
        }}
    }

    /// `next(&__out, CLASS, TEXT, &SITES)`, or with what the user says of it, `next_when(&__out, CLASS, TEXT, HOOK, &SITES)` or
    /// `next_when_ok(&__out, FAILED, CLASS, TEXT, HOOK, &SITES)`. The sites are those `below`.
    fn asks_next(&self, below: usize, layer: &Layer) -> TokenStream {
        let Args { when, when_ok, on_retry, .. } = &layer.args;
        let (class, text, out) = (self.class(layer), self.text(), self.out_at_return());
        let (site, rt, sites) = (Span::mixed_site(), &self.rt, sites_from(below));
        if when.is_none() && when_ok.is_none() && on_retry.is_none() {
            let next = Ident::new("next", self.at_return());
            return quote_spanned!(site=> #next(#out, #class, #text, &#sites));
        }
        let next = if when_ok.is_some() { "next_when_ok" } else { "next_when" };
        let (next, failed) = (Ident::new(next, self.at_return()), self.failed(layer));
        let class = quote_spanned!(self.at_return()=> &mut #class);
        let hook = on_retry.as_ref().map(|hook| hook.closure("__attempt").unwrap_or_else(|| hook.code().clone()));
        let hook = hook.unwrap_or_else(|| quote_spanned!(site=> #rt::quiet));
        quote_spanned!(self.at_return()=> #next(#out, #failed #class, #text, #hook, &#sites))
    }

    /// How to tell an error's class, a function: by its own `Classify`, found by autoref, and by `when`.
    ///
    /// `rt::when(rt::error_of(&__out), { use rt::probing::*; (&&&rt::kind(&__out)).class() }, |__error| rt::holds(WHEN, __error))`; or
    /// `|__error| WHEN(__error)` of one that is there already.
    pub(crate) fn class(&self, layer: &Layer) -> TokenStream {
        let Some(when) = &layer.args.when else {
            return self.probe("class");
        };
        let (site, rt) = (Span::mixed_site(), &self.rt);
        let (by_class, out) = (self.way("class"), self.out_at_return());
        let error_of = self.rt_at_return(&quote_spanned!(site=> error_of));
        let asked = self.rt_at_return(&quote_spanned!(site=> when));
        // At the predicate's place: a wrong one is underlined, not the attribute.
        let place = start_of(when.code());
        let holds = when.closure("__error").unwrap_or_else(|| {
            let holds = moved_to(&quote_spanned!(site=> #rt::holds), place);
            let (when, error) = (when.code(), Ident::new("__error", site_at(place)));
            quote_spanned!(site_at(place)=> |#error| #holds(#when, #error))
        });
        quote_spanned!(self.at_return()=> #asked(#error_of(#out), #by_class, #holds))
    }

    /// `rt::when_ok(rt::value(&__out), PREDICATE),`: whether what a layer with `when_ok` sees is a value that means failure.
    pub(crate) fn failed(&self, layer: &Layer) -> Option<TokenStream> {
        let when_ok = layer.args.when_ok.as_ref()?;
        let (site, rt, place) = (Span::mixed_site(), &self.rt, start_of(when_ok.code()));
        let when_ok = when_ok.closure("__value").unwrap_or_else(|| when_ok.code().clone());
        // As with `when`; what wants the return type to be `Fallible` is at that type.
        let ask = moved_to(&quote_spanned!(site=> #rt::when_ok), place);
        let (value, out) = (self.rt_at_return(&quote_spanned!(site=> value)), self.out_at_return());
        let value = quote_spanned!(self.at_return()=> #value(#out));
        Some(quote_spanned!(site_at(place)=> #ask(#value, #when_ok),))
    }

    /// How to tell an error's text, for events: by `Display`, else `Debug`, else its type's name, found by autoref.
    pub(crate) fn text(&self) -> TokenStream {
        self.probe("text")
    }

    /// `rt::class_by({ use rt::probing::*; (&&&rt::kind(&__out)).class() })`, a function.
    fn probe(&self, question: &str) -> TokenStream {
        let by = self.rt_at_return(&local(&format!("{question}_by")).to_token_stream());
        let way = self.way(question);
        quote_spanned!(self.at_return()=> #by(#way))
    }

    /// The way to tell.
    fn way(&self, question: &str) -> TokenStream {
        let (rt, kind) = (moved_to(&self.rt, self.function.returned.span), self.kind());
        let asked = ask(&kind, question, self.at_return());
        quote_spanned! {self.at_return()=> {
            use #rt::probing::*;
            #asked
        }}
    }

    /// `rt::kind(&__out)`
    fn kind(&self) -> TokenStream {
        let (kind, out) = (self.rt_at_return(&local("kind").to_token_stream()), self.out_at_return());
        quote_spanned!(self.at_return()=> #kind(#out))
    }

    /// The configuration of one call where options are expressions: the `const` with these, and its name.
    pub(crate) fn per_call(&self, depth: usize, layer: &Layer) -> (TokenStream, Option<Ident>) {
        let site = Span::mixed_site();
        let mut setters = layer.computed().map(|setting| setter(setting, self.krate)).peekable();
        if setters.peek().is_none() {
            return (TokenStream::new(), None);
        }
        let fixed = config_of(depth);
        let own = local(&format!("__config_{depth}"));
        let setters: TokenStream = setters.collect();
        let way_in_ends = self.way_in_ends(&setters);
        let config = quote_spanned!(site=> #way_in_ends let #own = #fixed #setters;);
        (config, Some(own))
    }

    /// The same by value: a call's future would keep what is lent to it.
    pub(crate) fn per_call_or_site(&self, depth: usize, given: Option<Ident>) -> TokenStream {
        let site_name = site_of(depth);
        given.map_or_else(|| quote_spanned!(Span::mixed_site()=> *#site_name.config()), Ident::into_token_stream)
    }

    /// What stands before an option's expression that may wait or leave the function: what the layers above have read
    /// from the clock is not for others.
    pub(crate) fn way_in_ends(&self, expression: &TokenStream) -> Option<TokenStream> {
        let rt = &self.rt;
        may_wait_or_leave(expression.clone()).then(|| quote_spanned!(Span::mixed_site()=> #rt::way_in_ends();))
    }
}

/// `(&&&KIND).class()`: with a reference for each way but the last, see `probe.rs` of the runtime.
pub(crate) fn ask(kind: &TokenStream, question: &str, place: Span) -> TokenStream {
    let name = Ident::new(question, place);
    quote_spanned!(place=> (&&&#kind).#name())
}

/// `'__layer_1`: what a refusal of that layer leaves.
pub(crate) fn layer_label(depth: usize) -> Lifetime {
    Lifetime::new(&format!("'__layer_{depth}"), Span::mixed_site())
}

/// A refusal leaves the layer. (It has a name: syn 2, by which other macros read this, takes no `break 'layer ::core::…`.)
pub(crate) fn or_leave(layer: &Lifetime, admitted: &TokenStream) -> TokenStream {
    quote_spanned! {Span::mixed_site()=>
        if let ::core::result::Result::Err(__error) = #admitted {
            let __out = ::core::result::Result::Err(__error);
            break #layer __out;
        }
    }
}
