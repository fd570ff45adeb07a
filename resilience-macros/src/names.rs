//! `{method}` in a policy's name is the name of the function, `{type}` the type of the `impl` block around it.

use proc_macro2::{Ident, Literal};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Error, LitStr};

use crate::literal::Value;
use crate::of_impl::OfImpl;
use crate::recover::Errors;
use crate::stack::Stack;

/// Fills in the placeholders of all names that are literals.
pub(crate) fn fill(stack: &mut Stack, method: &Ident, errors: &mut Errors) {
    let names = Names { method: &method.unraw().to_string(), of_impl: stack.of_impl.as_ref() };
    let args = stack.layers.iter_mut().map(|layer| &mut layer.args);
    for name in args.flat_map(|args| args.name.iter_mut().chain(&mut args.budget)) {
        let Value::Literal { tokens, .. } = name else { continue };
        let Ok(text) = syn::parse2::<LitStr>(tokens.clone()) else { continue };
        match names.fill(&text.value()) {
            Ok(None) => {}
            Ok(Some(filled)) => {
                let mut literal = Literal::string(&filled);
                literal.set_span(text.span());
                *tokens = literal.to_token_stream();
            }
            Err(message) => errors.push(Error::new(text.span(), message)),
        }
    }
}

/// What the placeholders stand for.
struct Names<'a> {
    method: &'a str,
    of_impl: Option<&'a OfImpl>,
}

impl Names<'_> {
    /// The name with its placeholders filled in, if it has any.
    fn fill(&self, name: &str) -> Result<Option<String>, String> {
        let mut filled = String::new();
        let mut rest = name;
        while let Some((before, (placeholder, after))) =
            rest.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
        {
            filled.push_str(before);
            filled.push_str(self.value(placeholder)?);
            rest = after;
        }
        if rest.len() == name.len() {
            return Ok(None);
        }
        filled.push_str(rest);
        Ok(Some(filled))
    }

    fn value(&self, placeholder: &str) -> Result<&str, String> {
        match (placeholder, self.of_impl) {
            ("method", _) => Ok(self.method),
            ("type", None) => Err(
                "`{type}` stands for the type of an `impl` block that `#[resilient]` is on; here, write the type's name"
                    .to_owned(),
            ),
            ("type", Some(of_impl)) => of_impl.type_name.as_deref().ok_or_else(|| {
                "`{type}` stands for the last name in a type's path, and this type has none: write a name".to_owned()
            }),
            (other, _) => Err(format!("a name has no placeholder `{{{other}}}`; there are `{{method}}` and `{{type}}`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Names;
    use crate::of_impl::OfImpl;

    #[test]
    fn placeholders() {
        let alone = Names { method: "charge", of_impl: None };
        assert_eq!(alone.fill("payments"), Ok(None));
        assert_eq!(alone.fill("pay}{ments"), Ok(None));
        assert_eq!(alone.fill("payments.{method}"), Ok(Some("payments.charge".to_owned())));
        assert_eq!(alone.fill("{method}-{method}"), Ok(Some("charge-charge".to_owned())));
        assert!(alone.fill("{type}.{method}").is_err());
        assert!(alone.fill("{function}").is_err());
        let of_impl = OfImpl::new(Some("Orders".to_owned()), false);
        let method = Names { method: "charge", of_impl: Some(&of_impl) };
        assert_eq!(method.fill("{type}.{method}()"), Ok(Some("Orders.charge()".to_owned())));
        let nameless = OfImpl::new(None, false);
        assert!(Names { method: "charge", of_impl: Some(&nameless) }.fill("{type}").is_err());
    }
}
