//! All that an expansion may name besides the public types. No part of the contract.

pub use std::borrow::ToOwned;

pub use crate::admission::Answer;
pub use crate::arguments::{ClonedForEachAttempt, ClonedForLater, WrapperClonedForEachAttempt, WrapperClonedForLater};
pub use crate::fallback::Recovery;
pub use crate::fallible::{finish, value};
pub use crate::guarded::{
    Admit, Admits, AsLayer, AtBlock, AtBody, Body, BodyClock, Call, Entering, Guard, Guarded, Holding, Judge, Judges,
    Judging, Layer, Layers, Nest, Never, Once, OnceBlock, Permit, Settled, Spending, Stack, State, Unasked, Under,
    Waits, Work, around, around_with, block_with, body, bound, bound_block,
};
pub use crate::inside::{Polling, Shared as SharedWithInner, Shares};
#[cfg(feature = "stale")]
pub use crate::lent_key::{IntoOwned, Lent};
pub use crate::linked::{Below, Beside, Linked, Sites};
pub use crate::policy::{Policy, Shared};
pub use crate::probe::{
    Chained, ClassBy, Classified, Debugged, Displayed, ErrorOf, Kind, Nameless, Probe, Reported, Sourced, TextBy,
    Unclassified, Unfit, class_by, error_of, kind, kind_of, kind_to_be, text_by, unmarked,
};
pub use crate::registry::{Entry, Registry};
pub use crate::retry::{
    AsItIs, Attempted, Attempts, Keeps, Kept, NotAtAll, OneAttempt, Pause, attempt, attempt_under, quiet,
};
pub use crate::site::{AnySite, Place, Site};
#[cfg(feature = "stale")]
pub use crate::stale::{Key, Memorable, Memory, Stale};
pub use crate::timeout::Bound;
pub use crate::unwind::Edge;

use std::future::Future;
use std::marker::PhantomData;
use std::time::Duration;

use crate::classify::Class;
use crate::deadline;
use crate::error::Error;
use crate::fallible::{Fallible, Recoverable};
use crate::guarded::{breaker_asked, bulkhead_asked};
use crate::name::Name;
use crate::outcome;
use crate::site::Asker;
use crate::{bulkhead as bulkheads, circuit_breaker as breakers, fallback as fallbacks, rate_limit as rate_limits};

/// What finds out how to tell an error's class and text, by autoref.
pub mod probing {
    pub use crate::probe::{
        ClassOfAny as _, ClassOfClassify as _, ClassOfReport as _, ClassOfSource as _, KeepAny as _, KeepSend as _,
        TextOfAny as _, TextOfDebug as _, TextOfDisplay as _, TextOfError as _, UnfitAny as _,
    };
}

/// What finds out what an unmarked variant says, by autoref.
pub mod asking {
    pub use crate::probe::{
        FieldOfAny as _, FieldOfClassify as _, FieldOfReport as _, FieldOfSource as _, RefusalOfAny as _,
        RefusalOfSource as _,
    };
}

