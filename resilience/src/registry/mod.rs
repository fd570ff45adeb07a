//! Names: one name of one kind of policy is one state and one configuration, for the life of the program.

mod entry;
#[cfg(all(test, not(resilience_loom)))]
mod link_tests;
mod names;
mod report;
mod snapshot;
mod verify;

use std::fmt;
use std::marker::PhantomData;
use std::ptr::from_ref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

pub use entry::Entry;
pub use report::{Report, Warning};
pub use snapshot::{Live, PolicySnapshot, Snapshot};
pub use verify::{Conflict, Incomplete, VerifyError, verify};

use crate::bulkhead::Slots;
use crate::circuit_breaker::Breaker;
use crate::error::Error;
use crate::linked;
use crate::options::{ConfigError, Invalid, Options, Value};
use crate::policy::Shared;
use crate::rate_limit::Limiter;
use crate::retry_budget::Budget;
use crate::site::{AnySite, Site};
use names::{AnyEntry, Found, Names};

/// The names of one kind of policy.
#[doc(hidden)]
pub struct Registry<P: Shared> {
    names: Names,
    kind: PhantomData<fn() -> P>,
}

impl<P: Shared> Registry<P> {
    pub(crate) const fn new() -> Self {
        Self { names: Names::new(), kind: PhantomData }
    }

    /// The entry as what it is: only entries of this kind come into this registry.
    fn own(entry: &'static dyn AnyEntry) -> Option<&'static Entry<P>> {
        entry.as_any().downcast_ref()
    }

    pub(crate) fn get(&self, name: &str) -> Option<&'static Entry<P>> {
        link_all();
        match self.names.lock().find(name) {
            Found::One(entry) => Self::own(entry),
            Found::Several | Found::None => None,
        }
    }

    /// Every entry, sorted by name.
    pub(crate) fn all(&self) -> Vec<&'static Entry<P>> {
        link_all();
        self.names.sorted().into_iter().filter_map(Self::own).collect()
    }

    /// Those that have a name, sorted.
    pub(crate) fn named(&self) -> Vec<&'static Entry<P>> {
        link_all();
        self.names.sorted_named().into_iter().filter_map(Self::own).collect()
    }

    /// Creates `name`, or replaces what the run-time API said about it before.
    pub(crate) fn register(&self, name: &str, config: P::Config) -> Result<&'static Entry<P>, ConfigError> {
        link_all();
        if name.is_empty() {
            return Err(ConfigError::new(P::KIND, name, NAMELESS));
        }
        let mut names = self.names.lock();
        match names.find(name) {
            Found::One(entry) => {
                drop(names);
                let Some(entry) = Self::own(entry) else { return Err(ConfigError::new(P::KIND, name, SEVERAL)) };
                entry.replace_runtime(config)?;
                return Ok(entry);
            }
            Found::Several => return Err(ConfigError::new(P::KIND, name, SEVERAL)),
            Found::None => {}
        }
        if let Some(error) = config.error(name) {
            return Err(error);
        }
        let entry = Entry::leak(name.to_owned().leak(), config);
        names.insert(entry);
        Ok(entry)
    }

    /// The state of a named site, created at need with the options the site declares.
    fn declare(&self, name: &'static str, site: &'static Site<P>) -> &'static Entry<P> {
        let mut names = self.names.lock();
        let entry = names.get(name).and_then(Self::own).unwrap_or_else(|| {
            let entry = Entry::leak(name, P::Config::EMPTY);
            names.insert(entry);
            entry
        });
        entry.declare(site);
        entry
    }

    /// The state of a site without a name: its own, under the name it shows.
    fn adopt(&self, site: &'static Site<P>) -> Option<&'static Entry<P>> {
        let made = || -> &'static dyn AnyEntry {
            let entry = Entry::leak(site.place.shown().leak(), P::Config::EMPTY);
            entry.declare(site);
            entry
        };
        Self::own(self.names.lock().of_site(from_ref(site).addr(), &site.place, made))
    }
}

impl<P: Shared> fmt::Debug for Registry<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("kind", &P::KIND).finish_non_exhaustive()
    }
}

const NAMELESS: Invalid = Invalid {
    option: "name",
    value: Value::Choice("empty"),
    range: "at least one character long",
    sentence: "`name` must not be empty",
};

const SEVERAL: Invalid = Invalid {
    option: "name",
    value: Value::Choice("shown by several call sites"),
    range: "given to the one that is meant, by `name = \"…\"` in its attribute",
    sentence: "`name` must be given where several call sites show the same",
};

/// Makes a site's name and options known.
pub(crate) fn link<P: Shared>(site: &'static Site<P>) {
    let _entry = match site.name {
        Some(name) => Some(P::registry().declare(name, site)),
        None => P::registry().adopt(site),
    };
}

pub(crate) fn bind<P: Shared>(site: &'static Site<P>) -> Result<&'static Entry<P>, Error> {
    link_all();
    // Known already, but for code whose own start-up function has not run.
    let entry = match site.name {
        Some(name) => P::registry().declare(name, site),
        None => P::registry().adopt(site).ok_or_else(|| Error::misconfigured(P::KIND, "a site of another kind"))?,
    };
    entry.usable()?;
    Ok(entry)
}

/// Makes all linked sites known, those of code that was loaded since the last look too: the options of a name then do not depend
/// on which site is called first.
fn link_all() {
    static LINKED: AtomicUsize = AtomicUsize::new(0);
    static LINKING: Mutex<()> = Mutex::new(());
    if LINKED.load(Ordering::Acquire) == linked::length() {
        return;
    }
    let _one = LINKING.lock().unwrap_or_else(PoisonError::into_inner);
    let (known, length) = (LINKED.load(Ordering::Acquire), linked::length());
    linked::sites_after(known).into_iter().for_each(AnySite::link);
    LINKED.store(length, Ordering::Release);
}

/// Returns the view of all policies of this program.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use resilience::{CircuitBreaker, Source, circuit_breaker};
///
/// CircuitBreaker::register("search", circuit_breaker::Config::new().cooldown(Duration::from_secs(5)))?;
/// let snapshot = resilience::registry().snapshot();
/// let search = snapshot.policies().iter().find(|policy| policy.name() == "search").unwrap();
/// assert_eq!(search.kind(), "circuit_breaker");
/// let cooldown = search.option("cooldown").unwrap();
/// assert_eq!((cooldown.value().to_string().as_str(), cooldown.source()), ("5s", Source::Runtime));
/// # Ok::<(), resilience::ConfigError>(())
/// ```
#[must_use]
pub fn registry() -> Policies {
    Policies(())
}

/// All policies of this program; see [`registry`].
#[derive(Clone, Copy, Debug)]
pub struct Policies(());

impl Policies {
    /// Returns every policy with its options, call sites and live numbers, sorted by kind and name.
    ///
    /// Every policy is there from the start of the program. One without a name shows that of its function,
    /// `module::path::function`; where several show the same, the printed form tells them apart by their places.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let breakers = Breaker::registry().all().into_iter().map(PolicySnapshot::of_entry);
        let bulkheads = Slots::registry().all().into_iter().map(PolicySnapshot::of_entry);
        let limiters = Limiter::registry().all().into_iter().map(PolicySnapshot::of_entry);
        let budgets = Budget::registry().all().into_iter().map(PolicySnapshot::of_entry);
        let sites = linked::sites().into_iter().filter_map(|site| site.describe());
        Snapshot::new(breakers.chain(bulkheads).chain(limiters).chain(budgets).chain(sites).collect())
    }
}
