//! `#[derive(Classify)]`: an error type → what each of its variants says about the dependency.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::{Data, DeriveInput, Error, Field, Fields, Generics, Index, Member, Type, parse_quote};

use crate::marks::{Hint, Mark, container_crate, marks_of, no_marks};
use crate::recover::Errors;
use crate::tokens::{default_crate, local, moved_to, site_at, start_of};

/// The `impl`, or what is wrong.
pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let krate = container_crate(&input.attrs, &mut errors).unwrap_or_else(default_crate);
    let mut derive = Derive { krate, generics: input.generics.clone(), errors };
    let arms = derive.arms(&input);
    let Derive { krate, generics, errors } = derive;
    if !errors.is_empty() {
        return errors.with_item(TokenStream::new(), &[], &TokenStream::new());
    }
    let (ident, site) = (&input.ident, Span::mixed_site());
    let (parameters, arguments, bounds) = generics.split_for_impl();
    let subject = if arms.is_empty() { quote_spanned!(site=> *self) } else { quote_spanned!(site=> self) };
    quote_spanned! {site=>
        #[automatically_derived]
        impl #parameters #krate::Classify for #ident #arguments #bounds {
            fn classify(&self) -> #krate::Class {
                match #subject { #(#arms)* }
            }
        }
    }
}

struct Derive {
    krate: TokenStream,
    generics: Generics,
    errors: Errors,
}

impl Derive {
    fn arms(&mut self, input: &DeriveInput) -> Vec<TokenStream> {
        let site = Span::mixed_site();
        match &input.data {
            Data::Struct(of) => {
                let mark = marks_of(&input.attrs, &mut self.errors);
                vec![self.arm(&quote_spanned!(site=> Self), &mark, &of.fields)]
            }
            Data::Enum(of) => {
                no_marks(&input.attrs, "goes on the variants: an unmarked one is `Transient`", &mut self.errors);
                let mut arms = Vec::new();
                for variant in &of.variants {
                    let mark = marks_of(&variant.attrs, &mut self.errors);
                    let ident = &variant.ident;
                    let path = quote_spanned!(site=> Self::#ident);
                    arms.push(self.arm(&path, &mark, &variant.fields));
                }
                arms
            }
            Data::Union(of) => {
                let message = "`Classify` is derived for enums and structs: implement it by hand for a union";
                self.errors.push(Error::new(of.union_token.span, message));
                Vec::new()
            }
        }
    }

    /// `Self::Busy { retry_after: __retry_after, .. } => Class::Overloaded { … },`
    fn arm(&mut self, path: &TokenStream, mark: &Mark, fields: &Fields) -> TokenStream {
        let site = Span::mixed_site();
        for field in fields {
            no_marks(&field.attrs, "goes on the variant, not on its field", &mut self.errors);
        }
        let krate = self.krate.clone();
        let class = |name: &str| {
            let name = local(name);
            quote_spanned!(site=> #path { .. } => #krate::Class::#name,)
        };
        match mark {
            Mark::None => match (fields.iter().next(), fields.len()) {
                (Some(field), 1) => self.unmarked(path, field),
                _ => class("Transient"),
            },
            Mark::Transient => class("Transient"),
            Mark::Permanent => class("Permanent"),
            Mark::Caller => class("Caller"),
            Mark::Overloaded(None) => quote_spanned! {site=>
                #path { .. } => #krate::Class::Overloaded { retry_after: ::core::option::Option::None },
            },
            Mark::Overloaded(Some(hint)) => match found(hint, fields) {
                Ok((member, field)) => {
                    let of = at_type(&quote_spanned!(site=> #krate::__private::Hint::hint), &field.ty);
                    let hint = Ident::new("__hint", site_at(start_of(&field.ty)));
                    quote_spanned! {site=>
                        #path { #member: #hint, .. } => #krate::Class::Overloaded { retry_after: #of(#hint) },
                    }
                }
                Err(error) => {
                    self.errors.push(error);
                    TokenStream::new()
                }
            },
            Mark::Transparent(span) => match (fields.iter().next(), fields.len()) {
                (Some(field), 1) => self.delegate(path, field),
                (_, count) => {
                    let message = format!(
                        "`#[classify(transparent)]` asks the one field inside, and here are {count}: mark it with a class"
                    );
                    self.errors.push(Error::new(*span, message));
                    TokenStream::new()
                }
            },
        }
    }

    /// A refusal of ours inside stays one; anything else is transient.
    fn unmarked(&self, path: &TokenStream, field: &Field) -> TokenStream {
        let site = Span::mixed_site();
        let (krate, member) = (&self.krate, member(0, field));
        quote_spanned! {site=>
            #path { #member: __inner } => {
                use #krate::__private::{UnmarkedAny as _, UnmarkedRefusal as _};
                (&#krate::__private::Probe(__inner)).unmarked()
            }
        }
    }

    fn delegate(&mut self, path: &TokenStream, field: &Field) -> TokenStream {
        let site = Span::mixed_site();
        let (krate, ty) = (&self.krate, &field.ty);
        if mentions_parameter(ty, &self.generics) {
            let bound = parse_quote!(#ty: #krate::Classify);
            self.generics.make_where_clause().predicates.push(bound);
        }
        let member = member(0, field);
        let ask = at_type(&quote_spanned!(site=> #krate::Classify::classify), ty);
        let inner = Ident::new("__inner", site_at(start_of(ty)));
        quote_spanned!(site=> #path { #member: #inner } => #ask(#inner),)
    }
}

/// A path shown at a field's type: a type that cannot do it is underlined.
fn at_type(path: &TokenStream, ty: &Type) -> TokenStream {
    moved_to(path, start_of(ty))
}

fn member(index: usize, field: &Field) -> Member {
    match &field.ident {
        Some(ident) => Member::Named(ident.clone()),
        None => Member::Unnamed(Index::from(index)),
    }
}

/// The field that a hint names.
fn found<'a>(hint: &Hint, fields: &'a Fields) -> Result<(Member, &'a Field), Error> {
    let members = || fields.iter().enumerate().map(|(index, field)| (member(index, field), field));
    let wanted = hint.member.to_token_stream().to_string();
    if let Some(found) = members().find(|(member, _)| member.to_token_stream().to_string() == wanted) {
        return Ok(found);
    }
    let listed = members().map(|(member, _)| format!("`{}`", member.to_token_stream())).collect::<Vec<_>>().join(", ");
    Err(Error::new(
        hint.span,
        match fields {
            Fields::Unit => "there is no field to take `retry_after` from: write `#[overloaded]`".to_owned(),
            Fields::Named(_) => format!("there is no field `{wanted}`; there are {listed}"),
            Fields::Unnamed(_) => format!("there is no field `{wanted}`: these have positions, {listed}"),
        },
    ))
}

/// Whether a type has one of the item's type parameters in it, and so needs a bound.
fn mentions_parameter(ty: &Type, generics: &Generics) -> bool {
    fn mentions(tokens: TokenStream, generics: &Generics) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(ident) => generics.type_params().any(|parameter| parameter.ident == ident),
            TokenTree::Group(group) => mentions(group.stream(), generics),
            _ => false,
        })
    }
    mentions(ty.to_token_stream(), generics)
}
