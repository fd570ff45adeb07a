//! Writes a test module once for each stack of attributes.
//!
//! A `macro_rules` would hand the functions on as fragments, or with the hygiene of a macro; here every token is as the
//! user of an attribute writes it.

use proc_macro::{Delimiter, Group, Ident, TokenStream, TokenTree};

/// A stack: what its modules are called, and its attributes from the outermost in, by name.
struct Stack {
    name: &'static str,
    attributes: &'static [(&'static str, &'static str)],
    /// How many attempts its shapes are given to make: where they can be tried again, the first ones fail.
    attempts: u32,
    /// Written also where the crate's feature `every-stack` is off, which compiles in half the time.
    in_few: bool,
}

/// The first one has no attribute: a shape that this one does not pass is no fault of an expansion.
const STACKS: [Stack; 4] = [
    Stack { name: "plain", attributes: &[], attempts: 1, in_few: false },
    Stack { name: "retried", attributes: &[("retry", "base_delay = 0ms")], attempts: 3, in_few: true },
    Stack { name: "bounded", attributes: &[("timeout", "\"9s\"")], attempts: 1, in_few: true },
    Stack {
        name: "in_all",
        attributes: &[
            ("fallback", "|error| ::core::result::Result::Err(error)"),
            ("stale_if_error", "\"1m\""),
            ("timeout", "\"30s\""),
            ("retry", "base_delay = 0ms"),
            ("circuit_breaker", ""),
            ("rate_limit", "limit = 1000"),
            ("bulkhead", ""),
            ("timeout", "\"9s\""),
        ],
        attempts: 3,
        in_few: false,
    },
];

/// Writes an inline module once for each stack: `mod shapes { … }` becomes `mod shapes_plain`, `mod shapes_retried`, …
///
/// In it, `#[guarded]` stands for the attributes of the stack, and `ATTEMPTS` for the attempts it gives a function.
/// `#[guarded(borrow(a), max_attempts = 9)]` hands options to the retry, where there is one;
/// `#[guarded(without(stale_if_error))]` leaves a policy out. `#[guarded(list)]` writes one `#[resilient(…)]`, as an `impl`
/// block takes it, and `#[guarded(skip)]` leaves a method of that block out.
///
/// Without a feature `every-stack` of the crate that uses it, only some of the stacks are there.
#[proc_macro_attribute]
pub fn in_every_stack(_: TokenStream, module: TokenStream) -> TokenStream {
    STACKS.iter().flat_map(|stack| module_in(stack, module.clone())).collect()
}

/// An attribute with a name of ours that is another one, and leaves its item alone.
#[proc_macro_attribute]
pub fn timeout(_: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// Another one that leaves its item alone, and takes functions only, as most do.
#[proc_macro_attribute]
pub fn of_functions(_: TokenStream, item: TokenStream) -> TokenStream {
    let is_function = |token: TokenTree| matches!(token, TokenTree::Ident(word) if word.to_string() == "fn");
    match item.clone().into_iter().any(is_function) {
        true => item,
        false => "::core::compile_error! { \"expected `fn`\" }".parse().expect("tokens"),
    }
}

fn module_in(stack: &Stack, module: TokenStream) -> TokenStream {
    let condition = if stack.in_few { "" } else { "#[cfg(feature = \"every-stack\")]" };
    let mut tokens: Vec<TokenTree> = code(condition).into_iter().chain(module).collect();
    let Some(TokenTree::Group(content)) = tokens.pop() else { panic!("an inline module has braces") };
    let Some(TokenTree::Ident(name)) = tokens.pop() else { panic!("an inline module has a name") };
    let mut items = guarded_in(stack, content.stream());
    items.extend(code(&format!("const ATTEMPTS: ::core::primitive::u32 = {};", stack.attempts)));
    let name = Ident::new(&format!("{name}_{}", stack.name), name.span());
    tokens.extend([TokenTree::Ident(name), TokenTree::Group(same_group(&content, items))]);
    tokens.into_iter().collect()
}

/// Replaces each `#[guarded]`, at any depth.
fn guarded_in(stack: &Stack, tokens: TokenStream) -> TokenStream {
    let mut replaced = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match (&token, tokens.peek()) {
            (TokenTree::Punct(hash), Some(TokenTree::Group(attribute))) if hash.as_char() == '#' => {
                match options_of(attribute) {
                    Some(options) => {
                        replaced.extend(attributes(stack, options));
                        tokens.next();
                    }
                    None => replaced.extend([token]),
                }
            }
            (TokenTree::Group(group), _) => {
                let inner = guarded_in(stack, group.stream());
                replaced.extend([TokenTree::Group(same_group(group, inner))]);
            }
            _ => replaced.extend([token]),
        }
    }
    replaced
}

