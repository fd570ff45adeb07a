//! What to say about arguments that do not fit the grammar.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Error, Expr, ExprLit, Lit, LitStr, Token};

use crate::args::{Args, Setting};

use crate::duration::{self, parse_duration};
use crate::options::{self, BORROW, Kind, LIMIT};
use crate::policy::Policy;

/// A value without a key, where the policy has none.
pub(crate) fn nothing_goes_without_key(policy: &Policy, expr: &Expr, place: Span) -> Error {
    let name = policy.name;
    let counts = options::find(policy, "max_attempts").is_some();
    let called = match expr {
        Expr::Call(call) => word(&call.func),
        _ => None,
    };
    let message = match (word(expr).or(called), expr) {
        (Some(word), _) => options::unknown(policy, &word.to_string()),
        (None, Expr::Lit(ExprLit { lit: Lit::Int(count), .. })) if counts => {
            format!("`{name}` takes options by name: `max_attempts = {count}`")
        }
        (None, Expr::Lit(ExprLit { lit: Lit::Str(count), .. })) if counts && count.value().parse::<u32>().is_ok() => {
            format!("`{name}` takes options by name: `max_attempts = {}`", count.value())
        }
        (None, Expr::Lit(ExprLit { lit: Lit::Str(label), .. })) => {
            format!("`{name}` takes options by name: `name = {}`", label.token())
        }
        _ => format!("`{name}` takes options by name: `key = value`"),
    };
    Error::new(place, message)
}

/// `"max_attempts" = 3`, `retry::max_attempts = 3`, `(max_attempts = 3)`, and the half behind the comma of `0,5`.
pub(crate) fn more_than_a_value(policy: &Policy, args: &Args, expr: &Expr) -> Option<String> {
    match expr {
        Expr::Paren(paren) => more_than_a_value(policy, args, &paren.expr),
        Expr::Assign(assign) => {
            let key = match &*assign.left {
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => text.value(),
                Expr::Path(path) => path.path.segments.last()?.ident.to_string(),
                _ => return None,
            };
            let row = options::find(policy, &key)?;
            Some(format!("an option stands by its bare name: `{} = {}`", row.key, assign.right.to_token_stream()))
        }
        Expr::Lit(ExprLit { lit: Lit::Int(fraction), .. }) => {
            let Setting { key, text, .. } = args.settings.last()?;
            let kind = options::find(policy, &key.to_string())?.kind;
            let is_whole = text.bytes().all(|byte| byte.is_ascii_digit());
            (is_whole && matches!(kind, Kind::Rate | Kind::Factor))
                .then(|| format!("a number is written with a point: `{key} = {text}.{fraction}`"))
        }
        _ => None,
    }
}

/// What to say about a value without a key that is not the first.
pub(crate) fn second_value(policy: &Policy, args: &Args, expr: &Expr, example: &str) -> String {
    let written = expr.to_token_stream();
    match (&args.key, options::find(policy, "key")) {
        (Some(key), _) => {
            format!("a key of several parts is a tuple: `key = ({}, {written})`", key.to_token_stream())
        }
        (None, Some(_)) if !matches!(expr, Expr::Lit(_)) => {
            format!("what tells calls apart has the key `key`: `key = {written}`")
        }
        _ => format!("expected `key = value`; only the first value goes without a key, as in `{example}`"),
    }
}

/// `limit = 100, per = "1s"` of `100, "1s"`; `input` is what stands behind the number.
pub(crate) fn counted(policy: &Policy, expr: &Expr, input: ParseStream<'_>) -> Option<String> {
    let Expr::Lit(ExprLit { lit: Lit::Int(count), .. }) = expr else { return None };
    let option = ["max_concurrent", LIMIT].into_iter().find(|key| options::find(policy, key).is_some())?;
    let fork = input.fork();
    let per = fork.parse::<Token![,]>().and_then(|_| fork.parse::<LitStr>()).ok();
    let per = per.filter(|per| option == LIMIT && parse_duration(&per.value()).is_ok());
    let per = per.map_or_else(String::new, |per| format!(", per = {}", per.token()));
    Some(format!("{option} = {count}{per}"))
}

/// `#[rate_limit("10/s")]`: what other libraries take for a rate would be a name here.
pub(crate) fn rate_in_a_name(policy: &Policy, expr: &Expr) -> Option<String> {
    let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = expr else { return None };
    options::find(policy, "limit")?;
    let Rate { count, per } = rate_of(&text.value())?;
    let name = policy.name;
    Some(format!("the first value is the name, not the rate: write `#[{name}(limit = {count}, per = \"{per}\")]`"))
}

/// `10` and `1s` of `10/s`.
pub(crate) struct Rate {
    pub(crate) count: u32,
    pub(crate) per: String,
}

/// Reads `10/s`, `100/10s` and `10 per second`.
pub(crate) fn rate_of(text: &str) -> Option<Rate> {
    let (count, unit) = text.split_once('/').or_else(|| text.split_once(" per "))?;
    let (count, unit) = (count.trim().parse::<u32>().ok()?, unit.trim());
    let per = if unit.starts_with(|c: char| c.is_ascii_digit()) {
        unit.to_owned()
    } else {
        format!("1{}", duration::meant(unit)?)
    };
    // What is no unit of time may be part of a name.
    parse_duration(&per).ok()?;
    Some(Rate { count, per })
}

/// `max-attempts = 3`: a dash where options have `_`.
pub(crate) fn dashed_key(policy: &Policy, input: ParseStream<'_>) -> Option<Error> {
    let fork = input.fork();
    let first = fork.call(Ident::parse_any).ok()?;
    let mut key = first.to_string();
    while fork.peek(Token![-]) {
        fork.parse::<Token![-]>().ok()?;
        key = format!("{key}_{}", fork.call(Ident::parse_any).ok()?);
    }
    let row = options::find(policy, &key).filter(|_| first != key && fork.peek(Token![=]))?;
    Some(Error::new(first.span(), format!("options are written with `_`: `{0} = {1}`", row.key, example(row.kind))))
}

/// A key and nothing behind it.
pub(crate) fn missing_value(policy: &Policy, key: &Ident) -> Error {
    let row = options::find(policy, &key.unraw().to_string());
    let example = row.map_or_else(String::new, |row| example(row.kind));
    if key == BORROW {
        return Error::new(key.span(), "`borrow` needs the names of arguments: `borrow(a, b)`");
    }
    Error::new(key.span(), format!("`{key}` needs a value: `{key} = {example}`"))
}

/// A value of that kind, for messages.
pub(crate) fn example(kind: Kind) -> String {
    let example = match kind {
        Kind::Count => "3",
        Kind::Duration => "\"200ms\"",
        Kind::Rate => "0.5",
        Kind::Factor => "2.0",
        Kind::Choice(choice) => {
            return choice.variants.first().map_or_else(String::new, |(text, _)| format!("\"{text}\""));
        }
        Kind::Name => "\"payments\"",
        Kind::Permits => "items.len() as u32",
        Kind::Handler => "|error| …",
        Kind::Replacement => "Vec::new()",
        Kind::Key => "(region, id)",
        Kind::Predicate => "|error| error.is_transient()",
        Kind::ValuePredicate => "|value| value.is_degraded()",
        Kind::Hook => "log_attempt",
        Kind::CratePath => "::resilience",
        Kind::Order => "\"as_written\"",
    };
    example.to_owned()
}

/// The one word that an expression is.
pub(crate) fn word(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Path(path) => path.path.get_ident(),
        _ => None,
    }
}
