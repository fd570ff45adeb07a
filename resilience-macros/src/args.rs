//! One grammar for all attributes: an optional first value, then `key = value`, and `borrow(a, b)`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::token::Paren;
use syn::{Error, Expr, ExprLit, Lit, Result, Token};

use crate::asked::Asked;
use crate::grammar::{crate_path, expression, is_as_written, is_key, skip_to_next};
use crate::literal::{self, Value};
use crate::options::{self, BORROW, BUDGET, HANDLER, Kind};
use crate::other_names::meant;
use crate::policy::{First, Needs, Policy};
use crate::recover::Errors;
use crate::stand_in::{FORMS, StandIn};
use crate::tokens::start_of;
use crate::wording::{
    counted, dashed_key, example, missing_value, more_than_a_value, nothing_goes_without_key, rate_in_a_name,
    second_value, word,
};

/// What stands between an attribute's parentheses.
#[derive(Default)]
pub(crate) struct Args {
    pub(crate) name: Option<Value>,
    /// Options that go to the `Config`, in the order written.
    pub(crate) settings: Vec<Setting>,
    pub(crate) when: Option<Asked>,
    pub(crate) when_ok: Option<Asked>,
    pub(crate) on_retry: Option<Asked>,
    /// The retry budget's name.
    pub(crate) budget: Option<Value>,
    /// How many permits a call takes.
    pub(crate) permits: Option<Value>,
    /// What a fallback puts in the place of a failed result.
    pub(crate) stand_in: Option<StandIn>,
    /// What a value is remembered under.
    pub(crate) key: Option<Expr>,
    pub(crate) borrow: Vec<Ident>,
    pub(crate) krate: Option<TokenStream>,
    /// The key `order`, if given.
    pub(crate) order: Option<Ident>,
}

/// One option of the `Config`: `key = value`.
#[derive(Debug)]
pub(crate) struct Setting {
    /// With the user's span: editors go from it to the setter.
    pub(crate) key: Ident,
    pub(crate) value: Value,
    /// Where the value begins.
    pub(crate) span: Span,
    /// The value as the user wrote it, for messages.
    pub(crate) text: String,
}

impl Args {
    /// The setting of that name.
    pub(crate) fn setting(&self, key: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| setting.key == key)
    }

    /// Reads the arguments; what is wrong goes to `errors`, what is right is kept. `place` is the attribute itself.
    pub(crate) fn parse(policy: &'static Policy, tokens: TokenStream, place: Span, errors: &mut Errors) -> Self {
        let mut reader = Reader {
            policy,
            args: Self::default(),
            seen: Vec::new(),
            errors_of_first: false,
            first_is_wrong: false,
            failed: false,
            errors,
        };
        let read = |input: ParseStream<'_>| {
            reader.all(input);
            reader.check_required(place);
            Ok(reader.args)
        };
        // Reading reports its errors itself and ends at the end.
        read.parse2(tokens).unwrap_or_default()
    }
}

struct Reader<'a> {
    policy: &'static Policy,
    args: Args,
    /// Every key given so far.
    seen: Vec<String>,
    /// A value without a key was wrong: it is not missing as well.
    errors_of_first: bool,
    /// The value that stands first is wrong, and not the name.
    first_is_wrong: bool,
    /// Something was wrong.
    failed: bool,
    errors: &'a mut Errors,
}

