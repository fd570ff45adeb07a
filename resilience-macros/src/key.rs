//! `key = …` of a remembered value: what cannot tell calls apart.

use quote::ToTokens;
use syn::{Error, Expr, ExprLit, FnArg, Ident, Lit, Signature};

use crate::options::Kind;
use crate::tokens::{mentions, text_of};
use crate::wording::example;

/// What is wrong with a key, whatever the types are; `signature` is the function's, if there is one.
pub(crate) fn problem(key: &Expr, signature: Option<&Signature>) -> Option<Error> {
    if let Expr::Closure(closure) = key {
        let message = format!(
            "`key` is an expression over the function's arguments, not a function: `key = {}`",
            text_of(&closure.body)
        );
        return Some(Error::new_spanned(key, message));
    }
    is_literal(key).then(|| {
        let argument = argument(key, signature).unwrap_or_else(|| example(Kind::Key));
        let message = format!(
            "`key` tells calls apart, and this is the same for all: write an expression, such as `key = {argument}`"
        );
        Error::new_spanned(key, message)
    })
}

/// A literal, or nothing but literals.
fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) => true,
        Expr::Group(group) => is_literal(&group.expr),
        Expr::Paren(paren) => is_literal(&paren.expr),
        Expr::Reference(reference) => is_literal(&reference.expr),
        Expr::Unary(unary) => is_literal(&unary.expr),
        Expr::Tuple(tuple) => !tuple.elems.is_empty() && tuple.elems.iter().all(is_literal),
        _ => false,
    }
}

/// `n` of `"n"` and `"{n}"`, where the function has an argument of that name.
fn argument(key: &Expr, signature: Option<&Signature>) -> Option<String> {
    let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = key else { return None };
    let name = text.value();
    let name = name.trim_matches(|c: char| c == '{' || c == '}');
    let name = syn::parse_str::<Ident>(name).ok()?.to_string();
    let is_named = |input: &FnArg| match input {
        FnArg::Typed(typed) => mentions(typed.pat.to_token_stream(), &name),
        FnArg::Receiver(_) => false,
    };
    signature?.inputs.iter().any(is_named).then_some(name)
}
