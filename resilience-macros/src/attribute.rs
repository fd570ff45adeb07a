//! One attribute, from its two token streams to the expansion of the whole stack.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Error, Result};

use crate::arguments;
use crate::async_trait;
use crate::expand;
use crate::function::{self, Function};
use crate::impl_block;
use crate::names;
use crate::of_impl;
use crate::ours::Ours;
use crate::recover::Errors;
use crate::stack::{self, ANCHOR, Outermost};
use crate::tokens::start_of;
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
    let (of_impl, args) = of_impl::unmarked(args);
    if let Some(asking) = of_impl.as_ref().and_then(|of_impl| of_impl::asking(of_impl, &args, &attributes)) {
        return with_attributes(TokenStream::new(), &asking, item);
    }
    if of_impl::is_skip_of(ours, &args) {
        if of_impl::leave_out(&mut attributes) {
            return with_attributes(TokenStream::new(), &attributes, item);
        }
        errors.push(Error::new(
            start_of(&args),
            "`#[resilient(skip)]` leaves an async method out of the list of its `impl` block; here it has nothing to leave out: remove the attribute",
        ));
        return errors.with_item(TokenStream::new(), &attributes, &item);
    }
    let outermost = Outermost { ours, of_impl, self_name: async_trait::self_of(&item) };
    let mut stack = stack::collect(&outermost, args, &mut attributes, &mut errors);
    if stack.layers.is_empty() && errors.is_empty() {
        // Left out of an `impl` block's list.
        return with_attributes(stack.anchors(), &attributes, item);
    }
    if function::is_expanded(&item) {
        errors.extend(function::told_apart(&outermost, &item));
        return errors.with_item(stack.anchors(), &attributes, &function::told(item));
    }
    let function = errors.take(Function::parse(&outermost, attributes.clone(), item.clone()));
    let Some(function) = function else {
        if unfit::is_expression(&item) {
            return errors.with_expression(&item);
        }
        return errors.with_item(stack.anchors(), &attributes, &item);
    };
    names::fill(&mut stack, &function.signature.ident, &mut errors);
    let arguments = arguments::collect(&function, &stack, &mut errors);
    function::check(&function, &stack, &mut errors);
    if !errors.is_empty() {
        return errors.with_item(stack.anchors(), &attributes, &item);
    }
    expand::function(&function, &stack, &arguments)
}

fn with_attributes(before: TokenStream, attributes: &[Attribute], item: TokenStream) -> TokenStream {
    let mut tokens = before;
    attributes.iter().for_each(|attribute| attribute.to_tokens(&mut tokens));
    tokens.extend(item);
    tokens
}

/// The outer attributes, and the rest of the item.
fn split(input: ParseStream<'_>) -> Result<(Vec<Attribute>, TokenStream)> {
    Ok((input.call(Attribute::parse_outer)?, input.parse()?))
}
