//! What the user gives to be asked or told after an attempt: predicates, and the hook of a retry.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Expr, UnOp};

use crate::tokens::{site_at, start_of};

/// A function, a closure, or somebody's field.
pub(crate) struct Asked {
    /// As the user wrote it.
    code: TokenStream,
    /// It names something that is there already, and is called where it is.
    place: Option<Place>,
}

/// How something is called that is there already.
enum Place {
    /// `name(…)`, `path::name(…)`
    Path(TokenStream),
    /// `(self.field)(…)`, `(all[0])(…)`, `(*one)(…)`
    Inside(TokenStream),
}

impl Asked {
    pub(crate) fn new(expr: &Expr) -> Self {
        Self { code: expr.to_token_stream(), place: Place::of(expr) }
    }

    pub(crate) fn code(&self) -> &TokenStream {
        &self.code
    }

    /// A closure of one parameter that asks; nothing for code that makes what is to be asked, such as a closure.
    ///
    /// A call borrows what it can: the next attempt asks again. And what takes a value of any type, as `drop` does, is no function
    /// of references of every lifetime until it is called with one.
    pub(crate) fn closure(&self, parameter: &str) -> Option<TokenStream> {
        let place = site_at(start_of(&self.code));
        let parameter = Ident::new(parameter, place);
        Some(match self.place.as_ref()? {
            Place::Path(path) => quote_spanned!(place=> |#parameter| #path(#parameter)),
            Place::Inside(inside) => quote_spanned!(place=> |#parameter| (#inside)(#parameter)),
        })
    }
}

impl Place {
    fn of(expr: &Expr) -> Option<Self> {
        match expr {
            Expr::Group(group) => Self::of(&group.expr),
            Expr::Paren(paren) => Self::of(&paren.expr),
            Expr::Path(path) => Some(Self::Path(path.to_token_stream())),
            Expr::Field(_) | Expr::Index(_) => Some(Self::Inside(expr.to_token_stream())),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => Some(Self::Inside(expr.to_token_stream())),
            _ => None,
        }
    }
}
