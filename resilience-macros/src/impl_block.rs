//! `#[resilient(…)]` on an `impl` block: the list goes on each of its async methods.

use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Error, Generics, Meta, Result, ReturnType, Signature, Token, Type, Visibility};

use crate::async_trait::braces;
use crate::frame;
use crate::names;
use crate::recover::Errors;
use crate::returns::ungrouped_type;
use crate::stack::{self, Layer, OfImpl, Ours, Outermost, RESILIENT, Stack};
use crate::tokens::local;
use crate::unfit::mentions_future;

/// Expands the list on an `impl` block; its methods' own attributes follow when rustc comes to them.
pub(crate) fn expand(args: TokenStream, attributes: &[Attribute], item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let block = match block.parse2(item.clone()) {
        Ok(block) => block,
        // rustc says the same of the item itself, and better.
        Err(_) => return whole(TokenStream::new(), attributes, item.clone()),
    };
    let outermost = Outermost { ours: Ours::Resilient, of_impl: None, self_name: None };
    let mut stack = stack::collect(&outermost, args.clone(), &mut Vec::new(), &mut errors);
    let krate = stack.krate.clone();
    check(&mut stack, &block, attributes, &mut errors);
    // A list that is wrong is told once, and goes on no method.
    let listed = errors.is_empty();
    let mut methods = Methods {
        list: listed.then_some(&args),
        type_name: block.type_name.as_deref(),
        krate: &krate,
        checked: false,
        guarded: 0,
        errors: &mut errors,
    };
    let (inner, items) = match inner_attributes.parse2(block.items.stream()) {
        Ok(split) => split,
        Err(_) => (Vec::new(), block.items.stream()),
    };
    let items = methods.all(items);
    if methods.guarded == 0 && listed {
        errors.push(Error::new(
            Span::call_site(),
            "this `impl` block has no async method to guard: remove the attribute, or put it on the block that has them",
        ));
    }
    let foreign: Vec<_> = attributes.iter().filter(|attribute| ours(attribute, &krate).is_none()).cloned().collect();
    let mut within = TokenStream::new();
    inner.iter().for_each(|attribute| attribute.to_tokens(&mut within));
    within.extend(items);
    let mut braces = Group::new(Delimiter::Brace, within);
    braces.set_span(block.items.span());
    let mut item = block.header;
    braces.to_tokens(&mut item);
    let mut told = errors.into_tokens();
    told.extend(stack.anchors());
    whole(told, &foreign, item)
}

fn whole(errors: TokenStream, attributes: &[Attribute], item: TokenStream) -> TokenStream {
    let mut tokens = errors;
    attributes.iter().for_each(|attribute| attribute.to_tokens(&mut tokens));
    tokens.extend(item);
    tokens
}

/// `#![…]` at the beginning of the block, and the items.
fn inner_attributes(input: ParseStream<'_>) -> Result<(Vec<Attribute>, TokenStream)> {
    Ok((input.call(Attribute::parse_inner)?, input.parse()?))
}

/// An `impl` block, its items unread.
struct Block {
    header: TokenStream,
    /// The last segment of the type's path.
    type_name: Option<String>,
    items: Group,
}

fn block(input: ParseStream<'_>) -> Result<Block> {
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

/// Tells what is wrong with the list wherever it stands, and what is wrong with it on an `impl` block.
fn check(stack: &mut Stack, block: &Block, attributes: &[Attribute], errors: &mut Errors) {
    for attribute in attributes {
        if let Some(ours) = ours(attribute, &stack.krate) {
            let name = ours.name();
            stack.take(attribute.path().clone());
            errors.push(Error::new_spanned(
                attribute.path(),
                format!("an `impl` block takes one `#[{RESILIENT}(…)]`: write `{name}(…)` in its list"),
            ));
        }
    }
    for listed in stack.layers.iter().flat_map(|layer| &layer.args.borrow) {
        let message = "arguments belong to one method: give that method a `#[retry(borrow(…))]` of its own, with `#[resilient(skip)]` or without `retry` in this list";
        errors.push(Error::new(listed.span(), message));
    }
    stack.of_impl = Some(OfImpl { type_name: block.type_name.clone(), checks: false });
    names::fill(stack, &local("method"), errors);
}

struct Methods<'a> {
    /// What goes on each.
    list: Option<&'a TokenStream>,
    type_name: Option<&'a str>,
    krate: &'a TokenStream,
    /// A method has the list's ranges checked: they are told once.
    checked: bool,
    guarded: usize,
    errors: &'a mut Errors,
}

