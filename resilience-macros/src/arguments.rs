//! The arguments: which names a signature binds, how each is passed, and whether the body mentions it.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Error, FnArg, Generics, Pat, PatIdent, PatTuple, Token, Type, TypeParam};

use crate::async_trait::SELF;
use crate::function::Function;
use crate::in_front;
use crate::literal::Value;
use crate::options::BUDGET;
use crate::recover::Errors;
use crate::returns::ungrouped_type;
use crate::stack::Stack;
use crate::tokens::mentions;
use crate::words::Words;

/// How a name holds what the caller passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passing {
    Value,
    Shared,
    Unique,
}

/// One name that the guarded code gets from the function.
pub(crate) struct Argument {
    /// The user's token.
    pub(crate) ident: Ident,
    pub(crate) passing: Passing,
    /// Bound as `mut`.
    pub(crate) mutable: Option<Token![mut]>,
    /// Its type may be a `Vec`, a `Box`, a tuple of others, which decide whether it is `Clone`.
    pub(crate) wraps: bool,
    /// The attributes of the parameter that are meant for its names, too.
    pub(crate) attributes: Vec<Attribute>,
    /// Listed in `borrow(…)`.
    pub(crate) borrowed: bool,
    /// Code in front of the guarded one may be what needs the `mut`.
    pub(crate) used_in_front: bool,
}

impl Argument {
    pub(crate) fn new(binding: &PatIdent, passing: Passing) -> Self {
        Self {
            ident: binding.ident.clone(),
            passing,
            wraps: true,
            mutable: binding.mutability.filter(|_| binding.by_ref.is_none()),
            attributes: Vec::new(),
            borrowed: false,
            used_in_front: false,
        }
    }
}

/// Every name that the guarded code gets from the function, `self` aside, in order.
pub(crate) fn collect(function: &Function, stack: &Stack, errors: &mut Errors) -> Vec<Argument> {
    let mut arguments = of_signature(function);
    if !function.frame.is_whole() {
        arguments = in_front::arguments(function, arguments);
    }
    for listed in stack.layers.iter().flat_map(|layer| &layer.args.borrow) {
        if listed == "self" || (function.frame.of_async_trait && listed == SELF) {
            errors.push(Error::new(listed.span(), "`self` is always borrowed; leave it out of `borrow`"));
            continue;
        }
        match arguments.iter_mut().find(|argument| argument.ident == *listed) {
            Some(argument) => argument.borrowed = true,
            None => {
                let names = arguments.iter().filter(|argument| argument.ident != SELF);
                let names = names.map(|argument| format!("`{}`", argument.ident)).collect::<Vec<_>>();
                let names =
                    if names.is_empty() { "it has none".to_owned() } else { format!("they are {}", names.join(", ")) };
                errors.push(Error::new(
                    listed.span(),
                    format!("`borrow` lists arguments of the function, and `{listed}` is none; {names}"),
                ));
            }
        }
    }
    constants_only(stack, &arguments, errors);
    arguments
}

/// Every name the signature binds, `self` aside, in order.
fn of_signature(function: &Function) -> Vec<Argument> {
    let mut arguments = Vec::new();
    for input in &function.signature.inputs {
        let FnArg::Typed(input) = input else { continue };
        let attributes: Vec<Attribute> =
            input.attrs.iter().filter(|attribute| goes_along(attribute)).cloned().collect();
        let wraps = wraps(&input.pat, &input.ty, &function.signature.generics);
        let mut bind = |binding: &PatIdent, passing: Passing| {
            arguments.push(Argument { attributes: attributes.clone(), wraps, ..Argument::new(binding, passing) });
        };
        bindings(&input.pat, Some(&input.ty), Passing::Value, &mut bind);
    }
    arguments
}

/// `#[cfg(…)]` and levels of lints; also in a `#[cfg_attr(…)]`, which for a parameter rustc has not resolved yet.
fn goes_along(attribute: &Attribute) -> bool {
    const THOSE: [&str; 4] = ["cfg", "allow", "warn", "deny"];
    match attribute.path().get_ident() {
        Some(name) if name == "cfg_attr" => {
            let words = Words::of(&attribute.meta.to_token_stream());
            THOSE.iter().any(|name| words.has(name))
        }
        Some(name) => THOSE.iter().any(|known| name == known),
        None => false,
    }
}

