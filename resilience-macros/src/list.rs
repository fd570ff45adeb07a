//! `#[resilient(retry(max_attempts = 3), timeout("2s"), order = "as_written")]` → the layers of its list.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::token::Paren;
use syn::{Error, Expr, Result, Token};

use crate::args::Args;
use crate::grammar::{crate_path, is_as_written};
use crate::options::{closest, policy_with};
use crate::policy;
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
            return Err(Error::new(word.span(), unknown(&text)));
        };
        if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            let value = input.parse::<Expr>().map_or_else(|_| "…".to_owned(), |value| text_of(&value));
            return Err(Error::new(word.span(), format!("write `{text}({value})`")));
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

fn unknown(word: &str) -> String {
    if word == "skip" {
        return "`skip` leaves a method out of the list of its `impl` block, and stands alone: write `#[resilient(skip)]`, and the method's own policies in attributes below".to_owned();
    }
    if let Some(owner) = policy_with(word) {
        return format!(
            "there is no policy `{word}`: it is an option, and belongs to a policy's own list: `{owner}({word} = …)`"
        );
    }
    match closest(word, policy::names().chain(KEYS)) {
        Some(known) => format!("there is no policy `{word}`; did you mean `{known}`?"),
        None => {
            let names = policy::names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            format!("there is no policy `{word}`; there are {names}")
        }
    }
}
