//! The function under the attributes: its signature parsed, its body kept as tokens.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::{AttrStyle, Attribute, Error, Result, ReturnType, Safety, Signature, Type, Visibility};

use crate::expand::words_after;
use crate::policy::Shape;
use crate::recover::Errors;
use crate::returns::{self, Returned, UniqueInput};
use crate::stack::{RESILIENT, Stack};
use crate::tokens::{Words, ungrouped};

/// An async fn with a body.
pub(crate) struct Function {
    /// Without ours; the body's inner attributes among them.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    /// The user's braces and what is in them, without inner attributes.
    pub(crate) body: Group,
    pub(crate) words: Words,
    pub(crate) returned: Returned,
}

impl Function {
    /// Reads the item that stands under the attribute of that name, or says what is wrong with it.
    pub(crate) fn parse(name: &str, mut attributes: Vec<Attribute>, item: TokenStream) -> Result<Self> {
        if let Some(error) = not_a_function(name, item.clone()) {
            return Err(error);
        }
        let (visibility, signature, rest) = head.parse2(item)?;
        let body = body_of(rest);
        supported(name, &signature, body.as_ref())?;
        let (Some(body), ReturnType::Type(_, ty)) = (body, &signature.output) else {
            // Told by `supported` already.
            return Err(Error::new_spanned(&signature, "expected a body and a return type"));
        };
        let returned = Returned::of(ty);
        let (inner, body) = hoisted(&body)?;
        attributes.extend(inner);
        let words = Words::of(&body.stream());
        Ok(Self { attributes, visibility, signature, body, words, returned })
    }
}

fn head(input: ParseStream<'_>) -> Result<(Visibility, Signature, TokenStream)> {
    Ok((input.parse()?, input.parse()?, input.parse()?))
}

/// What stands before `fn` decides whether there is a function at all.
fn not_a_function(name: &str, item: TokenStream) -> Option<Error> {
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
    let message = match kind.as_str() {
        "impl" if name == RESILIENT => {
            "`#[resilient]` does not support `impl` blocks yet: put it on the methods, each an `async fn`".to_owned()
        }
        "impl" | "trait" => format!("`#[{name}]` goes on an `async fn`: put it on the methods of this `{kind}`"),
        "mod" => format!("`#[{name}]` goes on an `async fn`: put it on the functions of this module"),
        "enum" => format!("`#[{name}]` goes on an `async fn`, and this is an `enum`"),
        "struct" | "union" | "static" | "type" | "use" => {
            format!("`#[{name}]` goes on an `async fn`, and this is a `{kind}`")
        }
        _ => format!("`#[{name}]` goes on an `async fn`"),
    };
    let place = token.or(first).map_or_else(Span::call_site, |token| token.span());
    Some(Error::new(place, message))
}

/// The brace group at the end, out of the invisible groups of a `macro_rules`.
fn body_of(rest: TokenStream) -> Option<Group> {
    match ungrouped(rest).into_iter().next() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => Some(group),
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::None => body_of(group.stream()),
        _ => None,
    }
}

/// Splits `#![…]` off the body: they become outer attributes.
fn hoisted(body: &Group) -> Result<(Vec<Attribute>, Group)> {
    let split = |input: ParseStream<'_>| Ok((input.call(Attribute::parse_inner)?, input.parse::<TokenStream>()?));
    let (mut inner, rest) = split.parse2(body.stream())?;
    if inner.is_empty() {
        return Ok((inner, body.clone()));
    }
    for attribute in &mut inner {
        attribute.style = AttrStyle::Outer;
    }
    let mut stripped = Group::new(Delimiter::Brace, rest);
    stripped.set_span(body.span());
    Ok((inner, stripped))
}