/// What all calls share cannot depend on one call.
fn constants_only(stack: &Stack, arguments: &[Argument], errors: &mut Errors) {
    for layer in &stack.layers {
        let name = layer.policy.name;
        let values = layer.constants().map(|setting| (setting.key.to_string(), &setting.value));
        let names = layer.args.name.iter().map(|value| ("name".to_owned(), value));
        let budgets = layer.args.budget.iter().map(|value| (BUDGET.to_owned(), value));
        for (key, value) in values.chain(names).chain(budgets) {
            let Value::Expr(expr) = value else { continue };
            let words = Words::of(expr);
            let of_one_call = words.has("self") || arguments.iter().any(|argument| words.contain(&argument.ident));
            if of_one_call {
                errors.push(Error::new_spanned(
                    expr,
                    format!("`{key}` of `{name}` is the same for all calls: use a literal or a constant"),
                ));
            } else if let Some(word) = unquoted(&key, expr) {
                errors.push(Error::new_spanned(
                    expr,
                    format!(
                        "a name is a string: write `\"{word}\"` (or name a constant, such as `{}`)",
                        word.to_uppercase()
                    ),
                ));
            }
        }
    }
}

/// Whether what a pattern binds may be made of other types, none of which is a type parameter: those had better be
/// bounded.
fn wraps(pat: &Pat, ty: &Type, generics: &Generics) -> bool {
    let tokens = ty.to_token_stream();
    let bounded = |parameter: &TypeParam| mentions(tokens.clone(), &parameter.ident.to_string());
    if generics.type_params().any(bounded) || mentions_a_letter(tokens.clone()) {
        return false;
    }
    match (pat, ungrouped_type(ty)) {
        (Pat::Ident(_), Type::ImplTrait(_)) => false,
        (Pat::Ident(_), Type::Path(path)) => path.path.segments.last().is_some_and(|last| !last.arguments.is_none()),
        _ => true,
    }
}

/// Whether a single capital letter stands anywhere, such as a parameter of the `impl` around a method, which is not to be
/// seen from here.
fn mentions_a_letter(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => matches!(ident.to_string().as_bytes(), [b'A'..=b'Z']),
        TokenTree::Group(group) => mentions_a_letter(group.stream()),
        _ => false,
    })
}

/// `#[circuit_breaker(payments)]`: a word in small letters is no constant, but a name without its quotes.
fn unquoted(key: &str, expr: &TokenStream) -> Option<String> {
    if key != "name" && key != BUDGET {
        return None;
    }
    let word = syn::parse2::<Ident>(expr.clone()).ok()?.to_string();
    (!word.contains(char::is_uppercase)).then_some(word)
}

/// Visits the names of a pattern. `ty` is its type where it is known; `passing` says through what kind of reference it is matched.
pub(crate) fn bindings(pat: &Pat, ty: Option<&Type>, passing: Passing, bind: &mut impl FnMut(&PatIdent, Passing)) {
    let ty = ty.map(ungrouped_type);
    match pat {
        Pat::Ident(ident) => name(ident, ty, passing, bind),
        Pat::Type(typed) => bindings(&typed.pat, Some(&typed.ty), passing, bind),
        Pat::Paren(paren) => bindings(&paren.pat, ty, passing, bind),
        Pat::Reference(reference) => match ty {
            Some(Type::Reference(of)) => bindings(&reference.pat, Some(&of.elem), Passing::Value, bind),
            _ => bindings(&reference.pat, None, Passing::Value, bind),
        },
        _ => {
            // A pattern that is no reference looks through references.
            let (ty, passing) = match ty {
                Some(Type::Reference(of)) => {
                    (Some(ungrouped_type(&of.elem)), through(passing, of.mutability.is_some()))
                }
                other => (other, passing),
            };
            inside(pat, ty, passing, bind);
        }
    }
}

