//! The attributes of one function → layers, outermost first; and what may not stand above what.

use std::time::Duration;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Attribute, Error, Meta, Path};

use crate::args::{Args, Setting};
use crate::policy::{self, Policy, Shape};
use crate::recover::Errors;
use crate::tokens::{default_crate, local};

/// One of our attributes on the function.
pub(crate) struct Layer {
    pub(crate) policy: &'static Policy,
    /// As the user wrote it; the outermost, which rustc has resolved already, has none.
    pub(crate) path: Option<Path>,
    pub(crate) place: Span,
    pub(crate) args: Args,
}

impl Layer {
    /// The options that go into a `const`: literals; of shared state all, and rustc says what is not constant.
    pub(crate) fn constants(&self) -> impl Iterator<Item = &Setting> {
        self.args.settings.iter().filter(|setting| self.policy.shared || setting.value.is_literal())
    }

    /// The options that are computed for each call.
    pub(crate) fn computed(&self) -> impl Iterator<Item = &Setting> {
        self.args.settings.iter().filter(|setting| !self.policy.shared && !setting.value.is_literal())
    }
}

/// All of ours, outermost first, and where the runtime is.
pub(crate) struct Stack {
    pub(crate) layers: Vec<Layer>,
    pub(crate) krate: TokenStream,
}

impl Stack {
    /// `#[timeout(__anchor)] const _: () = ();` for each attribute taken: it uses the import, proves that the path is
    /// ours, and vanishes.
    pub(crate) fn anchors(&self) -> TokenStream {
        let anchor = local(ANCHOR);
        let paths = self.layers.iter().filter_map(|layer| layer.path.as_ref());
        quote_spanned!(Span::mixed_site()=> #(#[#paths(#anchor)] const _: () = ();)*)
    }
}

/// The argument of an anchor.
pub(crate) const ANCHOR: &str = "__anchor";

/// Takes our attributes off the item and reads them all.
pub(crate) fn collect(
    outermost: &'static Policy,
    args: TokenStream,
    attributes: &mut Vec<Attribute>,
    errors: &mut Errors,
) -> Stack {
    let place = Span::call_site();
    let first = Layer { policy: outermost, path: None, place, args: Args::parse(outermost, args, place, errors) };
    let krate = first.args.krate.clone();
    let mut layers = vec![first];
    let mut foreign: Option<String> = None;
    let taken = std::mem::take(attributes);
    for attribute in taken {
        match (recognise(attribute.path(), krate.as_ref()), &foreign) {
            (Some(policy), None) => layers.push(layer(policy, &attribute, errors)),
            (Some(policy), Some(between)) => errors.push(Error::new_spanned(
                attribute.path(),
                format!(
                    "put the resilience attributes together: `#[{between}]` stands between `#[{}]` and `#[{}]`, and would turn their order around",
                    outermost.name, policy.name
                ),
            )),
            (None, _) => {
                if foreign.is_none() && !is_inert(attribute.path()) {
                    foreign = Some(text_of(attribute.path()));
                }
                attributes.push(attribute);
            }
        }
    }
    let krate = common_crate(&layers, errors);
    check(&layers, errors);
    Stack { layers, krate }
}

fn layer(policy: &'static Policy, attribute: &Attribute, errors: &mut Errors) -> Layer {
    let path = attribute.path();
    let place = path.segments.last().map_or_else(Span::call_site, |segment| segment.ident.span());
    let tokens = match &attribute.meta {
        Meta::Path(_) => TokenStream::new(),
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(pair) => {
            let (name, value) = (policy.name, pair.value.to_token_stream());
            errors.push(Error::new_spanned(
                &pair.value,
                match policy.first {
                    Some(_) => format!("the value goes in parentheses: `#[{name}({value})]`"),
                    None => format!("options go in parentheses: `#[{name}(key = value)]`"),
                },
            ));
            return Layer { policy, path: Some(path.clone()), place, args: Args::default() };
        }
    };
    Layer { policy, path: Some(path.clone()), place, args: Args::parse(policy, tokens, place, errors) }
}

/// Ours by a bare name, or through the runtime's path.
fn recognise(path: &Path, krate: Option<&TokenStream>) -> Option<&'static Policy> {
    let text = text_of(path);
    let text = text.trim_start_matches("::");
    let (parent, name) = text.rsplit_once("::").unwrap_or(("", text));
    let policy = policy::named(name)?;
    let known = parent.is_empty()
        || parent == "resilience"
        || krate.is_some_and(|krate| text_of(krate).trim_start_matches("::") == parent);
    known.then_some(policy)
}

