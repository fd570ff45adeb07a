//! What a type says about the future that it is.

use quote::ToTokens;
use syn::{AngleBracketedGenericArguments, GenericArgument, PathArguments, PathSegment, Type, TypeParamBound};

use crate::returns::ungrouped_type;

/// Whether a type looks like a future's.
pub(crate) fn is_future(ty: &Type) -> bool {
    output_of(ty).is_some()
}

/// `R` of `impl Future<Output = R>`, `Pin<Box<dyn Future<Output = R>>>` and `BoxFuture<'_, R>`.
pub(crate) fn output_of(ty: &Type) -> Option<&Type> {
    match ungrouped_type(ty) {
        Type::ImplTrait(object) => object.bounds.iter().find_map(output_of_bound),
        Type::TraitObject(object) => object.bounds.iter().find_map(output_of_bound),
        Type::Path(path) => {
            let segment = path.path.segments.last()?;
            let types = arguments(segment)?.args.iter().filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            });
            match &*segment.ident.to_string() {
                "Pin" | "Box" => types.last().and_then(output_of),
                "BoxFuture" | "LocalBoxFuture" => types.last(),
                _ => None,
            }
        }
        _ => None,
    }
}

fn output_of_bound(bound: &TypeParamBound) -> Option<&Type> {
    let TypeParamBound::Trait(of) = bound else { return None };
    let segment = of.path.segments.last().filter(|segment| segment.ident == "Future")?;
    arguments(segment)?.args.iter().find_map(|argument| match argument {
        GenericArgument::AssocType(assoc) if assoc.ident == "Output" => Some(&assoc.ty),
        _ => None,
    })
}

fn arguments(segment: &PathSegment) -> Option<&AngleBracketedGenericArguments> {
    match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => Some(arguments),
        _ => None,
    }
}

/// Whether a type says that it has to do with a future.
pub(crate) fn mentions_future(ty: &Type) -> bool {
    let tokens = ty.to_token_stream().to_string();
    tokens
        .split(|c: char| c != '_' && !c.is_alphanumeric())
        .any(|word| word.ends_with("Future") || word.ends_with("Fut"))
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "tests may panic")]
mod tests {
    use super::is_future;

    #[test]
    fn futures_are_known_by_their_types() {
        for (ty, expected) in [
            ("impl Future<Output = R> + Send + 'a", true),
            ("impl Send + core::future::Future<Output = R>", true),
            ("Pin<Box<dyn Future<Output = R> + 'a>>", true),
            ("::core::pin::Pin<Box<dyn Future<Output = R>>>", true),
            ("LocalBoxFuture<'static, R>", true),
            ("Box<dyn Future<Output = R> + Unpin>", true),
            ("impl Iterator<Item = R>", false),
            ("Result<BoxFuture<'static, R>, E>", false),
            ("Pin<Box<R>>", false),
            ("R", false),
        ] {
            assert_eq!(is_future(&syn::parse_str(ty).expect(ty)), expected, "{ty}");
        }
    }
}