/// `[guarded(…)]` → `…`
fn options_of(attribute: &Group) -> Option<TokenStream> {
    if attribute.delimiter() != Delimiter::Bracket {
        return None;
    }
    let mut tokens = attribute.stream().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Ident(name)), None) if name.to_string() == "guarded" => Some(TokenStream::new()),
        (Some(TokenTree::Ident(name)), Some(TokenTree::Group(options))) if name.to_string() == "guarded" => {
            Some(options.stream())
        }
        _ => None,
    }
}

/// How the policies of a stack are written.
enum Form {
    /// An attribute for each.
    Attributes,
    /// `#[resilient(…)]`
    List,
    /// `#[resilient(skip)]`
    Skip,
}

fn attributes(stack: &Stack, options: TokenStream) -> TokenStream {
    let mut form = Form::Attributes;
    let mut left_out = Vec::new();
    let mut of_the_retry = TokenStream::new();
    let mut options = options.into_iter().peekable();
    while let Some(token) = options.next() {
        let word = token.to_string();
        match options.peek() {
            Some(TokenTree::Group(policies)) if word == "without" => {
                left_out.extend(policies.stream().into_iter().map(|policy| policy.to_string()));
                options.next();
            }
            _ if word == "list" => form = Form::List,
            _ if word == "skip" => form = Form::Skip,
            _ => {
                of_the_retry.extend([token]);
                continue;
            }
        }
        // The comma.
        options.next();
    }
    let kept = stack.attributes.iter().filter(|(policy, _)| !left_out.iter().any(|left_out| left_out == policy));
    let written = kept.map(|(policy, arguments)| {
        let mut arguments = code(arguments);
        if *policy == "retry" {
            arguments.extend(code(","));
            arguments.extend(of_the_retry.clone());
        }
        (*policy, arguments)
    });
    match form {
        Form::Attributes => written.flat_map(|(policy, arguments)| attribute(policy, arguments)).collect(),
        // An empty list is an error, as is a method left out of none.
        _ if stack.attributes.is_empty() => TokenStream::new(),
        Form::List => {
            attribute("resilient", written.flat_map(|(policy, arguments)| listed(policy, arguments)).collect())
        }
        Form::Skip => attribute("resilient", code("skip")),
    }
}

/// `#[::resilience::name(arguments)]`
fn attribute(name: &str, arguments: TokenStream) -> TokenStream {
    let mut path = code(&format!("::resilience::{name}"));
    path.extend([TokenTree::Group(Group::new(Delimiter::Parenthesis, arguments))]);
    let mut written = code("#");
    written.extend([TokenTree::Group(Group::new(Delimiter::Bracket, path))]);
    written
}

/// `name(arguments),`
fn listed(name: &str, arguments: TokenStream) -> TokenStream {
    let mut written = code(name);
    written.extend([TokenTree::Group(Group::new(Delimiter::Parenthesis, arguments))]);
    written.extend(code(","));
    written
}

/// Code as written where `#[in_every_stack]` stands.
fn code(text: &str) -> TokenStream {
    text.parse().expect("tokens")
}

fn same_group(of: &Group, tokens: TokenStream) -> Group {
    let mut group = Group::new(of.delimiter(), tokens);
    group.set_span(of.span());
    group
}
