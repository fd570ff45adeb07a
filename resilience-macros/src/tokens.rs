//! Small helpers over token streams.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::ext::IdentExt;

/// The words of a piece of user code that may name a variable: identifiers, but not `.field`, `field:` and `path::segment`;
/// and names inside the braces of a string (`"{name:?}"`).
#[derive(Debug, Default, Clone)]
pub(crate) struct Words(BTreeSet<String>);

impl Words {
    pub(crate) fn of(tokens: &TokenStream) -> Self {
        let mut words = Self::default();
        words.add(tokens.clone());
        words
    }

    pub(crate) fn add(&mut self, tokens: TokenStream) {
        // Dots before the token: one makes it a field or a method, two or three are a range or a rest.
        let mut dots = 0_usize;
        // Colons before the token: two make it a segment of a path.
        let mut colons = 0_usize;
        let mut after_ident = false;
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            let begins = !std::mem::replace(&mut after_ident, matches!(token, TokenTree::Ident(_)));
            let (dots_before, colons_before) = (std::mem::take(&mut dots), std::mem::take(&mut colons));
            match token {
                TokenTree::Ident(ident) => {
                    // Colons behind it: the path goes on; or it names a field, unless a word like `const` declares it.
                    let colon = match tokens.peek() {
                        Some(TokenTree::Punct(punct)) if punct.as_char() == ':' => Some(punct.spacing()),
                        _ => None,
                    };
                    let names = colon.is_some_and(|spacing| spacing == Spacing::Joint || begins);
                    if dots_before != 1 && colons_before != 2 && !names {
                        self.0.insert(ident.unraw().to_string());
                    }
                }
                TokenTree::Group(group) => self.add(group.stream()),
                TokenTree::Literal(literal) => self.add_format_arguments(&literal.to_string()),
                TokenTree::Punct(punct) if punct.as_char() == '.' => dots = dots_before.saturating_add(1),
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons = colons_before.saturating_add(1),
                TokenTree::Punct(_) => {}
            }
        }
    }

    fn add_format_arguments(&mut self, literal: &str) {
        for braced in literal.split('{').skip(1).filter_map(|rest| rest.split('}').next()) {
            let words = braced.split(|c: char| c != '_' && !c.is_alphanumeric());
            self.0.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
        }
    }

    pub(crate) fn contain(&self, ident: &Ident) -> bool {
        self.has(&ident.unraw().to_string())
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}

/// Whether the word stands anywhere in the code, also as a method or a field.
pub(crate) fn mentions(tokens: TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Group(group) => mentions(group.stream(), word),
        _ => false,
    })
}

/// Whether code may wait, or leave the function that it stands in; who knows what a macro does.
pub(crate) fn may_wait_or_leave(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == "await" || ident == "return",
        TokenTree::Punct(punct) => matches!(punct.as_char(), '?' | '!'),
        TokenTree::Group(group) => may_wait_or_leave(group.stream()),
        TokenTree::Literal(_) => false,
    })
}

/// `span`'s place with the hygiene of generated code.
pub(crate) fn site_at(span: Span) -> Span {
    span.resolved_at(Span::mixed_site())
}

/// An identifier of generated code.
pub(crate) fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// The same tokens shown at another place; their hygiene stays.
pub(crate) fn moved_to(tokens: &TokenStream, span: Span) -> TokenStream {
    let mut moved = TokenStream::new();
    for mut token in tokens.clone() {
        token.set_span(span.resolved_at(token.span()));
        moved.extend([token]);
    }
    moved
}

/// What is left of groups without delimiters (`$e:expr` of a `macro_rules`) when nothing but one group is there.
pub(crate) fn ungrouped(tokens: TokenStream) -> TokenStream {
    let mut iter = tokens.clone().into_iter();
    match (iter.next(), iter.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::None => ungrouped(group.stream()),
        _ => tokens,
    }
}

/// The place of a piece of user code: for messages that underline its first token.
pub(crate) fn start_of(tokens: &impl ToTokens) -> Span {
    tokens.to_token_stream().into_iter().next().map_or_else(Span::call_site, |token| token.span())
}

/// Code as text, without spaces.
pub(crate) fn text_of(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string().replace(' ', "")
}

/// The default path of the runtime.
pub(crate) fn default_crate() -> TokenStream {
    quote_spanned!(Span::mixed_site()=> ::resilience)
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "tests may panic")]
mod tests {
    use super::Words;

    #[test]
    fn words_name_variables() {
        let words = Words::of(
            &r##"a.field(b); S { c, ..d }; e..=f; format!("{g:>h$} {{i}} j {k.l}", m = n); r#type"##
                .parse()
                .expect("tokens"),
        );
        for word in ["a", "b", "c", "d", "e", "f", "g", "h", "n", "type"] {
            assert!(words.has(word), "{word}");
        }
        for word in ["field", "j"] {
            assert!(!words.has(word), "{word}");
        }
    }

    #[test]
    fn words_are_what_may_be_a_variable() {
        let words = |code: &str| code.parse().map(|tokens| Words::of(&tokens)).unwrap_or_default();
        for code in ["tx", "f(tx)", "Msg { tx }", "Msg { a: tx }", "tx.send()", "tx..", "..tx", "\"{tx:?}\""] {
            assert!(words(code).has("tx"), "{code}");
        }
        for code in ["a.tx", "tx::RATE", "a::tx", "Msg { tx: 1 }", "|tx: u8| 0", "\"tx\""] {
            assert!(!words(code).has("tx"), "{code}");
        }
    }
}