impl Methods<'_> {
    /// The items with the list on every async method.
    fn all(&mut self, items: TokenStream) -> TokenStream {
        let mut all = TokenStream::new();
        for item in split(items) {
            let Item { mut attributes, signature, rest, body } = item;
            match signature {
                Some(signature) => self.guard(&mut attributes, &signature, body.as_ref()),
                None => self.leave(&mut attributes),
            }
            attributes.iter().for_each(|attribute| attribute.to_tokens(&mut all));
            all.extend(rest);
        }
        all
    }

    /// An item that is no method.
    fn leave(&mut self, attributes: &mut Vec<Attribute>) {
        let skip = attributes.iter().position(|attribute| is_skip(attribute, Some(self.krate)));
        if let Some(at) = skip {
            let message =
                format!("only methods are guarded, so there is nothing to leave out: remove `#[{RESILIENT}(skip)]`");
            self.errors.push(Error::new_spanned(attributes.remove(at).path(), message));
        }
    }

    fn guard(&mut self, attributes: &mut Vec<Attribute>, signature: &Signature, body: Option<&Group>) {
        let skip = attributes.iter().position(|attribute| is_skip(attribute, Some(self.krate)));
        // What only may be a future gets the list too: a method that is left out in silence is not what the block says.
        let is_async =
            signature.asyncness.is_some() || returns_future(signature) || body.is_some_and(frame::ends_in_block);
        if let Some(at) = skip {
            let attribute = attributes.remove(at);
            if is_async {
                return;
            }
            self.errors.push(Error::new_spanned(
                attribute.path(),
                format!(
                    "`{}` is not async, so it is not guarded anyway: remove `#[{RESILIENT}(skip)]`",
                    signature.ident
                ),
            ));
        }
        if !is_async {
            return;
        }
        self.guarded = self.guarded.saturating_add(1);
        if body.is_none() {
            // rustc tells.
            return;
        }
        let checks = !std::mem::replace(&mut self.checked, true);
        // Without the method, or its list, that another configuration leaves out, the next one has to tell.
        let may_go = |attribute: &Attribute| ["cfg", "cfg_attr"].iter().any(|name| attribute.path().is_ident(name));
        self.checked &= !attributes.iter().any(may_go);
        let first_of_ours = attributes.iter().position(|attribute| ours(attribute, self.krate).is_some()).unwrap_or(0);
        attributes.splice(first_of_ours..first_of_ours, self.attribute(checks));
    }

    /// `#[resilience::resilient(__impl("Type" checks), LIST)]`
    fn attribute(&self, checks: bool) -> Vec<Attribute> {
        let Some(list) = self.list else { return Vec::new() };
        let krate = self.krate;
        let resilient = Ident::new(RESILIENT, Span::call_site());
        let of_impl = Ident::new(OF_IMPL, Span::call_site());
        let type_name = self.type_name.map(Literal::string);
        let checks = checks.then(|| Ident::new(CHECKS, Span::call_site()));
        let tokens = quote_spanned!(Span::call_site()=> #[#krate::#resilient(#of_impl(#type_name #checks), #list)]);
        // Tokens of our own making, around a path that is one.
        Attribute::parse_outer.parse2(tokens).unwrap_or_default()
    }
}

/// Marks the list of an `impl` block on a method.
const OF_IMPL: &str = "__impl";
/// Marks the method that has the list's ranges checked.
const CHECKS: &str = "checks";

/// Splits `__impl("Type" checks),` off a list.
pub(crate) fn unmarked(list: TokenStream) -> (Option<OfImpl>, TokenStream) {
    let mut tokens = list.clone().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Ident(mark)), Some(TokenTree::Group(group))) if mark == OF_IMPL => {
            let mut of_impl = OfImpl { type_name: None, checks: false };
            for token in group.stream() {
                match token {
                    TokenTree::Literal(literal) => {
                        of_impl.type_name = Some(literal.to_string().trim_matches('"').to_owned());
                    }
                    TokenTree::Ident(ident) => of_impl.checks |= ident == CHECKS,
                    _ => {}
                }
            }
            // The comma.
            let _ = tokens.next();
            (Some(of_impl), tokens.collect())
        }
        _ => (None, list),
    }
}

fn ours(attribute: &Attribute, krate: &TokenStream) -> Option<Ours> {
    stack::recognise(attribute.path(), Some(krate))
}

/// Whether an attribute is `#[resilient(skip)]`.
pub(crate) fn is_skip(attribute: &Attribute, krate: Option<&TokenStream>) -> bool {
    matches!(stack::recognise(attribute.path(), krate), Some(Ours::Resilient))
        && matches!(&attribute.meta, Meta::List(list) if list.tokens.to_string() == SKIP)
}

const SKIP: &str = "skip";

fn returns_future(signature: &Signature) -> bool {
    matches!(&signature.output, ReturnType::Type(_, ty) if frame::is_future(ty) || mentions_future(ty))
}

/// One item of the block.
struct Item {
    attributes: Vec<Attribute>,
    /// Of a method.
    signature: Option<Signature>,
    /// The item without its attributes.
    rest: TokenStream,
    /// The braces it ends with.
    body: Option<Group>,
}

/// The items of a block, their bodies unread.
fn split(items: TokenStream) -> Vec<Item> {
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

/// The layers of a method's list, marked for where they come from.
pub(crate) fn mark(layers: &mut [Layer], of_impl: Option<&OfImpl>) {
    let Some(of_impl) = of_impl else { return };
    layers.iter_mut().for_each(|layer| layer.checked = of_impl.checks);
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
