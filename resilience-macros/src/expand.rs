//! A stack of layers around a function → one function. `Expansion::wrap` has one arm per shape.
//!
//! Generated names and paths are `mixed_site`, paths are absolute, items have `__RESILIENCE_` names.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{FnArg, ReceiverKind, Signature, Token, Type, parse_quote_spanned};

use crate::args::Args;
use crate::arguments::{Argument, without_mut};
use crate::asked::Asked;
use crate::blocks::{Around, Block, Content, DropOrder, Kind, Passage, passage};
use crate::function::Function;
use crate::items::{self, items};
use crate::policy::Shape;
use crate::stack::{Layer, Stack};
use crate::stand_in::StandIn;
use crate::tokens::{moved_to, site_at};
use crate::words::Words;

/// The whole function with the stack in it.
pub(crate) fn function(function: &Function, stack: &Stack, arguments: &[Argument]) -> TokenStream {
    let krate = &items::runtime(&stack.krate);
    let rt = items::private(&stack.krate);
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
        let (inner, items) = (&function.inner, items(function, self.stack, krate, rt));
        let items = quote_spanned!(site=> #(#inner)* #items);
        let wrapped = self.wrap(0, &Around::nothing(self.arguments));
        let ret = &function.returned.ty;
        let finish = self.rt_at_return(&quote_spanned!(site=> finish));
        let out = Ident::new("__out", self.at_return());
        let finished = quote_spanned!(self.at_return()=> #finish(#out));
        let content = quote_spanned! {site=>
            let __edge = #rt::Edge::new();
            let __out: ::core::result::Result<#ret, #krate::Error> = #wrapped;
            return #finished;
        };
        let body = function.frame.fill(&items, content, shared || function.frame.of_async_trait);
        // syn prints no `where` that says nothing.
        let empty_where = signature.generics.where_clause.as_ref().filter(|clause| clause.predicates.is_empty());
        let empty_where = empty_where.map(|clause| clause.where_token);
        quote_spanned!(site=> #(#attributes)* #visibility #signature #empty_where #body)
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
            Shape::Admit { .. } | Shape::Bound if self.guards(depth) => self.guarded(depth, around),
            Shape::Admit { waits, permit } => self.admit(depth, layer, around, waits, permit),
            Shape::Bound => self.bound(depth, layer, around),
            Shape::Loop if self.repeats_guarded(depth, layer) => self.attempts_of_guarded(depth, layer, around),
            Shape::Loop => self.again(depth, layer, around),
            Shape::Recover { remembers: true } => self.remember(depth, layer, around),
            Shape::Recover { remembers: false } => self.replace(depth, layer, around),
        }
    }

    /// ```text
    /// rt::body(async { BODY })
    /// rt::body(rt::attempt(&mut __attempts, async { BODY }))
    /// ```
    pub(crate) fn body(&self, around: &Around<'_>) -> Block {
        let Block { before, future } = self.bare_body(around);
        let (rt, body) = (&self.rt, self.attempted(future));
        Block { before, future: quote_spanned!(Span::mixed_site()=> #rt::body(#body)) }
    }

    /// The body's block, known to be an attempt where a loop stands in the function.
    pub(crate) fn attempted(&self, block: TokenStream) -> TokenStream {
        if !self.stack.layers.iter().any(|layer| layer.policy.shape == Shape::Loop) {
            return block;
        }
        let rt = &self.rt;
        quote_spanned!(Span::mixed_site()=> #rt::attempt(&mut __attempts, #block))
    }

    /// ```text
    /// async { if false { let __fake: R = loop {}; return __fake; } let a = __a0; match () { () => { BODY } } }
    /// ```
    /// The dead branch fixes the block's type before the body is read, so that `?` and `return` infer. What is wrong with the
    /// body's last expression is told there, as it is the block's own; and its temporaries are dropped before the arguments, as
    /// an arm's are.
    pub(crate) fn bare_body(&self, around: &Around<'_>) -> Block {
        let site = Span::mixed_site();
        let Self { rt, function, .. } = self;
        let (ret, body) = (&function.returned.ty, &function.body);
        let content = Content { kind: Kind::Body, words: &function.words, takes: &function.words };
        let Passage { before, inside } = passage(around, rt, &content, self.moved_in());
        // rustc says of another value's type that this one is the function's: at the return type.
        let returned = quote_spanned!(self.at_return()=> return __fake;);
        let braces = self.braces(quote_spanned! {site=>
            #[allow(unreachable_code)]
            if false {
                let __fake: #ret = loop {};
                #returned
            }
            #inside
            match () {
                () => #body
            }
        });
        Block { before, future: async_block(around, &braces, self.function.body.span_open()) }
    }

    /// The layers from `depth` inwards, in an async block.
    pub(crate) fn block(&self, depth: usize, around: &Around<'_>) -> Block {
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
        Block { before, future: async_block(around, &braces, self.function.body.span_open()) }
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

/// Shown at the body: what the block cannot capture is reported there, not at the attribute.
///
/// `open` is where the braces begin: an editor that asks what a word of the body is finds no `async` there.
pub(crate) fn async_block(around: &Around<'_>, braces: &Group, open: Span) -> TokenStream {
    let site = site_at(open);
    let by_move = (!around.shared).then(|| quote_spanned!(site=> move));
    quote_spanned!(site=> async #by_move #braces)
}

/// The expressions that a layer evaluates after what is below it.
pub(crate) fn words_after(layer: &Layer) -> TokenStream {
    let Args { when, when_ok, on_retry, stand_in, .. } = &layer.args;
    let asked = when.iter().chain(when_ok).chain(on_retry).map(Asked::code);
    asked.chain(stand_in.as_ref().map(StandIn::expression)).cloned().collect()
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
