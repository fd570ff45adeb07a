//! The attribute macros of `resilience`. Use them through that crate, which documents them.
//!
//! This file is a shell: each entry point hands its two token streams to `attribute::expand`.
#![deny(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects
)]

mod args;
mod arguments;
mod asked;
mod async_trait;
mod attribute;
mod blocks;
mod called;
mod derive;
mod duration;
mod expand;
mod features;
mod frame;
mod function;
mod future;
#[cfg(test)]
mod fuzz_tests;
mod grammar;
mod guarded;
mod impl_block;
mod impl_items;
mod in_front;
mod in_range;
mod items;
mod key;
mod layers;
mod list;
mod literal;
mod marks;
mod names;
mod of_impl;
mod options;
mod order;
mod other_names;
mod ours;
mod patterns;
mod places;
mod policy;
mod recover;
mod recovery;
mod returns;
#[cfg(test)]
mod span_tests;
mod stack;
mod stand_in;
mod tokens;
mod unfit;
mod wording;
mod words;
#[cfg(test)]
mod words_tests;

use proc_macro::TokenStream;

use crate::ours::Ours;

/// Runs the function again while it fails.
#[proc_macro_attribute]
pub fn retry(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute::expand(Ours::Policy(&policy::RETRY), args.into(), item.into()).into()
}

/// Refuses calls to a dependency that keeps failing.
#[proc_macro_attribute]
pub fn circuit_breaker(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute::expand(Ours::Policy(&policy::CIRCUIT_BREAKER), args.into(), item.into()).into()
}

/// Limits the calls in flight at once.
#[proc_macro_attribute]
pub fn bulkhead(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute::expand(Ours::Policy(&policy::BULKHEAD), args.into(), item.into()).into()
}

/// Limits the calls in a time.
#[proc_macro_attribute]
pub fn rate_limit(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute::expand(Ours::Policy(&policy::RATE_LIMIT), args.into(), item.into()).into()
}

/// Cuts a call that takes too long.
#[proc_macro_attribute]
pub fn timeout(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute::expand(Ours::Policy(&policy::TIMEOUT), args.into(), item.into()).into()
}

/// Puts something else in the place of a failed result.
#[proc_macro_attribute]
pub fn fallback(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute::expand(Ours::Policy(&policy::FALLBACK), args.into(), item.into()).into()
}

/// Puts the last good value in the place of a failed result.
#[proc_macro_attribute]
pub fn stale_if_error(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute::expand(Ours::Policy(&policy::STALE_IF_ERROR), args.into(), item.into()).into()
}

/// Several policies in one attribute, the first outermost.
#[proc_macro_attribute]
pub fn resilient(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute::expand(Ours::Resilient, args.into(), item.into()).into()
}

/// Tells what each variant says about the dependency.
#[proc_macro_derive(Classify, attributes(transient, permanent, caller, local, refused, overloaded, classify))]
pub fn classify(item: TokenStream) -> TokenStream {
    derive::expand(item.into()).into()
}
