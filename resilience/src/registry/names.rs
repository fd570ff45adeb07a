//! The names of one kind of policy, in code that all kinds share.

use std::any::Any;
use std::borrow::Borrow;
use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::site::{Owner, Place};

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
pub(super) struct Names(LazyLock<Mutex<HashSet<ByName>>>);

impl Names {
    pub(super) const fn new() -> Self {
        Self(LazyLock::new(Mutex::default))
    }

    pub(super) fn lock(&self) -> Locked<'_> {
        Locked(self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn sorted(&self) -> Vec<&'static dyn AnyEntry> {
        let mut entries: Vec<_> = self.lock().0.iter().map(|ByName(entry)| *entry).collect();
        entries.sort_unstable_by_key(|entry| entry.name());
        entries
    }
}

/// The names, while nobody else adds one.
pub(super) struct Locked<'a>(MutexGuard<'a, HashSet<ByName>>);

impl Locked<'_> {
    pub(super) fn get(&self, name: &str) -> Option<&'static dyn AnyEntry> {
        self.0.get(name).map(|ByName(entry)| *entry)
    }

    pub(super) fn insert(&mut self, entry: &'static dyn AnyEntry) {
        self.0.insert(ByName(entry));
    }

    /// The name that a site without one shows. Another site may show the same: the same module can be compiled twice, or
    /// a macro makes functions.
    pub(super) fn shown(&self, place: &Place, owner: Owner) -> &'static str {
        let mut shown = place.shown(owner);
        if self.get(&shown).is_some() {
            shown.push_str(&place.address());
        }
        while self.get(&shown).is_some() {
            shown.push('\'');
        }
        Box::leak(shown.into_boxed_str())
    }
}
