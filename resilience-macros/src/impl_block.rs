//! `#[resilient(…)]` on an `impl` block: the list goes on each of its async methods.

use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::ToTokens;
use syn::parse::Parser;
use syn::{Attribute, Error, ReturnType, Signature};

use crate::frame;
use crate::future::{is_future, mentions_future};
use crate::impl_items::{Item, block, inner_attributes, split};
use crate::key;
use crate::names;
use crate::of_impl::{self, OfImpl, is_skip, may_be_skip};
use crate::ours::{self, Ours, RESILIENT};
use crate::recover::Errors;
use crate::stack::{self, Outermost, Stack};
use crate::tokens::local;

/// Expands the list on an `impl` block; its methods' own attributes follow when rustc comes to them.
pub(crate) fn expand(args: TokenStream, attributes: &[Attribute], item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let block = match block.parse2(item.clone()) {
        Ok(block) => block,
        // rustc says the same of the item itself, and better.
        Err(_) => return whole(TokenStream::new(), attributes, item.clone()),
    };
    let of_impl = OfImpl::new(block.type_name.clone(), false);
    let outermost = Outermost { ours: Ours::Resilient, of_impl: Some(of_impl), self_name: None };
    let mut stack = stack::collect(&outermost, args.clone(), &mut Vec::new(), &mut errors);
    let krate = stack.krate.clone();
    check(&mut stack, attributes, &mut errors);
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

/// Tells what is wrong with the list wherever it stands, and what is wrong with it on an `impl` block.
fn check(stack: &mut Stack, attributes: &[Attribute], errors: &mut Errors) {
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
    errors.extend(stack.keys().filter_map(|key| key::problem(key, None)));
    for listed in stack.layers.iter().flat_map(|layer| &layer.args.borrow) {
        let message = "arguments belong to one method: give that method a `#[retry(borrow(…))]` of its own, with `#[resilient(skip)]` or without `retry` in this list";
        errors.push(Error::new(listed.span(), message));
    }
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
        if self.list.is_none() {
            // One error is enough.
            attributes.retain(|attribute| !may_be_skip(attribute, Some(self.krate)));
        }
        self.guarded = self.guarded.saturating_add(1);
        if body.is_none() {
            // rustc tells.
            return;
        }
        let checks = !std::mem::replace(&mut self.checked, true);
        // Without the method, or its list, that another configuration leaves out, the next one has to tell.
        let may_go = |attribute: &Attribute| {
            let path = attribute.path();
            path.is_ident("cfg") || path.is_ident("cfg_attr") || may_be_skip(attribute, Some(self.krate))
        };
        self.checked &= !attributes.iter().any(may_go);
        let first_of_ours = self.first_of_ours(attributes);
        if let Some(list) = self.list {
            let of_impl = OfImpl::new(self.type_name.map(str::to_owned), checks);
            attributes.splice(first_of_ours..first_of_ours, of_impl.attribute(list, self.krate));
        }
    }

    /// Where the run of our attributes begins, which the list goes above: one that a `cfg_attr` may bring in is the first if
    /// nothing foreign stands below it.
    fn first_of_ours(&self, attributes: &[Attribute]) -> usize {
        let hides = |attribute: &Attribute| of_impl::hides_ours(attribute, self.krate);
        let Some(first) = attributes.iter().position(|attribute| ours(attribute, self.krate).is_some()) else {
            return attributes.iter().position(hides).unwrap_or(0);
        };
        let above = attributes.iter().enumerate().take(first).rev();
        let run = above.take_while(|(_, attribute)| ours::is_inert(attribute.path()));
        run.filter(|(_, attribute)| hides(attribute)).map(|(at, _)| at).last().unwrap_or(first)
    }
}

fn ours(attribute: &Attribute, krate: &TokenStream) -> Option<Ours> {
    ours::recognise(attribute.path(), Some(krate))
}

fn returns_future(signature: &Signature) -> bool {
    matches!(&signature.output, ReturnType::Type(_, ty) if is_future(ty) || mentions_future(ty))
}
