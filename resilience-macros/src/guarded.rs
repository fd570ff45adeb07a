//! The layers right around the body as one future of the runtime, and the loop that awaits it.
//!
//! Most stacks are one: a retry, and below it what admits and bounds. What cannot be part of that future is what the
//! user's own words decide in the middle of a call: they stand in the function, see `layers.rs`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

use crate::blocks::{Around, Block};
use crate::expand::{Expansion, next, words_after};
use crate::items::{budget_of, site_of};
use crate::policy::{Permit, Shape};
use crate::stack::Layer;
use crate::tokens::{local, moved_to};

/// A future of the runtime: what comes before it, its layers, and what they go around.
struct Guarded {
    before: TokenStream,
    layers: TokenStream,
    /// One of them asks for the class of the function's error.
    judges: bool,
    body: TokenStream,
}

impl Expansion<'_> {
    /// Whether the layers from `depth` inwards are one future.
    ///
    /// A policy that never waits needs none where it stands alone: the compiler sees all of it at once, which takes a third
    /// of the time.
    pub(crate) fn guards(&self, depth: usize) -> bool {
        let mut layers = self.stack.layers.iter().skip(depth);
        let first_waits =
            layers.next().is_some_and(|layer| !matches!(layer.policy.shape, Shape::Admit { waits: false, .. }));
        self.guards_body(depth) && (first_waits || layers.next().is_some())
    }

    /// Whether a loop goes around such a future: it does, unless the user's own words are asked after each attempt.
    pub(crate) fn repeats_guarded(&self, depth: usize, layer: &Layer) -> bool {
        words_after(layer).is_empty() && self.guards_body(next(depth))
    }

    /// Whether the layers from `depth` inwards, if any, admit and bound, and are all there is around the body.
    ///
    /// The options of the first are computed before that future is made; the others' are constants, or they would be
    /// computed before the call is let in by what stands further out.
    fn guards_body(&self, depth: usize) -> bool {
        let is_part = |layer: &Layer| {
            matches!(layer.policy.shape, Shape::Admit { .. } | Shape::Bound) && layer.args.when.is_none()
        };
        let mut layers = self.stack.layers.iter().skip(depth);
        let first = layers.next().is_none_or(is_part);
        first && layers.all(|layer| is_part(layer) && !layer.is_computed())
    }

    /// ```text
    /// {
    ///     let __class = CLASS;
    ///     let __out = rt::layers().circuit_breaker(&SITE_1, __class).timeout(&SITE_2, &CONFIG).around(OWNER, BODY).await;
    ///     __out
    /// }
    /// ```
    pub(crate) fn guarded(&self, depth: usize, around: &Around<'_>) -> TokenStream {
        let site = Span::mixed_site();
        let Guarded { before, layers, judges, body } = self.around_body(depth, around);
        let class = judges.then(|| self.class_of_body());
        let (call, body, owner) = (Ident::new("around", self.at_return()), self.as_body(&body), self.owner());
        let called = quote_spanned!(self.at_return()=> #layers.#call(#owner, #body).await);
        quote_spanned! {site=> {
            #before
            #class
            let __out = #called;
            __out
        }}
    }

    /// ```text
    /// {
    ///     let mut __attempts = rt::Attempts::new(&SITE_0, &CONFIG_0).budgeted(&BUDGET);
    ///     loop {
    ///         let (__class, __text) = (CLASS, TEXT);
    ///         if let Some(__out) = rt::layers()….attempt(OWNER, &mut __attempts, __class, __text, BODY).await {
    ///             break __out;
    ///         }
    ///     }
    /// }
    /// ```
    pub(crate) fn attempts_of_guarded(&self, depth: usize, layer: &Layer, around: &Around<'_>) -> TokenStream {
        let site = Span::mixed_site();
        let (config, attempts) = self.attempts(depth, layer);
        let Guarded { before, layers, body, .. } = self.around_body(next(depth), &around.clone().repeated());
        let asked = self.class_and_text_of_body();
        let call = Ident::new("attempt", self.at_return());
        let owner = self.owner();
        let called = quote_spanned! {self.at_return()=>
            #layers.#call(#owner, &mut __attempts, __class, __text, #body).await
        };
        quote_spanned! {site=> {
            #config
            #attempts
            loop {
                #before
                #asked
                if let ::core::option::Option::Some(__out) = #called {
                    break __out;
                }
            }
        }}
    }

    /// `let mut __attempts = rt::Attempts::new(&SITE, &CONFIG).budgeted(&BUDGET);`, and what comes before it.
    pub(crate) fn attempts(&self, depth: usize, layer: &Layer) -> (TokenStream, TokenStream) {
        let (site, rt, site_name) = (Span::mixed_site(), &self.rt, site_of(depth));
        let (config, given) = self.per_call(depth, layer);
        let budgeted = layer.args.budget.as_ref().map(|_| {
            let budget = budget_of(depth, self.stack);
            quote_spanned!(site=> .budgeted(&#budget))
        });
        let attempts = quote_spanned!(site=> let mut __attempts = #rt::Attempts::new(&#site_name, #given)#budgeted;);
        (config, attempts)
    }

    /// A timeout around a block that has layers of its own.
    pub(crate) fn bound_block(&self, depth: usize, layer: &Layer, around: &Around<'_>) -> TokenStream {
        let (site, rt) = (Span::mixed_site(), self.rt_at_return(&quote_spanned!(Span::mixed_site()=> layers)));
        let (before, added) = self.added(depth, layer);
        let Block { before: copies, future } = self.block(next(depth), around);
        let (call, owner) = (Ident::new("around", self.at_return()), self.owner());
        let called = quote_spanned!(self.at_return()=> #rt()#added.#call(#owner, #future).await);
        quote_spanned! {site=> {
            #before
            #copies
            let __out = #called;
            __out
        }}
    }

    fn around_body(&self, depth: usize, around: &Around<'_>) -> Guarded {
        let rt = self.rt_at_return(&quote_spanned!(Span::mixed_site()=> layers));
        let mut layers = quote_spanned!(self.at_return()=> #rt());
        let (mut before, mut judges) = (TokenStream::new(), false);
        for (index, layer) in self.stack.layers.iter().enumerate().skip(depth) {
            let (computed, added) = self.added(index, layer);
            before.extend(computed);
            layers.extend(added);
            judges |= layer.judges();
        }
        let Block { before: copies, future } = self.bare_body(around);
        before.extend(copies);
        if self.function.returned.is_inferred() {
            let body = Ident::new("__body", self.at_return());
            before.extend(quote_spanned!(Span::mixed_site()=> let #body = #future;));
            return Guarded { before, layers, judges, body: body.into_token_stream() };
        }
        Guarded { before, layers, judges, body: future }
    }

    /// What computes a layer's options, and `.bulkhead(&SITE)`.
    fn added(&self, depth: usize, layer: &Layer) -> (TokenStream, TokenStream) {
        let site = Span::mixed_site();
        let site_name = site_of(depth);
        let policy = Ident::new(layer.policy.name, self.at_return());
        match layer.policy.shape {
            Shape::Admit { permit: Permit::Judges, .. } => {
                (TokenStream::new(), quote_spanned!(site=> .#policy(&#site_name, __class)))
            }
            Shape::Admit { permit: Permit::Spent, .. } => {
                let (before, permits) = self.permits(layer);
                (before, quote_spanned!(site=> .#policy(&#site_name, #permits)))
            }
            Shape::Bound => {
                let (before, given) = self.per_call(depth, layer);
                (before, quote_spanned!(site=> .#policy(&#site_name, #given)))
            }
            _ => (TokenStream::new(), quote_spanned!(site=> .#policy(&#site_name))),
        }
    }

    /// How many permits a call takes: what computes it, and the number.
    fn permits(&self, layer: &Layer) -> (TokenStream, TokenStream) {
        let site = Span::mixed_site();
        let Some(permits) = &layer.args.permits else { return (TokenStream::new(), quote_spanned!(site=> 1)) };
        let value = permits.tokens(self.krate);
        if permits.is_literal() {
            return (TokenStream::new(), value);
        }
        let way_in_ends = self.way_in_ends(&value);
        let own = local("__permits");
        (quote_spanned!(site=> #way_in_ends let #own: ::core::primitive::u32 = #value;), own.to_token_stream())
    }

    fn class_of_body(&self) -> TokenStream {
        let answer = quote_spanned!(self.at_return()=> (&__kind).class());
        let class = self.ask_body(&answer);
        quote_spanned!(Span::mixed_site()=> let __class = #class;)
    }

    fn class_and_text_of_body(&self) -> TokenStream {
        let answers = quote_spanned!(self.at_return()=> ((&__kind).class(), (&&__kind).text()));
        let class_and_text = self.ask_body(&answers);
        quote_spanned!(Span::mixed_site()=> let (__class, __text) = #class_and_text;)
    }

    /// `{ use rt::probing::*; let __kind = rt::kind_of(rt::returning::<R>()); ANSWER }`, or `rt::kind_to_be(&__body)` where R cannot be
    /// written.
    ///
    /// A body that is lent so has its place in the function's future beside the one that it is moved to.
    fn ask_body(&self, answer: &TokenStream) -> TokenStream {
        let rt = moved_to(&self.rt, self.function.returned.span);
        let kind = if self.function.returned.is_inferred() {
            quote_spanned!(self.at_return()=> #rt::kind_to_be(&__body))
        } else {
            // The type stands where nothing is asked of it: what it lacks is told once, at its name.
            let ret = &self.function.returned.ty;
            quote_spanned!(self.at_return()=> #rt::kind_of(#rt::returning::<#ret>()))
        };
        quote_spanned! {self.at_return()=> {
            use #rt::probing::*;
            let __kind = #kind;
            #answer
        }}
    }
}
