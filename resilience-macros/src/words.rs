//! Which variables of the code around a piece of user code may name.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;

use crate::patterns::{angles_end, declared, find, let_ends, parameters};
use crate::places::{
    begins_statement, is_argument_of_text, is_body, is_brace, is_conditional, is_joint, is_operand, is_path_at,
    is_punct, is_single_colon, is_word, item_end, may_be_variable,
};

/// Identifiers, but not `.field`, `field:`, `path::segment`, `'label`, `name!` and types, nor what the code itself has declared; and
/// names inside the braces of a string that a macro is given (`"{name:?}"`). In doubt a word is one: what is not among them is not
/// copied for an attempt, and code that takes it would not compile.
#[derive(Debug, Default, Clone)]
pub(crate) struct Words(BTreeSet<String>);

impl Words {
    pub(crate) fn of(tokens: &TokenStream) -> Self {
        let mut words = Self::default();
        words.add(tokens.clone());
        words
    }

    pub(crate) fn add(&mut self, tokens: TokenStream) {
        let mut reader = Reader { found: &mut self.0, own: Vec::new() };
        reader.group(tokens, Of::Code);
    }

    pub(crate) fn contain(&self, ident: &Ident) -> bool {
        self.has(&ident.unraw().to_string())
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}

/// Whose tokens they are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Code,
    /// A macro's whose input is expressions, with a text that names some perhaps.
    Formatting,
    /// Another macro's: who knows what it declares.
    Macro,
}

/// Macros that take expressions.
const FORMATTING: [&str; 20] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "panic",
    "print",
    "println",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// Items, in which no variable of the code around has a meaning, and whether they end in braces.
const ITEMS: [(&str, bool); 9] = [
    ("struct", true),
    ("enum", true),
    ("trait", true),
    ("impl", true),
    ("mod", true),
    ("use", false),
    ("const", false),
    ("static", false),
    ("type", false),
];

struct Reader<'a> {
    found: &'a mut BTreeSet<String>,
    /// The code's own variables, innermost last.
    own: Vec<String>,
}

/// What a list of tokens is in the middle of.
#[derive(Default)]
struct Middle {
    /// What a `let` has declared, from the end of its statement on.
    by_let: Vec<String>,
    /// `if`, `while`, `for` and `match` whose braces are still to come.
    heads: Vec<Head>,
    /// How many variables there were before a closure that goes on to the next comma.
    before_closure: Option<usize>,
}

struct Head {
    is_match: bool,
    /// How many variables there were before it.
    before: usize,
    /// What it declares for its braces.
    names: Vec<String>,
}

