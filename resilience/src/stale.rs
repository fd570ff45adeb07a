// Stale-if-error: the last good value in the place of a failed result.
//
// What is remembered belongs to the function instance: a generic function has as many memories as instantiations, a method
// one for each `Self`. A printed name tells too little of that, as do the types of key and value; the type of a closure in the
// expansion tells all of it.
//
// The cache is moka's, which bounds the number. Ages are measured on our clock, so that paused time works.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use moka::ops::compute::Op;
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
use crate::site::Site;
use crate::time;

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

/// A good value, and when the call began that fetched it, as [`time::stamp`] has it.
struct Remembered<V> {
    since: AtomicU64,
    value: V,
}

/// What one function instance remembers.
///
/// Values are shared, so that no `Clone` of the user's runs inside of the cache.
struct Values<K, V> {
    cache: Cache<K, Arc<Remembered<V>>>,
    /// What is older, in nanoseconds, is of no use to any call that we know of.
    longest: AtomicU64,
    /// When it was last seen to that such values go.
    tidied: AtomicU64,
    /// What began before this is too old. The cache knows it as long as it looks for such values.
    too_old: Arc<AtomicU64>,
}

/// As long as values stay at least that are too old for any call, in nanoseconds: looking for them is worth it seldom.
const TIDY_AT_MOST_EVERY: u64 = 100_000_000;

/// Each is asked about every value that the cache is asked for.
const LOOKS_AT_ONCE: usize = 3;

impl<K: Key, V: Memorable> Values<K, V> {
    fn new(capacity: u32, now: u64) -> Self {
        let cache = Cache::builder()
            .max_capacity(u64::from(capacity))
            // What was used last stays: new keys come in, and old ones leave, whatever they were worth once.
            .eviction_policy(EvictionPolicy::lru())
            .support_invalidation_closures()
            .build();
        Self { cache, longest: AtomicU64::new(0), tidied: AtomicU64::new(now), too_old: Arc::default() }
    }

    /// Remembers a value, unless there is one whose call began later.
    fn store(&self, key: K, value: V, since: u64) {
        let new = Arc::new(Remembered { since: AtomicU64::new(since), value });
        self.cache.entry(key).and_compute_with(|old| {
            let old = old.map_or(0, |old| old.value().since.load(Ordering::Relaxed));
            // A moment that has not come yet is another runtime's, and says nothing about which call began first. The clock
            // is read here: on one clock, nothing that is in the cache can be ahead of it.
            let is_later = old > since && old <= time::stamp(time::now());
            if is_later { Op::Nop } else { Op::Put(new) }
        });
    }

    /// The value, with its age at that moment, in nanoseconds. `now` is read after the value was found.
    fn get(&self, key: &K, now: impl FnOnce() -> u64) -> Option<(Arc<Remembered<V>>, u64)> {
        let found = self.cache.get(key)?;
        let now = now();
        // A moment ahead is another runtime's: the value counts as one of now, and ages from here on.
        let since = found.since.fetch_min(now, Ordering::Relaxed);
        Some((found, now.saturating_sub(since)))
    }

    /// Lets time pass: what is too old for any call leaves the cache, once in a while. By moka's own clock it would not, or
    /// too early, where ours is paused.
    ///
    /// `moment` is of this call, and need not be of now.
    fn tidy(&self, of_use: u64, moment: u64) {
        let longest = self.longest.fetch_max(of_use, Ordering::Relaxed).max(of_use);
        let tidied = self.tidied.load(Ordering::Relaxed);
        let is_due = |now: u64| now.abs_diff(tidied) >= longest.max(TIDY_AT_MOST_EVERY);
        if !is_due(moment) {
            return;
        }
        let now = time::stamp(time::now());
        if !is_due(now) || self.tidied.compare_exchange(tidied, now, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return;
        }
        self.too_old.store(now.saturating_sub(longest), Ordering::Relaxed);
        // It takes the cache some time to have looked at all, and to let go of what it looked by.
        if Arc::strong_count(&self.too_old) <= LOOKS_AT_ONCE {
            let too_old = Arc::clone(&self.too_old);
            let _ = self.cache.invalidate_entries_if(move |_, remembered| {
                remembered.since.load(Ordering::Relaxed) <= too_old.load(Ordering::Relaxed)
            });
        }
        self.cache.run_pending_tasks();
    }
}

/// The remembered values of one site: a `static` beside it, since a site cannot name the function's types.
#[doc(hidden)]
pub struct Memory {
    /// As many as the function has instances.
    instances: Mutex<Option<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>>,
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
        Self { instances: Mutex::new(None) }
    }

    fn values<K: Key, V: Memorable>(&self, instance: TypeId, new: impl Fn() -> Values<K, V>) -> Arc<Values<K, V>> {
        let mut instances = self.instances.lock().unwrap_or_else(PoisonError::into_inner);
        let values = instances.get_or_insert_default().entry(instance).or_insert_with(|| Arc::new(new()));
        // An instance has one type of key, and one of value.
        Arc::clone(values).downcast().unwrap_or_else(|_| Arc::new(new()))
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
    memory: &'static Memory,
    instance: TypeId,
    /// How old a value may be that is served, and for how long one may be of use to others, in nanoseconds.
    limit: u64,
    of_use: u64,
    since: u64,
    capacity: u32,
    key: K,
}

impl<K> fmt::Debug for Stale<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stale").field("policy", &self.policy).finish_non_exhaustive()
    }
}

pub(crate) fn begin<K>(
    site: &'static Site<StalePolicy>,
    memory: &'static Memory,
    instance: TypeId,
    config: &Config,
    key: K,
) -> Stale<K> {
    // A site without shared state always has a name; it is known by that from the first call on.
    let policy = site.bound().map_or("stale_if_error", Name::as_str);
    if let Some(invalid) = config.problem() {
        site.tell_clamped(invalid, policy);
    }
    let Config { max_age, capacity } = config.in_range().filled();
    let limit = max_age.map_or(u64::MAX, time::nanos);
    // A limit that is computed may be a longer one next time.
    let of_use = if site.computed.is_empty() { limit } else { limit.saturating_mul(10) };
    let since = time::stamp(time::now());
    Stale { policy, memory, instance, limit, of_use, since, capacity: capacity.unwrap_or(CAPACITY), key }
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
        let Self { policy, memory, instance, limit, of_use, since, capacity, key } = self;
        let values = memory.values::<K, R::Value>(instance, || Values::new(capacity, since));
        if let Ok(Ok(value)) = result.as_ref().map(R::result) {
            values.store(key, value.clone(), since);
            values.tidy(of_use, since);
            return result;
        }
        let seen = Seen::of(&result, &mut once(classify));
        if !seen.is_recovered() {
            return result;
        }
        values.tidy(of_use, since);
        let Some((remembered, age)) = values.get(&key, || time::stamp(time::now())) else { return result };
        if age >= limit {
            return result;
        }
        event::emit(|| Event::StaleServed {
            policy,
            age: Duration::from_nanos(age),
            error: error_text(&result, text),
            class: seen.class(),
            refusal: refusal(&result),
        });
        Ok(R::success(remembered.value.clone()))
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
