//! An `impl` block, taken apart: its type's name, and its items, their bodies unread.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Generics, Result, Signature, Token, Type, Visibility};

use crate::async_trait::braces;
use crate::returns::ungrouped_type;

/// An `impl` block, its items unread.
pub(crate) struct Block {
    pub(crate) header: TokenStream,
    /// The last segment of the type's path.
    pub(crate) type_name: Option<String>,
    pub(crate) items: Group,
}

pub(crate) fn block(input: ParseStream<'_>) -> Result<Block> {
    let mut tokens: Vec<TokenTree> = input.parse::<TokenStream>()?.into_iter().collect();
    let Some(TokenTree::Group(items)) = tokens.pop() else { return Err(input.error("expected `{`")) };
    let header: TokenStream = tokens.into_iter().collect();
    let type_name = type_of.parse2(header.clone()).ok().flatten();
    Ok(Block { header, type_name, items })
}

/// `Repository` of `impl<T> Store for my::Repository<T> where …`.
fn type_of(input: ParseStream<'_>) -> Result<Option<String>> {
    input.parse::<Option<Token![unsafe]>>()?;
    input.parse::<Token![impl]>()?;
    let generics: Generics = input.parse()?;
    let mut ty: Type = input.parse()?;
    if input.parse::<Option<Token![for]>>()?.is_some() {
        ty = input.parse()?;
    }
    input.parse::<TokenStream>()?;
    Ok(match ungrouped_type(&ty) {
        // Of `impl<T> Store for T` nobody knows the name.
        Type::Path(path) if generics.type_params().any(|parameter| path.path.is_ident(&parameter.ident)) => None,
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.unraw().to_string()),
        _ => None,
    })
}

/// `#![…]` at the beginning of the block, and the items.
pub(crate) fn inner_attributes(input: ParseStream<'_>) -> Result<(Vec<Attribute>, TokenStream)> {
    Ok((input.call(Attribute::parse_inner)?, input.parse()?))
}

/// One item of the block.
pub(crate) struct Item {
    pub(crate) attributes: Vec<Attribute>,
    /// Of a method.
    pub(crate) signature: Option<Signature>,
    /// The item without its attributes.
    pub(crate) rest: TokenStream,
    /// The braces it ends with.
    pub(crate) body: Option<Group>,
}

/// The items of a block, their bodies unread.
pub(crate) fn split(items: TokenStream) -> Vec<Item> {
    let read = |input: ParseStream<'_>| {
        let mut all = Vec::new();
        while !input.is_empty() {
            // Of what is half typed rustc tells.
            let attributes = input.call(Attribute::parse_outer).unwrap_or_default();
            let ahead = input.fork();
            let head = ahead.parse::<Visibility>().and_then(|visibility| Ok((visibility, ahead.parse::<Signature>()?)));
            let mut rest = TokenStream::new();
            let signature = match head {
                Ok((visibility, signature)) => {
                    input.advance_to(&ahead);
                    visibility.to_tokens(&mut rest);
                    signature.to_tokens(&mut rest);
                    Some(signature)
                }
                Err(_) => None,
            };
            let body = to_end_of_item(input, &mut rest)?;
            all.push(Item { attributes, signature, rest, body });
        }
        Ok(all)
    };
    read.parse2(items).unwrap_or_default()
}

/// To the `;`, or the braces that are a body, which it gives back.
fn to_end_of_item(input: ParseStream<'_>, rest: &mut TokenStream) -> Result<Option<Group>> {
    let mut value = false;
    while !input.is_empty() {
        let token = input.parse::<TokenTree>()?;
        rest.extend([token.clone()]);
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == ';' => break,
            // Braces behind `=` are a constant's value.
            TokenTree::Punct(punct) => value |= punct.as_char() == '=',
            // Also those that a `macro_rules` got as a `$body:block`.
            TokenTree::Group(_) if !value => {
                if let Some(body) = braces(&token) {
                    return Ok(Some(body));
                }
            }
            _ => {}
        }
    }
    Ok(None)
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "tests may panic")]
mod tests {
    use super::{block, split};
    use syn::parse::Parser;

    #[test]
    fn the_type_has_a_name() {
        for (item, expected) in [
            ("impl Repository {}", Some("Repository")),
            ("impl<T: for<'a> Of<'a>> my::Repository<T> where T: Clone {}", Some("Repository")),
            ("unsafe impl<const N: usize> Store<N> for crate::Repository<{ N }> {}", Some("Repository")),
            ("impl Store for &mut Repository {}", None),
            ("impl Store for (u8, u8) {}", None),
            ("impl<T: Clone> Store for T {}", None),
        ] {
            let found = block.parse_str(item).expect(item).type_name;
            assert_eq!(found.as_deref(), expected, "{item}");
        }
    }

    #[test]
    fn items_are_split_at_their_ends() {
        let items = "
            const A: B = B { c: 1 };
            type C = D;
            #[x] pub(crate) async fn e<const N: usize>(&self) -> [u8; { N }] where Self: Sized { half. typed }
            m! { n }
            m!(n);
            fn f();
            async unsafe fn broken(
        ";
        let items = split(items.replace("async unsafe fn broken(", "").parse().expect("tokens"));
        let names: Vec<_> =
            items.iter().map(|item| item.signature.as_ref().map(|signature| signature.ident.to_string())).collect();
        let some = |name: &str| Some(name.to_owned());
        assert_eq!(names, [None, None, some("e"), None, None, some("f")]);
    }
}
