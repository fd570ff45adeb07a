//! `#[resilient(retry(max_attempts = 3), timeout("2s"), order = "as_written")]` → the layers of its list.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::token::Paren;
use syn::{Error, Expr, Result, Token};

use crate::args::Args;
use crate::grammar::{crate_path, is_as_written};
use crate::options::{self, closest, policy_with};
use crate::other_names::owner_of;
use crate::policy::{self, Policy};
use crate::recover::Errors;
use crate::stack::Layer;
use crate::tokens::{start_of, text_of};

const EXAMPLE: &str = "`#[resilient(retry, timeout(\"2s\"))]`";

/// The keys of the list itself.
const KEYS: [&str; 2] = ["order", "crate"];

/// What one attribute puts on a function.
#[derive(Default)]
pub(crate) struct List {
    pub(crate) layers: Vec<Layer>,
    /// How many of them stand above `..`, which is where the method's own attributes go.
    pub(crate) rest: Option<usize>,
}

/// Reads the list; what is wrong goes to `errors`, what is right is kept. `place` is the attribute itself; `of_impl` says
/// that the list is an `impl` block's.
pub(crate) fn parse(tokens: TokenStream, place: Span, of_impl: bool, errors: &mut Errors) -> List {
    let mut reader = Reader { list: List::default(), of_impl, krate: None, order: None, errors };
    if tokens.is_empty() {
        reader.errors.push(Error::new(place, format!("`resilient` needs at least one policy: {EXAMPLE}")));
    }
    let read = |input: ParseStream<'_>| {
        reader.all(input, place);
        Ok(reader.list)
    };
    // Reading reports its errors itself and ends at the end.
    read.parse2(tokens).unwrap_or_default()
}

struct Reader<'a> {
    list: List,
    of_impl: bool,
    krate: Option<TokenStream>,
    order: Option<Ident>,
    errors: &'a mut Errors,
}

impl Reader<'_> {
    fn all(&mut self, input: ParseStream<'_>, place: Span) {
        let mut wrong = false;
        let some = !input.is_empty();
        while !input.is_empty() {
            let read = self.one(input).and_then(|()| {
                if input.is_empty() || input.peek(Token![,]) {
                    return Ok(());
                }
                Err(Error::new(input.span(), "expected `,` between policies"))
            });
            if let Err(error) = read {
                wrong = true;
                self.errors.push(error);
                while !input.is_empty() && !input.peek(Token![,]) {
                    // What is skipped is told already.
                    let _ = input.parse::<TokenTree>();
                }
            }
            // The comma; there is nothing else here.
            let _ = input.parse::<Option<Token![,]>>();
        }
        match self.list.layers.first_mut() {
            Some(outermost) => {
                outermost.args.order = self.order.take().or(outermost.args.order.take());
                if let (Some(of_list), Some(own)) = (&self.krate, &outermost.args.krate) {
                    if text_of(of_list) != text_of(own) {
                        let message = format!("one stack has one `crate`; the list's is `{}`", text_of(of_list));
                        self.errors.push(Error::new_spanned(own, message));
                    }
                }
                outermost.args.krate = self.krate.take().or(outermost.args.krate.take());
            }
            None if some && !wrong => {
                self.errors.push(Error::new(place, format!("`resilient` needs at least one policy: {EXAMPLE}")));
            }
            None => {}
        }
    }

    fn one(&mut self, input: ParseStream<'_>) -> Result<()> {
        let place = input.span();
        if input.peek(Token![..]) {
            return self.rest(input);
        }
        if input.peek(Token![::]) {
            return Err(Error::new(place, by_path(input)));
        }
        let Ok(word) = input.call(Ident::parse_any) else {
            return Err(Error::new(place, format!("expected a policy, as in {EXAMPLE}")));
        };
        let text = word.unraw().to_string();
        if input.peek(Token![::]) {
            return Err(Error::new(word.span(), by_path(input)));
        }
        if KEYS.contains(&text.as_str()) {
            return self.key(&word, &text, input);
        }
        let Some(policy) = policy::named(&text) else {
            return Err(Error::new(word.span(), unknown(&dashed(text, input), input)));
        };
        if let Some(value) = after_sign(input) {
            return Err(Error::new(word.span(), format!("write `{}`", in_parentheses(policy, &value))));
        }
        if let Some(value) = without_parentheses(input) {
            return Err(Error::new(word.span(), format!("write `{}`", in_parentheses(policy, &value))));
        }
        let tokens = if input.peek(Paren) {
            let list;
            syn::parenthesized!(list in input);
            list.parse()?
        } else {
            TokenStream::new()
        };
        let args = Args::parse(policy, tokens, word.span(), self.errors);
        self.list.layers.push(Layer::new(policy, word.span(), args));
        Ok(())
    }

    /// `..`
    fn rest(&mut self, input: ParseStream<'_>) -> Result<()> {
        let dots: Token![..] = input.parse()?;
        if !self.of_impl {
            let message = "`..` belongs in the list of an `impl` block, where each method's own attributes stand in its place; on a function attributes stand where they are written: remove it";
            return Err(Error::new_spanned(dots, message));
        }
        if self.list.rest.is_some() {
            return Err(Error::new_spanned(dots, "`..` is given twice"));
        }
        self.list.rest = Some(self.list.layers.len());
        Ok(())
    }

    /// `order = "as_written"`, `crate = ::path`.
    fn key(&mut self, key: &Ident, text: &str, input: ParseStream<'_>) -> Result<()> {
        let given = if text == "order" { self.order.is_some() } else { self.krate.is_some() };
        if given {
            return Err(Error::new(key.span(), format!("`{text}` is given twice")));
        }
        if !input.peek(Token![=]) {
            let example = if text == "order" { "\"as_written\"" } else { "::resilience" };
            return Err(Error::new(key.span(), format!("`{text}` needs a value: `{text} = {example}`")));
        }
        input.parse::<Token![=]>()?;
        if text == "crate" {
            self.krate = Some(crate_path(input)?);
            return Ok(());
        }
        let value: Expr = input.parse()?;
        if !is_as_written(&value) {
            return Err(Error::new(start_of(&value), "`order` has one value: `order = \"as_written\"`"));
        }
        self.order = Some(key.clone());
        Ok(())
    }
}

