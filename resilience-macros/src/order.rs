//! What may not stand on a function twice, and what may not stand above what.

use std::time::Duration;

use proc_macro2::{Span, TokenStream};
use syn::Error;

use crate::args::Setting;
use crate::ours::Ours;
use crate::policy::Shape;
use crate::recover::Errors;
use crate::stack::Layer;
use crate::tokens::start_of;

/// Whether the order is what the user wants; tells of those that say so besides the outermost attribute. `layers` are in
/// the order of their attributes.
pub(crate) fn is_as_written<'a>(
    outermost: Ours,
    mut layers: impl Iterator<Item = &'a Layer>,
    errors: &mut Errors,
) -> bool {
    let as_written = layers.next().is_some_and(|layer| layer.args.order.is_some());
    for order in layers.filter_map(|layer| layer.args.order.as_ref()) {
        let message = format!("`order` goes on the outermost attribute, `#[{}]`", outermost.name());
        errors.push(Error::new(order.span(), message));
    }
    as_written
}

/// Tells what stands twice or in the wrong order.
pub(crate) fn check(layers: &[Layer], as_written: bool, errors: &mut Errors) {
    for (index, layer) in layers.iter().enumerate() {
        let above = layers.get(..index).unwrap_or_default();
        errors.extend(too_many_permits(layer));
        if let Some(error) = duplicate(above, layer) {
            errors.push(error);
        } else if !as_written {
            errors.extend(hiding(above, layer).into_iter().chain(misplaced(above, layer)));
        }
    }
}

fn duplicate(above: &[Layer], layer: &Layer) -> Option<Error> {
    let name = layer.policy.name;
    let mut same = above.iter().filter(|other| other.policy == layer.policy);
    let own_name = name_of(layer);
    let other = match layer.policy.shape {
        Shape::Bound => return None,
        Shape::Admit { .. } => same.find(|other| match (name_of(other), &own_name) {
            (Some(other), Some(own)) => other == *own,
            _ => true,
        }),
        Shape::Loop | Shape::Recover { .. } => same.next(),
    }?;
    let message = match layer.policy.shape {
        Shape::Admit { .. } => match (name_of(other), own_name) {
            (Some(own), Some(_)) => {
                format!("two `#[{name}]` of the name {own} stand on this function; remove one, or give it another name")
            }
            _ => format!(
                "two `#[{name}]` stand on this function; remove one, or give each its own name: `#[{name}(\"a\")]` and `#[{name}(\"b\")]`"
            ),
        },
        Shape::Loop => format!("two `#[{name}]` stand on this function, which multiplies the attempts; remove one"),
        Shape::Bound | Shape::Recover { .. } => format!("two `#[{name}]` stand on this function; remove one"),
    };
    Some(Error::new(at_own((other, other.place), (layer, layer.place)), message))
}

/// Where to tell of two layers: at the lower one, but never in the list of an `impl` block, which is every method's.
fn at_own(upper: (&Layer, Span), lower: (&Layer, Span)) -> Span {
    if lower.0.of_impl && !upper.0.of_impl { upper.1 } else { lower.1 }
}

/// What else can be done about the order of two layers.
fn or_rest(upper: &Layer, lower: &Layer) -> &'static str {
    if upper.of_impl == lower.of_impl {
        return "";
    }
    "; `..` in the list of the `impl` block says where this method's own attributes stand"
}

fn name_of(layer: &Layer) -> Option<String> {
    layer.args.name.as_ref().map(|name| name.tokens(&TokenStream::new()).to_string())
}

/// What puts something in the place of failures hides them from what stands above.
fn hiding(above: &[Layer], layer: &Layer) -> Option<Error> {
    let Shape::Recover { .. } = layer.policy.shape else { return None };
    let outer = above.iter().find(|other| other.judges())?;
    let place = at_own((outer, outer.place), (layer, layer.place));
    let or_rest = or_rest(outer, layer);
    let (name, outer) = (layer.policy.name, outer.policy.name);
    let message = format!(
        "`#[{name}]` below `#[{outer}]` hides every failure from it: put `#[{name}]` above `#[{outer}]`{or_rest}"
    );
    Some(Error::new(place, message))
}

fn misplaced(above: &[Layer], layer: &Layer) -> Option<Error> {
    let key = match layer.policy.shape {
        Shape::Bound => "duration",
        Shape::Admit { .. } => "max_wait",
        Shape::Loop | Shape::Recover { .. } => return None,
    };
    let own = layer.args.setting(key)?;
    let length = own.value.duration()?;
    let bounded = |upper| bound(upper).filter(|(_, limit)| *limit <= length).map(|(outer, _)| (upper, outer));
    let (upper, outer) = above.iter().find_map(bounded)?;
    let place = at_own((upper, outer.span), (layer, own.span));
    let (name, outer, inner) = (layer.policy.name, &outer.text, &own.text);
    let message = match layer.policy.shape {
        Shape::Bound => format!(
            "the inner `#[timeout({inner})]` never fires, as the outer `#[timeout({outer})]` ends the call no later: swap the two, or make the inner one shorter"
        ),
        _ => format!(
            "`#[{name}(max_wait = {inner})]` waits longer than `#[timeout({outer})]` above it allows: make `max_wait` the shorter of the two, or put `#[{name}]` above `#[timeout]`"
        ),
    };
    Some(Error::new(place, message + or_rest(upper, layer)))
}

/// A call that asks for more than a full bucket holds never gets it.
fn too_many_permits(layer: &Layer) -> Option<Error> {
    let permits = layer.args.permits.as_ref()?;
    let (key, holds) = ["burst", "limit"].into_iter().find_map(|key| Some((key, layer.args.setting(key)?)))?;
    let (count, holds) = (permits.count()?, holds.value.count()?);
    let message = format!(
        "no call ever gets {count} permits, as `{key} = {holds}` is all there can be at once: raise `burst`, or lower `permits`"
    );
    (count > holds).then(|| Error::new(start_of(&permits.tokens(&TokenStream::new())), message))
}

/// A timeout's literal length.
fn bound(layer: &Layer) -> Option<(&Setting, Duration)> {
    let setting = layer.args.setting("duration").filter(|_| layer.policy.shape == Shape::Bound)?;
    Some((setting, setting.value.duration()?))
}
