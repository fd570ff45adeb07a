//! The return type: a copy that may stand in the body, and what it borrows.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{
    FnArg, GenericArgument, Lifetime, Pat, PathArguments, Receiver, ReceiverKind, Signature, Type, TypeParamBound,
    TypePath,
};

use crate::tokens::{mentions, start_of};

/// The function's return type.
#[derive(Debug)]
pub(crate) struct Returned {
    /// With `_` for each `impl Trait`.
    pub(crate) ty: TokenStream,
    inferred: bool,
    /// Where complaints about the type are shown: its name, or its first token.
    pub(crate) span: Span,
    lifetimes: Vec<Borrow>,
    /// The value in it, where that borrows: the `&str` of `Result<&str, E>`.
    pub(crate) lent: Option<TokenStream>,
}

/// A lifetime that occurs in a type.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Borrow {
    Elided,
    Named(String),
}

impl Returned {
    pub(crate) fn of(ty: &Type) -> Self {
        let mut lifetimes = Vec::new();
        borrows(ty, &mut lifetimes);
        let tokens = ty.to_token_stream();
        let inferred = mentions(tokens.clone(), "impl");
        Self { ty: without_impl(tokens), inferred, span: place(ty), lifetimes, lent: lent(ty) }
    }

    /// Whether part of it is for the compiler to find out.
    pub(crate) fn is_inferred(&self) -> bool {
        self.inferred
    }
}

/// `Result` of `std::io::Result<u8>`: one token, so that all generated tokens can be in the same place.
fn place(ty: &Type) -> Span {
    match ungrouped_type(ty) {
        Type::Path(path) => path.path.segments.last().map_or_else(|| start_of(ty), |segment| segment.ident.span()),
        other => start_of(other),
    }
}

/// The first type that a type is made of, where it borrows.
fn lent(ty: &Type) -> Option<TokenStream> {
    let Type::Path(path) = ungrouped_type(ty) else { return None };
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else { return None };
    let value = arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })?;
    let mut found = Vec::new();
    borrows(value, &mut found);
    found.iter().any(|borrow| *borrow != Borrow::Named("static".to_owned())).then(|| value.to_token_stream())
}

/// `Result<impl Display, E>` → `Result<_, E>`.
fn without_impl(tokens: TokenStream) -> TokenStream {
    let mut copy = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(ident) if ident == "impl" => {
                copy.extend(quote_spanned!(ident.span()=> _));
                skip_bounds(&mut tokens);
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), without_impl(group.stream()));
                inner.set_span(group.span());
                copy.extend([TokenTree::Group(inner)]);
            }
            other => copy.extend([other]),
        }
    }
    copy
}

/// To the `,` or `>` of the list around.
fn skip_bounds(tokens: &mut std::iter::Peekable<impl Iterator<Item = TokenTree>>) {
    let mut depth = 0_usize;
    let mut arrow = false;
    while let Some(token) = tokens.peek() {
        let mut dash = false;
        if let TokenTree::Punct(punct) = token {
            match punct.as_char() {
                '<' => depth = depth.saturating_add(1),
                '>' if arrow => {}
                '>' if depth == 0 => return,
                '>' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => return,
                '-' => dash = true,
                _ => {}
            }
        }
        arrow = dash;
        tokens.next();
    }
}

/// The type inside invisible groups and parentheses.
pub(crate) fn ungrouped_type(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped_type(&group.elem),
        Type::Paren(paren) => ungrouped_type(&paren.elem),
        other => other,
    }
}

fn borrows(ty: &Type, found: &mut Vec<Borrow>) {
    match ty {
        Type::Reference(reference) => {
            found.push(borrow(reference.lifetime.as_ref()));
            borrows(&reference.elem, found);
        }
        Type::Group(group) => borrows(&group.elem, found),
        Type::Paren(paren) => borrows(&paren.elem, found),
        Type::Array(array) => borrows(&array.elem, found),
        Type::Slice(slice) => borrows(&slice.elem, found),
        Type::Ptr(pointer) => borrows(&pointer.elem, found),
        Type::Tuple(tuple) => tuple.elems.iter().for_each(|elem| borrows(elem, found)),
        Type::Path(path) => path_borrows(path, found),
        Type::TraitObject(object) => bound_borrows(&object.bounds, found),
        Type::ImplTrait(object) => bound_borrows(&object.bounds, found),
        _ => {}
    }
}

fn path_borrows(path: &TypePath, found: &mut Vec<Borrow>) {
    for segment in &path.path.segments {
        // `Fn(&T) -> &U` has lifetimes of its own.
        if let PathArguments::AngleBracketed(arguments) = &segment.arguments {
            for argument in &arguments.args {
                match argument {
                    GenericArgument::Lifetime(lifetime) => found.push(borrow(Some(lifetime))),
                    GenericArgument::Type(ty) => borrows(ty, found),
                    GenericArgument::AssocType(assoc) => borrows(&assoc.ty, found),
                    _ => {}
                }
            }
        }
    }
}

fn bound_borrows<'a>(bounds: impl IntoIterator<Item = &'a TypeParamBound>, found: &mut Vec<Borrow>) {
    for bound in bounds {
        if let TypeParamBound::Lifetime(lifetime) = bound {
            found.push(borrow(Some(lifetime)));
        }
    }
}

fn borrow(lifetime: Option<&Lifetime>) -> Borrow {
    match lifetime {
        Some(lifetime) if lifetime.ident != "_" => Borrow::Named(lifetime.ident.to_string()),
        _ => Borrow::Elided,
    }
}

