//! The marks of `#[derive(Classify)]`: `#[transient]`, `#[permanent]`, `#[caller]`, `#[local]`, `#[refused]`,
//! `#[overloaded(retry_after = field)]`, `#[classify(transparent)]`, `#[classify(with = path)]`.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Error, Expr, ExprLit, ExprPath, Index, Lit, Member, Meta, Result, Token};

use crate::grammar::crate_path;
use crate::options::closest;
use crate::recover::Errors;

/// What a variant says about the dependency.
pub(crate) enum Mark {
    /// What the field that it comes from says, else transient.
    None,
    /// One class, by its name.
    Class(&'static str),
    Overloaded(Option<Hint>),
    /// What its one field says; with the place of the word.
    Transparent(Span),
    /// What a function says of its one field; with the place of the word.
    With(Span, ExprPath),
}

/// The field that says when to come back.
pub(crate) struct Hint {
    pub(crate) member: Member,
    pub(crate) span: Span,
}

/// The marks that are a class by themselves.
const PLAIN: [(&str, &str); 5] = [
    ("transient", "Transient"),
    ("permanent", "Permanent"),
    ("caller", "Caller"),
    ("local", "Local"),
    ("refused", "Refused"),
];
const OVERLOADED: &str = "overloaded";
const CLASSIFY: &str = "classify";

fn classes() -> impl Iterator<Item = &'static str> {
    PLAIN.iter().map(|(mark, _)| *mark).chain([OVERLOADED])
}

/// The mark among the attributes of a variant or a struct.
pub(crate) fn marks_of(attributes: &[Attribute], errors: &mut Errors) -> Mark {
    let mut found: Option<(Mark, String)> = None;
    for (attribute, name) in ours(attributes) {
        let Some(mark) = errors.take(read(attribute, &name)).flatten() else { continue };
        match &found {
            Some((_, first)) => errors.push(Error::new_spanned(
                attribute.path(),
                format!("a variant has one class, and this one has `#[{first}]` already; remove one"),
            )),
            None => found = Some((mark, name)),
        }
    }
    found.map_or(Mark::None, |(mark, _)| mark)
}

/// Tells that marks do not belong here. `why` ends the sentence that their name begins.
pub(crate) fn no_marks(attributes: &[Attribute], why: &str, errors: &mut Errors) {
    for (attribute, name) in ours(attributes) {
        let is_crate = name == CLASSIFY && errors.take(read(attribute, &name)).is_none_or(|mark| mark.is_none());
        if !is_crate {
            errors.push(Error::new_spanned(attribute.path(), format!("`#[{name}]` {why}")));
        }
    }
}

/// The path given with `#[classify(crate = …)]`.
pub(crate) fn container_crate(attributes: &[Attribute], errors: &mut Errors) -> Option<TokenStream> {
    let mut found = None;
    for (attribute, _) in ours(attributes).filter(|(_, name)| name == CLASSIFY) {
        let Meta::List(list) = &attribute.meta else { continue };
        let read = |input: ParseStream<'_>| {
            if !input.peek(Token![crate]) {
                // Not about the crate: read with the marks.
                input.parse::<TokenStream>()?;
                return Ok(None);
            }
            input.parse::<Token![crate]>()?;
            input.parse::<Token![=]>()?;
            crate_path(input).map(Some)
        };
        found = errors.take(read.parse2(list.tokens.clone())).flatten().or(found);
    }
    found
}

fn ours(attributes: &[Attribute]) -> impl Iterator<Item = (&Attribute, String)> {
    attributes.iter().filter_map(|attribute| {
        let name = attribute.path().get_ident()?.unraw().to_string();
        (classes().any(|class| class == name) || name == CLASSIFY).then_some((attribute, name))
    })
}

/// One attribute; nothing if it is about the crate.
fn read(attribute: &Attribute, name: &str) -> Result<Option<Mark>> {
    let tokens = match &attribute.meta {
        Meta::Path(_) => TokenStream::new(),
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(pair) => {
            return Err(Error::new_spanned(&pair.value, format!("write `#[{name}]`, without a value")));
        }
    };
    match name {
        CLASSIFY => classify.parse2(tokens).and_then(|words| by_field(attribute, words)),
        OVERLOADED => hint.parse2(tokens).map(|hint| Some(Mark::Overloaded(hint))),
        _ if !tokens.is_empty() => Err(Error::new_spanned(tokens, format!("`#[{name}]` takes no options"))),
        _ => Ok(PLAIN.iter().find(|(mark, _)| *mark == name).map(|(_, class)| Mark::Class(class))),
    }
}

fn classify(input: ParseStream<'_>) -> Result<Option<(Ident, TokenStream)>> {
    if input.is_empty() {
        return Ok(None);
    }
    Ok(Some((input.call(Ident::parse_any)?, input.parse()?)))
}

const WITH: &str = "`#[classify(with = path)]`, a function from `&Field` to `Class`";

