//! How arguments get into the async blocks of an expansion.
//!
//! A block that runs at most once, and after which nobody asks for an argument, is an `async move` block. Any other
//! block captures by reference (so that `self` and `&mut` arguments are there again afterwards), and what was passed
//! by value is moved in under its own name: a clone of it, if it is needed again. The clone is made outside of the
//! block, so that `Send` futures do not need `Sync` arguments.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::Token;

use crate::arguments::{Argument, Passing};
use crate::tokens::{local, moved_to, site_at};
use crate::words::Words;

/// An async block: what comes before it, and itself.
pub(crate) struct Block {
    pub(crate) before: TokenStream,
    pub(crate) future: TokenStream,
}

/// What stands around a block, as far as the block must know.
#[derive(Clone)]
pub(crate) struct Around<'a> {
    arguments: &'a [Argument],
    /// The block does not own what it captures: it may run again, or something outside asks for an argument later.
    pub(crate) shared: bool,
    /// A loop stands between this block and the next one outside.
    looped: bool,
    /// The words of expressions that run after this block, up to the next one outside.
    asked: Words,
}

impl<'a> Around<'a> {
    /// Around the outermost layer is nothing.
    pub(crate) fn nothing(arguments: &'a [Argument]) -> Self {
        Self { arguments, shared: false, looped: false, asked: Words::default() }
    }

    /// Below a layer that evaluates `expressions` after what is below it.
    pub(crate) fn asking(&self, expressions: TokenStream) -> Self {
        let words = Words::of(&expressions);
        let mut around = self.clone();
        around.shared |= words.has("self") || self.arguments.iter().any(|argument| words.contain(&argument.ident));
        around.asked.add(expressions);
        around
    }

    /// Below a layer that runs what is below it more than once.
    pub(crate) fn repeated(mut self) -> Self {
        self.shared = true;
        self.looped = true;
        self
    }

    /// Inside of a block.
    pub(crate) fn inside(&self) -> Self {
        Self { looped: false, asked: Words::default(), ..self.clone() }
    }

    fn way(&self, argument: &Argument, content: &Content<'_>) -> Way {
        let taken = content.takes.contain(&argument.ident)
            || (argument.mutable.is_some() && !matches!(content.kind, Kind::StandIn));
        if !self.shared || argument.borrowed || !taken {
            return Way::Captured;
        }
        match argument.passing {
            Passing::Shared if argument.mutable.is_none() => Way::Captured,
            Passing::Unique if matches!(content.kind, Kind::Layers) => Way::Captured,
            Passing::Unique => Way::Reborrowed,
            _ if self.looped => Way::ClonedForAttempt,
            _ if self.asked.contain(&argument.ident) => Way::ClonedForLater,
            _ => Way::Moved,
        }
    }
}

/// What an async block has in it.
pub(crate) struct Content<'a> {
    pub(crate) kind: Kind,
    /// The words of all user code in it.
    pub(crate) words: &'a Words,
    /// The words of the user code in it that may take an argument for itself.
    pub(crate) takes: &'a Words,
}

/// What a block is made for.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// The function's body.
    Body,
    /// What stands in for a failed result.
    StandIn,
    /// Layers, and the body inside.
    Layers,
}

enum Way {
    Captured,
    ClonedForAttempt,
    ClonedForLater,
    Moved,
    Reborrowed,
}

/// The statements that bring the arguments into one block.
#[derive(Default)]
pub(crate) struct Passage {
    /// Before the block: the clones.
    pub(crate) before: TokenStream,
    /// First in the block.
    pub(crate) inside: TokenStream,
}

/// The order in which a block drops what it owns.
pub(crate) enum DropOrder<'a> {
    /// That of arguments: the last first, a `self` by value last.
    OfArguments { receiver: Option<&'a Token![self]> },
    /// That of their first use.
    OfBlock,
}

/// Brings the arguments into a block.
pub(crate) fn passage(
    around: &Around<'_>,
    rt: &TokenStream,
    content: &Content<'_>,
    drop_order: DropOrder<'_>,
) -> Passage {
    let mut passage = Passage::default();
    // Of what a block has captured rustc calls a last change never read, though a destructor may read it. So a name that
    // the body changes is bound in it; and with it the names after it, for the order of drops.
    let mut bound = false;
    let binds = !around.shared && matches!((content.kind, &drop_order), (Kind::Body, DropOrder::OfArguments { .. }));
    if let (DropOrder::OfArguments { receiver }, false) = (drop_order, around.shared) {
        passage.inside = in_drop_order(around.arguments, content.words, receiver);
    }
    let site = Span::mixed_site();
    for (index, argument) in around.arguments.iter().enumerate() {
        let Argument { ident, attributes, .. } = argument;
        let mutable = argument.mutable.filter(|_| !matches!(content.kind, Kind::Layers));
        let way = around.way(argument, content);
        bound |= binds && mutable.is_some() && !argument.borrowed;
        let is_bound = mutable.is_some() || content.words.contain(ident);
        let rebound = (bound && is_bound) || is_mutated_stand_in(argument, content);
        let value = match way {
            Way::Captured if around.shared || !rebound => continue,
            Way::Captured | Way::Moved => ident.to_token_stream(),
            Way::Reborrowed => quote_spanned!(site=> &mut *#ident),
            Way::ClonedForAttempt | Way::ClonedForLater => {
                let kind = if matches!(way, Way::ClonedForLater) { "ClonedForLater" } else { "ClonedForEachAttempt" };
                let of = local(&if argument.wraps { format!("Wrapper{kind}") } else { kind.to_owned() });
                let copy = local(&format!("__a{index}"));
                let dup = moved_to(&quote_spanned!(site=> #rt::#of::dup), ident.span());
                let call = quote_spanned!(site_at(ident.span())=> #dup(&#ident));
                passage.before.extend(quote_spanned!(site=> #(#attributes)* let #copy = #call;));
                copy.to_token_stream()
            }
        };
        // What a body changes, a stand-in need not; nor a body what the code in front of it does.
        let needless = matches!(content.kind, Kind::StandIn) || argument.used_in_front;
        let unused = (needless && mutable.is_some()).then(|| quote_spanned!(site=> #[allow(unused_mut)]));
        passage.inside.extend(quote_spanned! {site=>
            #(#attributes)*
            #unused
            #[allow(clippy::restriction)]
            let #mutable #ident = #value;
        });
    }
    passage
}

/// The signature has lost its `mut` to the body.
fn is_mutated_stand_in(argument: &Argument, content: &Content<'_>) -> bool {
    matches!(content.kind, Kind::StandIn)
        && argument.mutable.is_some()
        && !argument.borrowed
        && content.takes.contain(&argument.ident)
}

/// An `async move` block drops what it captured in the order of first use; arguments drop last to first.
fn in_drop_order(arguments: &[Argument], words: &Words, receiver: Option<&Token![self]>) -> TokenStream {
    let site = Span::mixed_site();
    let mut statements = TokenStream::new();
    for argument in arguments.iter().rev().filter(|argument| words.contain(&argument.ident)) {
        let Argument { ident, attributes, .. } = argument;
        statements.extend(quote_spanned!(site=> #(#attributes)* let _ = &#ident;));
    }
    if let Some(receiver) = receiver.filter(|_| words.has("self")) {
        statements.extend(quote_spanned!(site=> let _ = &#receiver;));
    }
    statements
}
