// Stale-if-error: the last good value in the place of a failed result.
//
// The cache is moka's, one for each site and pair of key and value types (a generic function has several). Ages are
// measured on our clock, so that paused time works; moka bounds the number.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use moka::policy::EvictionPolicy;
use moka::sync::Cache;

use crate::classify::Class;
use crate::deadline;
use crate::error::Error;
use crate::event::{self, Event};
use crate::fallback::refusal;
use crate::fallible::{Fallible, error_text};
use crate::name::Name;
use crate::options::{Invalid, config};
use crate::outcome::{Seen, once};
use crate::policy::per_call;
use crate::site::{Owner, Site};
use crate::time::{self, Instant};

config! {
    /// The options of stale-if-error.
    "stale_if_error" {
        /// Serves values that are younger than this; longer than zero.
        max_age: Time,
        /// Remembers so many keys; at least 1; 10,000 by default.
        capacity: Count,
    }
}

const CAPACITY: u32 = 10_000;

impl Config {
    const fn conflict(&self) -> Option<Invalid> {
        None
    }

    fn yield_to(self, _over: &Self) -> Self {
        self
    }

    /// The attribute requires an age: there is no default.
    fn filled(self) -> Self {
        Self { max_age: self.max_age, capacity: self.capacity.or(Some(CAPACITY)) }
    }
}

/// The kind of policy, for sites.
#[doc(hidden)]
#[derive(Debug)]
pub struct StalePolicy(());

per_call!(StalePolicy, Config, "stale_if_error");

type Values<K, V> = Cache<K, (Instant, V)>;

/// The types of key and value, and the type that the method belongs to.
type Instantiation = (TypeId, &'static str);

/// What was used last stays: new keys come in, and old ones leave, whatever they were worth once.
fn new_values<K, V>(capacity: u32) -> Values<K, V>
where
    K: Hash + Eq + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    Cache::builder().max_capacity(u64::from(capacity)).eviction_policy(EvictionPolicy::lru()).build()
}

/// The remembered values of one site: a `static` beside it, since a site cannot name the function's types.
#[doc(hidden)]
pub struct Memory {
    /// As many as the function has instantiations.
    caches: Mutex<Option<HashMap<Instantiation, Arc<dyn Any + Send + Sync>>>>,
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}

impl Memory {
    #[must_use]
    #[allow(clippy::new_without_default, reason = "made by expansions only")]
    pub const fn new() -> Self {
        Self { caches: Mutex::new(None) }
    }

    fn values<K, V>(&self, of: &'static str, capacity: u32) -> Values<K, V>
    where
        K: Hash + Eq + Send + Sync + 'static,
        V: Clone + Send + Sync + 'static,
    {
        let mut caches = self.caches.lock().unwrap_or_else(PoisonError::into_inner);
        let cache = caches
            .get_or_insert_default()
            .entry((TypeId::of::<Values<K, V>>(), of))
            .or_insert_with(|| Arc::new(new_values::<K, V>(capacity)));
        match cache.downcast_ref::<Values<K, V>>() {
            Some(values) => values.clone(),
            // The map is keyed by this very type.
            None => new_values(capacity),
        }
    }
}

/// A type whose values can be remembered.
#[diagnostic::on_unimplemented(
    message = "`#[stale_if_error]` remembers the value, but `{Self}` cannot be",
    label = "must be `Clone + Send + Sync + 'static`",
    note = "derive `Clone`, or return an `Arc`"
)]
pub trait Memorable: Clone + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<V: Clone + Send + Sync + 'static> Memorable for V {}

/// What a value can be remembered under.
#[diagnostic::on_unimplemented(
    message = "`#[stale_if_error]` remembers values by key, but `{Self}` cannot be one",
    label = "must be `Hash + Eq + Send + Sync + 'static`",
    note = "write the key out of what identifies the value: `key = (region, id)`"
)]
pub trait Key: Hash + Eq + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<K: Hash + Eq + Send + Sync + 'static> Key for K {}

/// The stale-if-error layer of one call, with its key.
#[doc(hidden)]
pub struct Stale<K> {
    policy: &'static str,
    of: &'static str,
    memory: &'static Memory,
    config: Config,
    key: K,
}

impl<K> fmt::Debug for Stale<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stale").field("policy", &self.policy).finish_non_exhaustive()
    }
}

pub(crate) fn begin<K>(
    site: &'static Site<StalePolicy>,
    owner: Owner,
    memory: &'static Memory,
    config: &Config,
    key: K,
) -> Stale<K> {
    // A site without shared state always has a name; it is known by that from the first call on.
    let policy = site.bound(owner).map_or("stale_if_error", Name::as_str);
    if let Some(invalid) = config.problem() {
        site.tell_clamped(invalid, policy);
    }
    Stale { policy, of: owner.map_or("", |type_name| type_name()), memory, config: config.in_range().filled(), key }
}

impl<K: Key> Stale<K> {
    /// Remembers a good value, or puts a remembered one in the place of a failed result.
    ///
    /// It is reached only by a call that has run to its end: one that is dropped stores nothing.
    pub fn settle<R>(
        self,
        classify: impl FnOnce(&R::Error) -> Class,
        text: fn(&R::Error) -> String,
        result: Result<R, Error>,
    ) -> Result<R, Error>
    where
        R: Fallible<Value: Memorable>,
    {
        deadline::way_in_ends();
        let values: Values<K, R::Value> = self.memory.values(self.of, self.config.capacity.unwrap_or(CAPACITY));
        if let Ok(Ok(value)) = result.as_ref().map(R::result) {
            values.insert(self.key, (time::now(), value.clone()));
            return result;
        }
        if !Seen::of(&result, &mut once(classify)).is_recovered() {
            return result;
        }
        let Some((since, value)) = values.get(&self.key) else { return result };
        let age = time::now().saturating_duration_since(since);
        if age >= self.config.max_age.unwrap_or(Duration::MAX) {
            return result;
        }
        event::emit(|| Event::StaleServed {
            policy: self.policy,
            age,
            error: error_text(&result, text),
            refusal: refusal(&result),
        });
        Ok(R::success(value))
    }

    /// [`settle`](Self::settle) where a value may have `failed`: it is not remembered, and a remembered one takes its place.
    pub fn settle_when_ok<R>(
        self,
        classify: impl FnOnce(&R::Error) -> Class,
        text: fn(&R::Error) -> String,
        failed: bool,
        result: Result<R, Error>,
    ) -> Result<R, Error>
    where
        R: Fallible<Value: Memorable>,
    {
        if !failed {
            return self.settle(classify, text, result);
        }
        let instead = Err(Error::failed_value(self.policy));
        self.settle(classify, text, instead).or(result)
    }
}
