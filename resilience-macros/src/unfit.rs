//! What the attributes do not go on, and what to write instead.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{
    Error, GenericArgument, PathArguments, Result, ReturnType, Safety, Signature, Type, TypeParamBound, Visibility,
};

use crate::async_trait;
use crate::frame;
use crate::future::{is_future, mentions_future};
use crate::ours::RESILIENT;
use crate::returns::ungrouped_type;
use crate::stack::Outermost;
use crate::tokens::{mentions, start_of, ungrouped};

/// What stands before `fn` decides whether there is a function at all.
pub(crate) fn not_a_function(outermost: &Outermost, item: TokenStream) -> Option<Error> {
    let (place, kind) = kind_of(item)?;
    let name = outermost.name();
    let message = match kind.as_str() {
        "impl" => format!(
            "`#[{name}]` goes on an `async fn`: put it on the methods of this `impl`, or write `#[{RESILIENT}({name}(…))]` here"
        ),
        "trait" => format!("`#[{name}]` goes on an `async fn`: put it on the methods of this `trait`"),
        "mod" => format!("`#[{name}]` goes on an `async fn`: put it on the functions of this module"),
        "enum" => format!("`#[{name}]` goes on an `async fn`, and this is an `enum`"),
        "struct" | "union" | "static" | "type" | "use" => {
            format!("`#[{name}]` goes on an `async fn`, and this is a `{kind}`")
        }
        "let" | "" | "move" | "async" | "match" | "if" | "loop" | "while" | "for" => {
            format!("`#[{name}]` goes on an `async fn`: put what it is to guard into one, and call that here")
        }
        _ => format!("`#[{name}]` goes on an `async fn`"),
    };
    Some(Error::new(place, message))
}

/// Whether an item is an `impl` block.
pub(crate) fn is_impl(item: &TokenStream) -> bool {
    kind_of(item.clone()).is_some_and(|(_, kind)| kind == "impl")
}

/// Whether it is no item at all but an expression: a block, a closure, a loop.
pub(crate) fn is_expression(item: &TokenStream) -> bool {
    const FIRST: [&str; 7] = ["async", "move", "match", "if", "loop", "while", "for"];
    let is_first = |token: &TokenTree| match token {
        TokenTree::Group(_) => true,
        TokenTree::Punct(punct) => punct.as_char() == '|',
        TokenTree::Ident(word) => FIRST.iter().any(|first| word == first),
        TokenTree::Literal(_) => false,
    };
    ungrouped(item.clone()).into_iter().next().is_some_and(|token| is_first(&token)) && kind_of(item.clone()).is_some()
}

/// The word that says what an item is, if it is no function.
fn kind_of(item: TokenStream) -> Option<(Span, String)> {
    let after_visibility = |input: ParseStream<'_>| {
        input.parse::<Visibility>()?;
        input.parse::<TokenStream>()
    };
    let rest = after_visibility.parse2(item).ok()?;
    let mut tokens = ungrouped(rest).into_iter().filter(|token| !matches!(token, TokenTree::Literal(_)));
    let first = tokens.next();
    let mut token = first.clone();
    while let Some(TokenTree::Ident(ident)) = &token {
        if ident == "fn" {
            return None;
        }
        if !["async", "const", "default", "extern", "safe", "unsafe"].iter().any(|word| ident == word) {
            break;
        }
        token = tokens.next();
    }
    let kind = match &token {
        Some(TokenTree::Ident(ident)) => ident.to_string(),
        _ => String::new(),
    };
    Some((token.or(first).map_or_else(Span::call_site, |token| token.span()), kind))
}

/// Refuses what cannot be guarded whatever its body does.
pub(crate) fn check(outermost: &Outermost, signature: &Signature) -> Result<()> {
    let name = outermost.name();
    let fails = |place: Span, message: String| Err(Error::new(place, message + outermost.or_skip()));
    if let Some(constness) = &signature.constness {
        return fails(constness.span, format!("`#[{name}]` goes on an `async fn`, and a `const fn` cannot be async"));
    }
    if let Some(abi) = &signature.abi {
        return fails(
            abi.extern_token.span,
            format!("`#[{name}]` does not support `extern` functions: guard an `async fn` and call it from here"),
        );
    }
    if let Some(variadic) = &signature.variadic {
        return Err(Error::new_spanned(variadic, format!("`#[{name}]` does not support variadic functions")));
    }
    if let Safety::Safe(safe) = &signature.safety {
        return fails(safe.span, format!("`#[{name}]` goes on an `async fn` with a body"));
    }
    Ok(())
}

pub(crate) fn no_body(outermost: &Outermost, signature: &Signature) -> Error {
    let name = outermost.name();
    let message = format!(
        "`#[{name}]` needs a body to guard: put it on the method in the `impl`, or give this one a default body"
    );
    if async_trait::returned(&signature.output.to_token_stream()) {
        // Its other tokens are at `#[async_trait]`.
        return Error::new(signature.ident.span(), message);
    }
    Error::new_spanned(signature, message)
}

