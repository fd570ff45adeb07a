//! `{method}` in a policy's name: the name of the function.

use proc_macro2::{Ident, Literal};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Error, LitStr};

use crate::literal::Value;
use crate::recover::Errors;
use crate::stack::Stack;

/// Fills in the placeholders of all names that are literals.
pub(crate) fn fill(stack: &mut Stack, method: &Ident, errors: &mut Errors) {
    let args = stack.layers.iter_mut().map(|layer| &mut layer.args);
    for name in args.flat_map(|args| args.name.iter_mut().chain(&mut args.budget)) {
        let Value::Literal { tokens, .. } = name else { continue };
        let Ok(text) = syn::parse2::<LitStr>(tokens.clone()) else { continue };
        match filled(&text.value(), &method.unraw().to_string()) {
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

/// The name with its placeholders filled in, if it has any.
fn filled(name: &str, method: &str) -> Result<Option<String>, String> {
    for braced in name.split('{').skip(1).filter_map(|rest| rest.split_once('}')) {
        match braced.0 {
            "method" => {}
            "type" => {
                return Err(
                    "`{type}` stands for the type of an `impl` block under `#[resilient]`, which is not supported yet: write the type's name"
                        .to_owned(),
                );
            }
            other => return Err(format!("a name has no placeholder `{{{other}}}`; there is `{{method}}`")),
        }
    }
    Ok(name.contains("{method}").then(|| name.replace("{method}", method)))
}

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn placeholders() {
        assert_eq!(filled("payments", "charge"), Ok(None));
        assert_eq!(filled("payments.{method}", "charge"), Ok(Some("payments.charge".to_owned())));
        assert_eq!(filled("{method}-{method}", "charge"), Ok(Some("charge-charge".to_owned())));
        assert!(filled("{type}.{method}", "charge").is_err());
        assert!(filled("{function}", "charge").is_err());
    }
}
