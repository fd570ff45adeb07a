//! A stack of layers around a function → one function. `Expansion::wrap` has one arm per shape.
//!
//! Generated names and paths are `mixed_site`, paths are absolute, items have `__RESILIENCE_` names.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{FnArg, Lifetime, ReceiverKind, Signature, Token, Type, parse_quote_spanned};

use crate::args::Args;
use crate::arguments::{Argument, without_mut};
use crate::blocks::{Around, Block, Content, DropOrder, Kind, Passage, passage};
use crate::function::Function;
use crate::items::{self, budget_of, items, setter, site_of};
use crate::policy::{Permit, Shape};
use crate::stack::{Layer, Stack};
use crate::stand_in::StandIn;
use crate::tokens::{Words, local, moved_to, site_at, start_of};

/// The whole function with the stack in it.
pub(crate) fn function(function: &Function, stack: &Stack, arguments: &[Argument]) -> TokenStream {
    let site = Span::mixed_site();
    let krate = &items::runtime(&stack.krate);
    let rt = quote_spanned!(site=> #krate::__private);
    let expansion = Expansion { function, stack, arguments, krate, rt };
    expansion.function()
}

pub(crate) struct Expansion<'a> {
    pub(crate) function: &'a Function,
    pub(crate) stack: &'a Stack,
    pub(crate) arguments: &'a [Argument],
    pub(crate) krate: &'a TokenStream,
    pub(crate) rt: TokenStream,
}

