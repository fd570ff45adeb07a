//! Values: `"200ms"`, `200ms`, `"1h30m"`, `"50%"`, `3`, `"full"` → tokens; or any expression, as it is.

use std::time::Duration;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Error, Expr, Lit, LitFloat, LitInt, Result, UnOp};

use crate::called;
use crate::duration::{is_decimal, parse_duration};
use crate::options::{BUDGET, Choice, Kind, LIMIT, distance};
use crate::tokens::{site_at, start_of, text_of};
use crate::wording::{Rate, rate_of};

/// A value as the expansion uses it.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    /// Known here; goes into a `const`.
    Literal { tokens: TokenStream, duration: Option<Duration> },
    /// A variant of one of the runtime's enums.
    Variant { choice: &'static Choice, variant: &'static str, span: Span },
    /// Anything else.
    Expr(TokenStream),
}

impl Value {
    pub(crate) fn is_literal(&self) -> bool {
        !matches!(self, Self::Expr(_))
    }

    /// Its length, if it is a literal duration.
    pub(crate) fn duration(&self) -> Option<Duration> {
        match self {
            Self::Literal { duration, .. } => *duration,
            _ => None,
        }
    }

    /// The number, if it is a literal count.
    pub(crate) fn count(&self) -> Option<u32> {
        match self {
            Self::Literal { tokens, .. } => syn::parse2::<LitInt>(tokens.clone()).ok()?.base10_parse().ok(),
            _ => None,
        }
    }

    /// The number, if it is a literal with a fraction.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Self::Literal { tokens, .. } => syn::parse2::<LitFloat>(tokens.clone()).ok()?.base10_parse().ok(),
            _ => None,
        }
    }

    /// The value as an expression; `krate` is where the runtime is.
    pub(crate) fn tokens(&self, krate: &TokenStream) -> TokenStream {
        match self {
            Self::Literal { tokens, .. } | Self::Expr(tokens) => tokens.clone(),
            Self::Variant { choice, variant, span } => {
                let site = site_at(*span);
                let [module, ty, variant] = [choice.module, choice.ty, variant].map(|name| Ident::new(name, site));
                quote_spanned!(site=> #krate::#module::#ty::#variant)
            }
        }
    }

    fn plain(tokens: impl ToTokens) -> Self {
        Self::Literal { tokens: tokens.into_token_stream(), duration: None }
    }
}

/// What the user wrote, as far as messages care.
enum Written {
    Text(String),
    /// An unsuffixed or suffixed number; `negative` if a minus stands before it.
    Number {
        text: String,
        negative: bool,
    },
    Other,
    Expr,
}

/// Turns what the user wrote after `key =` into a value.
pub(crate) fn convert(kind: Kind, key: &str, expr: &Expr) -> Result<Value> {
    let written = written(expr);
    if let Written::Expr = written {
        return expression(kind, key, expr);
    }
    let convert = match kind {
        Kind::Count => count,
        Kind::Permits => permits,
        Kind::Duration => duration,
        Kind::Rate => rate,
        Kind::Factor => factor,
        Kind::Choice(of) => return choice(of, key, &written, expr),
        Kind::Name => name,
        Kind::Predicate | Kind::ValuePredicate | Kind::Hook | Kind::Handler => {
            return Err(called::no_literal(kind, key, expr));
        }
        // What is the same for all calls is told with the function's arguments at hand.
        Kind::Key | Kind::Replacement | Kind::CratePath | Kind::Order => {
            return Ok(Value::Expr(expr.to_token_stream()));
        }
    };
    convert(key, &written, expr).map_err(|message| Error::new_spanned(expr, message))
}

