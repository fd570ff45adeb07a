//! Where in a function the guarded code stands: all of an `async fn`, or the `async` block that another one returns.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::Type;

use crate::async_trait;
use crate::future::output_of;
use crate::in_front::{Let, lets, relax, returns_block};
use crate::tokens::ungrouped;

/// The groups around the guarded code, outermost first. The first is the function's braces.
pub(crate) struct Frame {
    levels: Vec<Level>,
    /// The `let` statements in front of the guarded code.
    pub(crate) lets: Vec<Let>,
    /// The statements that `#[async_trait]` makes of a method's arguments stand in the block itself.
    pub(crate) of_async_trait: bool,
}

/// A group, and what stands in it beside the next one.
struct Level {
    delimiter: Delimiter,
    span: Span,
    before: TokenStream,
    after: TokenStream,
}

/// What a call of the function runs.
pub(crate) struct Returning<'a> {
    /// What its future gives; nothing is written for `()`.
    pub(crate) output: Option<&'a Type>,
    pub(crate) frame: Frame,
    /// The guarded code, in its braces.
    pub(crate) body: Group,
}

impl Frame {
    /// Around the whole body of an `async fn`.
    pub(crate) fn whole(body: &Group) -> Self {
        let level = Level::around(body, TokenStream::new(), TokenStream::new());
        Self { levels: vec![level], lets: Vec::new(), of_async_trait: false }
    }

    /// Whether the function is an `async fn`.
    pub(crate) fn is_whole(&self) -> bool {
        self.levels.len() == 1
    }

    /// Where the code in front returns an `async` block of its own.
    pub(crate) fn returns_early(&self) -> Option<Span> {
        self.levels.first().and_then(|level| returns_block(level.before.clone()))
    }

    /// The function's braces with `items` in front and `content` in the place of the guarded code.
    ///
    /// With `relaxed`, a name in front that is `mut` only for the guarded code's sake is no complaint: that code gets
    /// a binding of its own.
    pub(crate) fn fill(&self, items: &TokenStream, content: TokenStream, relaxed: bool) -> Group {
        let mut content = content;
        for (index, level) in self.levels.iter().enumerate().rev() {
            let mut stream = if index == 0 { items.clone() } else { TokenStream::new() };
            stream.extend(if relaxed { relax(level.before.clone()) } else { level.before.clone() });
            stream.extend(content);
            stream.extend(level.after.clone());
            let mut group = Group::new(level.delimiter, stream);
            group.set_span(level.span);
            content = group.to_token_stream();
        }
        // There is at least one level; and a group without delimiters changes nothing.
        match content.clone().into_iter().next() {
            Some(TokenTree::Group(group)) => group,
            _ => Group::new(Delimiter::None, content),
        }
    }
}

impl Level {
    fn around(group: &Group, before: TokenStream, after: TokenStream) -> Self {
        Self { delimiter: group.delimiter(), span: group.span(), before, after }
    }
}

/// Finds the `async` block that a function returns, by the function's return type and the end of its body:
/// `async move { … }`, `Box::pin(async move { … })`, `async move { … }.boxed()`, or what `#[async_trait]` leaves.
pub(crate) fn returned_block<'a>(returned: &'a Type, body: &Group) -> Option<Returning<'a>> {
    let output = output_of(returned)?;
    let mut frame = Frame { levels: Vec::new(), lets: Vec::new(), of_async_trait: false };
    let block = descend(body, true, &mut frame)?;
    let split = async_trait::split(&block).filter(|_| async_trait::returned(&returned.to_token_stream()));
    let body = match split {
        Some((before, body)) => {
            frame.of_async_trait = true;
            // Its arguments are bound here, and nowhere else.
            frame.lets = lets(&before);
            frame.levels.push(Level::around(&block, before, TokenStream::new()));
            body
        }
        None => {
            frame.levels.push(Level::around(&block, TokenStream::new(), TokenStream::new()));
            block
        }
    };
    Some(Returning { output: Some(output), frame, body })
}