fn supported(name: &str, signature: &Signature, body: Option<&Group>) -> Result<()> {
    let fails = |place: Span, message: String| Err(Error::new(place, message));
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
    let Some(body) = body else {
        let message = format!(
            "`#[{name}]` needs a body to guard: put it on the method in the `impl`, or give this one a default body"
        );
        return Err(Error::new_spanned(signature, message));
    };
    if signature.asyncness.is_none() {
        return fails(signature.fn_token.span, not_async(name, signature, body));
    }
    match &signature.output {
        ReturnType::Default => {
            let ident = &signature.ident;
            fails(
                ident.span(),
                format!(
                    "`#[{name}]` needs a function that can fail: give `{ident}` a return type such as `Result<(), E>`"
                ),
            )
        }
        ReturnType::Type(_, ty) => match returns::ungrouped_type(ty) {
            Type::Never(never) => fails(
                never.bang_token.span,
                format!(
                    "`#[{name}]` needs a function that can fail: a function that returns `!` never ends; return a `Result<T, E>`"
                ),
            ),
            _ => Ok(()),
        },
    }
}

fn not_async(name: &str, signature: &Signature, body: &Group) -> String {
    let words = Words::of(&body.stream());
    if words.has("block_on") {
        return format!(
            "`#[{name}]` goes on an `async fn`: put it above `#[tokio::main]` or `#[tokio::test]`, which make this function a blocking one"
        );
    }
    let output = match &signature.output {
        ReturnType::Type(_, ty) => Words::of(&quote::ToTokens::to_token_stream(&**ty)),
        ReturnType::Default => Words::default(),
    };
    if output.has("async_trait") {
        return format!(
            "`#[{name}]` does not support `#[async_trait]` methods yet: guard an `async fn` of the type and call it from here"
        );
    }
    if ["Future", "BoxFuture", "LocalBoxFuture"].iter().any(|word| output.has(word)) {
        return format!("`#[{name}]` does not support functions that return a future yet: write an `async fn`");
    }
    format!("`#[{name}]` goes on an `async fn`: write `async fn {}`", signature.ident)
}

/// What only shows with the whole stack known.
pub(crate) fn check(function: &Function, stack: &Stack, errors: &mut Errors) {
    if function.words.has(MARKER) {
        errors.push(Error::new(
            Span::call_site(),
            "another resilience attribute of this function has been expanded already: put them together, under their own names (`use resilience::retry`, without `as`)",
        ));
        return;
    }
    let unique = returns::unique_inputs(&function.signature);
    let Some(retry) = stack.layers.iter().find(|layer| layer.policy.shape == Shape::Loop) else {
        asked_of_what_is_returned(function, stack, &unique, errors);
        return;
    };
    let name = retry.policy.name;
    let instrumented = function.words.has("__tracing_attr_span");
    if let Some(receiver) = unique.iter().find(|input| instrumented && input.is_receiver) {
        errors.push(Error::new_spanned(&receiver.tokens, format!("put `#[{name}]` above `#[instrument]`: the body that `#[instrument]` makes moves `&mut self`, so it cannot run twice")));
    }
    if let Some(input) = returns::source_of_output(&unique, &function.returned, &function.signature) {
        errors.push(Error::new_spanned(
            &input.tokens,
            format!(
                "`#[{name}]` cannot return a reference into {}: the next attempt needs it again while the result of the last one lives; return an owned value, or take `&` instead of `&mut`",
                input.name
            ),
        ));
    }
}

/// An expression that runs after the body cannot ask for what the result still borrows.
fn asked_of_what_is_returned(function: &Function, stack: &Stack, unique: &[UniqueInput], errors: &mut Errors) {
    let Some(input) = returns::source_of_output(unique, &function.returned, &function.signature) else { return };
    for layer in &stack.layers {
        let asked = words_after(layer);
        let words = Words::of(&asked);
        if input
            .tokens
            .clone()
            .into_iter()
            .any(|token| matches!(token, TokenTree::Ident(ident) if words.contain(&ident)))
        {
            let (name, input) = (layer.policy.name, &input.name);
            errors.push(Error::new_spanned(
                asked,
                format!(
                    "`#[{name}]` cannot use {input} here, as the result may be a reference into it; return an owned value, or take `&` instead of `&mut`"
                ),
            ));
        }
    }
}

/// An item that every expansion declares.
pub(crate) const MARKER: &str = "__RESILIENCE_EXPANDED";
