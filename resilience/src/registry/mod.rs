//! Names: one name of one kind of policy is one state and one configuration, for the life of the program.

mod entry;
mod names;
mod snapshot;
mod verify;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Once;

pub use entry::Entry;
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
use crate::site::{AnySite, Owner, Site};
use names::{AnyEntry, Names};

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
        self.names.lock().get(name).and_then(Self::own)
    }

    /// Every entry, sorted by name.
    pub(crate) fn all(&self) -> Vec<&'static Entry<P>> {
        link_all();
        self.names.sorted().into_iter().filter_map(Self::own).collect()
    }

    /// Creates `name`, or replaces what the run-time API said about it before.
    pub(crate) fn register(&self, name: &str, config: P::Config) -> Result<&'static Entry<P>, ConfigError> {
        link_all();
        if name.is_empty() {
            return Err(ConfigError::new(P::KIND, name, NAMELESS));
        }
        let mut names = self.names.lock();
        if let Some(entry) = names.get(name).and_then(Self::own) {
            drop(names);
            entry.replace_runtime(config)?;
            return Ok(entry);
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
    fn adopt(&self, site: &'static Site<P>, owner: Owner) -> &'static Entry<P> {
        let mut names = self.names.lock();
        let entry = Entry::leak(names.shown(&site.place, owner), P::Config::EMPTY);
        entry.declare(site);
        names.insert(entry);
        entry
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

/// Makes a named site's name and options known; a site without a name waits for its first call.
pub(crate) fn link<P: Shared>(site: &'static Site<P>) {
    if let Some(name) = site.name {
        P::registry().declare(name, site);
    }
}

pub(crate) fn bind<P: Shared>(site: &'static Site<P>, owner: Owner) -> Result<&'static Entry<P>, Error> {
    link_all();
    let entry = match site.name {
        // Known already, but for code that was loaded later.
        Some(name) => P::registry().declare(name, site),
        None => P::registry().adopt(site, owner),
    };
    entry.usable()?;
    Ok(entry)
}

/// Makes all linked sites known, once: the options of a name then do not depend on which site is called first.
fn link_all() {
    static LINKED: Once = Once::new();
    LINKED.call_once(|| linked::sites().into_iter().for_each(AnySite::link));
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
    /// A named policy is there from the start of the program; one without a name appears with its first call.
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
