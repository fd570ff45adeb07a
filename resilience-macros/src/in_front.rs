//! What stands in front of the `async` block that a function returns, and what the block gets from there.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::parse::{ParseStream, Parser};
use syn::{FnArg, Pat, PatIdent, ReceiverKind, Signature, Token, Type, parse_quote};

use crate::arguments::{Argument, Passing, bindings, through};
use crate::async_trait;
use crate::function::Function;
use crate::returns::ungrouped_type;
use crate::tokens::{mentions, text_of};

/// A `let` statement.
pub(crate) struct Let {
    pub(crate) pattern: Pat,
    ty: Option<Type>,
    value: TokenStream,
}

impl Let {
    /// Reads what stands behind the word, and what follows the statement.
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let pattern = input.call(Pat::parse_single)?;
        let ty = if input.parse::<Option<Token![:]>>()?.is_some() { Some(input.parse()?) } else { None };
        let mut value = TokenStream::new();
        if input.parse::<Option<Token![=]>>()?.is_some() {
            while !input.is_empty() && !input.peek(Token![;]) {
                value.extend([input.parse::<TokenTree>()?]);
            }
        }
        input.parse::<TokenStream>()?;
        Ok(Self { pattern, ty, value })
    }
}

/// The `let` statements of a block.
pub(crate) fn lets(statements: &TokenStream) -> Vec<Let> {
    places(statements).into_iter().filter_map(|(_, rest)| Let::parse.parse2(rest).ok()).collect()
}

/// Where `let` statements begin, and what stands behind the word.
fn places(statements: &TokenStream) -> Vec<(usize, TokenStream)> {
    let tokens: Vec<TokenTree> = statements.clone().into_iter().collect();
    let begins = |at: usize| match at.checked_sub(1).and_then(|before| tokens.get(before)) {
        None => true,
        Some(TokenTree::Punct(punct)) => punct.as_char() == ';',
        // Behind a block, or an attribute.
        Some(TokenTree::Group(group)) => matches!(group.delimiter(), Delimiter::Brace | Delimiter::Bracket),
        Some(_) => false,
    };
    let is_let = |at: &usize| matches!(tokens.get(*at), Some(TokenTree::Ident(ident)) if ident == "let");
    (0..tokens.len())
        .filter(|at| is_let(at) && begins(*at))
        .map(|at| (at, tokens.iter().skip(at.saturating_add(1)).cloned().collect()))
        .collect()
}

