//! What `#[async_trait]` makes of a method, as far as it differs from other functions that return a future.
//!
//! It always expands before the attributes on the method, into
//! `Box::pin(async move { …; let __self = self; let a = a; let __ret: R = { BODY }; __ret })`. The guarded code is BODY.

use proc_macro2::{Delimiter, Group, Ident, Literal, TokenStream, TokenTree};

use crate::tokens::ungrouped;

/// What it calls `self`.
pub(crate) const SELF: &str = "__self";

/// Whether a type is one that it returns.
pub(crate) fn returned(ty: &TokenStream) -> bool {
    ty.to_string().contains("'async_trait")
}

/// Splits the block: the statements that bind the arguments, and BODY.
pub(crate) fn split(block: &Group) -> Option<(TokenStream, Group)> {
    let tokens: Vec<TokenTree> = block.stream().into_iter().collect();
    let is = |at: usize, word: &str| matches!(tokens.get(at), Some(TokenTree::Ident(ident)) if ident == word);
    let begin = (0..tokens.len()).rev().find(|at| is(*at, "let") && is(at.saturating_add(1), "__ret"))?;
    let body = tokens.get(begin..)?.iter().find_map(braces)?;
    Some((tokens.get(..begin)?.iter().cloned().collect(), body))
}

/// The braces, out of the invisible groups of a `macro_rules`.
pub(crate) fn braces(token: &TokenTree) -> Option<Group> {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.clone()),
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            ungrouped(group.stream()).into_iter().next().as_ref().and_then(braces)
        }
        _ => None,
    }
}

/// The name of `self` in the body, if it has got one. Expressions in attributes on the method still say `self`.
pub(crate) fn self_of(item: &TokenStream) -> Option<Ident> {
    if !returned(item) {
        return None;
    }
    let body = last_group(item)?;
    let argument_of_pin = last_group(&body.stream())?;
    let (bindings, _) = split(&last_group(&argument_of_pin.stream())?)?;
    bindings.into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if ident == SELF => Some(ident),
        _ => None,
    })
}

fn last_group(tokens: &TokenStream) -> Option<Group> {
    match tokens.clone().into_iter().last() {
        Some(TokenTree::Group(group)) => Some(group),
        _ => None,
    }
}

/// The tokens with that name for `self`.
pub(crate) fn renamed(tokens: TokenStream, name: &Ident) -> TokenStream {
    let mut all = TokenStream::new();
    for token in tokens {
        match token {
            TokenTree::Ident(ident) if ident == "self" => {
                let mut name = name.clone();
                name.set_span(ident.span().resolved_at(name.span()));
                all.extend([TokenTree::Ident(name)]);
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), renamed(group.stream(), name));
                inner.set_span(group.span());
                all.extend([TokenTree::Group(inner)]);
            }
            TokenTree::Literal(literal) => all.extend([TokenTree::Literal(renamed_in_format(literal, name))]),
            other => all.extend([other]),
        }
    }
    all
}

/// `"{self:?}"` with that name.
fn renamed_in_format(literal: Literal, name: &Ident) -> Literal {
    let text = literal.to_string();
    let mut parts = text.split("{self");
    let mut renamed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // Of `{{` the second does not open.
        let opens = renamed.chars().rev().take_while(|letter| *letter == '{').count() % 2 == 0;
        let is_name = opens && part.starts_with(['}', ':']);
        renamed.push('{');
        renamed.push_str(&if is_name { name.to_string() } else { "self".to_owned() });
        renamed.push_str(part);
    }
    match renamed.parse::<Literal>() {
        Ok(mut changed) if renamed != text => {
            changed.set_span(literal.span().resolved_at(name.span()));
            changed
        }
        _ => literal,
    }
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "tests may panic")]
mod tests {
    use super::renamed;
    use crate::tokens::local;

    #[test]
    fn self_has_another_name() {
        for (code, expected) in [
            ("self.a", "__self . a"),
            (r#"f("{self} {self:?}")"#, r#"f ("{__self} {__self:?}")"#),
            (r##"r#"{self}"#"##, r##"r#"{__self}"#"##),
            (r#""{{self}} {{{self}}} {selfish} self""#, r#""{{self}} {{{__self}}} {selfish} self""#),
        ] {
            let found = renamed(code.parse().expect(code), &local("__self")).to_string();
            assert_eq!(found, expected.parse::<proc_macro2::TokenStream>().expect(expected).to_string());
        }
    }
}
