//! The attributes of one function → layers, outermost first.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Attribute, Error, Expr, Meta, Path};

use crate::args::{Args, Setting};
use crate::list::{self, List};
use crate::of_impl::OfImpl;
use crate::ours::{Ours, is_inert, is_of_facade, recognise};
use crate::policy::{Permit, Policy, Shape};
use crate::recover::Errors;
use crate::tokens::{default_crate, local, site_at, text_of};
use crate::{async_trait, features, function, of_impl, options, order};

/// The attribute that expands the stack.
pub(crate) struct Outermost {
    pub(crate) ours: Ours,
    /// It is the list of the `impl` block around the method.
    pub(crate) of_impl: Option<OfImpl>,
    /// What the body calls `self`, if not that.
    pub(crate) self_name: Option<Ident>,
}

impl Outermost {
    pub(crate) fn name(&self) -> &'static str {
        self.ours.name()
    }

    /// The layers of one attribute of the stack; of this very one, if `itself`.
    fn list(&self, ours: Ours, tokens: TokenStream, place: Span, itself: bool, errors: &mut Errors) -> List {
        let tokens = match &self.self_name {
            Some(name) => async_trait::renamed(tokens, name),
            None => tokens,
        };
        match ours {
            Ours::Policy(policy) => {
                let layer = Layer::new(policy, place, Args::parse(policy, tokens, place, errors));
                List { layers: vec![layer], rest: None }
            }
            Ours::Resilient => list::parse(tokens, place, itself && self.of_impl.is_some(), errors),
        }
    }

    /// For messages: what else can be done about a method that an `impl` block's list does not fit.
    pub(crate) fn or_skip(&self) -> &'static str {
        if self.of_impl.is_some() { "; or leave this method out with `#[resilient(skip)]`" } else { "" }
    }
}

/// One policy on the function.
pub(crate) struct Layer {
    pub(crate) policy: &'static Policy,
    pub(crate) place: Span,
    pub(crate) args: Args,
    /// The ranges of its options are checked in this function.
    pub(crate) checked: bool,
    /// It comes from the list of the `impl` block.
    pub(crate) of_impl: bool,
}

impl Layer {
    pub(crate) fn new(policy: &'static Policy, place: Span, args: Args) -> Self {
        Self { policy, place, args, checked: true, of_impl: false }
    }

    /// The options that go into a `const`: literals; of shared state all, and rustc says what is not constant.
    pub(crate) fn constants(&self) -> impl Iterator<Item = &Setting> {
        self.args.settings.iter().filter(|setting| self.is_constant(setting))
    }

    /// The options that are computed for each call.
    pub(crate) fn computed(&self) -> impl Iterator<Item = &Setting> {
        self.args.settings.iter().filter(|setting| !self.is_constant(setting))
    }

    fn is_constant(&self, setting: &Setting) -> bool {
        options::is_constant(self.policy, &setting.key) || setting.value.is_literal()
    }

    /// Whether it looks at how a call ended, and does something about failures.
    pub(crate) fn judges(&self) -> bool {
        matches!(self.policy.shape, Shape::Loop | Shape::Admit { permit: Permit::Judges, .. })
    }
}

/// All of ours, outermost first, and where the runtime is.
pub(crate) struct Stack {
    pub(crate) layers: Vec<Layer>,
    /// The attributes taken, as the user wrote them; but for the outermost, which rustc has resolved already.
    paths: Vec<Path>,
    pub(crate) krate: TokenStream,
    pub(crate) of_impl: Option<OfImpl>,
}

impl Stack {
    /// What values are remembered under.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &Expr> {
        self.layers.iter().filter_map(|layer| layer.args.key.as_ref())
    }

    /// Notes an attribute that is taken off the item.
    pub(crate) fn take(&mut self, path: Path) {
        self.paths.push(path);
    }

    /// `#[timeout(__anchor)] const _: () = ();` for each attribute taken: it uses the import, and vanishes.
    pub(crate) fn anchors(&self) -> TokenStream {
        self.paths.iter().map(anchor_of).collect()
    }

    /// The same where there is room for any item, in a body: they prove that the paths are ours.
    pub(crate) fn proofs(&self) -> TokenStream {
        let of_path = |path: &Path| match is_of_facade(path, Some(&self.krate)) {
            true => proof_of_facade(path, &self.krate),
            false => anchor_of(path),
        };
        self.paths.iter().map(of_path).collect()
    }
}

