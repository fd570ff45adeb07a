//! Whatever stands in and below an attribute: the macro does not panic, and what it cannot do it says in words.
//!
//! Most inputs are valid ones with a few tokens dropped, doubled, exchanged or replaced: pure noise ends at the first.
//! `PROPTEST_CASES=20000 cargo test -p resilience-macros --features stale fuzz` looks further.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "what the macro may not do, a test of it may"
)]

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use proptest::prelude::*;
use quote::ToTokens;

use crate::attribute;
use crate::derive;
use crate::duration::parse_duration;
use crate::function::MARKER;
use crate::options::Kind;
use crate::ours::Ours;

/// An attribute's name and arguments.
const ATTRIBUTES: &[(&str, &str)] = &[
    (
        "retry",
        r#"name = "db", max_attempts = 3, base_delay = "10ms", max_delay = 1s, backoff = "linear", jitter = "none""#,
    ),
    ("retry", r#"max_elapsed = 1h30m, multiplier = 2.0, when = |error| error.retry(), on_retry = log, budget = "b""#),
    ("retry", r#"borrow(a, b), crate = ::resilience, order = "as_written", max_attempts = self.attempts"#),
    ("circuit_breaker", r#""db", failure_rate = "40%", window_calls = 100, min_calls = 10, cooldown = "30s""#),
    ("circuit_breaker", r#"window = "10s", slow_call = 1s, slow_call_rate = 0.5, consecutive_failures = 5, when = is"#),
    ("circuit_breaker", "when_ok = |value| a.is(value), when = Fault::is"),
    ("circuit_breaker", r#"name = NAME, cooldown_multiplier = 2, max_cooldown = "5m", success_threshold = 2"#),
    ("bulkhead", r#""db", max_concurrent = 25, max_wait = "1s", max_queue = 10"#),
    ("rate_limit", r#""db", limit = 100, per = "1s", burst = 10, max_wait = 0ms, permits = a.len() as u32"#),
    ("timeout", r#""2s""#),
    ("timeout", "self.limit"),
    ("fallback", "|error: Failure| -> Result<u32, Failure> { a.push(error); Ok(0) }, when = is_fatal"),
    ("fallback", "path::to::function"),
    ("fallback", "value = Vec::new()"),
    ("stale_if_error", r#""10m", key = (a, &*b, self.id), capacity = 100, name = "prices""#),
    ("resilient", r#"retry(max_attempts = 3), circuit_breaker("db.{method}"), timeout("2s"), order = "as_written""#),
    ("resilient", r#"fallback(value = 0), stale_if_error("1m", key = a), bulkhead, rate_limit(limit = 10)"#),
    ("resilient", r#"timeout("5s"), .., circuit_breaker("{type}"), bulkhead, crate = ::resilience"#),
    ("resilient", "skip"),
];

const ITEMS: &[&str] = &[
    "/// Docs.\n pub(crate) async fn f(&self, a: A, mut b: Vec<B>) -> Result<u32, E> { b.push(a)?; self.g(b).await }",
    "#[inline] async fn f<'a, T: Clone, const N: usize>(a: &'a mut T, [b, ..]: [u8; N]) -> io::Result<impl D> { a.b() }",
    r#"#[circuit_breaker("db", failure_rate = 0.5)] #[timeout("1s")] async fn f(a: A, b: B) -> Result<()> { Ok(()) }"#,
    "#[bulkhead] #[rate_limit(limit = 5)] async unsafe fn f(self: Arc<Self>, a: A) -> R { a.b }",
    "fn f(a: A, b: &B) -> impl Future<Output = Result<u32, E>> + Send + '_ { let c = a; async move { Ok(c.d(b)?) } }",
    "fn f<'life0>(&'life0 self, a: A) -> Pin<Box<dyn Future<Output = R<u32>> + Send + 'life0>> { Box::pin(async move { self.g(a) }) }",
    "async fn f(a: A, b: B) -> Result<u32, E>;",
    "impl<T> Api for S<T> where T: B { #[retry] async fn f(&self, a: A) -> Result<u32> { a } const C: u8 = 1; fn g() {} }",
    "struct S { a: A, b: B }",
    "async fn f() -> ! { loop {} }",
];

const DERIVED: &[&str] = &[
    "enum E { #[transient] A, #[permanent] B(u8), #[caller] C { a: u8 }, #[overloaded(retry_after = a)] D { a: Duration } }",
    "enum E<T> where T: B { #[classify(transparent)] A(#[from] T), #[overloaded(retry_after = 0)] B(Option<Duration>), C }",
    "#[caller] #[non_exhaustive] struct S<'a, T: 'a, const N: usize>(&'a [T; N]);",
    "#[classify(crate = ::resilience)] #[overloaded(retry_after = b)] struct S { a: A, b: Duration }",
    "union U { a: u8 }",
];

/// Tokens that come in somewhere: the ends of ranges, wrong kinds, words of the grammar.
const SCRAPS: &str = r#"0 1 3 -1 4294967295 4294967296 99999999999999999999999999 0.5 1.5 1e400 0x1F 1_000 3u8 5s 5parsecs 1h30m
    "" "0ms" "1.5s" "-1s" "120%" "99999999999999999999h" "{type}" "{method" "}" "constant" b"bytes" 'c' 1.0e-400
    retry circuit_breaker bulkhead timeout fallback resilient skip name crate order when value key borrow permits limit
    self Self mut ref async fn impl dyn struct move return unsafe const extern where true false _ r#type __error __out
    , ; : :: = == -> => . .. ..= & && * ? ! # | || + - < > 'a a b E R Result Option"#;

fn tokens(text: &str) -> TokenStream {
    text.parse().expect("the inputs here are tokens")
}

/// What is done to a stream: where, counted over all tokens at all depths, and how.
#[derive(Clone, Debug)]
enum Change {
    Drop,
    Double,
    Swap,
    Replace(usize),
    Insert(usize),
    /// The group's content without the group, or anything in a group of its own.
    Regroup(u8),
}

fn changes() -> impl Strategy<Value = Vec<(prop::sample::Index, Change)>> {
    let scraps = tokens(SCRAPS).into_iter().count();
    let change = prop_oneof![
        Just(Change::Drop),
        Just(Change::Double),
        Just(Change::Swap),
        (0..scraps).prop_map(Change::Replace),
        (0..scraps).prop_map(Change::Insert),
        (0..4u8).prop_map(Change::Regroup),
    ];
    prop::collection::vec((any::<prop::sample::Index>(), change), 0..5)
}

fn count(stream: &TokenStream) -> usize {
    let inside = |token| if let TokenTree::Group(group) = token { count(&group.stream()) } else { 0 };
    stream.clone().into_iter().map(|token| 1 + inside(token)).sum()
}

fn changed(stream: TokenStream, changes: &[(prop::sample::Index, Change)]) -> TokenStream {
    changes.iter().fold(stream, |stream, (place, change)| match count(&stream) {
        0 => stream,
        tokens => change_at(stream, &mut place.index(tokens), change),
    })
}

/// Changes the token before which so many stand.
fn change_at(stream: TokenStream, left: &mut usize, change: &Change) -> TokenStream {
    let mut out: Vec<TokenTree> = Vec::new();
    let mut rest = stream.into_iter();
    while let Some(token) = rest.next() {
        if *left == 0 {
            *left = usize::MAX;
            apply(token, &mut rest, change, &mut out);
            continue;
        }
        *left -= 1;
        out.push(match token {
            TokenTree::Group(group) => {
                let mut inside = Group::new(group.delimiter(), change_at(group.stream(), left, change));
                inside.set_span(group.span());
                inside.into()
            }
            token => token,
        });
    }
    out.into_iter().collect()
}

fn apply(token: TokenTree, rest: &mut impl Iterator<Item = TokenTree>, change: &Change, out: &mut Vec<TokenTree>) {
    let scrap = |index: &usize| tokens(SCRAPS).into_iter().nth(*index);
    match change {
        Change::Drop => {}
        Change::Double => out.extend([token.clone(), token]),
        Change::Swap => {
            out.extend(rest.next());
            out.push(token);
        }
        Change::Replace(index) => out.extend(scrap(index)),
        Change::Insert(index) => out.extend(scrap(index).into_iter().chain([token])),
        Change::Regroup(how) => match token {
            TokenTree::Group(group) => out.extend(group.stream()),
            token => {
                let delimiter = match how {
                    0 => Delimiter::Parenthesis,
                    1 => Delimiter::Brace,
                    2 => Delimiter::Bracket,
                    _ => Delimiter::None,
                };
                out.push(Group::new(delimiter, token.into()).into());
            }
        },
    }
}

/// The messages of all `compile_error!` in a stream.
fn messages(stream: TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = stream.into_iter().peekable();
    while let Some(token) = rest.next() {
        match token {
            TokenTree::Ident(ident) if ident == "compile_error" => {
                let bang = rest.next_if(|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == '!'));
                let group = bang.and_then(|_| rest.next());
                let text = group.and_then(|group| match group {
                    TokenTree::Group(group) => syn::parse2::<syn::LitStr>(group.stream()).ok(),
                    _ => None,
                });
                found.push(text.map(|text| text.value()).unwrap_or_default());
            }
            TokenTree::Group(group) => found.extend(messages(group.stream())),
            _ => {}
        }
    }
    found
}

fn named(name: &str) -> Ours {
    Ours::named(name).expect("one of ours")
}

/// What `retry` and its kind make of it: an expansion that parses where the item did, or errors with words.
fn check(name: &str, args: TokenStream, item: TokenStream) -> Result<(), TestCaseError> {
    let is_item = syn::parse2::<syn::ImplItem>(item.clone()).is_ok() || syn::parse2::<syn::Item>(item.clone()).is_ok();
    let out = attribute::expand(named(name), args, item.clone());
    let said = messages(out.clone());
    let had = messages(item.clone()).len();
    prop_assert!(said.iter().all(|message| !message.trim().is_empty()), "an error without words: {out}");
    let text = out.to_string();
    let expanded = text.contains(MARKER) || text.contains("resilient");
    let left_out = name == "resilient";
    prop_assert!(expanded || left_out || said.len() > had, "neither expanded nor an error: {out}");
    if is_item && said.is_empty() {
        let parsed = syn::parse2::<syn::ImplItem>(out.clone()).is_ok() || syn::parse2::<syn::File>(out).is_ok();
        prop_assert!(parsed, "an expansion that does not parse: {text}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arguments_that_are_nearly_right(attribute in 0..ATTRIBUTES.len(), item in 0..ITEMS.len(), changes in changes()) {
        let (name, args) = ATTRIBUTES[attribute];
        check(name, changed(tokens(args), &changes), tokens(ITEMS[item]))?;
    }

    #[test]
    fn items_that_are_nearly_right(attribute in 0..ATTRIBUTES.len(), item in 0..ITEMS.len(), changes in changes()) {
        let (name, args) = ATTRIBUTES[attribute];
        check(name, tokens(args), changed(tokens(ITEMS[item]), &changes))?;
    }

    #[test]
    fn arguments_of_another_attribute(one in 0..ATTRIBUTES.len(), other in 0..ATTRIBUTES.len(), changes in changes()) {
        let (name, args) = (ATTRIBUTES[one].0, ATTRIBUTES[other].1);
        check(name, changed(tokens(args), &changes), tokens(ITEMS[0]))?;
    }

    #[test]
    fn scraps_alone(attribute in 0..ATTRIBUTES.len(), scraps in prop::collection::vec(any::<prop::sample::Index>(), 0..8)) {
        let all: Vec<_> = tokens(SCRAPS).into_iter().collect();
        let args = scraps.iter().map(|index| all[index.index(all.len())].clone()).collect();
        check(ATTRIBUTES[attribute].0, args, tokens(ITEMS[0]))?;
    }

    #[test]
    fn derives_that_are_nearly_right(item in 0..DERIVED.len(), changes in changes()) {
        let item = changed(tokens(DERIVED[item]), &changes);
        let out = derive::expand(item.clone());
        let said = messages(out.clone());
        prop_assert!(said.iter().all(|message| !message.trim().is_empty()), "an error without words: {out}");
        prop_assert!(!out.is_empty(), "neither an impl nor an error for {item}");
        if said.is_empty() {
            prop_assert!(syn::parse2::<syn::File>(out.clone()).is_ok(), "an impl that does not parse: {out}");
        }
    }

    #[test]
    fn any_text_as_a_duration(text in "\\PC{0,40}") {
        if let Err(message) = parse_duration(&text) {
            prop_assert!(!message.is_empty());
        }
    }

    #[test]
    fn text_like_a_duration(text in "( ?[0-9]{0,40}[.]?[0-9]{0,40} ?(h|m|s|ms|us|ns|d|)){0,4}") {
        match parse_duration(&text) {
            Ok(duration) => prop_assert!(text.contains(|c: char| c.is_ascii_digit()), "{duration:?}"),
            Err(message) => prop_assert!(!message.is_empty()),
        }
    }

    #[test]
    fn any_literal_of_any_kind(number in "-?[0-9]{1,50}([.][0-9]{1,50})?(e[0-9]{1,4})?(s|ms|u8|f64|x)?", text in "\\PC{0,20}") {
        let literals = [number, format!("{text:?}"), format!("-{text:?}")];
        let kinds = [Kind::ValuePredicate, Kind::Count, Kind::Duration, Kind::Rate, Kind::Factor, Kind::Name, Kind::Permits, Kind::Predicate];
        for expr in literals.iter().filter_map(|literal| syn::parse_str::<syn::Expr>(literal).ok()) {
            for kind in kinds {
                match crate::literal::convert(kind, "key", &expr) {
                    Ok(value) => prop_assert!(!value.tokens(&TokenStream::new()).is_empty()),
                    Err(error) => prop_assert!(!error.to_string().is_empty(), "{}", expr.to_token_stream()),
                }
            }
        }
    }
}

#[test]
fn the_inputs_that_are_changed_are_right() {
    for (name, args) in ATTRIBUTES.iter().filter(|(_, args)| *args != "skip") {
        let of_impl = args.contains("..");
        let item = if of_impl { ITEMS.iter().find(|item| item.starts_with("impl")) } else { ITEMS.first() };
        let out = attribute::expand(named(name), tokens(args), tokens(item.expect("one of each")));
        assert!(messages(out.clone()).is_empty() || !crate::features::stale(), "{name}: {out}");
    }
    for item in ITEMS.iter().take(6) {
        let out = attribute::expand(named("retry"), TokenStream::new(), tokens(item));
        assert!(messages(out.clone()).len() <= 1, "{out}");
    }
    let joint = tokens("::").into_iter().next();
    assert!(matches!(joint, Some(TokenTree::Punct(mark)) if mark.spacing() == Spacing::Joint), "puncts are whole");
}
