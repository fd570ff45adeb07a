//! On error: every `compile_error!`, and the original item without our attributes, so that nothing else breaks.
//! The anchors are there as well: an import that the user needs is not called unused.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Attribute, Error};

/// The errors found so far.
#[derive(Debug, Default)]
pub(crate) struct Errors(Option<Error>);

impl Errors {
    pub(crate) fn push(&mut self, error: Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    pub(crate) fn extend(&mut self, errors: impl IntoIterator<Item = Error>) {
        errors.into_iter().for_each(|error| self.push(error));
    }

    /// The value, or nothing and its error remembered.
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// `compile_error! { … }` for each.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0.map(Error::into_compile_error).unwrap_or_default()
    }

    /// `compile_error! { … }` for each, then the item.
    pub(crate) fn with_item(self, anchors: TokenStream, attributes: &[Attribute], item: &TokenStream) -> TokenStream {
        let mut tokens = self.into_tokens();
        tokens.extend(anchors);
        if !item.is_empty() {
            // What only an attribute makes use of is not called unused on top of it.
            tokens.extend(quote_spanned!(Span::mixed_site()=> #[allow(unused)]));
        }
        for attribute in attributes {
            attribute.to_tokens(&mut tokens);
        }
        tokens.extend(item.clone());
        tokens
    }

    /// The same where the item is an expression: one expression.
    pub(crate) fn with_expression(self, item: &TokenStream) -> TokenStream {
        let errors = self.into_tokens();
        quote_spanned!(Span::mixed_site()=> { #errors #item })
    }
}
