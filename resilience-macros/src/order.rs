//! What may not stand on a function twice, and what may not stand above what.

use std::time::Duration;

use proc_macro2::TokenStream;
use syn::Error;

use crate::args::Setting;
use crate::ours::Ours;
use crate::policy::Shape;
use crate::recover::Errors;
use crate::stack::Layer;
use crate::tokens::start_of;

/// Tells what stands twice or in the wrong order.
pub(crate) fn check(outermost: Ours, layers: &[Layer], errors: &mut Errors) {
    let as_written = layers.first().is_some_and(|layer| layer.args.order.is_some());
    for (index, layer) in layers.iter().enumerate() {
        let above = layers.get(..index).unwrap_or_default();
        if let (Some(order), false) = (&layer.args.order, above.is_empty()) {
            let message = format!("`order` goes on the outermost attribute, `#[{}]`", outermost.name());
            errors.push(Error::new(order.span(), message));
        }
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
        Shape::Recover { .. } => {
            same.next()?;
            format!("two `#[{name}]` stand on this function; remove one")
        }
    };
    Some(Error::new(layer.place, message))
}

fn name_of(layer: &Layer) -> Option<String> {
    layer.args.name.as_ref().map(|name| name.tokens(&TokenStream::new()).to_string())
}

/// What puts something in the place of failures hides them from what stands above.
fn hiding(above: &[Layer], layer: &Layer) -> Option<Error> {
    let Shape::Recover { .. } = layer.policy.shape else { return None };
    let outer = above.iter().find(|other| other.judges())?;
    let (name, outer) = (layer.policy.name, outer.policy.name);
    Some(Error::new(
        layer.place,
        format!("`#[{name}]` below `#[{outer}]` hides every failure from it: put `#[{name}]` above `#[{outer}]`"),
    ))
}

fn misplaced(above: &[Layer], layer: &Layer) -> Option<Error> {
    let key = match layer.policy.shape {
        Shape::Bound => "duration",
        Shape::Admit { .. } => "max_wait",
        Shape::Loop | Shape::Recover { .. } => return None,
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