/// Attributes that are no macros: they may stand anywhere between ours.
fn is_inert(path: &Path) -> bool {
    const TOOLS: [&str; 5] = ["rustfmt", "clippy", "diagnostic", "miri", "rust_analyzer"];
    const BUILT_IN: [&str; 22] = [
        "allow",
        "automatically_derived",
        "cfg",
        "cfg_attr",
        "cold",
        "coverage",
        "deny",
        "deprecated",
        "doc",
        "expect",
        "export_name",
        "forbid",
        "ignore",
        "inline",
        "link_section",
        "must_use",
        "no_mangle",
        "optimize",
        "should_panic",
        "target_feature",
        "track_caller",
        "warn",
    ];
    match path.get_ident() {
        Some(ident) => BUILT_IN.iter().any(|name| ident == name),
        None => path.segments.first().is_some_and(|tool| TOOLS.iter().any(|name| tool.ident == name)),
    }
}

fn common_crate(layers: &[Layer], errors: &mut Errors) -> TokenStream {
    let mut given = layers.iter().filter_map(|layer| layer.args.krate.as_ref());
    let Some(common) = given.next() else { return default_crate() };
    for other in given.filter(|other| text_of(*other) != text_of(common)) {
        errors.push(Error::new_spanned(other, format!("one stack has one `crate`; above it is `{}`", text_of(common))));
    }
    common.clone()
}

fn check(layers: &[Layer], errors: &mut Errors) {
    let as_written = layers.first().is_some_and(|layer| layer.args.order.is_some());
    for (index, layer) in layers.iter().enumerate() {
        let above = layers.get(..index).unwrap_or_default();
        if let (Some(order), false) = (&layer.args.order, above.is_empty()) {
            let outermost = above.first().map_or("", |layer| layer.policy.name);
            errors.push(Error::new(order.span(), format!("`order` goes on the outermost attribute, `#[{outermost}]`")));
        }
        if let Some(error) = duplicate(above, layer) {
            errors.push(error);
        } else if !as_written {
            misplaced(above, layer).into_iter().for_each(|error| errors.push(error));
        }
    }
}

fn duplicate(above: &[Layer], layer: &Layer) -> Option<Error> {
    let name = layer.policy.name;
    let mut same = above.iter().filter(|other| other.policy == layer.policy);
    let message = match layer.policy.shape {
        Shape::Bound => return None,
        Shape::Admit { .. } => {
            let other = same.find(|other| match (name_of(other), name_of(layer)) {
                (Some(other), Some(own)) => other == own,
                _ => true,
            })?;
            match (name_of(other), name_of(layer)) {
                (Some(own), Some(_)) => format!(
                    "two `#[{name}]` of the name {own} stand on this function; remove one, or give it another name"
                ),
                _ => format!(
                    "two `#[{name}]` stand on this function; remove one, or give each its own name: `#[{name}(\"a\")]` and `#[{name}(\"b\")]`"
                ),
            }
        }
        Shape::Loop => {
            same.next()?;
            format!("two `#[{name}]` stand on this function, which multiplies the attempts; remove one")
        }
    };
    Some(Error::new(layer.place, message))
}

fn name_of(layer: &Layer) -> Option<String> {
    layer.args.name.as_ref().map(|name| name.tokens(&TokenStream::new()).to_string())
}

fn misplaced(above: &[Layer], layer: &Layer) -> Option<Error> {
    let key = match layer.policy.shape {
        Shape::Bound => "duration",
        Shape::Admit { .. } => "max_wait",
        Shape::Loop => return None,
    };
    let own = layer.args.setting(key)?;
    let length = own.value.duration()?;
    let (outer, _) = above.iter().filter_map(bound).find(|(_, limit)| *limit <= length)?;
    let (name, outer, inner) = (layer.policy.name, &outer.text, &own.text);
    Some(Error::new(
        own.span,
        match layer.policy.shape {
            Shape::Bound => format!(
                "the inner `#[timeout({inner})]` never fires, as the outer `#[timeout({outer})]` ends the call no later: swap the two, or make the inner one shorter"
            ),
            _ => format!(
                "`#[{name}(max_wait = {inner})]` waits longer than `#[timeout({outer})]` above it allows: make `max_wait` the shorter of the two, or put `#[{name}]` above `#[timeout]`"
            ),
        },
    ))
}

/// A timeout's literal length.
fn bound(layer: &Layer) -> Option<(&Setting, Duration)> {
    let setting = layer.args.setting("duration").filter(|_| layer.policy.shape == Shape::Bound)?;
    Some((setting, setting.value.duration()?))
}

/// A path as text, without spaces.
fn text_of(path: &impl ToTokens) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}
