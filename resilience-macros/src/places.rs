//! What stands around a token.

use proc_macro2::{Delimiter, Spacing, TokenTree};

use crate::tokens::mentions;

pub(crate) fn is_punct(tokens: &[TokenTree], at: usize, sign: char) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

pub(crate) fn is_word(tokens: &[TokenTree], at: usize, word: &str) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Ident(ident)) if ident == word)
}

pub(crate) fn is_brace(tokens: &[TokenTree], at: usize) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace)
}

/// Two signs that are one.
pub(crate) fn is_joint(tokens: &[TokenTree], at: usize, signs: [char; 2]) -> bool {
    let first = matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == signs[0] && punct.spacing() == Spacing::Joint);
    first && is_punct(tokens, at.saturating_add(1), signs[1])
}

pub(crate) fn is_path_at(tokens: &[TokenTree], at: usize) -> bool {
    is_joint(tokens, at, [':', ':'])
}

pub(crate) fn is_after_path(tokens: &[TokenTree], at: usize) -> bool {
    at.checked_sub(2).is_some_and(|before| is_path_at(tokens, before))
}

/// Whether a type or a pattern begins behind the `:` that stands there: it is no part of `::`, and of no label.
pub(crate) fn is_single_colon(tokens: &[TokenTree], at: usize) -> bool {
    is_punct(tokens, at, ':')
        && !is_path_at(tokens, at)
        && !at.checked_sub(1).is_some_and(|before| is_path_at(tokens, before))
        && !at.checked_sub(2).is_some_and(|before| is_punct(tokens, before, '\''))
}

/// `name = value` in `format!("{name}", name = value)`.
pub(crate) fn is_argument_of_text(tokens: &[TokenTree], at: usize) -> bool {
    let next = at.saturating_add(1);
    let is_after_comma = at.checked_sub(1).is_some_and(|before| is_punct(tokens, before, ','));
    let is_given =
        is_punct(tokens, next, '=') && !is_joint(tokens, next, ['=', '=']) && !is_joint(tokens, next, ['=', '>']);
    is_after_comma && is_given
}

/// Whether an identifier is more than a part of another thing's name.
pub(crate) fn may_be_variable(tokens: &[TokenTree], at: usize) -> bool {
    let (before, next) = (at.checked_sub(1), at.saturating_add(1));
    let is_before = |sign| before.is_some_and(|before| is_punct(tokens, before, sign));
    let is_joint_before = |signs| at.checked_sub(2).is_some_and(|before| is_joint(tokens, before, signs));
    let is_after_word = matches!(before.and_then(|before| tokens.get(before)), Some(TokenTree::Ident(_)));
    // One dot makes it a field or a method, two or three are a range or a rest.
    let of_other = is_before('.') && !is_joint_before(['.', '.']);
    // A macro, and not `!=`.
    let is_macro = is_punct(tokens, next, '!') && !is_joint(tokens, next, ['!', '=']);
    // It names a field, unless a word like `const` declares it.
    let is_field = is_punct(tokens, next, ':') && !is_after_word;
    let is_type = is_joint_before(['-', '>']) || before.is_some_and(|before| is_word(tokens, before, "as"));
    let is_path = is_after_path(tokens, at) || is_path_at(tokens, next);
    !(of_other || is_macro || is_field || is_type || is_path || is_before('\''))
}

/// Behind nothing, a statement's end, or an attribute.
pub(crate) fn begins_statement(tokens: &[TokenTree], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return true };
    match tokens.get(before) {
        Some(TokenTree::Punct(punct)) => punct.as_char() == ';',
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Bracket => {
            before.checked_sub(1).is_some_and(|sign| is_punct(tokens, sign, '#'))
        }
        Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Brace,
        _ => false,
    }
}

/// Whether a statement may not be there: `#[cfg(…)]`.
pub(crate) fn is_conditional(tokens: &[TokenTree], at: usize) -> bool {
    let Some(attribute) = at.checked_sub(2).filter(|sign| is_punct(tokens, *sign, '#')) else { return false };
    let is_cfg = |token: &TokenTree| matches!(token, TokenTree::Group(group) if mentions(group.stream(), "cfg"));
    tokens.get(attribute.saturating_add(1)).is_some_and(is_cfg) || is_conditional(tokens, attribute)
}

/// Whether a value ends there, so that a sign behind it is an operator.
pub(crate) fn is_operand(tokens: &[TokenTree], at: Option<usize>) -> bool {
    const GO_ON: [&str; 11] =
        ["move", "mut", "return", "break", "else", "in", "match", "if", "while", "async", "static"];
    match at.and_then(|at| tokens.get(at)) {
        Some(TokenTree::Ident(word)) => !GO_ON.iter().any(|known| word == known),
        Some(TokenTree::Group(_) | TokenTree::Literal(_)) => true,
        Some(TokenTree::Punct(punct)) => matches!(punct.as_char(), '?' | '>' | '|'),
        None => false,
    }
}

/// Whether braces are those of the `if` or the like that stands before, and not a block in its condition.
pub(crate) fn is_body(tokens: &[TokenTree], at: usize) -> bool {
    const BLOCKS: [&str; 6] = ["else", "loop", "unsafe", "async", "move", "const"];
    match at.checked_sub(1).and_then(|before| tokens.get(before)) {
        Some(TokenTree::Ident(word)) => !BLOCKS.iter().any(|known| word == known),
        Some(TokenTree::Punct(punct)) => matches!(punct.as_char(), '?' | '.' | '>'),
        _ => true,
    }
}

/// Behind an item.
pub(crate) fn item_end(tokens: &[TokenTree], from: usize, in_braces: bool) -> usize {
    let is_end = |at: usize| is_punct(tokens, at, ';') || (in_braces && is_brace(tokens, at));
    (from..tokens.len()).find(|at| is_end(*at)).map_or(tokens.len(), |end| end.saturating_add(1))
}