/// A `&mut` receiver or argument.
#[derive(Debug)]
pub(crate) struct UniqueInput {
    pub(crate) is_receiver: bool,
    /// For messages.
    pub(crate) name: String,
    /// The receiver, or the argument's pattern.
    pub(crate) tokens: TokenStream,
    lifetime: Borrow,
}

/// Every `&mut` input.
pub(crate) fn unique_inputs(signature: &Signature) -> Vec<UniqueInput> {
    let unique = |input: &FnArg| match input {
        FnArg::Receiver(receiver) => Some(UniqueInput {
            is_receiver: true,
            name: "`&mut self`".to_owned(),
            tokens: receiver.to_token_stream(),
            lifetime: unique_receiver(receiver)?,
        }),
        FnArg::Typed(argument) => match ungrouped_type(&argument.ty) {
            Type::Reference(reference) if reference.mutability.is_some() => Some(UniqueInput {
                is_receiver: false,
                name: match &*argument.pat {
                    Pat::Ident(ident) => format!("`{}`", ident.ident),
                    _ => "this argument".to_owned(),
                },
                tokens: argument.pat.to_token_stream(),
                lifetime: borrow(reference.lifetime.as_ref()),
            }),
            _ => None,
        },
    };
    signature.inputs.iter().filter_map(unique).collect()
}

/// `&mut self`, `self: &mut Self`, `self: Pin<&mut Self>`.
fn unique_receiver(receiver: &Receiver) -> Option<Borrow> {
    match &receiver.kind {
        ReceiverKind::Reference(_, lifetime, Some(_)) => Some(borrow(lifetime.as_ref())),
        ReceiverKind::Typed(_, ty) => unique_reference(ty),
        _ => None,
    }
}

fn unique_reference(ty: &Type) -> Option<Borrow> {
    match ungrouped_type(ty) {
        Type::Reference(reference) if reference.mutability.is_some() => Some(borrow(reference.lifetime.as_ref())),
        Type::Path(path) => match &path.path.segments.last()?.arguments {
            PathArguments::AngleBracketed(arguments) => arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(ty) => unique_reference(ty),
                _ => None,
            }),
            _ => None,
        },
        _ => None,
    }
}

/// The `&mut` input that a returned reference may come from.
pub(crate) fn source_of_output<'a>(
    unique: &'a [UniqueInput],
    returned: &Returned,
    signature: &Signature,
) -> Option<&'a UniqueInput> {
    let elided_is_receivers = signature.receiver().is_some_and(|receiver| match &receiver.kind {
        ReceiverKind::Value => false,
        ReceiverKind::Reference(..) => true,
        ReceiverKind::Typed(_, ty) => has_reference(ty),
        _ => false,
    });
    unique.iter().find(|input| {
        returned.lifetimes.iter().any(|lifetime| match lifetime {
            // An elided lifetime is the receiver's, or else the only one there is.
            Borrow::Elided if input.is_receiver || !elided_is_receivers => elision_reaches(input, signature),
            Borrow::Elided => false,
            named => *named == input.lifetime,
        })
    })
}

/// With a named lifetime on the receiver, an elided one in the output is that.
fn elision_reaches(input: &UniqueInput, signature: &Signature) -> bool {
    input.is_receiver || input.lifetime == Borrow::Elided || signature.generics.lifetimes().count() == 1
}

fn has_reference(ty: &Type) -> bool {
    let mut found = Vec::new();
    borrows(ty, &mut found);
    !found.is_empty()
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "tests may panic")]
mod tests {
    use super::{Returned, source_of_output, unique_inputs};
    use syn::{ReturnType, Signature};

    #[test]
    fn impl_becomes_a_placeholder() {
        for (ty, expected) in [
            ("Result < u8 , E >", "Result < u8 , E >"),
            ("Result < impl Display + Send , E >", "Result < _ , E >"),
            (
                "Result < (impl Fn (u8) -> Vec < u8 > , Vec < impl Iterator < Item = u8 > >) , E >",
                "Result < (_ , Vec < _ >) , E >",
            ),
            ("impl Into < u8 >", "_"),
        ] {
            let returned = Returned::of(&syn::parse_str(ty).expect(ty));
            let expected = expected.parse::<proc_macro2::TokenStream>().expect(expected).to_string();
            assert_eq!(returned.ty.to_string(), expected);
        }
    }

    #[test]
    fn only_a_reference_from_a_unique_input_counts() {
        for (signature, expected) in [
            ("async fn f(&mut self) -> Result<&str, E>", true),
            ("async fn f(&mut self) -> Result<Guard<'_>, E>", true),
            ("async fn f<'a>(&'a mut self) -> Result<&'a str, E>", true),
            ("async fn f<'a>(&mut self, x: &'a str) -> Result<&'a str, E>", false),
            ("async fn f(&mut self) -> Result<&'static str, E>", false),
            ("async fn f(&self, x: &mut u8) -> Result<&str, E>", false),
            ("async fn f(x: &mut u8) -> Result<&u8, E>", true),
            ("async fn f<'a>(x: &'a mut u8, y: &u8) -> Result<&'a u8, E>", true),
            ("async fn f(&mut self) -> Result<Box<dyn Fn(&str) -> &str>, E>", false),
            ("async fn f(self: Pin<&mut Self>) -> Result<&str, E>", true),
            ("async fn f(&self) -> Result<&str, E>", false),
            ("async fn f(&mut self) -> Result<String, E>", false),
        ] {
            let parsed: Signature = syn::parse_str(signature).expect(signature);
            let ReturnType::Type(_, ty) = &parsed.output else { unreachable!("{signature}") };
            let returned = Returned::of(ty);
            let unique = unique_inputs(&parsed);
            assert_eq!(source_of_output(&unique, &returned, &parsed).is_some(), expected, "{signature}");
        }
    }
}