/// Whether a body ends in an `async` block, whatever the function's type is called.
pub(crate) fn ends_in_block(body: &Group) -> bool {
    descend(body, true, &mut Frame { levels: Vec::new(), lets: Vec::new(), of_async_trait: false }).is_some()
}

/// Goes down to the `async` block at the end of `group`, and notes the way. `statements` may stand in front of it.
fn descend(group: &Group, statements: bool, frame: &mut Frame) -> Option<Group> {
    let tokens: Vec<TokenTree> = ungrouped(group.stream()).into_iter().collect();
    let (end, after) = adapted(&tokens)?;
    let last = match tokens.get(end)? {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => group.clone(),
        token => async_trait::braces(token)?,
    };
    let begin = match last.delimiter() {
        Delimiter::Brace => async_begins(&tokens, end)?,
        _ => pin_begins(&tokens, end)?,
    };
    let in_front = tokens.get(..begin)?;
    let separate = match in_front.last() {
        None => true,
        Some(TokenTree::Punct(punct)) => statements && punct.as_char() == ';',
        Some(TokenTree::Group(group)) => statements && group.delimiter() == Delimiter::Brace,
        Some(_) => false,
    };
    if !separate {
        return None;
    }
    let mut before: TokenStream = tokens.get(..end)?.iter().cloned().collect();
    frame.lets.extend(lets(&before));
    let moves = matches!(tokens.get(end.checked_sub(1)?), Some(TokenTree::Ident(word)) if word == "move");
    if last.delimiter() == Delimiter::Brace && !moves {
        // A block that is returned owns what it names, though attempts only look at that.
        before.extend(quote_spanned!(Span::mixed_site()=> move));
    }
    frame.levels.push(Level::around(group, before, after));
    match last.delimiter() {
        Delimiter::Brace => Some(last),
        _ => descend(&last, false, frame),
    }
}

/// Adapters that leave a future's output as it is.
const ADAPTERS: [&str; 5] = ["boxed", "boxed_local", "instrument", "in_current_span", "with_subscriber"];

/// Where the group stands that ends the expression without its adapters, and these. A comma at the end is one.
fn adapted(tokens: &[TokenTree]) -> Option<(usize, TokenStream)> {
    let mut end = tokens.len().checked_sub(1)?;
    if matches!(tokens.get(end), Some(TokenTree::Punct(punct)) if punct.as_char() == ',') {
        end = end.checked_sub(1)?;
    }
    while let Some(dot) = end.checked_sub(2) {
        let (Some(TokenTree::Punct(punct)), Some(TokenTree::Ident(name)), Some(TokenTree::Group(_))) =
            (tokens.get(dot), tokens.get(dot.saturating_add(1)), tokens.get(end))
        else {
            break;
        };
        if punct.as_char() != '.' || !ADAPTERS.iter().any(|adapter| name == adapter) {
            break;
        }
        end = dot.checked_sub(1)?;
    }
    Some((end, tokens.get(end.saturating_add(1)..)?.iter().cloned().collect()))
}

/// `async {…}`, `async move {…}` with the braces at `end`.
fn async_begins(tokens: &[TokenTree], end: usize) -> Option<usize> {
    let is = |at: usize, word: &str| matches!(tokens.get(at), Some(TokenTree::Ident(ident)) if ident == word);
    let last = end.checked_sub(1)?;
    let begin = if is(last, "move") { last.checked_sub(1)? } else { last };
    is(begin, "async").then_some(begin)
}

