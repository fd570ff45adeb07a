//! `#[fallback(…)]`: what stands in for a failed result.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Error, Expr, ExprClosure, Result, ReturnType};

use crate::async_trait::SELF;
use crate::tokens::{start_of, text_of};

/// What stands in for a failed result.
pub(crate) enum StandIn {
    /// An async function of the error.
    Path(TokenStream),
    Closure(Closure),
    /// The value of a success.
    Value(TokenStream),
}

/// `|error| expr`.
pub(crate) struct Closure {
    /// The parameter, with its type if one is written.
    pub(crate) parameter: TokenStream,
    /// The return type, if one is written.
    pub(crate) returned: Option<TokenStream>,
    pub(crate) body: TokenStream,
}

/// For messages: the ways to write a fallback.
pub(crate) const FORMS: &str =
    "`#[fallback(path)]`, `#[fallback(|error| expr)]` with an `expr` that may await, or `#[fallback(value = expr)]`";

impl StandIn {
    /// Reads the value without a key.
    pub(crate) fn parse(expr: &Expr) -> Result<Self> {
        match expr {
            Expr::Group(group) => Self::parse(&group.expr),
            Expr::Paren(paren) => Self::parse(&paren.expr),
            Expr::Path(path) => Ok(Self::Path(path.to_token_stream())),
            Expr::Closure(closure) => Closure::parse(closure).map(Self::Closure),
            other => Err(Error::new_spanned(other, no_form(other))),
        }
    }

    /// The code that runs after what is below.
    pub(crate) fn expression(&self) -> &TokenStream {
        match self {
            Self::Path(code) | Self::Value(code) | Self::Closure(Closure { body: code, .. }) => code,
        }
    }
}

/// What to say about an expression that is none of the forms.
fn no_form(expr: &Expr) -> String {
    // In a method of `#[async_trait]` it has been given that name.
    let code = text_of(expr).replace(SELF, "self");
    match expr {
        Expr::Field(_) => {
            format!("a fallback that needs `self` is a closure: `#[fallback(|error| {code}(error).await)]`")
        }
        Expr::Await(_) | Expr::Call(_) | Expr::MethodCall(_) => {
            format!("a fallback that is computed is a closure: `#[fallback(|error| {code})]`")
        }
        _ => format!("a fallback is written {FORMS}"),
    }
}

impl Closure {
    fn parse(closure: &ExprClosure) -> Result<Self> {
        let mut inputs = closure.inputs.iter();
        let parameter = match (inputs.next(), inputs.next()) {
            (Some(pat), None) => pat.to_token_stream(),
            (None, _) => {
                return Err(Error::new(
                    start_of(closure),
                    "the closure of a fallback takes the error: write `|error|`, or `|_|`",
                ));
            }
            (_, Some(second)) => {
                return Err(Error::new_spanned(
                    second,
                    "the closure of a fallback takes the error and nothing else; the function's arguments are in scope",
                ));
            }
        };
        if let Expr::Async(block) = &*closure.body {
            return Err(Error::new(
                block.async_token.span,
                "what a fallback's closure gives is the result, and it may await: write it without `async`",
            ));
        }
        let returned = match &closure.output {
            ReturnType::Type(_, ty) => Some(ty.to_token_stream()),
            ReturnType::Default => None,
        };
        Ok(Self { parameter, returned, body: closure.body.to_token_stream() })
    }
}