/// A function that is neither `async` nor ends in a block that is.
pub(crate) fn not_async(outermost: &Outermost, signature: &Signature, body: &Group) -> Error {
    let name = outermost.name();
    let returned = match &signature.output {
        ReturnType::Type(_, ty) => Some(&**ty),
        ReturnType::Default => None,
    };
    let message = if mentions(body.stream(), "block_on") {
        format!(
            "`#[{name}]` goes on an `async fn`: put it above `#[tokio::main]` or `#[tokio::test]`, which make this function a blocking one"
        )
    } else if returned.is_some_and(is_future) && is_returned_at_the_end(body) {
        format!(
            "`#[{name}]` guards the `async` block at the end of this function, and finds it behind `return`: write it as the last expression, without `return` and `;`"
        )
    } else if returned.is_some_and(is_future) {
        format!(
            "`#[{name}]` guards the future that this function returns, and finds no `async` block: end the body with `async move {{ … }}` or `Box::pin(async move {{ … }})`, or write `async fn {}`",
            signature.ident
        )
    } else if returned.is_some_and(gives_many) {
        one_of_many(name)
    } else if returned.is_some_and(holds_future) {
        format!(
            "`#[{name}]` does not guard a future inside of a `Result`, which only runs when this function has returned: make it an `async fn {}` that awaits it",
            signature.ident
        )
    } else if returned.is_some_and(mentions_future) || frame::ends_in_block(body) {
        format!(
            "`#[{name}]` does not see what this future gives: write `impl Future<Output = Result<T, E>>`, `Pin<Box<dyn Future<Output = Result<T, E>>>>` or `BoxFuture<'_, Result<T, E>>`, or make it an `async fn`"
        )
    } else {
        format!("`#[{name}]` goes on an `async fn`: write `async fn {}`", signature.ident)
    };
    Error::new(signature.fn_token.span, message + outermost.or_skip())
}

/// `return …;` is the body's last statement, and has an `async` block in it.
fn is_returned_at_the_end(body: &Group) -> bool {
    let tokens: Vec<TokenTree> = ungrouped(body.stream()).into_iter().collect();
    let is_end = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';');
    let is_return = |token: &TokenTree| matches!(token, TokenTree::Ident(ident) if ident == "return");
    let Some((end, before)) = tokens.split_last() else { return false };
    let statement = if is_end(end) { before } else { &tokens };
    let begin = statement.iter().rposition(is_end).map_or(0, |at| at.saturating_add(1));
    let statement = statement.get(begin..).unwrap_or_default();
    statement.first().is_some_and(is_return) && mentions(statement.iter().cloned().collect(), "async")
}

fn one_of_many(name: &str) -> String {
    format!(
        "`#[{name}]` guards one result, and this function gives a sequence of them: guard the `async fn` that gets one item, or the one that opens the sequence"
    )
}

/// A stream, or an iterator; one in a `Result` is what a call opens.
fn gives_many(ty: &Type) -> bool {
    let is_many = |bound: &TypeParamBound| match bound {
        TypeParamBound::Trait(of) => {
            of.path.segments.last().is_some_and(|of| of.ident == "Stream" || of.ident == "Iterator")
        }
        _ => false,
    };
    match ungrouped_type(ty) {
        Type::ImplTrait(object) => object.bounds.iter().any(is_many),
        Type::TraitObject(object) => object.bounds.iter().any(is_many),
        Type::Path(_) => {
            let last = last_segment(ty);
            match last.as_deref() {
                Some("BoxStream" | "LocalBoxStream") => true,
                Some("Pin" | "Box") => argument_of(ty).is_some_and(gives_many),
                _ => false,
            }
        }
        _ => false,
    }
}

/// A `Result` with a future in it.
fn holds_future(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|name| name == "Result") && argument_of(ty).is_some_and(is_future)
}

fn last_segment(ty: &Type) -> Option<String> {
    let Type::Path(path) = ungrouped_type(ty) else { return None };
    path.path.segments.last().map(|segment| segment.ident.to_string())
}

/// The first type between the last segment's angle brackets.
fn argument_of(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ungrouped_type(ty) else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// A block that the function returns from the middle of its body.
pub(crate) fn unguarded(outermost: &Outermost, place: Span) -> Error {
    let name = outermost.name();
    let message = format!(
        "`#[{name}]` guards the `async` block at the end of this function, and would leave the one returned here unguarded: decide inside of the block at the end, or make this an `async fn`"
    );
    Error::new(place, message + outermost.or_skip())
}

/// The type of a call's result, where there can be a failure among them.
pub(crate) fn result<'a>(outermost: &Outermost, signature: &Signature, output: Option<&'a Type>) -> Result<&'a Type> {
    let name = outermost.name();
    let refused = |place: Span, message: String| Err(Error::new(place, message + outermost.or_skip()));
    let is_unit = |ty: &Type| matches!(ungrouped_type(ty), Type::Tuple(tuple) if tuple.elems.is_empty());
    let Some(output) = output.filter(|output| !is_unit(output)) else {
        let ident = &signature.ident;
        let message =
            format!("`#[{name}]` needs a function that can fail: give `{ident}` a return type such as `Result<(), E>`");
        return refused(ident.span(), message);
    };
    if gives_many(output) {
        return refused(start_of(output), one_of_many(name));
    }
    match ungrouped_type(output) {
        Type::Never(never) => refused(
            never.bang_token.span,
            format!(
                "`#[{name}]` needs a function that can fail: a function that returns `!` never ends; return a `Result<T, E>`"
            ),
        ),
        _ => Ok(output),
    }
}