/// `Box::pin(…)`, `::std::boxed::Box::pin(…)` with the parentheses at `end`.
fn pin_begins(tokens: &[TokenTree], end: usize) -> Option<usize> {
    let last = end.checked_sub(1)?;
    if !matches!(tokens.get(last), Some(TokenTree::Ident(ident)) if ident == "pin") {
        return None;
    }
    let is_path = |token: &&TokenTree| match token {
        TokenTree::Ident(_) => true,
        TokenTree::Punct(punct) => punct.as_char() == ':',
        _ => false,
    };
    let length = tokens.get(..last)?.iter().rev().take_while(is_path).count();
    let begin = last.checked_sub(length)?;
    let path: String = tokens.get(begin..last)?.iter().map(ToString::to_string).collect();
    (path.trim_end_matches(':').rsplit("::").next() == Some("Box")).then_some(begin)
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "tests may panic")]
mod tests {
    use super::returned_block;
    use crate::arguments::{Passing, bindings};
    use proc_macro2::{TokenStream, TokenTree};
    use quote::ToTokens;

    const RETURNED: &str = "BoxFuture<'a, Result<u8, E>>";

    fn guarded(returned: &str, body: &str) -> Option<String> {
        let returned = syn::parse_str(returned).expect(returned);
        let tokens: TokenStream = format!("{{ {body} }}").parse().expect(body);
        let Some(TokenTree::Group(group)) = tokens.into_iter().next() else { unreachable!("a group") };
        let found = returned_block(&returned, &group)?;
        let output = found.output.map(|output| output.to_token_stream().to_string());
        assert_eq!(output.as_deref(), Some("Result < u8 , E >"));
        let filled = found.frame.fill(&TokenStream::new(), found.body.to_token_stream(), false);
        if !found.frame.of_async_trait {
            // In the braces of the block stand the braces of the guarded code.
            let own = found.body.to_string();
            let filled = filled.to_string().replace(&format!("{{ {own} }}"), &own);
            assert_eq!(filled, group.to_string().replace("async {", "async move {"));
        }
        let mut names = Vec::new();
        for statement in &found.frame.lets {
            bindings(&statement.pattern, None, Passing::Value, &mut |name, _| names.push(name.ident.to_string()));
        }
        let names = names.join(",");
        Some(format!("{} [{names}]", found.body))
    }

    #[test]
    fn the_returned_block_is_found() {
        for (body, expected) in [
            ("async move { a }", "{ a } []"),
            ("async { a }", "{ a } []"),
            ("let a = b; async move { a }", "{ a } [a]"),
            ("let (a, mut b): (A, B) = c; let S { d, .. } = e; async move { a }", "{ a } [a,b,d]"),
            ("if let Some(x) = y { return z } async move { a }", "{ a } []"),
            ("Box::pin(async move { a })", "{ a } []"),
            ("::std::boxed::Box::pin(async move { a },)", "{ a } []"),
            ("f(); Box::pin(async move { a }.instrument(span))", "{ a } []"),
            ("async move { a }.in_current_span().boxed()", "{ a } []"),
            (
                "Box::pin(async move { let __self = self; let b = b; let __ret: R = { a }; __ret })",
                "{ let __self = self ; let b = b ; let __ret : R = { a } ; __ret } []",
            ),
        ] {
            assert_eq!(guarded(RETURNED, body).as_deref(), Some(expected), "{body}");
        }
        assert_eq!(
            guarded(
                "Pin<Box<dyn Future<Output = Result<u8, E>> + Send + 'async_trait>>",
                "Box::pin(async move { let __self = self; let mut b = b; let __ret: R = { a }; __ret })"
            )
            .as_deref(),
            Some("{ a } [__self,b]")
        );
    }

    #[test]
    fn anything_else_is_not() {
        for body in [
            "",
            "a",
            "f(async move { a })",
            "return async move { a }",
            "if x { async move { a } } else { y }",
            "async move { a }.map(f)",
            "Box::pin(f(async move { a }))",
            "Rc::pin(async move { a })",
            "unsafe { a }",
        ] {
            assert_eq!(guarded(RETURNED, body), None, "{body}");
        }
    }
}
