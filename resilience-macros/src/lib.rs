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
mod attribute;
mod blocks;
mod duration;
mod expand;
mod function;
mod items;
mod literal;
mod options;
mod policy;
mod recover;
mod returns;
mod stack;
mod tokens;
mod wording;

use proc_macro::TokenStream;

/// Runs the function again while it fails.
#[proc_macro_attribute]
pub fn retry(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute::expand(&policy::RETRY, args.into(), item.into()).into()
}

/// Refuses calls to a dependency that keeps failing.
#[proc_macro_attribute]
pub fn circuit_breaker(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute::expand(&policy::CIRCUIT_BREAKER, args.into(), item.into()).into()
}

/// Limits the calls in flight at once.
#[proc_macro_attribute]
pub fn bulkhead(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute::expand(&policy::BULKHEAD, args.into(), item.into()).into()
}

/// Cuts a call that takes too long.
#[proc_macro_attribute]
pub fn timeout(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute::expand(&policy::TIMEOUT, args.into(), item.into()).into()
}