/// `transparent`, `with = path`; nothing if it is about the crate.
fn by_field(attribute: &Attribute, words: Option<(Ident, TokenStream)>) -> Result<Option<Mark>> {
    let Some((word, rest)) = words else {
        return Err(Error::new_spanned(
            attribute.path(),
            "`#[classify]` is written `#[classify(transparent)]`: the one field inside decides; or \
             `#[classify(with = path)]`: a function decides",
        ));
    };
    let text = word.to_string();
    match text.as_str() {
        "crate" => Ok(None),
        "transparent" => match rest.into_iter().next() {
            Some(token) => Err(Error::new(token.span(), "`transparent` takes no value")),
            None => Ok(Some(Mark::Transparent(word.span()))),
        },
        "with" => (|input: ParseStream<'_>| function(&word, input))
            .parse2(rest)
            .map(|path| Some(Mark::With(word.span(), path))),
        _ => {
            let message = match closest(&text, classes().chain(["transparent", "with"])) {
                Some(word @ ("transparent" | "with")) => format!("there is no `{text}`; did you mean `{word}`?"),
                Some(class) => format!("a class stands by itself: `#[{class}]`"),
                None => {
                    format!("there is no `{text}`; there are `#[classify(transparent)]` and `#[classify(with = path)]`")
                }
            };
            Err(Error::new(word.span(), message))
        }
    }
}

/// `= path`.
fn function(with: &Ident, input: ParseStream<'_>) -> Result<ExprPath> {
    let unfit = |place: Span, what: &str| Error::new(place, format!("`with` {what}: {WITH}"));
    if !input.peek(Token![=]) {
        let what = if input.is_empty() { "needs a function" } else { "is written with `=`" };
        input.parse::<TokenStream>()?;
        return Err(unfit(with.span(), what));
    }
    input.parse::<Token![=]>()?;
    if input.is_empty() {
        return Err(unfit(with.span(), "needs a function"));
    }
    let place = input.span();
    let path = match input.parse()? {
        Expr::Path(path) => path,
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
            input.parse::<TokenStream>()?;
            return Err(Error::new(place, format!("`with` takes a path, not a string: `with = {}`", text.value())));
        }
        _ => {
            input.parse::<TokenStream>()?;
            return Err(unfit(place, "takes the path of a function"));
        }
    };
    input.parse::<Option<Token![,]>>()?;
    match input.parse::<TokenStream>()?.into_iter().next() {
        Some(token) => Err(unfit(token.span(), "takes one function")),
        None => Ok(path),
    }
}

/// `retry_after = field`.
fn hint(input: ParseStream<'_>) -> Result<Option<Hint>> {
    const FORM: &str = "`#[overloaded(retry_after = field)]`";
    if input.is_empty() {
        return Ok(None);
    }
    let place = input.span();
    let key = input.call(Ident::parse_any).map_err(|_| Error::new(place, format!("the hint is written {FORM}")))?;
    if key != "retry_after" {
        let message = match closest(&key.to_string(), ["retry_after"].into_iter()) {
            Some(known) => format!("`overloaded` has no option `{key}`; did you mean `{known}`?"),
            None => format!("`overloaded` has no option `{key}`; the hint is written {FORM}"),
        };
        input.parse::<TokenStream>()?;
        return Err(Error::new(key.span(), message));
    }
    if !input.peek(Token![=]) {
        let message = if input.is_empty() { "needs a field" } else { "is written with `=`" };
        input.parse::<TokenStream>()?;
        return Err(Error::new(key.span(), format!("`retry_after` {message}: {FORM}")));
    }
    input.parse::<Token![=]>()?;
    let span = input.span();
    if input.is_empty() {
        return Err(Error::new(key.span(), format!("`retry_after` needs a field: {FORM}")));
    }
    let member = member(input)?;
    input.parse::<Option<Token![,]>>()?;
    match input.parse::<TokenStream>()?.into_iter().next() {
        Some(token) => Err(Error::new(token.span(), format!("`retry_after` takes the name of a field: {FORM}"))),
        None => Ok(Some(Hint { member, span })),
    }
}

fn member(input: ParseStream<'_>) -> Result<Member> {
    let place = input.span();
    if input.peek(Lit) {
        let literal: Lit = input.parse()?;
        let message = match &literal {
            Lit::Int(number) if number.suffix().is_empty() => match number.base10_parse::<u32>() {
                Ok(index) => return Ok(Member::Unnamed(Index { index, span: number.span() })),
                Err(_) => "`retry_after` takes a position: `retry_after = 0`".to_owned(),
            },
            Lit::Str(text) if syn::parse_str::<Ident>(&text.value()).is_ok() => {
                format!("`retry_after` takes a field, not a string: `retry_after = {}`", text.value())
            }
            // `1s` as well.
            Lit::Str(_) | Lit::Int(_) | Lit::Float(_) => {
                "`retry_after` names the field that holds the time, as the dependency gives it: `retry_after = field`"
                    .to_owned()
            }
            _ => "`retry_after` takes the name of a field, or its position".to_owned(),
        };
        return Err(Error::new(place, message));
    }
    match input.parse::<TokenTree>()? {
        TokenTree::Ident(ident) => Ok(Member::Named(ident)),
        other => {
            Err(Error::new_spanned(other.to_token_stream(), "`retry_after` takes the name of a field, or its position"))
        }
    }
}