fn anchor_of(path: &Path) -> TokenStream {
    let anchor = local(ANCHOR);
    quote_spanned!(Span::mixed_site()=> #[#path(#anchor)] const _: () = ();)
}

/// A path that is ours if the facade re-exports our attribute there: what another macro leaves of the item is an error.
///
/// The item is a function, as most attributes take nothing else. Where the path leads nowhere, that is the one error: the
/// import then stands for the constant too, and rustc does not evaluate what it could not resolve.
fn proof_of_facade(path: &Path, krate: &TokenStream) -> TokenStream {
    let message = format!(
        "`#[{}]` is taken for the attribute of `resilience`, which is in `{}`, and is another one: import it under another name",
        text_of(path),
        text_of(krate),
    );
    // Where the path ends: the path alone is underlined, also by a macro that is another one.
    let end = path.segments.last().map_or_else(Span::mixed_site, |segment| segment.ident.span());
    let (anchor, name) = (Ident::new(ANCHOR, site_at(end)), local("__RESILIENCE_ANCHOR"));
    let imported = Ident::new("__RESILIENCE_ANCHOR", end);
    let item = quote_spanned! {site_at(end)=>
        #[#name(#anchor)]
        fn __anchor() {
            const _: () = {
                let _ = #name;
                ::core::panic!(#message)
            };
        }
    };
    quote_spanned! {Span::mixed_site()=>
        #[allow(dead_code)]
        const _: () = {
            const #name: () = ();
            {
                use #path as #imported;
                #item
            }
        };
    }
}

/// The argument of an anchor.
pub(crate) const ANCHOR: &str = "__anchor";

/// Takes our attributes off the item and reads them all.
pub(crate) fn collect(
    outermost: &Outermost,
    args: TokenStream,
    attributes: &mut Vec<Attribute>,
    errors: &mut Errors,
) -> Stack {
    let List { mut layers, rest } = outermost.list(outermost.ours, args, Span::call_site(), true, errors);
    of_impl::mark(&mut layers, outermost.of_impl.as_ref());
    let krate = layers.first().and_then(|layer| layer.args.krate.clone());
    let mut own = Vec::new();
    let mut paths = Vec::new();
    let mut foreign: Option<String> = None;
    let taken = std::mem::take(attributes);
    for attribute in taken {
        if outermost.of_impl.is_some() && of_impl::is_skip(&attribute, krate.as_ref()) {
            // One that a `cfg_attr` had hidden from the block. What the list's layers were is told elsewhere.
            layers.clear();
            paths.push(attribute.path().clone());
            continue;
        }
        if of_impl::is_list(&attribute) {
            // A policy under another name, whose `skip` is something else, was let go before its list.
            if errors.is_empty() {
                errors.push(function::apart(outermost));
            }
            continue;
        }
        match (recognise(attribute.path(), krate.as_ref()), &foreign) {
            (Some(ours), None) => {
                own.extend(read(outermost, ours, &attribute, errors));
                paths.push(attribute.path().clone());
            }
            (Some(ours), Some(between)) => {
                let message = format!(
                    "put the resilience attributes together: `#[{between}]` stands between `#[{}]` and `#[{}]`, and would turn their order around",
                    outermost.name(),
                    ours.name()
                );
                errors.push(Error::new_spanned(attribute.path(), message));
                paths.push(attribute.path().clone());
            }
            (None, _) => {
                if foreign.is_none() && !is_inert(attribute.path()) {
                    foreign = Some(text_of(attribute.path()));
                }
                attributes.push(attribute);
            }
        }
    }
    let as_attributes = || layers.iter().chain(&own);
    let krate = common_crate(as_attributes(), errors);
    let as_written = order::is_as_written(outermost.ours, as_attributes(), errors);
    let rest = rest.unwrap_or(layers.len()).min(layers.len());
    layers.splice(rest..rest, own);
    order::check(&layers, as_written, errors);
    check_features(&layers, errors);
    Stack { layers, paths, krate, of_impl: outermost.of_impl.clone() }
}

/// The layers of an attribute below the outermost.
fn read(outermost: &Outermost, ours: Ours, attribute: &Attribute, errors: &mut Errors) -> Vec<Layer> {
    let path = attribute.path();
    let place = path.segments.last().map_or_else(Span::call_site, |segment| segment.ident.span());
    let tokens = match &attribute.meta {
        Meta::Path(_) => TokenStream::new(),
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(pair) => {
            let (name, value) = (ours.name(), pair.value.to_token_stream());
            errors.push(Error::new_spanned(
                &pair.value,
                match ours {
                    Ours::Resilient => format!("policies go in parentheses: `#[{name}(retry, timeout(\"2s\"))]`"),
                    Ours::Policy(policy) if policy.first.is_some() => {
                        format!("the value goes in parentheses: `#[{name}({value})]`")
                    }
                    Ours::Policy(_) => format!("options go in parentheses: `#[{name}(key = value)]`"),
                },
            ));
            return Vec::new();
        }
    };
    outermost.list(ours, tokens, place, false, errors).layers
}

fn check_features(layers: &[Layer], errors: &mut Errors) {
    let remembers = |layer: &&Layer| layer.policy.shape == Shape::Recover { remembers: true };
    if let Some(layer) = layers.iter().find(remembers).filter(|_| !features::stale()) {
        let name = layer.policy.name;
        errors.push(Error::new(
            layer.place,
            format!(
                "`#[{name}]` needs the feature `stale` of `resilience`: add `features = [\"stale\"]` in Cargo.toml"
            ),
        ));
    }
}

/// `layers` are in the order of their attributes.
fn common_crate<'a>(layers: impl Iterator<Item = &'a Layer>, errors: &mut Errors) -> TokenStream {
    let mut given = layers.filter_map(|layer| layer.args.krate.as_ref());
    let Some(common) = given.next() else { return default_crate() };
    for other in given.filter(|other| text_of(*other) != text_of(common)) {
        errors.push(Error::new_spanned(other, format!("one stack has one `crate`; above it is `{}`", text_of(common))));
    }
    common.clone()
}
