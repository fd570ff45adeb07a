//! One attribute, from its two token streams to the expansion of the whole stack.

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Result};

use crate::arguments;
use crate::expand;
use crate::function::{self, Function};
use crate::names;
use crate::recover::Errors;
use crate::stack::{self, ANCHOR, Ours};

/// Expands the outermost attribute and with it all of ours below.
pub(crate) fn expand(outermost: Ours, args: TokenStream, item: TokenStream) -> TokenStream {
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
    let mut stack = stack::collect(outermost, args, &mut attributes, &mut errors);
    let function = errors.take(Function::parse(outermost.name(), attributes.clone(), item.clone()));
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
