//! What an editor goes by: a key of an attribute is the setter that it calls, and what is wrong takes nothing away.
#![allow(clippy::expect_used, reason = "what the macro may not do, a test of it may")]

use std::ops::Range;

use proc_macro2::{TokenStream, TokenTree};

use crate::attribute;
use crate::features;
use crate::options::{self, Kind};
use crate::ours::Ours;
use crate::policy::{self, Policy};

const ITEM: &str = "async fn f(&self, a: A) -> Result<u32, E> { self.g(a).await }";

/// All tokens but groups, at all depths.
fn flat(stream: TokenStream) -> Vec<TokenTree> {
    let inside = |token| match token {
        TokenTree::Group(group) => flat(group.stream()),
        token => vec![token],
    };
    stream.into_iter().flat_map(inside).collect()
}

/// Where a token stands in what was typed.
fn place(token: &TokenTree) -> Range<usize> {
    token.span().byte_range()
}

fn expanded(policy: &str, args: &str, item: &str) -> Vec<TokenTree> {
    let [args, item] = [args, item].map(|text| text.parse::<TokenStream>().expect("tokens"));
    flat(attribute::expand(Ours::named(policy).expect("one of ours"), args, item))
}

/// A value that fits.
fn value_of(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Count => Some("3"),
        Kind::Duration => Some("5s"),
        Kind::Rate | Kind::Factor => Some("0.5"),
        Kind::Choice(choice) => choice.variants.first().map(|(word, _)| *word),
        _ => None,
    }
}

/// What is called as a method, by that name.
fn calls<'a>(tokens: &'a [TokenTree], name: &str) -> Vec<&'a TokenTree> {
    let is_dot = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == '.');
    let after_dots = tokens.iter().zip(tokens.iter().skip(1)).filter(|(dot, _)| is_dot(dot)).map(|(_, after)| after);
    after_dots.filter(|token| matches!(token, TokenTree::Ident(ident) if ident == name)).collect()
}

#[test]
fn every_key_is_a_call_of_its_setter_where_the_user_wrote_it() {
    let mut keys = Vec::new();
    let has_its_feature = |policy: &&Policy| policy.name != "stale_if_error" || features::stale();
    for policy in policy::names().filter_map(policy::named).filter(has_its_feature) {
        for row in options::of(policy) {
            let (key, Some(value)) = (row.key, value_of(row.kind)) else { continue };
            if options::is_positional(policy, key) {
                continue;
            }
            let quote = if matches!(row.kind, Kind::Choice(_)) { "\"" } else { "" };
            let before = match policy.name {
                "stale_if_error" => "1m, ",
                "rate_limit" if key != "limit" => "limit = 1, ",
                _ => "",
            };
            let tokens = expanded(policy.name, &format!("{before}{key} = {quote}{value}{quote}"), ITEM);
            let places: Vec<_> = calls(&tokens, key).into_iter().map(place).collect();
            let written = before.len()..before.len().saturating_add(key.len());
            assert_eq!(places, [written], "{}: {key}", policy.name);
            keys.push(key);
        }
    }
    assert!(keys.contains(&"max_attempts") && keys.contains(&"cooldown") && keys.contains(&"jitter"), "{keys:?}");
}

#[test]
fn a_key_that_a_call_computes_is_a_call_of_its_setter_too() {
    let key = "max_attempts";
    let tokens = expanded("retry", &format!("{key} = self.attempts"), ITEM);
    let (places, written): (Vec<_>, _) = (calls(&tokens, key).into_iter().map(place).collect(), 0..key.len());
    assert_eq!(places, [written]);
}

#[test]
fn a_wrong_attribute_leaves_the_function_as_it_was() {
    for (policy, args) in [
        ("retry", "max_attempt = 3"),
        ("retry", "max_attempts ="),
        ("circuit_breaker", "cooldown = 5"),
        ("timeout", ""),
        ("fallback", "value = 1, value = 2"),
        ("resilient", "retry(max_attempts = \"3\"), timeout"),
    ] {
        let tokens = expanded(policy, args, ITEM);
        let function: Vec<_> = flat(ITEM.parse().expect("tokens"));
        let kept = tokens.get(tokens.len().saturating_sub(function.len())..).unwrap_or_default();
        let shown =
            |tokens: &[TokenTree]| -> Vec<_> { tokens.iter().map(|token| (token.to_string(), place(token))).collect() };
        assert!(tokens.len() > function.len(), "there is an error before it: {policy}({args})");
        assert_eq!(shown(kept), shown(&function), "{policy}({args})");
    }
}
