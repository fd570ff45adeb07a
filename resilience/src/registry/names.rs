//! The names of one kind of policy, in code that all kinds share.

use std::any::Any;
use std::borrow::Borrow;
use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::site::Place;

/// An entry, whatever its kind. No more than the map needs: what stands here is part of every program that names a policy.
pub(super) trait AnyEntry: Send + Sync {
    fn name(&self) -> &'static str;
    fn as_any(&self) -> &dyn Any;
}

/// An entry as a map's key: it stands for its name. The map then holds a name once, in the entry.
struct ByName(&'static dyn AnyEntry);

impl Borrow<str> for ByName {
    fn borrow(&self) -> &str {
        self.0.name()
    }
}

impl Hash for ByName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name().hash(state);
    }
}

impl PartialEq for ByName {
    fn eq(&self, other: &Self) -> bool {
        self.0.name() == other.0.name()
    }
}

impl Eq for ByName {}

/// Entries by name. They are created once and never replaced: handles and sites keep references.
pub(super) struct Names(LazyLock<Mutex<Entries>>);

#[derive(Default)]
struct Entries {
    named: HashSet<ByName>,
    /// Of sites that give no name. The names that these show need not be different: a module can be compiled twice, a macro makes
    /// functions, and of a method only a list on its `impl` block knows the type.
    unnamed: Vec<Unnamed>,
}

struct Unnamed {
    /// Whose it is.
    site: usize,
    place: &'static Place,
    entry: &'static dyn AnyEntry,
}

/// What comes of looking for a name.
pub(super) enum Found {
    One(&'static dyn AnyEntry),
    /// Sites that show the same name.
    Several,
    None,
}

impl Names {
    pub(super) const fn new() -> Self {
        Self(LazyLock::new(Mutex::default))
    }

    pub(super) fn lock(&self) -> Locked<'_> {
        Locked(self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn sorted(&self) -> Vec<&'static dyn AnyEntry> {
        let names = self.lock();
        let unnamed = names.0.unnamed.iter().map(|unnamed| unnamed.entry);
        let mut entries: Vec<_> = names.0.named.iter().map(|ByName(entry)| *entry).chain(unnamed).collect();
        drop(names);
        entries.sort_unstable_by_key(|entry| entry.name());
        entries
    }
}

impl Names {
    pub(super) fn sorted_named(&self) -> Vec<&'static dyn AnyEntry> {
        let mut entries: Vec<_> = self.lock().0.named.iter().map(|ByName(entry)| *entry).collect();
        entries.sort_unstable_by_key(|entry| entry.name());
        entries
    }
}

/// The names, while nobody else adds one.
pub(super) struct Locked<'a>(MutexGuard<'a, Entries>);

impl Locked<'_> {
    pub(super) fn get(&self, name: &str) -> Option<&'static dyn AnyEntry> {
        self.0.named.get(name).map(|ByName(entry)| *entry)
    }

    /// The entry of that name, or of the site that shows it: with its address, where there are several.
    pub(super) fn find(&self, name: &str) -> Found {
        if let Some(entry) = self.get(name) {
            return Found::One(entry);
        }
        let shows = |unnamed: &&Unnamed| {
            let address = name.strip_prefix(unnamed.entry.name());
            address.is_some_and(|address| address.is_empty() || address == unnamed.place.address())
        };
        let mut found = self.0.unnamed.iter().filter(shows);
        match (found.next(), found.next()) {
            (Some(unnamed), None) => Found::One(unnamed.entry),
            (Some(_), Some(_)) => Found::Several,
            (None, _) => Found::None,
        }
    }

    pub(super) fn insert(&mut self, entry: &'static dyn AnyEntry) {
        self.0.named.insert(ByName(entry));
    }

    /// The entry of a site that gives no name, made when it is first asked for.
    pub(super) fn of_site(
        &mut self,
        site: usize,
        place: &'static Place,
        make: impl FnOnce() -> &'static dyn AnyEntry,
    ) -> &'static dyn AnyEntry {
        if let Some(known) = self.0.unnamed.iter().find(|unnamed| unnamed.site == site) {
            return known.entry;
        }
        let entry = make();
        self.0.unnamed.push(Unnamed { site, place, entry });
        entry
    }
}
