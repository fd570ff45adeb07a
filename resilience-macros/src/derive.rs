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
            Mark::None if fields.is_empty() => class("Transient"),
            Mark::None => self.unmarked(path, inside(fields)),
            Mark::Class(name) => class(name),
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
            Mark::Transparent(span) => match inside(fields) {
                Some((member, field)) => self.delegate(path, &member, field),
                None => {
                    self.errors.push(no_one_field(*span, "`#[classify(transparent)]` asks", fields));
                    TokenStream::new()
                }
            },
            Mark::With(span, function) => match inside(fields) {
                Some((member, _)) => {
                    // At the function's place: one of another type is underlined, not the derive.
                    let inner = Ident::new("__inner", site_at(start_of(function)));
                    let asked = quote_spanned!(site_at(start_of(function))=> #function(#inner));
                    quote_spanned!(site=> #path { #member: #inner, .. } => #asked,)
                }
                None => {
                    self.errors.push(no_one_field(*span, "`#[classify(with = …)]` hands its function", fields));
                    TokenStream::new()
                }
            },
        }
    }

    /// What the field that the error comes from says, or a refusal among the error's sources; else transient.
    fn unmarked(&self, path: &TokenStream, field: Option<(Member, &Field)>) -> TokenStream {
        let (site, krate) = (Span::mixed_site(), &self.krate);
        let rt = quote_spanned!(site=> #krate::__private);
        let (bound, by_field) = match field {
            Some((member, _)) => {
                (quote_spanned!(site=> #member: __inner,), quote_spanned!(site=> (&&&#rt::Probe(__inner)).class()))
            }
            None => (TokenStream::new(), quote_spanned!(site=> ::core::option::Option::None)),
        };
        quote_spanned! {site=>
            #path { #bound .. } => {
                use #rt::asking::*;
                #rt::unmarked(#by_field, (&&#rt::Probe(self)).refusal())
            }
        }
    }

    fn delegate(&mut self, path: &TokenStream, member: &Member, field: &Field) -> TokenStream {
        let site = Span::mixed_site();
        let (krate, ty) = (&self.krate, &field.ty);
        if mentions_parameter(ty, &self.generics) {
            let bound = parse_quote!(#ty: #krate::Classify);
            self.generics.make_where_clause().predicates.push(bound);
        }
        let ask = at_type(&quote_spanned!(site=> #krate::Classify::classify), ty);
        let inner = Ident::new("__inner", site_at(start_of(ty)));
        quote_spanned!(site=> #path { #member: #inner, .. } => #ask(#inner),)
    }
}

/// The one field that an error comes from: that with `#[from]` or `#[source]`, else that called `source`, as `thiserror` has
/// it, else the only one.
fn inside(fields: &Fields) -> Option<(Member, &Field)> {
    let is_marked = |field: &&Field| {
        field.attrs.iter().any(|attribute| attribute.path().is_ident("from") || attribute.path().is_ident("source"))
    };
    let is_source = |field: &&Field| field.ident.as_ref().is_some_and(|ident| ident == "source");
    let all = || fields.iter().enumerate();
    let chosen = if fields.iter().any(|field| is_marked(&field)) {
        only(all().filter(|(_, field)| is_marked(field)))
    } else {
        all().find(|(_, field)| is_source(field)).or_else(|| only(all()))
    };
    chosen.map(|(index, field)| (member(index, field), field))
}

fn only<T>(mut of: impl Iterator<Item = T>) -> Option<T> {
    let first = of.next();
    if of.next().is_some() { None } else { first }
}

/// `wants` begins the sentence.
fn no_one_field(place: Span, wants: &str, fields: &Fields) -> Error {
    let count = fields.len();
    Error::new(place, format!("{wants} the one field inside, and here are {count}: mark it with a class"))
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
