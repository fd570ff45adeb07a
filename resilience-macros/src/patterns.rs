//! What patterns declare, and where things end in plain tokens.

use proc_macro2::{Delimiter, TokenTree};
use syn::ext::IdentExt;

use crate::places::{is_after_path, is_joint, is_path_at, is_punct, is_single_colon};

/// The variables of a pattern, or nothing if that cannot be told.
///
/// A word that begins in upper case is taken for a constant: what it hides is then hidden from nobody.
pub(crate) fn declared(pattern: &[TokenTree]) -> Option<Vec<String>> {
    let mut names = Vec::new();
    declare(pattern, false, &mut names)?;
    Some(names)
}

/// With `listed` the tokens stand in a group, where commas are.
fn declare(tokens: &[TokenTree], listed: bool, names: &mut Vec<String>) -> Option<()> {
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(ident) => {
                let word = ident.unraw().to_string();
                let of_path = is_path_at(tokens, at.saturating_add(1)) || is_after_path(tokens, at);
                let names_more = match tokens.get(at.saturating_add(1)) {
                    Some(TokenTree::Group(group)) => group.delimiter() != Delimiter::None,
                    // A field that is declared under another name.
                    Some(TokenTree::Punct(punct)) => punct.as_char() == ':',
                    _ => false,
                };
                let is_word = ["_", "ref", "mut", "true", "false"].contains(&word.as_str());
                if !of_path && !names_more && !is_word && !word.starts_with(char::is_uppercase) {
                    names.push(word);
                }
            }
            TokenTree::Group(group) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                declare(&inner, true, names)?;
            }
            TokenTree::Punct(punct) => match punct.as_char() {
                '|' | '&' | '@' | '.' | '=' | '-' | ':' => {}
                ',' if listed => {}
                _ => return None,
            },
            TokenTree::Literal(_) => {}
        }
    }
    Some(())
}

/// Behind the `>` that closes the `<` that stands there.
pub(crate) fn angles_end(tokens: &[TokenTree], begin: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for at in begin..tokens.len() {
        let is_arrow = |sign| at.checked_sub(1).is_some_and(|before| is_joint(tokens, before, [sign, '>']));
        if is_punct(tokens, at, '<') {
            depth = depth.saturating_add(1);
        } else if is_punct(tokens, at, '>') && !is_arrow('-') && !is_arrow('=') {
            depth = depth.checked_sub(1)?;
        } else if is_punct(tokens, at, ';') {
            return None;
        }
        if depth == 0 {
            return Some(at.saturating_add(1));
        }
    }
    None
}

/// The first place from `at` on where `is_end` holds, outside of the angle brackets of types.
pub(crate) fn find(tokens: &[TokenTree], mut at: usize, is_end: impl Fn(usize) -> bool) -> Option<usize> {
    let mut in_type = false;
    while at < tokens.len() {
        if is_end(at) {
            return Some(at);
        }
        in_type |= is_single_colon(tokens, at);
        let opens = is_punct(tokens, at, '<') && (in_type || is_after_path(tokens, at));
        let behind = if opens { angles_end(tokens, at) } else { None };
        at = behind.unwrap_or(at.saturating_add(1));
    }
    None
}

/// A `let` from behind the word: where the pattern ends, and where its value begins with `=`, or the statement ends.
pub(crate) fn let_ends(tokens: &[TokenTree], begin: usize) -> Option<(usize, usize)> {
    let is_value = |at: usize| {
        let of_range = at.checked_sub(1).is_some_and(|before| is_joint(tokens, before, ['.', '=']));
        is_punct(tokens, at, ';') || (is_punct(tokens, at, '=') && !of_range)
    };
    let value = find(tokens, begin, is_value)?;
    let pattern = (begin..value).find(|at| is_single_colon(tokens, *at)).unwrap_or(value);
    Some((pattern, value))
}

/// The parameters of a closure from behind the first `|`: their patterns, and where the second `|` is.
pub(crate) fn parameters(tokens: &[TokenTree], begin: usize) -> Option<(Vec<&[TokenTree]>, usize)> {
    let mut patterns = Vec::new();
    let mut at = begin;
    loop {
        let end = find(tokens, at, |at| [',', '|', ';'].iter().any(|sign| is_punct(tokens, at, *sign)))?;
        let pattern = (at..end).find(|at| is_single_colon(tokens, *at)).unwrap_or(end);
        patterns.push(tokens.get(at..pattern)?);
        match tokens.get(end) {
            Some(TokenTree::Punct(punct)) if punct.as_char() == '|' => return Some((patterns, end)),
            Some(TokenTree::Punct(punct)) if punct.as_char() == ',' => at = end.saturating_add(1),
            _ => return None,
        }
    }
}
