//! What to say about arguments that do not fit the grammar.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Error, Expr, ExprLit, Lit, Token};

use crate::duration::parse_duration;
use crate::options::{self, BORROW, Kind};
use crate::policy::Policy;

/// A value without a key, where the policy has none.
pub(crate) fn nothing_goes_without_key(policy: &Policy, expr: &Expr, place: Span) -> Error {
    let name = policy.name;
    let counts = options::find(policy, "max_attempts").is_some();
    let message = match (word(expr), expr) {
        (Some(word), _) => options::unknown(policy, &word.to_string()),
        (None, Expr::Lit(ExprLit { lit: Lit::Int(count), .. })) if counts => {
            format!("`{name}` takes options by name: `max_attempts = {count}`")
        }
        (None, Expr::Lit(ExprLit { lit: Lit::Str(label), .. })) => {
            format!("`{name}` takes options by name: `name = {}`", label.token())
        }
        _ => format!("`{name}` takes options by name: `key = value`"),
    };
    Error::new(place, message)
}

/// `#[rate_limit("10/s")]`: what other libraries take for a rate would be a name here.
pub(crate) fn rate_in_a_name(policy: &Policy, expr: &Expr) -> Option<String> {
    let Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) = expr else { return None };
    options::find(policy, "limit")?;
    let text = text.value();
    let (count, unit) = text.split_once('/')?;
    let (count, unit) = (count.trim().parse::<u32>().ok()?, unit.trim());
    let per = if unit.starts_with(|c: char| c.is_ascii_digit()) { unit.to_owned() } else { format!("1{unit}") };
    // What is no unit of time may be part of a name.
    parse_duration(&per).ok()?;
    let name = policy.name;
    Some(format!("the first value is the name, not the rate: write `#[{name}(limit = {count}, per = \"{per}\")]`"))
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
