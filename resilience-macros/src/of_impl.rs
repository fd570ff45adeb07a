//! The list of an `impl` block on one of its methods, and how a method is left out of it.

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::quote_spanned;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Token};

use crate::list;
use crate::ours::{self, Ours, RESILIENT};
use crate::recover::Errors;
use crate::stack::Layer;
use crate::tokens::{default_crate, text_of};

/// What the list of an `impl` block knows on a method.
#[derive(Clone, Default)]
pub(crate) struct OfImpl {
    /// The type's name without its generics, if it has one.
    pub(crate) type_name: Option<String>,
    /// The ranges of the list's options are checked here, once for all methods.
    pub(crate) checks: bool,
    /// What may be `#[resilient(skip)]` under another name has been let go first.
    asked: bool,
}

/// Marks the list of an `impl` block on a method.
const OF_IMPL: &str = "__impl";
const CHECKS: &str = "checks";
const ASKED: &str = "asked";
const SKIP: &str = "skip";

impl OfImpl {
    pub(crate) fn new(type_name: Option<String>, checks: bool) -> Self {
        Self { type_name, checks, asked: false }
    }

    /// `#[resilience::resilient(__impl("Type" checks), LIST)]`
    pub(crate) fn attribute(&self, list: &TokenStream, krate: &TokenStream) -> Vec<Attribute> {
        let word = |word: &str| Ident::new(word, Span::call_site());
        let (resilient, of_impl) = (word(RESILIENT), word(OF_IMPL));
        let type_name = self.type_name.as_deref().map(Literal::string);
        let checks = self.checks.then(|| word(CHECKS));
        let asked = self.asked.then(|| word(ASKED));
        let tokens = quote_spanned! {Span::call_site()=>
            #[#krate::#resilient(#of_impl(#type_name #checks #asked), #list)]
        };
        // Tokens of our own making, around a path that is one.
        Attribute::parse_outer.parse2(tokens).unwrap_or_default()
    }
}

/// Splits `__impl("Type" checks),` off a list.
pub(crate) fn unmarked(list: TokenStream) -> (Option<OfImpl>, TokenStream) {
    let mut tokens = list.clone().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Ident(mark)), Some(TokenTree::Group(group))) if mark == OF_IMPL => {
            let mut of_impl = OfImpl::default();
            for token in group.stream() {
                match token {
                    TokenTree::Literal(literal) => {
                        of_impl.type_name = Some(literal.to_string().trim_matches('"').to_owned());
                    }
                    TokenTree::Ident(ident) => {
                        of_impl.checks |= ident == CHECKS;
                        of_impl.asked |= ident == ASKED;
                    }
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

/// The layers of a method's list, marked for where they come from.
pub(crate) fn mark(layers: &mut [Layer], of_impl: Option<&OfImpl>) {
    let Some(of_impl) = of_impl else { return };
    for layer in layers {
        layer.checked = of_impl.checks;
        layer.of_impl = true;
    }
}

/// Whether an attribute is `#[resilient(skip)]`.
pub(crate) fn is_skip(attribute: &Attribute, krate: Option<&TokenStream>) -> bool {
    matches!(ours::recognise(attribute.path(), krate), Some(Ours::Resilient)) && says_skip(attribute)
}

/// Whether an attribute is `#[resilient(skip)]` if its name is another one's for `resilient`.
pub(crate) fn may_be_skip(attribute: &Attribute, krate: Option<&TokenStream>) -> bool {
    ours::recognise(attribute.path(), krate).is_none() && !ours::is_inert(attribute.path()) && says_skip(attribute)
}

/// Whether an attribute may turn out to be one of ours: a `cfg_attr` that has one in it.
pub(crate) fn hides_ours(attribute: &Attribute, krate: &TokenStream) -> bool {
    let Meta::List(list) = &attribute.meta else { return false };
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    // What stands before is the condition, whose names are nobody's.
    let brought = list.tokens.clone().into_iter().skip_while(|token| !is_comma(token)).skip(1).collect();
    let all = Punctuated::<Meta, Token![,]>::parse_terminated;
    let is_ours = |meta: &Meta| ours::recognise(meta.path(), Some(krate)).is_some();
    list.path.is_ident("cfg_attr") && all.parse2(brought).is_ok_and(|metas| metas.iter().any(is_ours))
}

fn says_skip(attribute: &Attribute) -> bool {
    matches!(&attribute.meta, Meta::List(list) if is_skip_word(&list.tokens))
}

/// The method's attributes with what may be `#[resilient(skip)]` above the list: rustc knows what its name stands for,
/// and expands it first. It then takes the list off the method. Any other attribute leaves the list there.
pub(crate) fn asking(of_impl: &OfImpl, list: &TokenStream, attributes: &[Attribute]) -> Option<Vec<Attribute>> {
    // What is wrong with the list has been told.
    let read = list::parse(list.clone(), Span::call_site(), true, &mut Errors::default());
    let krate = read.layers.first().and_then(|layer| layer.args.krate.clone());
    let (asked, others): (Vec<_>, Vec<_>) =
        attributes.iter().cloned().partition(|attribute| may_be_skip(attribute, krate.as_ref()));
    if of_impl.asked || asked.is_empty() {
        return None;
    }
    let list = OfImpl { asked: true, ..of_impl.clone() }.attribute(list, &krate.unwrap_or_else(default_crate));
    Some(asked.into_iter().chain(list).chain(others).collect())
}

/// Whether the arguments are those of `#[resilient(skip)]`.
pub(crate) fn is_skip_of(ours: Ours, args: &TokenStream) -> bool {
    matches!(ours, Ours::Resilient) && is_skip_word(args)
}

/// `skip`, or `skip,`
fn is_skip_word(tokens: &TokenStream) -> bool {
    text_of(tokens).trim_end_matches(',') == SKIP
}

/// Takes the list off the method; `false` if there is none.
pub(crate) fn leave_out(attributes: &mut Vec<Attribute>) -> bool {
    let before = attributes.len();
    attributes.retain(|attribute| !is_list(attribute));
    attributes.len() < before
}

/// Whether an attribute is the list of the `impl` block.
pub(crate) fn is_list(attribute: &Attribute) -> bool {
    matches!(&attribute.meta, Meta::List(list) if unmarked(list.tokens.clone()).0.is_some())
}