/// The statements with `#[allow(unused_mut)]` on each `let`.
pub(crate) fn relax(statements: TokenStream) -> TokenStream {
    let places: Vec<usize> = places(&statements).into_iter().map(|(at, _)| at).collect();
    let allow = quote_spanned!(Span::mixed_site()=> #[allow(unused_mut)]);
    let mut relaxed = TokenStream::new();
    for (at, token) in statements.into_iter().enumerate() {
        if places.contains(&at) {
            relaxed.extend(allow.clone());
        }
        relaxed.extend([token]);
    }
    relaxed
}

/// The `return` that gives away an `async` block of its own, which nothing guards.
pub(crate) fn returns_block(statements: TokenStream) -> Option<Span> {
    let mut returned = None;
    // The next braces are the body of something that returns for itself.
    let mut own = false;
    for token in statements {
        match token {
            TokenTree::Ident(ident) if ident == "return" => returned = Some(ident.span()),
            TokenTree::Ident(ident) if ident == "async" && returned.is_some() => return returned,
            TokenTree::Ident(ident) => own |= ident == "async" || ident == "fn",
            TokenTree::Punct(punct) if punct.as_char() == ';' => (returned, own) = (None, false),
            TokenTree::Punct(punct) => own |= punct.as_char() == '|',
            TokenTree::Group(group) => {
                let braces = group.delimiter() == Delimiter::Brace;
                if returned.is_some() && mentions(group.stream(), "async") {
                    return returned;
                }
                if !(braces && std::mem::take(&mut own)) {
                    if let Some(found) = returns_block(group.stream()) {
                        return Some(found);
                    }
                }
            }
            TokenTree::Literal(_) => {}
        }
    }
    None
}

/// What the block gets: what the statements bind, and what else the signature does.
///
/// Of `#[async_trait]`'s methods the statements bind it all. A name keeps its `mut` there, so only code that mentions
/// it gets a binding of its own.
pub(crate) fn arguments(function: &Function, of_signature: Vec<Argument>) -> Vec<Argument> {
    let of_async_trait = function.frame.of_async_trait;
    let mut known = types(&function.signature);
    let mut of_statements: Vec<Argument> = Vec::new();
    for Let { pattern, ty, value } in &function.frame.lets {
        let ty = ty.clone().or_else(|| type_of(value, &known));
        bindings(pattern, ty.as_ref(), Passing::Value, &mut |binding, passing| {
            // Of a name bound twice it is the last.
            of_statements.retain(|argument| argument.ident != binding.ident);
            known.retain(|(name, _)| *name != binding.ident);
            if passing == Passing::Unique {
                known.push((binding.ident.clone(), parse_quote!(&mut _)));
            }
            let is_self = of_async_trait && binding.ident == async_trait::SELF;
            of_statements.push(match is_self {
                true => receiver(function, binding),
                false => Argument::new(binding, passing),
            });
        });
        if let (Pat::Ident(PatIdent { ident, by_ref: None, .. }), Some(ty)) = (pattern, ty) {
            known.push((ident.clone(), ty));
        }
    }
    let bound = |ident: &Ident| of_statements.iter().any(|argument| argument.ident == *ident);
    let kept: Vec<_> = of_signature.into_iter().filter(|argument| !of_async_trait && !bound(&argument.ident)).collect();
    let mut arguments: Vec<_> = kept.into_iter().chain(of_statements).collect();
    for argument in &mut arguments {
        argument.mutable = argument.mutable.filter(|_| function.words.contain(&argument.ident));
        argument.used_in_front = !of_async_trait;
    }
    arguments
}

/// The types that the signature gives to names.
fn types(signature: &Signature) -> Vec<(Ident, Type)> {
    let named = |input: &FnArg| match input {
        FnArg::Receiver(receiver) => {
            let ty = match &receiver.kind {
                ReceiverKind::Reference(_, _, mutability) => parse_quote!(&#mutability Self),
                ReceiverKind::Typed(_, ty) => (**ty).clone(),
                _ => parse_quote!(Self),
            };
            Some((Ident::new("self", receiver.self_token.span), ty))
        }
        FnArg::Typed(input) => match &*input.pat {
            Pat::Ident(pat) => Some((pat.ident.clone(), (*input.ty).clone())),
            _ => None,
        },
    };
    signature.inputs.iter().filter_map(named).collect()
}

/// The type of a value that is a name, or a `&mut`: a `&mut` cannot be cloned, but is lent to each attempt.
fn type_of(value: &TokenStream, known: &[(Ident, Type)]) -> Option<Type> {
    let mut tokens = value.clone().into_iter();
    match (tokens.next()?, tokens.next()) {
        (TokenTree::Ident(name), None) => known.iter().find(|(known, _)| *known == name).map(|(_, ty)| ty.clone()),
        (TokenTree::Group(block), None) => {
            // `{ let __arg1 = __arg1; __arg1 }` is what `#[async_trait]` makes of an argument that is a pattern.
            let name = block.stream().into_iter().last()?.into_token_stream();
            let moved = format!("let{name}={name};{name}");
            if text_of(&block.stream()) == moved { type_of(&name, known) } else { None }
        }
        (TokenTree::Punct(and), Some(TokenTree::Ident(word))) if and.as_char() == '&' && word == "mut" => {
            Some(parse_quote!(&mut _))
        }
        _ => None,
    }
}

/// `self` under the name that `#[async_trait]` gives it. As everywhere, one by value is shared by the attempts.
fn receiver(function: &Function, binding: &PatIdent) -> Argument {
    let reference = match function.signature.receiver().map(|receiver| &receiver.kind) {
        Some(ReceiverKind::Reference(_, _, mutability)) => Some(mutability.is_some()),
        Some(ReceiverKind::Typed(_, ty)) => match ungrouped_type(ty) {
            Type::Reference(of) => Some(of.mutability.is_some()),
            _ => None,
        },
        _ => None,
    };
    let argument = Argument::new(binding, Passing::Value);
    match reference {
        Some(mutable) => Argument { passing: through(Passing::Value, mutable), mutable: None, ..argument },
        None => Argument { borrowed: true, ..argument },
    }
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "tests may panic")]
mod tests {
    use super::returns_block;

    #[test]
    fn a_block_that_is_returned_early_is_seen() {
        for (statements, expected) in [
            ("return async move { a };", true),
            ("if a { return Box::pin(async move { a }); }", true),
            ("match a { b => return async { c }.boxed(), d => {} }", true),
            ("if a { return ready(b).boxed(); } let c = async { d };", false),
            ("let a = async move { return async { b }.await };", false),
            ("async fn a() -> R { return async { b }.await }", false),
            ("let a = |b| { return async { b } };", false),
            ("let a = b;", false),
        ] {
            let found = returns_block(statements.parse().expect(statements));
            assert_eq!(found.is_some(), expected, "{statements}");
        }
    }
}
