//! Small helpers over token streams.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};

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