impl Expansion<'_> {
    /// ```text
    /// #[doc = "…"] pub async fn f(a: A, mut b: B) -> R { BODY }
    /// →
    /// #[doc = "…"] pub async fn f(a: A, b: B) -> R { ITEMS let __out = WRAPPED; return rt::finish(__out); }
    /// ```
    fn function(&self) -> TokenStream {
        let site = Span::mixed_site();
        let Self { krate, rt, function, .. } = self;
        let (attributes, visibility) = (&function.attributes, &function.visibility);
        let shared = self.body_is_shared();
        let signature = self.signature(shared);
        let items = items(function, self.stack, krate, rt);
        let owner = self.owner();
        let wrapped = self.wrap(0, &Around::nothing(self.arguments));
        let ret = &function.returned.ty;
        let finish = self.rt_at_return(&quote_spanned!(site=> finish));
        let out = Ident::new("__out", self.at_return());
        let finished = quote_spanned!(self.at_return()=> #finish(#out));
        let content = quote_spanned! {site=>
            let __edge = #rt::Edge::new();
            let __owner: #rt::Owner = #owner;
            let __out: ::core::result::Result<#ret, #krate::Error> = #wrapped;
            return #finished;
        };
        let body = function.frame.fill(&items, content, shared || function.frame.of_async_trait);
        quote_spanned!(site=> #(#attributes)* #visibility #signature #body)
    }

    /// The signature: the body binds the names anew that are `mut`.
    fn signature(&self, shared: bool) -> Signature {
        let rebound =
            |ident: &Ident| self.arguments.iter().any(|argument| argument.ident == *ident && !argument.borrowed);
        let mut signature = self.function.signature.clone();
        for input in &mut signature.inputs {
            let FnArg::Typed(input) = input else { continue };
            if self.function.frame.is_whole() {
                without_mut(&mut input.pat, &rebound);
            } else if shared && Words::of(&input.pat.to_token_stream()).has("mut") {
                // What stands in front of the block may need it.
                input.attrs.push(parse_quote_spanned!(Span::mixed_site()=> #[allow(unused_mut)]));
            }
        }
        signature
    }

    /// In what is known for a method, the type's name is part of the shown name.
    fn owner(&self) -> TokenStream {
        let site = Span::mixed_site();
        if self.function.signature.receiver().is_some() || self.stack.of_impl.is_some() {
            quote_spanned!(site=> ::core::option::Option::Some(::core::any::type_name::<Self>))
        } else {
            quote_spanned!(site=> ::core::option::Option::None)
        }
    }

    /// A path of the runtime, shown at the return type: all complaints about that type then are one.
    pub(crate) fn rt_at_return(&self, name: &TokenStream) -> TokenStream {
        let rt = &self.rt;
        moved_to(&quote_spanned!(Span::mixed_site()=> #rt::#name), self.function.returned.span)
    }

    /// The place of all tokens that want the return type to be `Fallible`: rustc says once what it finds once per place.
    pub(crate) fn at_return(&self) -> Span {
        site_at(self.function.returned.span)
    }

    /// `&__out`, shown at the return type.
    pub(crate) fn out_at_return(&self) -> TokenStream {
        quote_spanned!(self.at_return()=> &__out)
    }

    /// The layers from `depth` inwards, as an expression of type `Result<R, Error>`.
    pub(crate) fn wrap(&self, depth: usize, around: &Around<'_>) -> TokenStream {
        let Some(layer) = self.stack.layers.get(depth) else {
            let Block { before, future } = self.body(around);
            return quote_spanned! {Span::mixed_site()=> {
                #before
                let __out = #future.await;
                __out
            }};
        };
        match layer.policy.shape {
            Shape::Admit { waits, permit } => self.admit(depth, layer, around, waits, permit),
            Shape::Bound => self.bound(depth, layer, around),
            Shape::Loop => self.again(depth, layer, around),
            Shape::Recover { remembers: true } => self.remember(depth, layer, around),
            Shape::Recover { remembers: false } => self.replace(depth, layer, around),
        }
    }

    /// ```text
    /// INNER
    /// →
    /// '__layer_1: {
    ///     let __permit = match rt::circuit_breaker(&SITE, __owner) { Ok(p) => p, Err(e) => break '__layer_1 Err(e) };
    ///     let __out = INNER;
    ///     __permit.settle(&__out, CLASS);
    ///     __out
    /// }
    /// ```
    /// Around a `match` with INNER in an arm, the future would hold what is matched beside the permit moved out of it.
    fn admit(&self, depth: usize, layer: &Layer, around: &Around<'_>, waits: bool, permit: Permit) -> TokenStream {
        let site = Span::mixed_site();
        let rt = &self.rt;
        let policy = local(layer.policy.name);
        let site_name = site_of(depth);
        let inner = self.wrap(next(depth), &around.asking(words_after(layer)));
        let wait = waits.then(|| quote_spanned!(site=> .await));
        let amount = layer.args.permits.as_ref().map(|permits| permits.tokens(self.krate));
        let amount = match permit {
            Permit::Spent => Some(amount.unwrap_or_else(|| quote_spanned!(site=> 1))),
            _ => None,
        };
        let amount = amount.map(|amount| quote_spanned!(site=> , #amount));
        let settled = match permit {
            Permit::Judges => {
                let settle = if layer.args.when.is_some() { "settle_when" } else { "settle" };
                let settle = Ident::new(settle, self.at_return());
                let (class, out) = (self.class(layer), self.out_at_return());
                quote_spanned!(site=> __permit.#settle(#out, #class);)
            }
            Permit::Held => quote_spanned!(site=> ::core::mem::drop(__permit);),
            Permit::Spent => TokenStream::new(),
        };
        let layer = layer_label(depth);
        let call = quote_spanned!(site=> #rt::#policy(&#site_name, __owner #amount)#wait);
        let admitted = match permit {
            Permit::Spent => or_leave(&layer, &call),
            _ => quote_spanned! {site=>
                let __permit = match #call {
                    ::core::result::Result::Ok(__permit) => __permit,
                    ::core::result::Result::Err(__error) => break #layer ::core::result::Result::Err(__error),
                };
            },
        };
        quote_spanned! {site=> #layer: {
            #admitted
            let __out = #inner;
            #settled
            __out
        }}
    }

    /// ```text
    /// INNER
    /// →
    /// { let __out = rt::timeout(&SITE, __owner, &CONFIG, async { INNER }).await; __out }
    /// ```
    /// The body is a future already: it needs no block of its own.
    fn bound(&self, depth: usize, layer: &Layer, around: &Around<'_>) -> TokenStream {
        let site = Span::mixed_site();
        let policy = self.rt_at_return(&local(layer.policy.name).to_token_stream());
        let site_name = site_of(depth);
        let (config, given) = self.per_call(depth, layer);
        let around = around.asking(words_after(layer));
        let below = next(depth);
        let Block { before, future } = match self.stack.layers.get(below) {
            None => self.body(&around),
            Some(_) => self.block(below, &around),
        };
        quote_spanned! {site=> {
            #config
            #before
            let __out = #policy(&#site_name, __owner, #given, #future).await;
            __out
        }}
    }

    /// ```text
    /// INNER
    /// →
    /// '__layer_0: {
    ///     let mut __attempts = rt::Attempts::new(&SITE, &CONFIG);
    ///     if let Err(e) = __attempts.begin(__owner, Some(&BUDGET)) { break '__layer_0 Err(e) }
    ///     loop {
    ///         let __out = INNER;
    ///         let __pause = match __attempts.next(&__out, CLASS, TEXT, HOOK) { Some(p) => p, None => break __out };
    ///         drop(__out);
    ///         if let Err(e) = __pause.await { break Err(e) }
    ///     }
    /// }
    /// ```
    fn again(&self, depth: usize, layer: &Layer, around: &Around<'_>) -> TokenStream {
        let site = Span::mixed_site();
        let rt = &self.rt;
        let site_name = site_of(depth);
        let (config, given) = self.per_call(depth, layer);
        let inner = self.wrap(next(depth), &around.asking(words_after(layer)).repeated());
        let asked = self.asks_next(layer);
        let budget = match &layer.args.budget {
            Some(_) => {
                let budget = budget_of(depth, self.stack);
                quote_spanned!(site=> ::core::option::Option::Some(&#budget))
            }
            None => quote_spanned!(site=> ::core::option::Option::None),
        };
        let layer = layer_label(depth);
        let begun = or_leave(&layer, &quote_spanned!(site=> __attempts.begin(__owner, #budget)));
        quote_spanned! {site=> #layer: {
            #config
            let mut __attempts = #rt::Attempts::new(&#site_name, #given);
            #begun
            loop {
                let __out = #inner;
                let __pause = match __attempts.#asked {
                    ::core::option::Option::Some(__pause) => __pause,
                    ::core::option::Option::None => break __out,
                };
                ::core::mem::drop(__out);
                if let ::core::result::Result::Err(__error) = __pause.await {
                    break ::core::result::Result::Err(__error);
                }
            }
        }}
    }

    /// `next(&__out, CLASS, TEXT)`, or with what the user says of it, `next_when(&__out, CLASS, TEXT, HOOK)`.
    fn asks_next(&self, layer: &Layer) -> TokenStream {
        let Args { when, on_retry, .. } = &layer.args;
        let (class, text, out) = (self.class(layer), self.text(), self.out_at_return());
        let (site, rt) = (Span::mixed_site(), &self.rt);
        if when.is_none() && on_retry.is_none() {
            let next = Ident::new("next", self.at_return());
            return quote_spanned!(site=> #next(#out, #class, #text));
        }
        let next = Ident::new("next_when", self.at_return());
        let at = when.as_ref().map_or(self.at_return(), |when| site_at(start_of(when)));
        let class = quote_spanned!(at=> &mut #class);
        let hook = on_retry.clone().unwrap_or_else(|| quote_spanned!(site=> #rt::quiet));
        quote_spanned!(site=> #next(#out, #class, #text, #hook))
    }

    /// How to tell an error's class, a function: by `when`, else by its own `Classify`, found by autoref.
    pub(crate) fn class(&self, layer: &Layer) -> TokenStream {
        let Some(when) = &layer.args.when else {
            return self.probe(&quote_spanned!(self.at_return()=> &), "class");
        };
        let (site, rt) = (Span::mixed_site(), &self.rt);
        // At the predicate's place: a wrong one is underlined, not the attribute.
        let place = start_of(when);
        let ask = moved_to(&quote_spanned!(site=> #rt::when), place);
        let error = Ident::new("__error", site_at(place));
        quote_spanned!(site_at(place)=> |#error| #ask(#when, #error))
    }

    /// How to tell an error's text, for events: by `Display`, else `Debug`, else its type's name, found by autoref.
    pub(crate) fn text(&self) -> TokenStream {
        self.probe(&quote_spanned!(self.at_return()=> &&), "text")
    }

    /// `{ use rt::probing::*; (&rt::kind(&__out)).class() }`
    fn probe(&self, references: &TokenStream, question: &str) -> TokenStream {
        let rt = moved_to(&self.rt, self.function.returned.span);
        let (question, out) = (Ident::new(question, self.at_return()), self.out_at_return());
        quote_spanned! {self.at_return()=> {
            use #rt::probing::*;
            (#references #rt::kind(#out)).#question()
        }}
    }

    /// The configuration of one call, by reference: the site's, or the site's with the options that are expressions.
    pub(crate) fn per_call(&self, depth: usize, layer: &Layer) -> (TokenStream, TokenStream) {
        let site = Span::mixed_site();
        let site_name = site_of(depth);
        let mut setters = layer.computed().map(|setting| setter(setting, self.krate)).peekable();
        if setters.peek().is_none() {
            return (TokenStream::new(), quote_spanned!(site=> #site_name.config()));
        }
        let own = local(&format!("__config_{depth}"));
        let config = quote_spanned!(site=> let #own = (*#site_name.config()) #(#setters)*;);
        (config, quote_spanned!(site=> &#own))
    }

    /// ```text
    /// { BODY }
    /// →
    /// rt::body(async { if false { let __fake: R = loop {}; return __fake; } let a = __a0; let __ret: R = { BODY }; return __ret; })
    /// ```
    /// The dead branch fixes the block's type before the body is read, so that `?` and `return` infer.
    fn body(&self, around: &Around<'_>) -> Block {
        let site = Span::mixed_site();
        let Self { rt, function, .. } = self;
        let (ret, body) = (&function.returned.ty, &function.body);
        let content = Content { kind: Kind::Body, words: &function.words, takes: &function.words };
        let Passage { before, inside } = passage(around, rt, &content, self.moved_in());
        // At the return type: a value that must not borrow, as it is remembered, is told there.
        let returned = Ident::new("__ret", self.at_return());
        let braces = self.braces(quote_spanned! {site=>
            #[allow(unreachable_code)]
            if false {
                let __fake: #ret = loop {};
                return __fake;
            }
            #inside
            // A body that is one `panic!` is no mistake, though as an initialiser it looks like one.
            #[allow(clippy::diverging_sub_expression)]
            let __ret: #ret = #body;
            #[allow(unreachable_code)]
            return #returned;
        });
        let block = async_block(around, &braces);
        let is_loop = |layer: &Layer| layer.policy.shape == Shape::Loop;
        let future = match self.stack.layers.iter().rposition(is_loop) {
            Some(depth) => {
                let retry = site_of(depth);
                quote_spanned!(site=> #rt::attempt(&#retry, #block))
            }
            None => quote_spanned!(site=> #rt::body(#block)),
        };
        Block { before, future }
    }

    /// The layers from `depth` inwards, in an async block.
    fn block(&self, depth: usize, around: &Around<'_>) -> Block {
        let site = Span::mixed_site();
        let mut takes = self.function.words.clone();
        let below = self.stack.layers.iter().skip(depth);
        below
            .clone()
            .filter_map(|layer| layer.args.stand_in.as_ref())
            .for_each(|code| takes.add(code.expression().clone()));
        let mut words = takes.clone();
        below.for_each(|layer| words.add(expressions(layer)));
        let content = Content { kind: Kind::Layers, words: &words, takes: &takes };
        let Passage { before, inside } = passage(around, &self.rt, &content, self.moved_in());
        let inner = self.wrap(depth, &around.inside());
        let braces = self.braces(quote_spanned! {site=>
            #inside
            let __out = #inner;
            __out
        });
        Block { before, future: async_block(around, &braces) }
    }

    /// Braces at the place of the user's own: coverage then sees the lines between them.
    pub(crate) fn braces(&self, statements: TokenStream) -> Group {
        let mut braces = Group::new(Delimiter::Brace, statements);
        braces.set_span(self.function.body.span());
        braces
    }

    /// What a block that owns all it names takes hold of first, so that it drops in the arguments' order.
    pub(crate) fn moved_in(&self) -> DropOrder<'_> {
        let frame = &self.function.frame;
        if frame.is_whole() {
            DropOrder::OfArguments { receiver: self.receiver_by_value() }
        } else if frame.of_async_trait {
            DropOrder::OfArguments { receiver: None }
        } else {
            // The user's own block drops what it names in the order of naming.
            DropOrder::OfBlock
        }
    }

    fn receiver_by_value(&self) -> Option<&Token![self]> {
        let receiver = self.function.signature.receiver()?;
        let by_reference = match &receiver.kind {
            ReceiverKind::Value => false,
            ReceiverKind::Typed(_, ty) => matches!(&**ty, Type::Reference(_)),
            _ => true,
        };
        (!by_reference).then_some(&receiver.self_token)
    }

    /// Whether the body may not own the arguments.
    fn body_is_shared(&self) -> bool {
        let nothing = Around::nothing(self.arguments);
        self.stack
            .layers
            .iter()
            .any(|layer| layer.policy.shape == Shape::Loop || nothing.asking(words_after(layer)).shared)
    }
}

pub(crate) fn next(depth: usize) -> usize {
    depth.saturating_add(1)
}

/// `'__layer_1`: what a refusal of that layer leaves.
pub(crate) fn layer_label(depth: usize) -> Lifetime {
    Lifetime::new(&format!("'__layer_{depth}"), Span::mixed_site())
}

/// A refusal leaves the layer.
pub(crate) fn or_leave(layer: &Lifetime, admitted: &TokenStream) -> TokenStream {
    quote_spanned! {Span::mixed_site()=>
        if let ::core::result::Result::Err(__error) = #admitted {
            break #layer ::core::result::Result::Err(__error);
        }
    }
}

/// Shown at the body: what the block cannot capture is reported there, not at the attribute.
pub(crate) fn async_block(around: &Around<'_>, braces: &Group) -> TokenStream {
    let site = site_at(braces.span_open());
    let by_move = (!around.shared).then(|| quote_spanned!(site=> move));
    quote_spanned!(site=> async #by_move #braces)
}

/// The expressions that a layer evaluates after what is below it.
pub(crate) fn words_after(layer: &Layer) -> TokenStream {
    let Args { when, on_retry, stand_in, .. } = &layer.args;
    when.iter().chain(on_retry).chain(stand_in.as_ref().map(StandIn::expression)).cloned().collect()
}

/// Every expression of a layer that runs in the function.
fn expressions(layer: &Layer) -> TokenStream {
    let mut expressions = words_after(layer);
    let nowhere = TokenStream::new();
    expressions.extend(layer.computed().map(|setting| setting.value.tokens(&nowhere)));
    expressions.extend(layer.args.permits.as_ref().map(|permits| permits.tokens(&nowhere)));
    layer.args.key.to_tokens(&mut expressions);
    expressions
}