/// `resilience::retry` in the list.
fn by_path(input: ParseStream<'_>) -> String {
    let mut last = String::new();
    while input.peek(Token![::]) {
        // The sign, and the name behind it.
        let _ = input.parse::<Token![::]>();
        last = input.call(Ident::parse_any).map_or(last, |name| name.unraw().to_string());
    }
    let last = policy::named(&last).map_or("retry", |policy| policy.name);
    format!("in this list a policy stands by its bare name: `{last}`")
}

/// `circuit_breaker` of `circuit-breaker`: what follows the word.
fn dashed(mut word: String, input: ParseStream<'_>) -> String {
    while input.peek(Token![-]) && input.peek2(Ident::peek_any) {
        // The sign, and the name behind it.
        let _ = input.parse::<Token![-]>();
        let _ = input.call(Ident::parse_any).map(|next| word = format!("{word}_{}", next.unraw()));
    }
    word
}

/// The value behind `=`, or what stands for it elsewhere.
fn after_sign(input: ParseStream<'_>) -> Option<String> {
    let fork = input.fork();
    let colon = fork.peek(Token![:]) && !fork.peek(Token![::]);
    if fork.peek(Token![==]) || fork.peek(Token![=>]) {
        // Two signs, taken one by one: neither is in the way of the value.
        let _ = fork.parse::<TokenTree>();
    } else if !fork.peek(Token![=]) && !colon {
        return None;
    }
    let _ = fork.parse::<TokenTree>();
    Some(fork.parse::<Expr>().map_or_else(|_| "…".to_owned(), |value| text_of(&value)))
}

/// A literal, or what stands in other brackets.
fn without_parentheses(input: ParseStream<'_>) -> Option<String> {
    match input.fork().parse::<TokenTree>().ok()? {
        TokenTree::Literal(literal) => Some(literal.to_string()),
        TokenTree::Group(group) if matches!(group.delimiter(), Delimiter::Brace | Delimiter::Bracket) => {
            Some(group.stream().to_string())
        }
        _ => None,
    }
}

/// `retry(max_attempts = 3)` of `retry = 3`.
fn in_parentheses(policy: &Policy, value: &str) -> String {
    let name = policy.name;
    let counts = ["max_attempts", "max_concurrent", "limit"];
    let count = counts.into_iter().find(|key| options::find(policy, key).is_some());
    match count.filter(|_| value.bytes().all(|byte| byte.is_ascii_digit())) {
        Some(key) => format!("{name}({key} = {value})"),
        None => format!("{name}({value})"),
    }
}

/// What to say about a word that is no policy; `input` is what follows it.
fn unknown(word: &str, input: ParseStream<'_>) -> String {
    if let Some(policy) = policy::named(word) {
        return format!("a policy is written with `_`: `{}`", policy.name);
    }
    if word == "skip" {
        return "`skip` leaves a method out of the list of its `impl` block, and stands alone: write `#[resilient(skip)]`, and the method's own policies in attributes below".to_owned();
    }
    let own_list = |owner: &str, option: &str, value: &str| {
        format!(
            "there is no policy `{word}`: it is an option, and belongs to a policy's own list: `{owner}({option} = {value})`"
        )
    };
    let value = after_sign(input);
    if let Some(owner) = policy_with(word) {
        return own_list(owner, word, value.as_deref().unwrap_or("…"));
    }
    if let (Some((policy, option)), Some(value)) = (owner_of(word), value) {
        return own_list(policy.name, option, &value);
    }
    match closest(word, policy::names().chain(KEYS)) {
        Some(known) => format!("there is no policy `{word}`; did you mean `{known}`?"),
        None => {
            let names = policy::names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            format!("there is no policy `{word}`; there are {names}")
        }
    }
}
