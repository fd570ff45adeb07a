//! `when`, `when_ok`, `on_retry` and a fallback: what is no function of one argument.

use quote::ToTokens;
use syn::{BinOp, Error, Expr, ExprLit, Lit, Path, Result};

use crate::options::Kind;
use crate::tokens::{start_of, text_of};
use crate::wording::example;

/// What to say about a literal where a function belongs.
pub(crate) fn no_literal(kind: Kind, key: &str, expr: &Expr) -> Error {
    let path = match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => text.parse::<Path>().ok().map(|path| text_of(&path)),
        _ => None,
    };
    let message = match (kind, path) {
        (Kind::Handler, Some(path)) => format!("a fallback takes a path, not a string: `#[fallback({path})]`"),
        (Kind::Handler, None) => {
            format!("a fallback that is a value has the key `value`: `#[fallback(value = {})]`", expr.to_token_stream())
        }
        (_, Some(path)) => format!("`{key}` takes a path, not a string: `{key} = {path}`"),
        (Kind::Hook, None) => format!("`{key}` takes a function of `&RetryAttempt`: `{key} = log_attempt`"),
        (Kind::ValuePredicate, None) => {
            format!("`{key}` takes a path or a closure over `&T`: `{key} = {}`", example(kind))
        }
        _ => format!("`{key}` takes a path or a closure over `&E`: `{key} = {}`", example(kind)),
    };
    Error::new_spanned(expr, message)
}

/// An expression that is no function of one argument, as far as its form tells.
pub(crate) fn check(kind: Kind, key: &str, expr: &Expr) -> Result<()> {
    let argument = match kind {
        Kind::Hook => "attempt",
        Kind::ValuePredicate => "value",
        _ => "error",
    };
    let closure = match expr {
        Expr::Group(group) => return check(kind, key, &group.expr),
        Expr::Paren(paren) => return check(kind, key, &paren.expr),
        Expr::Closure(closure) => closure,
        _ => {
            let message = format!("`{key}` takes a function: put `|{argument}|` before this, and ask about that");
            return if is_answer(expr) { Err(Error::new(start_of(expr), message)) } else { Ok(()) };
        }
    };
    if let Some(asyncness) = closure.asyncness {
        let message = format!("`{key}` cannot wait: write the closure without `async`");
        return Err(Error::new(asyncness.span, message));
    }
    let takes = format!("`{key}` takes one argument: `|{argument}|`");
    match (closure.inputs.first(), closure.inputs.iter().nth(1)) {
        (Some(_), None) => Ok(()),
        (_, Some(second)) => Err(Error::new_spanned(second, takes)),
        (None, None) => Err(Error::new(start_of(closure), takes)),
    }
}

/// What a function would give, and not one itself.
fn is_answer(expr: &Expr) -> bool {
    const MACROS: [&str; 4] = ["matches", "println", "eprintln", "print"];
    match expr {
        Expr::Macro(of) => of.mac.path.get_ident().is_some_and(|name| MACROS.iter().any(|known| name == known)),
        Expr::Binary(binary) => matches!(
            binary.op,
            BinOp::And(_)
                | BinOp::Or(_)
                | BinOp::Eq(_)
                | BinOp::Ne(_)
                | BinOp::Lt(_)
                | BinOp::Le(_)
                | BinOp::Gt(_)
                | BinOp::Ge(_)
        ),
        _ => false,
    }
}
