//! Which variables of the code around a piece of user code may name.

use std::collections::BTreeSet;
use std::iter::Peekable;

use proc_macro2::token_stream::IntoIter;
use proc_macro2::{Delimiter, Ident, Spacing, TokenStream, TokenTree};
use syn::ext::IdentExt;

/// Identifiers, but not `.field`, `field:`, `path::segment`, `'label` and `name!`, nor what a `let` or a `for` of the code itself has
/// declared; and names inside the braces of a string that a macro is given (`"{name:?}"`). In doubt a word is one.
#[derive(Debug, Default, Clone)]
pub(crate) struct Words(BTreeSet<String>);

/// What stands before a token.
#[derive(Clone, Copy, Default)]
struct Before {
    /// One makes it a field or a method, two or three are a range or a rest.
    dots: usize,
    /// Two make it a segment of a path.
    colons: usize,
    ident: bool,
    /// It is a label or a lifetime.
    quote: bool,
    /// A statement begins.
    end_of_statement: bool,
    /// It is what a macro is given.
    name_of_macro: bool,
}

impl Before {
    fn next(self, token: &TokenTree) -> Self {
        let mut next = Self::default();
        match token {
            TokenTree::Ident(_) => next.ident = true,
            TokenTree::Group(group) => next.end_of_statement = group.delimiter() == Delimiter::Brace,
            TokenTree::Punct(punct) => match punct.as_char() {
                '.' => next.dots = self.dots.saturating_add(1),
                ':' => next.colons = self.colons.saturating_add(1),
                '\'' => next.quote = true,
                ';' => next.end_of_statement = true,
                '!' => next.name_of_macro = self.ident,
                _ => {}
            },
            TokenTree::Literal(_) => {}
        }
        next
    }
}

impl Words {
    pub(crate) fn of(tokens: &TokenStream) -> Self {
        let mut words = Self::default();
        words.add(tokens.clone());
        words
    }

    pub(crate) fn add(&mut self, tokens: TokenStream) {
        self.walk(tokens, BTreeSet::new(), false);
    }

    /// `own` are the code's own variables.
    fn walk(&mut self, tokens: TokenStream, mut own: BTreeSet<String>, of_macro: bool) {
        let mut before = Before { end_of_statement: true, ..Before::default() };
        // What a statement declares means something else from its end on, and what a loop does, in its block.
        let (mut by_let, mut by_for) = (None, None);
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            let here = before;
            before = here.next(&token);
            match token {
                TokenTree::Ident(word) if word == "let" && here.end_of_statement => {
                    by_let = declared(&mut tokens, is_let)
                }
                TokenTree::Ident(word) if word == "for" => by_for = declared(&mut tokens, is_for),
                TokenTree::Ident(word) => {
                    let word_text = word.unraw().to_string();
                    if may_be_variable(here, tokens.peek()) && !own.contains(&word_text) {
                        self.0.insert(word_text);
                    }
                }
                TokenTree::Group(group) => {
                    let mut inner = own.clone();
                    if group.delimiter() == Delimiter::Brace {
                        inner.extend(by_for.take());
                    }
                    self.walk(group.stream(), inner, of_macro || here.name_of_macro);
                }
                TokenTree::Literal(literal) if of_macro => self.add_format_arguments(&literal.to_string()),
                TokenTree::Punct(punct) if punct.as_char() == ';' => own.extend(by_let.take()),
                TokenTree::Literal(_) | TokenTree::Punct(_) => {}
            }
        }
    }

    fn add_format_arguments(&mut self, literal: &str) {
        let literal = literal.replace("{{", "");
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

/// Whether an identifier between these is more than a part of another thing's name.
fn may_be_variable(before: Before, after: Option<&TokenTree>) -> bool {
    let named_by_next = match after {
        // The path goes on; or it names a field, unless a word like `const` declares it.
        Some(TokenTree::Punct(punct)) if punct.as_char() == ':' => punct.spacing() == Spacing::Joint || !before.ident,
        // A macro, and not `!=`.
        Some(TokenTree::Punct(punct)) if punct.as_char() == '!' => punct.spacing() == Spacing::Alone,
        _ => false,
    };
    before.dots != 1 && before.colons != 2 && !before.quote && !named_by_next
}

/// The one variable that is declared next, and what comes after it, if that is so simple.
fn declared(tokens: &mut Peekable<IntoIter>, is_end: fn(&TokenTree) -> bool) -> Option<String> {
    let mut ahead = tokens.clone();
    if matches!(ahead.peek(), Some(TokenTree::Ident(word)) if word == "mut") {
        ahead.next();
    }
    let Some(TokenTree::Ident(word)) = ahead.next() else { return None };
    if !ahead.peek().is_some_and(is_end) {
        return None;
    }
    *tokens = ahead;
    Some(word.unraw().to_string())
}

/// `let n =`, `let n: T`, `let n;`
fn is_let(after: &TokenTree) -> bool {
    matches!(after, TokenTree::Punct(punct) if matches!(punct.as_char(), '=' | ';') || (punct.as_char() == ':' && punct.spacing() == Spacing::Alone))
}

/// `for n in`
fn is_for(after: &TokenTree) -> bool {
    matches!(after, TokenTree::Ident(word) if word == "in")
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "tests may panic")]
mod tests {
    use super::Words;

    fn names_n(code: &str) -> bool {
        Words::of(&code.parse().expect(code)).has("n")
    }

    #[test]
    fn what_names_the_variable() {
        for code in [
            "n",
            "n.len()",
            "f(n)",
            "0..n",
            "..n",
            "..=n",
            "Foo { n }",
            "Foo { a: n }",
            "n != 2",
            "!n",
            "&n",
            "r#n",
            "println!(\"{n}\")",
            "println!(\"{n:?}\")",
            "println!(\"{:n$}\", 1)",
            "let n = n; n",
            "let a = n; let n = a;",
            "{ let n = 1; } n",
            "for n in n {}",
            "for n in 0..1 {} n",
            "if let Some(n) = n {}",
            "let mut n = { n };",
            "match n { _ => 1 }",
            "|n: u8| n",
        ] {
            assert!(names_n(code), "{code}");
        }
    }

    #[test]
    fn what_is_another_things_name() {
        for code in [
            "a.n",
            "a.n()",
            "a::n",
            "n::a",
            "Foo { n: 1 }",
            "n!()",
            "n! { a }",
            "'n: loop { break 'n; }",
            "\"{n}\"",
            "f(\"{n}\")",
            "println!(\"{{n}}\")",
            "let n = 1; n",
            "let mut n = 1; f(n)",
            "let n: u8 = 1; g(|| n)",
            "let n; n = 1;",
            "for n in 0..1 { f(n) }",
            "let n = 1; { n }",
            "|n: u8| 0",
            "\"n\"",
        ] {
            assert!(!names_n(code), "{code}");
        }
    }

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
}
