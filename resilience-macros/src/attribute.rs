//! One attribute, from its two token streams to the expansion of the whole stack.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Result};

use crate::arguments;
use crate::async_trait;
use crate::expand;
use crate::function::{self, Function};
use crate::impl_block;
use crate::names;
use crate::recover::Errors;
use crate::stack::{self, ANCHOR, Ours, Outermost};
use crate::unfit;

/// Expands the outermost attribute and with it all of ours below.
pub(crate) fn expand(ours: Ours, args: TokenStream, item: TokenStream) -> TokenStream {
    if args.to_string() == ANCHOR {
        return TokenStream::new();
    }
    let mut errors = Errors::default();
    let (mut attributes, item) = match split.parse2(item.clone()) {
        Ok(split) => split,
        Err(error) => {
            errors.push(error);
            return errors.with_item(TokenStream::new(), &[], &item);
        }
    };
    if matches!(ours, Ours::Resilient) && unfit::is_impl(&item) {
        return impl_block::expand(args, &attributes, &item);
    }
    let (of_impl, args) = impl_block::unmarked(args);
    let outermost = Outermost { ours, of_impl, self_name: async_trait::self_of(&item) };
    let mut stack = stack::collect(&outermost, args, &mut attributes, &mut errors);
    if stack.layers.is_empty() && errors.is_empty() {
        // Left out of an `impl` block's list.
        let mut tokens = stack.anchors();
        attributes.iter().for_each(|attribute| attribute.to_tokens(&mut tokens));
        tokens.extend(item);
        return tokens;
    }
    let function = errors.take(Function::parse(&outermost, attributes.clone(), item.clone()));
    let Some(function) = function else { return errors.with_item(stack.anchors(), &attributes, &item) };
    names::fill(&mut stack, &function.signature.ident, &mut errors);
    let arguments = arguments::collect(&function, &stack, &mut errors);
    function::check(&function, &stack, &mut errors);
    if !errors.is_empty() {
        return errors.with_item(stack.anchors(), &attributes, &item);
    }
    expand::function(&function, &stack, &arguments)
}

/// The outer attributes, and the rest of the item.
fn split(input: ParseStream<'_>) -> Result<(Vec<Attribute>, TokenStream)> {
    Ok((input.call(Attribute::parse_outer)?, input.parse()?))
}