impl Reader<'_> {
    fn group(&mut self, tokens: TokenStream, of: Of) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        self.list(&tokens, of);
    }

    fn list(&mut self, tokens: &[TokenTree], of: Of) {
        let before = self.own.len();
        let mut middle = Middle::default();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let skipped = if of == Of::Macro { None } else { self.declaration(tokens, at, &mut middle) };
            if let Some(next) = skipped {
                at = next;
                continue;
            }
            match token {
                TokenTree::Ident(ident) => self.word(ident, tokens, at, of),
                TokenTree::Group(group) => match of_group(group.delimiter(), tokens, at, of) {
                    Of::Code if is_brace(tokens, at) => self.braces(group.stream(), tokens, at, &mut middle),
                    of_inner => self.group(group.stream(), of_inner),
                },
                TokenTree::Literal(literal) if of != Of::Code => self.text(&literal.to_string(), tokens, of),
                TokenTree::Literal(_) => {}
                TokenTree::Punct(punct) => self.sign(punct.as_char(), tokens, at, &mut middle),
            }
            at = at.saturating_add(1);
        }
        self.own.truncate(before);
    }

    /// What is no expression: where it ends.
    fn declaration(&mut self, tokens: &[TokenTree], at: usize, middle: &mut Middle) -> Option<usize> {
        let next = at.saturating_add(1);
        let TokenTree::Ident(word) = tokens.get(at)? else {
            if is_path_at(tokens, at) && is_punct(tokens, at.saturating_add(2), '<') {
                return angles_end(tokens, at.saturating_add(2));
            }
            return self.closure(tokens, at, middle);
        };
        let begins = begins_statement(tokens, at);
        match word.to_string().as_str() {
            "let" if begins && !is_conditional(tokens, at) => {
                let (pattern, value) = let_ends(tokens, next)?;
                middle.by_let = declared(tokens.get(next..pattern)?)?;
                Some(value)
            }
            "let" if !begins => {
                let head = middle.heads.last_mut()?;
                let (pattern, value) = let_ends(tokens, next)?;
                head.names.extend(declared(tokens.get(next..pattern)?)?);
                Some(value)
            }
            "for" if !is_punct(tokens, next, '<') => {
                let is_end = |at| is_word(tokens, at, "in") || is_brace(tokens, at) || is_punct(tokens, at, ';');
                let end = find(tokens, next, is_end).filter(|end| is_word(tokens, *end, "in"))?;
                let names = declared(tokens.get(next..end)?)?;
                middle.heads.push(Head { is_match: false, before: self.own.len(), names });
                Some(end.saturating_add(1))
            }
            head @ ("if" | "while" | "match") => {
                let is_match = head == "match";
                middle.heads.push(Head { is_match, before: self.own.len(), names: Vec::new() });
                Some(next)
            }
            "fn" if matches!(tokens.get(next), Some(TokenTree::Ident(_))) => Some(item_end(tokens, next, true)),
            item if begins && matches!(tokens.get(next), Some(TokenTree::Ident(_))) => {
                let (_, in_braces) = ITEMS.iter().find(|(name, _)| *name == item)?;
                let is_function = is_word(tokens, next, "fn");
                (!is_function).then(|| item_end(tokens, next, *in_braces))
            }
            _ => None,
        }
    }

    /// `|a, b: B|`: what follows, up to the next comma, has these.
    fn closure(&mut self, tokens: &[TokenTree], at: usize, middle: &mut Middle) -> Option<usize> {
        if !is_punct(tokens, at, '|') || is_operand(tokens, at.checked_sub(1)) {
            return None;
        }
        let (patterns, end) = parameters(tokens, at.saturating_add(1))?;
        let names: Option<Vec<_>> = patterns.into_iter().map(declared).collect();
        let names = names?;
        middle.before_closure.get_or_insert(self.own.len());
        self.own.extend(names.into_iter().flatten());
        Some(end.saturating_add(1))
    }

    fn sign(&mut self, sign: char, tokens: &[TokenTree], at: usize, middle: &mut Middle) {
        match sign {
            // Conditions go on, with what the one before has declared.
            '&' if is_joint(tokens, at, ['&', '&']) && is_operand(tokens, at.checked_sub(1)) => {
                if let Some(head) = middle.heads.last_mut() {
                    self.own.append(&mut head.names);
                }
            }
            ',' | ';' => {
                let before_heads = middle.heads.first().map(|head| head.before);
                let before = middle.before_closure.take().into_iter().chain(before_heads).min();
                self.own.truncate(before.unwrap_or(self.own.len()));
                middle.heads.clear();
                if sign == ';' {
                    self.own.append(&mut middle.by_let);
                }
            }
            _ => {}
        }
    }

    fn braces(&mut self, inner: TokenStream, tokens: &[TokenTree], at: usize, middle: &mut Middle) {
        let head = if is_body(tokens, at) { middle.heads.pop() } else { None };
        let Some(Head { is_match, before, names }) = head else { return self.group(inner, Of::Code) };
        if is_match {
            let inner: Vec<TokenTree> = inner.into_iter().collect();
            return self.arms(&inner);
        }
        self.own.extend(names);
        self.group(inner, Of::Code);
        self.own.truncate(before);
    }

    fn arms(&mut self, tokens: &[TokenTree]) {
        let arrow = |from: usize| find(tokens, from, |at| is_joint(tokens, at, ['=', '>']));
        let mut at = 0;
        while at < tokens.len() {
            while is_punct(tokens, at, '#') {
                at = at.saturating_add(2);
            }
            let rest = tokens.get(at..).unwrap_or_default();
            let Some(end) = arrow(at) else { return self.list(rest, Of::Code) };
            let guard = (at..end).find(|at| is_word(tokens, *at, "if")).unwrap_or(end);
            let body = end.saturating_add(2);
            let body_end = match is_brace(tokens, body) {
                true => body.saturating_add(1),
                false => find(tokens, body, |at| is_punct(tokens, at, ',')).unwrap_or(tokens.len()),
            };
            let names = tokens.get(at..guard).and_then(declared);
            // Behind a body that ends in braces there need be no comma: the next arm is then in what looks like the body.
            let is_one = arrow(body).is_none_or(|next| next >= body_end);
            let Some(names) = names.filter(|_| is_one) else { return self.list(rest, Of::Code) };
            let before = self.own.len();
            self.own.extend(names);
            self.list(tokens.get(guard..end).unwrap_or_default(), Of::Code);
            self.list(tokens.get(body..body_end).unwrap_or_default(), Of::Code);
            self.own.truncate(before);
            at = if is_punct(tokens, body_end, ',') { body_end.saturating_add(1) } else { body_end };
        }
    }

    fn word(&mut self, ident: &Ident, tokens: &[TokenTree], at: usize, of: Of) {
        let word = ident.unraw().to_string();
        let argument_of_text = of == Of::Formatting && is_argument_of_text(tokens, at);
        // A macro may put in a variable whatever stands behind it: `#name::new`, `name: T`.
        let put_in = at.checked_sub(1).is_some_and(|before| is_punct(tokens, before, '#'));
        let may_be_put_in = of == Of::Macro && (put_in || is_single_colon(tokens, at.saturating_add(1)));
        if (may_be_variable(tokens, at) || may_be_put_in) && !argument_of_text && !self.own.contains(&word) {
            self.found.insert(word);
        }
    }

    /// The names in a text for a macro, but those that it is given right there.
    fn text(&mut self, literal: &str, tokens: &[TokenTree], of: Of) {
        let literal = literal.replace("{{", "");
        let given = |word: &str| {
            of == Of::Formatting
                && (0..tokens.len()).any(|at| is_word(tokens, at, word) && is_argument_of_text(tokens, at))
        };
        for braced in literal.split('{').skip(1).filter_map(|rest| rest.split('}').next()) {
            let words = braced.split(|c: char| c != '_' && !c.is_alphanumeric());
            let words =
                words.filter(|word| !word.is_empty() && !self.own.iter().any(|own| own == word) && !given(word));
            self.found.extend(words.map(str::to_owned));
        }
    }
}

/// What a group's tokens are: a macro's that stands before it, or of what is around it.
fn of_group(delimiter: Delimiter, tokens: &[TokenTree], at: usize, of: Of) -> Of {
    let Some(sign) = at.checked_sub(1).filter(|sign| is_punct(tokens, *sign, '!')) else {
        // A text may come as one token of a `macro_rules`.
        return if of == Of::Formatting && delimiter != Delimiter::None { Of::Code } else { of };
    };
    match sign.checked_sub(1).and_then(|name| tokens.get(name)) {
        Some(TokenTree::Ident(name)) if of != Of::Macro && FORMATTING.iter().any(|known| name == known) => {
            Of::Formatting
        }
        Some(TokenTree::Ident(_)) => Of::Macro,
        _ => of,
    }
}