fn inside(pat: &Pat, ty: Option<&Type>, passing: Passing, bind: &mut impl FnMut(&PatIdent, Passing)) {
    match pat {
        Pat::Tuple(tuple) => match ty {
            Some(Type::Tuple(types)) if !has_rest(tuple) && types.elems.len() == tuple.elems.len() => {
                for (elem, ty) in tuple.elems.iter().zip(&types.elems) {
                    bindings(elem, Some(ty), passing, bind);
                }
            }
            _ => tuple.elems.iter().for_each(|elem| bindings(elem, None, passing, bind)),
        },
        Pat::Slice(slice) => {
            let ty = match ty {
                Some(Type::Array(array)) => Some(&*array.elem),
                Some(Type::Slice(slice)) => Some(&*slice.elem),
                _ => None,
            };
            for elem in &slice.elems {
                // `rest @ ..` is a slice, not an element.
                let ty = ty.filter(|_| !matches!(elem, Pat::Ident(ident) if ident.subpat.is_some()));
                bindings(elem, ty, passing, bind);
            }
        }
        Pat::TupleStruct(tuple) => tuple.elems.iter().for_each(|elem| bindings(elem, None, passing, bind)),
        Pat::Struct(of) => of.fields.iter().for_each(|field| bindings(&field.pat, None, passing, bind)),
        Pat::Or(or) => or.cases.iter().take(1).for_each(|case| bindings(case, ty, passing, bind)),
        _ => {}
    }
}

fn name(ident: &PatIdent, ty: Option<&Type>, passing: Passing, bind: &mut impl FnMut(&PatIdent, Passing)) {
    let own = match (&ident.by_ref, passing, ty) {
        (Some(_), ..) if ident.mutability.is_some() => Passing::Unique,
        (Some(_), ..) => Passing::Shared,
        (None, Passing::Value, Some(Type::Reference(of))) => through(Passing::Value, of.mutability.is_some()),
        // A unit struct or a constant looks like a name; it binds nothing.
        (None, Passing::Value, _) if ident.mutability.is_none() && is_constant_like(ident) => Passing::Shared,
        // `mut` inside a pattern through a reference binds by value.
        (None, _, _) if ident.mutability.is_some() => Passing::Value,
        (None, passing, _) => passing,
    };
    bind(ident, own);
    if let Some((_, pat)) = &ident.subpat {
        bindings(pat, ty, passing, bind);
    }
}

pub(crate) fn through(passing: Passing, mutable: bool) -> Passing {
    match passing {
        Passing::Shared => Passing::Shared,
        _ if mutable => Passing::Unique,
        _ => Passing::Shared,
    }
}

fn has_rest(tuple: &PatTuple) -> bool {
    tuple.elems.iter().any(|elem| matches!(elem, Pat::Rest(_)))
}

fn is_constant_like(ident: &PatIdent) -> bool {
    ident.ident.to_string().starts_with(char::is_uppercase)
}

/// Takes `mut` off the names that `rebound` picks: they get it back where they are bound again.
pub(crate) fn without_mut(pat: &mut Pat, rebound: &impl Fn(&Ident) -> bool) {
    match pat {
        Pat::Ident(ident) => {
            if ident.by_ref.is_none() && rebound(&ident.ident) {
                ident.mutability = None;
            }
            if let Some((_, pat)) = &mut ident.subpat {
                without_mut(pat, rebound);
            }
        }
        Pat::Type(typed) => without_mut(&mut typed.pat, rebound),
        Pat::Paren(paren) => without_mut(&mut paren.pat, rebound),
        Pat::Reference(reference) => without_mut(&mut reference.pat, rebound),
        Pat::Tuple(tuple) => tuple.elems.iter_mut().for_each(|elem| without_mut(elem, rebound)),
        Pat::Slice(slice) => slice.elems.iter_mut().for_each(|elem| without_mut(elem, rebound)),
        Pat::TupleStruct(tuple) => tuple.elems.iter_mut().for_each(|elem| without_mut(elem, rebound)),
        Pat::Struct(of) => of.fields.iter_mut().for_each(|field| without_mut(&mut field.pat, rebound)),
        Pat::Or(or) => or.cases.iter_mut().for_each(|case| without_mut(case, rebound)),
        _ => {}
    }
}
