//! The function under the attributes: its signature parsed, its body kept as tokens.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::quote_spanned;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Error, Result, ReturnType, Signature, Visibility};

use crate::expand::words_after;
use crate::frame::{self, Frame, Returning};
use crate::key;
use crate::ours::RESILIENT;
use crate::policy::Shape;
use crate::recover::Errors;
use crate::returns::{self, Returned, UniqueInput};
use crate::stack::{Outermost, Stack};
use crate::tokens::{local, mentions, ungrouped};
use crate::unfit;
use crate::words::Words;

/// A function whose calls can be guarded.
pub(crate) struct Function {
    /// Without ours.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    /// The body's `#![…]`.
    pub(crate) inner: Vec<Attribute>,
    /// What stands around the guarded code.
    pub(crate) frame: Frame,
    /// The guarded code: its braces and what is in them, without inner attributes.
    pub(crate) body: Group,
    pub(crate) words: Words,
    pub(crate) returned: Returned,
}

impl Function {
    /// Reads the item that stands under the attribute, or says what is wrong with it.
    pub(crate) fn parse(outermost: &Outermost, attributes: Vec<Attribute>, item: TokenStream) -> Result<Self> {
        if let Some(error) = unfit::not_a_function(outermost, item.clone()) {
            return Err(error);
        }
        let (visibility, signature, rest) = head.parse2(item)?;
        let body = body_of(rest);
        unfit::check(outermost, &signature)?;
        let Some(body) = body else { return Err(unfit::no_body(outermost, &signature)) };
        let (inner, body) = without_inner_attributes(&body)?;
        let returned = match &signature.output {
            ReturnType::Type(_, ty) => Some(&**ty),
            ReturnType::Default => None,
        };
        let Returning { output, frame, body } = if signature.asyncness.is_some() {
            let frame = Frame::whole(&body);
            Returning { output: returned, frame, body }
        } else {
            let found = returned.and_then(|returned| frame::returned_block(returned, &body));
            found.ok_or_else(|| unfit::not_async(outermost, &signature, &body))?
        };
        if let Some(place) = frame.returns_early() {
            return Err(unfit::unguarded(outermost, place));
        }
        let output = unfit::result(outermost, &signature, output)?;
        let returned = Returned::of(output);
        let words = Words::of(&body.stream());
        Ok(Self { attributes, visibility, signature, inner, frame, body, words, returned })
    }
}

fn head(input: ParseStream<'_>) -> Result<(Visibility, Signature, TokenStream)> {
    Ok((input.parse()?, input.parse()?, input.parse()?))
}

/// The brace group at the end, out of the invisible groups of a `macro_rules`.
fn body_of(rest: TokenStream) -> Option<Group> {
    match ungrouped(rest).into_iter().next() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => Some(group),
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::None => body_of(group.stream()),
        _ => None,
    }
}

/// Splits `#![…]` off the body: they are about the whole function.
fn without_inner_attributes(body: &Group) -> Result<(Vec<Attribute>, Group)> {
    let split = |input: ParseStream<'_>| Ok((input.call(Attribute::parse_inner)?, input.parse::<TokenStream>()?));
    let (inner, rest) = split.parse2(body.stream())?;
    if inner.is_empty() {
        return Ok((inner, body.clone()));
    }
    let mut stripped = Group::new(Delimiter::Brace, rest);
    stripped.set_span(body.span());
    Ok((inner, stripped))
}

/// What only shows with the whole stack known.
pub(crate) fn check(function: &Function, stack: &Stack, errors: &mut Errors) {
    let remembers = stack.layers.iter().find(|layer| layer.policy.shape == Shape::Recover { remembers: true });
    if let (Some(layer), Some(value)) = (remembers, &function.returned.lent) {
        let name = layer.policy.name;
        let message = format!(
            "`#[{name}]` remembers the value after the call, and this one borrows from it: return an owned value, or an `Arc`"
        );
        errors.push(Error::new_spanned(value, message));
    }
    errors.extend(stack.keys().filter_map(|key| key::problem(key, Some(&function.signature))));
    let unique = returns::unique_inputs(&function.signature);
    let Some(retry) = stack.layers.iter().find(|layer| layer.policy.shape == Shape::Loop) else {
        asked_of_what_is_returned(function, stack, &unique, errors);
        return;
    };
    let name = retry.policy.name;
    let instrumented = mentions(function.body.stream(), "__tracing_attr_span");
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

/// An item that every expansion declares: its sites.
pub(crate) const MARKER: &str = "__RESILIENCE_SITES";
/// And one that is there when the user has been told of another attribute.
const TOLD: &str = "__RESILIENCE_TOLD";

/// Whether an attribute of ours has been expanded in the function already.
pub(crate) fn is_expanded(item: &TokenStream) -> bool {
    mentions(item.clone(), MARKER)
}

/// Two attributes that rustc has expanded one after the other, told once for each function.
pub(crate) fn told_apart(outermost: &Outermost, item: &TokenStream) -> Option<Error> {
    (!mentions(item.clone(), TOLD)).then(|| apart(outermost))
}

pub(crate) fn apart(outermost: &Outermost) -> Error {
    let name = outermost.name();
    let message = format!(
        "`#[{name}]` has been expanded apart from the resilience attribute above, which knows it by its own name and as `resilience::{name}` only: write `#[{name}]` (imported without `as`), or put both in one `#[{RESILIENT}(…)]`"
    );
    Error::new(Span::call_site(), message)
}

/// The function with a note for the attributes that follow.
pub(crate) fn told(item: TokenStream) -> TokenStream {
    if mentions(item.clone(), TOLD) {
        return item;
    }
    let mut tokens: Vec<TokenTree> = item.into_iter().collect();
    if let Some(TokenTree::Group(body)) = tokens.last_mut() {
        let told = local(TOLD);
        let mut content = quote_spanned!(Span::mixed_site()=> const #told: () = (););
        content.extend(body.stream());
        let mut noted = Group::new(body.delimiter(), content);
        noted.set_span(body.span());
        *body = noted;
    }
    tokens.into_iter().collect()
}
