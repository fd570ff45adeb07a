//! The grammar below options: where a value ends, where the next option begins, and paths to the runtime.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::parse::discouraged::Speculative;
use syn::token::Paren;
use syn::{Error, Expr, ExprLit, Ident, Lit, LitInt, Path, Result, Token};

use crate::options::BORROW;

/// An expression; where it breaks off, rustc would be told the whole attribute.
pub(crate) fn expression(input: ParseStream<'_>) -> Result<Expr> {
    let place = input.span();
    let ahead = input.fork();
    match ahead.parse() {
        Ok(expr) => {
            input.advance_to(&ahead);
            Ok(expr)
        }
        Err(_) if input.peek(Token![.]) && input.peek2(LitInt) => {
            let digits = input.fork();
            let _ = digits.parse::<Token![.]>();
            let digits = digits.parse::<LitInt>()?;
            Err(Error::new(place, format!("a number has a digit before its point: `0.{digits}`")))
        }
        Err(_) if ahead.is_empty() => Err(Error::new(place, "this expression is not complete")),
        Err(error) => Err(error),
    }
}

/// `key =`, and neither `==` nor `=>`.
pub(crate) fn is_key(input: ParseStream<'_>) -> bool {
    input.peek(Ident::peek_any) && input.peek2(Token![=]) && !input.peek2(Token![==]) && !input.peek2(Token![=>])
}

/// `borrow(`.
pub(crate) fn is_borrow(input: ParseStream<'_>) -> bool {
    input.peek2(Paren) && input.fork().call(Ident::parse_any).is_ok_and(|word| word == BORROW)
}

/// To the comma before the next `key =`, or to the end: a comma inside a broken expression does not count.
pub(crate) fn skip_to_next(input: ParseStream<'_>) {
    while !input.is_empty() {
        if input.peek(Token![,]) {
            let ahead = input.fork();
            let _ = ahead.parse::<Token![,]>();
            if ahead.is_empty() || is_key(&ahead) || is_borrow(&ahead) {
                return;
            }
        }
        let _ = input.parse::<TokenTree>();
    }
}

/// The one value of `order`.
pub(crate) fn is_as_written(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if text.value() == "as_written")
}

/// An absolute path: `::a::b`, `crate::a` or `$crate::a`.
pub(crate) fn crate_path(input: ParseStream<'_>) -> Result<TokenStream> {
    let place = input.span();
    if let Ok(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) = input.fork().parse::<Expr>() {
        let _ = input.parse::<Expr>();
        let path = text.value();
        return Err(Error::new(
            place,
            format!("`crate` takes a path, not a string: `crate = ::{}`", path.trim_start_matches("::")),
        ));
    }
    let path = input
        .call(Path::parse_mod_style)
        .map_err(|_| Error::new(place, "`crate` takes an absolute path: `crate = ::resilience`"))?;
    let absolute = path.leading_colon.is_some()
        || path.segments.first().is_some_and(|segment| segment.ident == "crate" || segment.ident == "$crate");
    if absolute {
        return Ok(path.to_token_stream());
    }
    let text = path.to_token_stream().to_string().replace(' ', "");
    Err(Error::new(
        place,
        match text.split("::").next() {
            Some("self" | "super") => "`crate` takes an absolute path: `crate = crate::…`".to_owned(),
            _ => format!("`crate` takes an absolute path: `crate = ::{text}`"),
        },
    ))
}