impl Reader<'_> {
    fn all(&mut self, input: ParseStream<'_>) {
        let mut first = true;
        while !input.is_empty() {
            let keyed = is_key(input);
            if let Err(error) = self.one(input, first) {
                self.errors_of_first |= !keyed;
                self.failed = true;
                self.errors.push(error);
                // A value that was read to its end has nothing to skip.
                if !input.peek(Token![,]) {
                    skip_to_next(input);
                }
            } else if !input.is_empty() && !input.peek(Token![,]) {
                self.errors.push(Error::new(input.span(), "expected `,` between options"));
                skip_to_next(input);
            }
            // The comma; there is nothing else here.
            let _ = input.parse::<Option<Token![,]>>();
            first = false;
        }
    }

    fn one(&mut self, input: ParseStream<'_>, first: bool) -> Result<()> {
        if is_key(input) {
            let key = input.call(Ident::parse_any)?;
            input.parse::<Token![=]>()?;
            return self.option(key, input);
        }
        if let Some(error) = dashed_key(self.policy, input) {
            return self.skip_value(input, error);
        }
        if let Ok(word) = input.fork().call(Ident::parse_any) {
            let row = options::find(self.policy, &word.to_string())
                .filter(|row| !options::is_positional(self.policy, row.key));
            if input.peek2(Paren) && row.is_some_and(|row| row.key == BORROW) {
                return self.borrow(input);
            }
            let colon = input.peek2(Token![:]) && !input.peek2(Token![::]);
            let other_sign = colon || input.peek2(Paren) || input.peek2(Token![==]) || input.peek2(Token![=>]);
            if let (Some(row), true) = (row, other_sign) {
                return Err(Error::new(
                    word.span(),
                    format!("`{0}` is written `{0} = {1}`", row.key, example(row.kind)),
                ));
            }
            // `attempts(3)`; a keyword begins an expression, and a value may be what a function gives.
            let named = self.policy.first.is_none_or(|first| first.key == "name");
            let text = word.to_string();
            if named && other_sign && input.peek(syn::Ident) && !meant(self.policy, &text).is_empty() {
                return Err(Error::new(word.span(), options::unknown(self.policy, &text)));
            }
        }
        self.value(input, first)
    }

    /// A value without a key.
    fn value(&mut self, input: ParseStream<'_>, first: bool) -> Result<()> {
        let place = input.span();
        let expr = expression(input)?;
        let known = |word: &&Ident| {
            let row = options::find(self.policy, &word.to_string());
            row.is_some_and(|row| !options::is_positional(self.policy, row.key))
        };
        if let Some(key) = word(&expr).filter(known) {
            return Err(missing_value(self.policy, key));
        }
        if let Some(message) = more_than_a_value(self.policy, &self.args, &expr) {
            return Err(Error::new(place, message));
        }
        let positional = self.policy.first.ok_or_else(|| nothing_goes_without_key(self.policy, &expr, place))?;
        let example = positional.example;
        if self.args.stand_in.is_some() {
            return Err(Error::new(place, two_forms()));
        }
        if !first {
            if self.first_is_wrong {
                // `(100, "1s")`: the first of them says how to write both.
                return Ok(());
            }
            self.first_is_wrong = true;
            let message = match counted(self.policy, &expr, input) {
                Some(written) => format!("write `{written}`"),
                None => second_value(self.policy, &self.args, &expr, example),
            };
            return Err(Error::new(place, message));
        }
        if matches!((&expr, positional.key), (Expr::Lit(ExprLit { lit: Lit::Int(_), .. }), "name")) {
            self.first_is_wrong = true;
            let message = match counted(self.policy, &expr, input) {
                Some(written) => format!("the first value is the name; write `{written}`"),
                None => format!("the first value is the name, as in `{example}`"),
            };
            return Err(Error::new(place, message));
        }
        if let Some(message) = rate_in_a_name(self.policy, &expr) {
            return Err(Error::new(place, message));
        }
        self.take(Ident::new(positional.key, place), &expr)
    }

    fn option(&mut self, key: Ident, input: ParseStream<'_>) -> Result<()> {
        let text = key.unraw().to_string();
        let Some(row) = options::find(self.policy, &text) else {
            // It may have been meant for the one value that has to be there.
            self.errors_of_first = true;
            let error = Error::new(key.span(), options::unknown(self.policy, &text));
            return self.skip_value(input, error);
        };
        if row.key == BORROW {
            return self.skip_value(
                input,
                Error::new(key.span(), "`borrow` is written `borrow(a, b)`, with the names of arguments"),
            );
        }
        if let Some(first) = self.policy.first.filter(|_| options::is_positional(self.policy, row.key)) {
            self.seen.push(text);
            let message = format!("the {} is the first value and has no key: `{}`", first.what, first.example);
            return self.skip_value(input, Error::new(key.span(), message));
        }
        if input.is_empty() || input.peek(Token![,]) {
            self.seen.push(text);
            return Err(missing_value(self.policy, &key));
        }
        if let Kind::CratePath = row.kind {
            let path = crate_path(input)?;
            self.once(&key)?;
            self.args.krate = Some(path);
            return Ok(());
        }
        if let (Kind::Rate, true) = (row.kind, input.peek(Lit) && input.peek2(Token![%])) {
            let number = input.fork().parse::<Lit>()?.to_token_stream();
            return Err(Error::new(input.span(), format!("a percentage is written in quotes: `\"{number}%\"`")));
        }
        if let (Kind::Factor, true) = (row.kind, input.peek(Lit) && input.peek2(Token![%])) {
            return Err(Error::new(input.span(), format!("`{text}` is a number: `{text} = {}`", example(row.kind))));
        }
        let expr = expression(input)?;
        self.take(key, &expr)
    }

    /// `key = expr`, both known; an error leaves nothing to skip.
    fn take(&mut self, key: Ident, expr: &Expr) -> Result<()> {
        let text = key.unraw().to_string();
        let Some(row) = options::find(self.policy, &text) else { return Ok(()) };
        self.once(&key)?;
        let value = literal::convert(row.kind, row.key, expr)?;
        match row.kind {
            Kind::Name if row.key == BUDGET => self.args.budget = Some(value),
            Kind::Name => self.args.name = Some(value),
            Kind::Predicate => self.args.when = Some(Asked::new(expr)),
            Kind::ValuePredicate => self.args.when_ok = Some(Asked::new(expr)),
            Kind::Hook => self.args.on_retry = Some(Asked::new(expr)),
            Kind::Permits => self.args.permits = Some(value),
            Kind::Key => self.args.key = Some(expr.clone()),
            Kind::Handler => self.args.stand_in = Some(StandIn::parse(expr)?),
            Kind::Replacement if self.args.stand_in.is_some() => return Err(Error::new(key.span(), two_forms())),
            Kind::Replacement => self.args.stand_in = Some(StandIn::Value(expr.to_token_stream())),
            Kind::Order => {
                if !is_as_written(expr) {
                    return Err(Error::new(start_of(expr), "`order` has one value: `order = \"as_written\"`"));
                }
                self.args.order = Some(key);
            }
            _ => {
                let text = expr.to_token_stream().to_string();
                self.args.settings.push(Setting { key, value, span: start_of(expr), text });
            }
        }
        Ok(())
    }

    fn borrow(&mut self, input: ParseStream<'_>) -> Result<()> {
        let key = input.call(Ident::parse_any)?;
        let list;
        syn::parenthesized!(list in input);
        self.once(&key)?;
        if list.is_empty() {
            return Err(Error::new(key.span(), "`borrow` needs the names of arguments: `borrow(a, b)`"));
        }
        let place = list.span();
        let names = list.parse_terminated(Ident::parse_any, Token![,]).map_err(|error| {
            Error::new(
                if list.is_empty() { place } else { error.span() },
                "`borrow` takes the names of arguments: `borrow(a, b)`",
            )
        })?;
        self.args.borrow.extend(names);
        Ok(())
    }

    fn once(&mut self, key: &Ident) -> Result<()> {
        let text = key.unraw().to_string();
        if self.seen.contains(&text) {
            return Err(Error::new(key.span(), format!("`{text}` is given twice")));
        }
        self.seen.push(text);
        Ok(())
    }

    fn skip_value(&self, input: ParseStream<'_>, error: Error) -> Result<()> {
        // Errors in a value that is not used would be noise.
        if input.fork().parse::<Expr>().is_ok() && input.parse::<Expr>().is_err() {
            skip_to_next(input);
        }
        Err(error)
    }

    fn check_required(&mut self, place: Span) {
        let takes_stand_in = options::find(self.policy, HANDLER).is_some();
        if takes_stand_in && self.args.stand_in.is_none() && !self.failed {
            let message = format!("`{}` needs what stands in for a failed result: {FORMS}", self.policy.name);
            self.errors.push(Error::new(place, message));
        }
        if let Some(Needs { key, example }) = self.policy.needs {
            if !self.failed && self.args.name.is_none() && self.args.setting(key).is_none() {
                let message = format!(
                    "`{0}` without a name needs `{key}`: `{example}`; with a name it may be given elsewhere",
                    self.policy.name
                );
                self.errors.push(Error::new(place, message));
            }
        }
        let Some(first) = self.policy.first.filter(|first| first.required) else { return };
        if self.errors_of_first || self.seen.iter().any(|key| key == first.key) {
            return;
        }
        let First { what, example, .. } = first;
        // `a duration`, `an age`.
        let article = if what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        self.errors.push(Error::new(place, format!("`{}` needs {article} {what}: `{example}`", self.policy.name)));
    }
}

fn two_forms() -> String {
    format!("a fallback has one form, and here are two: keep one of {FORMS}")
}