/// A site's type by one short name, and a function that makes no other: every path and every type that is found out by
/// inference costs every user's build.
macro_rules! sites {
    ($( $(#[$feature:meta])? $site:ident, $new:ident: $policy:ty, $config:ty; )*) => {
        $(
            /// The site of an attribute.
            $(#[$feature])?
            pub type $site = Site<$policy>;

            /// Makes one.
            $(#[$feature])?
            #[must_use]
            pub const fn $new(place: Place, config: $config) -> $site {
                Site::new(place, config)
            }
        )*
    };
}

sites! {
    RetrySite, retry_site: crate::retry::RetryPolicy, crate::retry::Config;
    CircuitBreakerSite, circuit_breaker_site: breakers::Breaker, breakers::Config;
    BulkheadSite, bulkhead_site: bulkheads::Slots, bulkheads::Config;
    RateLimitSite, rate_limit_site: rate_limits::Limiter, rate_limits::Config;
    TimeoutSite, timeout_site: crate::timeout::TimeoutPolicy, crate::timeout::Config;
    FallbackSite, fallback_site: fallbacks::FallbackPolicy, fallbacks::Config;
    RetryBudgetSite, retry_budget_site: crate::retry_budget::Budget, crate::retry_budget::Config;
    #[cfg(feature = "stale")]
    StaleIfErrorSite, stale_if_error_site: crate::stale::StalePolicy, crate::stale::Config;
}

/// How to tell an error's class where a predicate has a say: by it, but where it is not asked.
///
/// Nothing here wants the return type to be `Fallible`: what does stands at that type in an expansion, and is told once.
pub fn when<E, C: ClassBy<E>>(_of: ErrorOf<E>, _by: C, holds: impl FnOnce(&E) -> bool) -> impl FnMut(&E) -> Class {
    outcome::once(|error| outcome::narrowed(C::class(error), || holds(error)))
}

/// A `when` predicate's answer.
pub fn holds<E: ?Sized>(predicate: impl FnOnce(&E) -> bool, error: &E) -> bool {
    predicate(error)
}

/// Whether a value is one that `when_ok` takes for a failure.
pub fn when_ok<V: ?Sized>(value: Option<&V>, predicate: impl FnOnce(&V) -> bool) -> bool {
    value.is_some_and(predicate)
}

// What lets a call in at once stands in the expansion, see `at_once` of the circuit breaker; the rest is a call away.

/// The circuit breaker layer.
#[inline(always)]
pub fn circuit_breaker(site: &'static CircuitBreakerSite) -> Result<Permit<breakers::Held>, Error> {
    match site.bound_already().and_then(breakers::at_once) {
        Some(held) => Ok(Permit::new(&site.place, held)),
        None => breaker_asked(site).map(|held| Permit::new(&site.place, held)),
    }
}

/// The bulkhead layer.
#[inline(always)]
pub fn bulkhead(site: &'static BulkheadSite) -> Entering<bulkheads::Held, bulkheads::Slot> {
    match site.bound_already().and_then(bulkheads::at_once) {
        Some(held) => Entering::decided(site, Ok(held)),
        None => Entering::answered(site, bulkhead_asked(site)),
    }
}

/// The rate limit layer.
#[inline]
pub fn rate_limit(site: &'static RateLimitSite, permits: u32) -> Entering<rate_limits::Taken, rate_limits::Taken> {
    let in_time = |entry: &'static Entry<rate_limits::Limiter>| Ok((entry, deadline::on_way_in(entry.named())?));
    match site.bound().and_then(in_time) {
        Ok((entry, now)) => {
            let permits = rate_limits::counted(site, permits);
            Entering::answered(site, rate_limits::acquire(entry, permits, now, Asker::of(site)))
        }
        Err(refusal) => Entering::decided(site, Err(refusal)),
    }
}

/// Refuses a call whose deadline has passed, for the layers that do not look at it themselves.
#[inline]
pub fn on_time<P: Policy<Bound = &'static Name>>(site: &'static Site<P>) -> Result<(), Error> {
    deadline::on_way_in(site.bound()?).map(|_| ())
}

/// Ends what the layers above share, before an option's expression that may wait, or leave the function.
pub fn way_in_ends() {
    deadline::way_in_ends();
}

/// The fallback layer.
pub fn recover<R: Recoverable>(
    site: &'static FallbackSite,
    _like: Like<R>,
    classify: impl FnOnce(&R::Error) -> Class,
    text: fn(&R::Error) -> String,
    result: Result<R, Error>,
) -> Recovery<R, R::Error> {
    fallbacks::recover(site, classify, text, result)
}

/// The fallback layer where a value may have `failed`.
pub fn recover_when_ok<R: Recoverable>(
    site: &'static FallbackSite,
    _like: Like<R>,
    classify: impl FnOnce(&R::Error) -> Class,
    text: fn(&R::Error) -> String,
    failed: bool,
    result: Result<R, Error>,
) -> Recovery<R, R::Error> {
    fallbacks::recover_when_ok(site, classify, text, failed, result)
}

/// Says the function's return type without a value.
pub struct Like<R>(PhantomData<fn() -> R>);

impl<R> Clone for Like<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Like<R> {}

impl<R> std::fmt::Debug for Like<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(std::any::type_name::<R>())
    }
}

/// Fails to compile, at the return type, where a fallback cannot take it apart.
pub const fn like<R: Recoverable>() -> Like<R> {
    Like(PhantomData)
}

/// Fails to compile, at the function, where a fallback's function returns no such future.
pub fn offered<R, F: StandIn<R>>(_like: Like<R>, future: F) -> Offered<R, F> {
    Offered { future, returned: PhantomData }
}

/// What may be the future of a fallback's function.
#[derive(Debug)]
pub struct Offered<R, F> {
    future: F,
    returned: PhantomData<fn() -> R>,
}

/// What finds its future, by autoref: where it is none there is another in its place, as an `await` would tell of it again.
pub mod offering {
    pub use super::{StandsIn as _, StandsInNot as _};
}

/// For the futures of such functions.
pub trait StandsIn {
    /// The future.
    type Future;
    /// The future.
    fn stand_in(self) -> Self::Future;
}

impl<R, F: Future<Output = R>> StandsIn for Offered<R, F> {
    type Future = F;

    fn stand_in(self) -> F {
        self.future
    }
}

/// For all else.
pub trait StandsInNot<R> {
    /// A future that does not end.
    fn stand_in(&self) -> std::future::Pending<R>;
}

impl<R, F> StandsInNot<R> for Offered<R, F> {
    fn stand_in(&self) -> std::future::Pending<R> {
        std::future::pending()
    }
}

/// What a fallback's function returns.
#[diagnostic::on_unimplemented(
    message = "the function of a fallback is async and returns what this function returns: `{R}`",
    label = "returns `{Self}`",
    note = "in a closure, any function will do: `#[fallback(|error| f(error))]`, or `#[fallback(|error| Ok(f(error).await))]`"
)]
pub trait StandIn<R>: Future<Output = R> {}

