//! The layers right around the body as one future of the runtime, and the loop that awaits it.
//!
//! Most stacks are one: a retry, and below it what admits and bounds. What cannot be part of that future is what the
//! user's own words decide in the middle of a call: they stand in the function, see `layers.rs`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

use crate::blocks::{Around, Block};
use crate::expand::{Expansion, next, words_after};
use crate::items::{budget_of, site_of, sites_from};
use crate::layers::ask;
use crate::policy::Shape;
use crate::stack::Layer;
use crate::tokens::{local, moved_to};

impl Expansion<'_> {
    /// Whether the layers from `depth` inwards are one future.
    pub(crate) fn guards(&self, depth: usize) -> bool {
        self.guards_body(depth)
    }

    /// Whether a loop goes around such a future: it does, unless the user's own words are asked after each attempt.
    pub(crate) fn repeats_guarded(&self, depth: usize, layer: &Layer) -> bool {
        words_after(layer).is_empty() && self.guards_body(next(depth))
    }

    /// Whether the layers from `depth` inwards, if any, admit and bound, say all in constants, and are all there is around
    /// the body.
    ///
    /// What is computed is computed once the call is let in by what stands further out, and not before.
    fn guards_body(&self, depth: usize) -> bool {
        self.stack.layers.iter().skip(depth).all(|layer| {
            let asked_by = words_after(layer).is_empty() && layer.args.permits.is_none();
            let in_constants = asked_by && layer.computed().next().is_none();
            matches!(layer.policy.shape, Shape::Admit { .. } | Shape::Bound) && in_constants
        })
    }

    /// ```text
    /// {
    ///     let __class = CLASS;
    ///     let __out = rt::Guarded { guard: rt::around(&SITES, __class), work: Some(BODY) }.await;
    ///     __out
    /// }
    /// ```
    pub(crate) fn guarded(&self, depth: usize, around: &Around<'_>) -> TokenStream {
        let sites = sites_from(depth);
        self.around_body(
            depth,
            around,
            &local("around").to_token_stream(),
            &quote_spanned! {self.at_return()=>
                &#sites
            },
        )
    }

    /// `{ let __class = CLASS; let __out = rt::Guarded { guard: rt::NAME(ARGUMENTS, __class), work: Some(BODY) }.await; __out }`
    fn around_body(
        &self,
        depth: usize,
        around: &Around<'_>,
        name: &TokenStream,
        arguments: &TokenStream,
    ) -> TokenStream {
        let site = Span::mixed_site();
        let (before, block) = self.body_to_ask(around);
        let asked = self.stack.layers.iter().skip(depth).any(Layer::judges).then(|| {
            let class = self.ask_body(&self.ask_kind("class"));
            quote_spanned!(site=> let __class = #class;)
        });
        let rt = &self.rt;
        let class = if asked.is_some() { quote_spanned!(site=> __class) } else { quote_spanned!(site=> #rt::Unasked) };
        let guard = self.rt_at_return(name);
        let guard = quote_spanned!(self.at_return()=> #guard(#arguments, #class));
        let called = self.called(&guard, &self.attempted(block));
        quote_spanned! {site=> {
            #before
            #asked
            let __out = #called;
            __out
        }}
    }

    /// The layers from `depth` inwards as one future that knows the permit around it: where they all are one future of the
    /// runtime with it, and else as a block.
    ///
    /// ```text
    /// { let __out = rt::Guarded { guard: rt::around_with(&mut __permit, &SITES, __class), work: Some(BODY) }.await; __out }
    /// { let __out = rt::Guarded { guard: rt::block_with(&mut __permit), work: Some(async { INNER }) }.await; __out }
    /// ```
    pub(crate) fn under_permit(&self, depth: usize, around: &Around<'_>) -> TokenStream {
        let site = Span::mixed_site();
        if self.guards_body(depth) {
            let sites = sites_from(depth);
            let arguments = quote_spanned!(self.at_return()=> &mut __permit, &#sites);
            return self.around_body(depth, around, &local("around_with").to_token_stream(), &arguments);
        }
        let Block { before, future } = self.block(depth, around);
        let guard = self.rt_at_return(&local("block_with").to_token_stream());
        let called = self.called(&quote_spanned!(self.at_return()=> #guard(&mut __permit)), &future);
        quote_spanned! {site=> {
            #before
            let __out = #called;
            __out
        }}
    }

    /// ```text
    /// {
    ///     let mut __attempts = rt::Attempts::new(&SITE_0).budgeted(&BUDGET);
    ///     loop {
    ///         let (__class, __text) = (CLASS, TEXT);
    ///         let __guard = rt::attempt_under(&SITES, &mut __attempts, __class, __text);
    ///         if let Some(__out) = (rt::Guarded { guard: __guard, work: Some(BODY) }.await) {
    ///             break __out;
    ///         }
    ///     }
    /// }
    /// ```
    pub(crate) fn attempts_of_guarded(&self, depth: usize, layer: &Layer, around: &Around<'_>) -> TokenStream {
        let site = Span::mixed_site();
        let (config, attempts) = self.attempts(depth, layer);
        let (before, block) = self.body_to_ask(&around.clone().repeated());
        let (class, text) = (self.ask_kind("class"), self.ask_kind("text"));
        let asked = self.ask_body(&quote_spanned!(self.at_return()=> (#class, #text)));
        let attempt = self.rt_at_return(&quote_spanned!(site=> attempt_under));
        let sites = sites_from(next(depth));
        let guard = quote_spanned! {self.at_return()=>
            #attempt(&#sites, &mut __attempts, __class, __text)
        };
        let called = self.called(&guard, &block);
        quote_spanned! {site=> {
            #config
            #attempts
            loop {
                #before
                let (__class, __text) = #asked;
                if let ::core::option::Option::Some(__out) = (#called) {
                    break __out;
                }
            }
        }}
    }

    /// How the result of an attempt that failed is kept: `{ use rt::probing::*; let __kind = rt::kind_of::<R>(); (&&__kind).keep() }`.
    ///
    /// A type that the compiler finds out is not asked: that would need the body, which each attempt has anew.
    fn keeps(&self) -> TokenStream {
        let (site, rt) = (Span::mixed_site(), &self.rt);
        if self.function.returned.is_inferred() {
            return quote_spanned!(site=> #rt::Keeps::<#rt::NotAtAll>::new());
        }
        self.ask_body(&quote_spanned!(self.at_return()=> (&&__kind).keep()))
    }

    /// `let mut __attempts = rt::Attempts::new(&SITE, KEEPS).with(&CONFIG).budgeted(&BUDGET);`, and what comes before it.
    pub(crate) fn attempts(&self, depth: usize, layer: &Layer) -> (TokenStream, TokenStream) {
        let (site, rt, site_name) = (Span::mixed_site(), &self.rt, site_of(depth));
        let (config, given) = self.per_call(depth, layer);
        let given = given.map(|given| quote_spanned!(site=> .with(&#given)));
        let budgeted = layer.args.budget.as_ref().map(|_| {
            let budget = budget_of(depth, self.stack);
            quote_spanned!(site=> .budgeted(&#budget))
        });
        let keeps = self.keeps();
        let attempts = quote_spanned! {site=>
            let mut __attempts = #rt::Attempts::new(&#site_name, #keeps) #given #budgeted;
        };
        (config, attempts)
    }

    /// ```text
    /// {
    ///     let __config_1 = CONFIG_1.duration(self.limit);
    ///     let __out = rt::Guarded { guard: rt::bound(&SITE_1, __config_1), work: Some(async { INNER }) }.await;
    ///     __out
    /// }
    /// ```
    /// The body is a future already: it needs no block of its own.
    pub(crate) fn bound(&self, depth: usize, layer: &Layer, around: &Around<'_>) -> TokenStream {
        let site = Span::mixed_site();
        let (config, given) = self.per_call(depth, layer);
        let below = next(depth);
        let site_name = site_of(depth);
        let given = self.per_call_or_site(depth, given);
        let arguments = quote_spanned!(self.at_return()=> &#site_name, #given);
        let called = if self.stack.layers.get(below).is_none() {
            self.around_body(below, around, &local("bound").to_token_stream(), &arguments)
        } else {
            let Block { before, future } = self.block(below, around);
            let bound = self.rt_at_return(&local("bound_block").to_token_stream());
            let called = self.called(&quote_spanned!(self.at_return()=> #bound(#arguments)), &future);
            quote_spanned! {site=> {
                #before
                let __out = #called;
                __out
            }}
        };
        quote_spanned! {site=> {
            #config
            let __out = #called;
            __out
        }}
    }

    /// `rt::Guarded { guard: GUARD, work: Some(WORK) }.await`
    fn called(&self, guard: &TokenStream, work: &TokenStream) -> TokenStream {
        let guarded = self.rt_at_return(&quote_spanned!(Span::mixed_site()=> Guarded));
        quote_spanned! {self.at_return()=>
            #guarded { guard: #guard, work: ::core::option::Option::Some(#work) }.await
        }
    }

    /// The body's block, and what comes before it: also the block itself where only it tells what the function returns.
    fn body_to_ask(&self, around: &Around<'_>) -> (TokenStream, TokenStream) {
        let Block { mut before, future } = self.bare_body(around);
        if !self.function.returned.is_inferred() {
            return (before, future);
        }
        let body = Ident::new("__body", self.at_return());
        before.extend(quote_spanned!(Span::mixed_site()=> let #body = #future;));
        (before, body.into_token_stream())
    }

    fn ask_kind(&self, question: &str) -> TokenStream {
        ask(&quote_spanned!(self.at_return()=> __kind), question, self.at_return())
    }

    /// `{ use rt::probing::*; let __kind = rt::kind_of::<R>(); ANSWER }`, or `rt::kind_to_be(&__body)` where R cannot be written.
    ///
    /// A body that is lent so has its place in the function's future beside the one that it is moved to.
    fn ask_body(&self, answer: &TokenStream) -> TokenStream {
        let rt = moved_to(&self.rt, self.function.returned.span);
        let kind = if self.function.returned.is_inferred() {
            quote_spanned!(self.at_return()=> #rt::kind_to_be(&__body))
        } else {
            // The type stands where nothing is asked of it: what it lacks is told once, at its name.
            let ret = &self.function.returned.ty;
            quote_spanned!(self.at_return()=> #rt::kind_of::<#ret>())
        };
        quote_spanned! {self.at_return()=> {
            use #rt::probing::*;
            let __kind = #kind;
            #answer
        }}
    }
}