fn written(expr: &Expr) -> Written {
    match expr {
        Expr::Group(group) => written(&group.expr),
        Expr::Paren(paren) => written(&paren.expr),
        Expr::Lit(lit) => match &lit.lit {
            Lit::Str(text) => Written::Text(text.value()),
            Lit::Int(_) | Lit::Float(_) | Lit::Verbatim(_) => {
                let text = lit.lit.to_token_stream().to_string().replace('_', "");
                Written::Number { negative: text.starts_with('-'), text }
            }
            _ => Written::Other,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => match written(&unary.expr) {
            Written::Number { text, .. } => Written::Number { text, negative: true },
            _ => Written::Expr,
        },
        _ => Written::Expr,
    }
}

fn expression(kind: Kind, key: &str, expr: &Expr) -> Result<Value> {
    // `jitter = full`: the quotes are missing.
    if let (Kind::Choice(choice), Expr::Path(path)) = (kind, expr) {
        let unquoted = |ident: &&Ident| choice.variants.iter().any(|(text, _)| ident == text);
        if let Some(ident) = path.path.get_ident().filter(unquoted) {
            return Err(Error::new(ident.span(), format!("write `{key} = \"{ident}\"`")));
        }
    }
    match kind {
        Kind::Predicate | Kind::ValuePredicate | Kind::Hook => called::check(kind, key, expr)?,
        _ => {}
    }
    Ok(Value::Expr(expr.to_token_stream()))
}

fn count(key: &str, written: &Written, expr: &Expr) -> std::result::Result<Value, String> {
    let wrong = format!("`{key}` is a whole number: `{key} = 3`");
    match written {
        Written::Text(text) if plain_digits(text).parse::<u32>().is_ok() => {
            Err(format!("`{key}` is a number; write it without quotes: `{key} = {}`", plain_digits(text)))
        }
        Written::Text(text) if key == LIMIT => match rate_of(text) {
            Some(Rate { count, per }) => {
                Err(format!("`{key}` is a number, and `per` is its time: `{key} = {count}, per = \"{per}\"`"))
            }
            None => Err(wrong),
        },
        Written::Number { negative: true, .. } => Err(format!("`{key}` cannot be negative; remove the `-`")),
        Written::Number { text, .. } => {
            let text = text.strip_suffix("u32").unwrap_or(text);
            let digits = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
            let radix = ["0x", "0b", "0o"].iter().any(|prefix| text.starts_with(prefix));
            match text.parse::<u32>() {
                Ok(_) => Ok(Value::plain(expr)),
                Err(_) if digits => Err(format!("`{key}` is at most {}", u32::MAX)),
                Err(_) if radix => Ok(Value::plain(expr)),
                Err(_) if without_type(text).parse::<u32>().is_ok() => {
                    Err(format!("`{key}` is a `u32`: write `{key} = {}`", without_type(text)))
                }
                Err(_) => Err(wrong),
            }
        }
        _ => Err(wrong),
    }
}

fn permits(key: &str, written: &Written, expr: &Expr) -> std::result::Result<Value, String> {
    let value = count(key, written, expr)?;
    match written {
        Written::Number { text, .. } if text.trim_end_matches("u32").bytes().all(|digit| digit == b'0') => {
            Err(format!("a call takes at least one of the `{key}`: `{key} = 1`"))
        }
        _ => Ok(value),
    }
}

fn duration(key: &str, written: &Written, expr: &Expr) -> std::result::Result<Value, String> {
    let text = match written {
        Written::Text(text) => text.as_str(),
        Written::Number { negative: true, .. } => {
            return Err("a duration cannot be negative; remove the `-`".to_owned());
        }
        Written::Number { text, .. } => without_type(text),
        _ => return Err(format!("`{key}` is written as `\"200ms\"`, `\"1.5s\"` or `\"1h30m\"`")),
    };
    let duration = parse_duration(text)?;
    let (seconds, nanos) = (duration.as_secs(), duration.subsec_nanos());
    let (seconds, nanos) = (Literal::u64_unsuffixed(seconds), Literal::u32_unsuffixed(nanos));
    let tokens = quote_spanned!(site_at(start_of(expr))=> ::core::time::Duration::new(#seconds, #nanos));
    Ok(Value::Literal { tokens, duration: Some(duration) })
}

fn rate(key: &str, written: &Written, expr: &Expr) -> std::result::Result<Value, String> {
    let wrong = || format!("`{key}` is a share of calls: write `0.5` or `\"50%\"`");
    match written {
        Written::Text(text) => {
            if let Some(message) = other_percent(text) {
                return Err(message);
            }
            let percent = text.trim().strip_suffix('%').map(str::trim_end).ok_or_else(wrong)?;
            if percent.starts_with('-') {
                return Err(format!("`{key}` cannot be negative; remove the `-`"));
            }
            if !is_decimal(percent) {
                return Err(wrong());
            }
            // The exponent, not a division, so that "33.3%" is exactly 0.333.
            let rate = format!("{percent}e-2").parse::<f64>().map_err(|_| wrong())?;
            float(rate, expr).ok_or_else(wrong)
        }
        Written::Number { negative: true, .. } => Err(format!("`{key}` cannot be negative; remove the `-`")),
        Written::Number { text, .. } => match text.as_str() {
            "0" | "1" => factor(key, written, expr),
            _ if text.bytes().all(|b| b.is_ascii_digit()) => Err(format!(
                "`{key}` is a share of calls, not a number of them: for {text} percent write `\"{text}%\"`"
            )),
            _ => factor(key, written, expr),
        },
        _ => Err(wrong()),
    }
}

/// `0.5`, `50` and `50 percent` in quotes, and `50,5%`.
fn other_percent(text: &str) -> Option<String> {
    let text = text.trim();
    let number = text.trim_end_matches(|c: char| c.is_alphabetic() || c == '%').trim_end();
    let pointed = number.replacen(',', ".", 1);
    let share = pointed.parse::<f64>().ok().filter(|share| is_decimal(&pointed) && *share <= 100.0)?;
    if share <= 1.0 && number == text {
        // `"1"` may be all or a hundredth.
        if !pointed.contains('.') {
            return None;
        }
        return Some(format!(
            "a share of calls is written without quotes: `{pointed}`; in quotes stands a percentage, such as `\"50%\"`"
        ));
    }
    let percent = format!("{pointed}%");
    (percent != text.split_whitespace().collect::<String>()).then(|| format!("a percentage is written `\"{percent}\"`"))
}

fn factor(key: &str, written: &Written, expr: &Expr) -> std::result::Result<Value, String> {
    let wrong = || format!("`{key}` is a number: `{key} = 2.0`");
    match written {
        Written::Number { negative: true, .. } => Err(format!("`{key}` cannot be negative; remove the `-`")),
        Written::Number { text, .. } => {
            let number = text.strip_suffix("f64").unwrap_or(text);
            match number.parse::<f64>() {
                Ok(_) if number.contains(['.', 'e', 'E']) => Ok(Value::plain(expr)),
                Ok(value) => float(value, expr).ok_or_else(wrong),
                Err(_) if without_type(text).parse::<f64>().is_ok() => {
                    Err(format!("`{key}` is an `f64`: write `{key} = {}`", without_type(text)))
                }
                Err(_) => Err(wrong()),
            }
        }
        Written::Text(text) => {
            // `"2x"` and `"2,5"` as well.
            let number = text.trim().trim_end_matches(['x', 'X']).replacen(',', ".", 1);
            match is_decimal(&number) {
                true => Err(format!("`{key}` is a number; write it without quotes: `{key} = {number}`")),
                false => Err(wrong()),
            }
        }
        _ => Err(wrong()),
    }
}

fn float(value: f64, expr: &Expr) -> Option<Value> {
    let mut literal = value.is_finite().then(|| Literal::f64_unsuffixed(value))?;
    literal.set_span(site_at(start_of(expr)));
    Some(Value::plain(literal))
}

fn name(key: &str, written: &Written, expr: &Expr) -> std::result::Result<Value, String> {
    let is_share = |text: &str| text.trim().strip_suffix('%').is_some_and(|number| is_decimal(number.trim_end()));
    match written {
        Written::Number { .. } if key == BUDGET => Err(named_budget(key)),
        Written::Text(text) if key == BUDGET && is_share(text) => Err(named_budget(key)),
        Written::Text(text) if text.trim().is_empty() => {
            Err("a name cannot be empty; leave it out for one of the function's own".to_owned())
        }
        Written::Text(_) => Ok(Value::plain(expr)),
        _ => Err(format!("the name is a string: `{key} = \"payments\"`")),
    }
}

fn named_budget(key: &str) -> String {
    format!(
        "`{key}` is a name, `{key} = \"payments\"`; how much it allows is said by `RetryBudget::register(\"payments\", …)`"
    )
}

fn choice(of: &'static Choice, key: &str, written: &Written, expr: &Expr) -> Result<Value> {
    let span = start_of(expr);
    let listed = || of.variants.iter().map(|(text, _)| format!("`\"{text}\"`")).collect::<Vec<_>>().join(", ");
    let text = match written {
        Written::Text(text) => text.clone(),
        _ => text_of(expr),
    };
    if let (Some((_, variant)), Written::Text(_)) = (of.variants.iter().find(|(known, _)| *known == text), written) {
        return Ok(Value::Variant { choice: of, variant, span });
    }
    let lower = text.to_lowercase();
    let other = of.others.iter().find(|(other, _)| *other == lower).map(|(_, known)| *known);
    let close = of.variants.iter().map(|(known, _)| (distance(&lower, known), *known)).min();
    let close = close.filter(|(distance, known)| *distance <= known.len() / 3).map(|(_, known)| known);
    let message = match other.or(close) {
        Some(known) if matches!(written, Written::Text(_)) => {
            format!("`{key}` has no choice `\"{text}\"`; did you mean `\"{known}\"`?")
        }
        Some(known) => format!("`{key}` is one of {}; for `{text}` write `{key} = \"{known}\"`", listed()),
        None => format!("`{key}` is one of {}", listed()),
    };
    Err(Error::new(span, message))
}

/// `1000` of `1_000` and `1,000`.
fn plain_digits(text: &str) -> String {
    text.trim().replace(['_', ','], "")
}

/// `5` of `5u64`.
fn without_type(number: &str) -> &str {
    const TYPES: [&str; 14] =
        ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64"];
    TYPES.iter().find_map(|ty| number.strip_suffix(ty)).unwrap_or(number)
}