#[diagnostic::do_not_recommend]
impl<R, F: Future<Output = R>> StandIn<R> for F {}

/// A fallback's value as the function's success.
pub fn success<R: Fallible>(_like: Like<R>, value: R::Value) -> R {
    R::success(value)
}

/// Ends an error that a fallback does not look at. (`drop` is a lint where there is nothing to drop.)
pub fn discard<E>(_error: E) {}

/// The stale-if-error layer.
///
/// `_instance` is a closure of the function: its type is another one for each instance of the function, whatever that is
/// generic over, `Self` included.
#[cfg(feature = "stale")]
pub fn stale<I, K: Key>(
    site: &'static StaleIfErrorSite,
    memory: &'static Memory,
    _instance: I,
    config: crate::stale::Config,
    key: K,
) -> Stale<K> {
    crate::stale::begin(site, memory, typeid::of::<I>(), &config, key)
}

/// The key that a call's value is remembered under.
///
/// An opaque type, so that what is no key is told once.
#[cfg(feature = "stale")]
pub fn key<K: Key>(key: K) -> impl Key {
    key
}

/// A field that says when to come back, for `#[derive(Classify)]`.
#[diagnostic::on_unimplemented(
    message = "`retry_after` takes a field of type `Duration` or `Option<Duration>`, and this one is a `{Self}`",
    label = "neither `Duration` nor `Option<Duration>`"
)]
pub trait Hint {
    /// The time to wait, if it says one.
    fn hint(&self) -> Option<Duration>;
}

impl Hint for Duration {
    fn hint(&self) -> Option<Duration> {
        Some(*self)
    }
}

impl Hint for Option<Duration> {
    fn hint(&self) -> Option<Duration> {
        *self
    }
}
