//! A call site: one attribute on one function, what it declares, and what it is bound to.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::Location;
use std::ptr::from_ref;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use once_cell::sync::OnceCell;

use crate::error::Error;
use crate::event::{self, Event};
use crate::options::{Invalid, Options};
use crate::policy::Policy;
use crate::registry::PolicySnapshot;

/// Where in the source an attribute stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    module: &'static str,
    function: &'static str,
    location: &'static Location<'static>,
}

impl Place {
    #[doc(hidden)]
    #[must_use]
    #[track_caller]
    pub const fn new(module: &'static str, function: &'static str) -> Self {
        Self { module, function, location: Location::caller() }
    }

    /// Returns the path of the module.
    #[must_use]
    pub fn module(&self) -> &'static str {
        self.module
    }

    /// Returns the name of the function.
    #[must_use]
    pub fn function(&self) -> &'static str {
        self.function
    }

    /// Returns the source file.
    #[must_use]
    pub fn file(&self) -> &'static str {
        self.location.file()
    }

    /// Returns the line, counted from 1.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.location.line()
    }

    /// What the places of a name are sorted by.
    pub(crate) fn position(&self) -> (&'static str, u32) {
        (self.file(), self.line())
    }

    /// The name of a policy that was given none: `module::function`, or `module::Type::function`.
    pub(crate) fn shown(&self, owner: Owner) -> String {
        let Self { module, function, .. } = self;
        match owner.and_then(|type_name| simple_name(type_name())) {
            Some(owner) => format!("{module}::{owner}::{function}"),
            None => format!("{module}::{function}"),
        }
    }

    /// Remembers the type whose method stands there: the first that has been called, where there are several.
    fn remember(&'static self, owner: Owner) {
        if let Some(type_name) = owner {
            owners().entry(from_ref(self).addr()).or_insert(type_name);
        }
    }

    /// The same of a call that somebody else asks about.
    pub(crate) fn shown_to_others(&'static self) -> String {
        let owner = owners().get(&from_ref(self).addr()).copied();
        self.shown(owner)
    }

    /// `@file:line`, for the second of two sites that would show the same name.
    pub(crate) fn address(&self) -> String {
        format!("@{}:{}", self.file(), self.line())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { module, function, .. } = self;
        write!(f, "{module}::{function} ({}:{})", self.file(), self.line())
    }
}

/// The name of the type a method belongs to, asked for at the site's first call: a `static` cannot name `Self`.
#[doc(hidden)]
pub type Owner = Option<TypeName>;

/// Tells a type's name.
pub(crate) type TypeName = fn() -> &'static str;

/// The types of the methods that have been called, by the address of their place. A call knows its own type, and those inside
/// of it know only its place.
static OWNERS: Mutex<Owners> = Mutex::new(BTreeMap::new());

type Owners = BTreeMap<usize, TypeName>;

fn owners() -> MutexGuard<'static, Owners> {
    OWNERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `Client` of `&mut billing::Client<T>`; nothing where the type has no simple name, as with tuples.
fn simple_name(type_name: &str) -> Option<&str> {
    let mut words = type_name.split(['<', ' ', '&']);
    let path = words.find(|word| !matches!(*word, "" | "mut" | "dyn"))?;
    let name = path.rsplit(':').next()?;
    // Beyond ASCII a path has letters only.
    let strange = |letter: char| letter.is_ascii() && !letter.is_ascii_alphanumeric() && letter != '_';
    (!name.contains(strange)).then_some(name)
}

/// Who asks a policy to be let in, for events.
#[derive(Clone, Copy)]
pub(crate) struct Asker {
    place: Option<&'static Place>,
    owner: Owner,
}

impl Asker {
    /// Somebody by a handle.
    pub(crate) const HAND: Self = Self { place: None, owner: None };

    pub(crate) fn of<P: Policy>(site: &'static Site<P>, owner: Owner) -> Self {
        Self { place: Some(&site.place), owner }
    }

    pub(crate) fn place(self) -> Option<&'static Place> {
        self.place
    }

    /// The function as it is shown: `module::Type::function`.
    pub(crate) fn function(self) -> Option<String> {
        self.place.map(|place| place.shown(self.owner))
    }
}

/// One attribute on one function: a `static` in the expansion.
#[doc(hidden)]
pub struct Site<P: Policy> {
    pub(crate) place: Place,
    pub(crate) name: Option<&'static str>,
    pub(crate) config: P::Config,
    /// The options that are computed for each call: their values are not in `config`.
    pub(crate) computed: &'static [&'static str],
    bound: OnceCell<P::Bound>,
    /// The options whose run-time value was out of range, where that has been told: a bit for each, in the table's order.
    told_clamped: AtomicU32,
}

impl<P: Policy> Site<P> {
    // Constants, which the compiler evaluates once for all sites.
    #[allow(clippy::declare_interior_mutable_const, reason = "each site has its own copy")]
    const UNBOUND: OnceCell<P::Bound> = OnceCell::new();
    #[allow(clippy::declare_interior_mutable_const, reason = "each site has its own copy")]
    const UNTOLD: AtomicU32 = AtomicU32::new(0);

    #[must_use]
    pub const fn new(place: Place, config: P::Config) -> Self {
        Self { place, name: None, config, computed: &[], bound: Self::UNBOUND, told_clamped: Self::UNTOLD }
    }

    /// Gives the name that the attribute gives.
    #[track_caller]
    #[must_use]
    pub const fn named(mut self, name: &'static str) -> Self {
        assert!(!name.is_empty(), "the name of a policy must not be empty");
        self.name = Some(name);
        self
    }

    /// Names the options that are computed for each call.
    #[must_use]
    pub const fn computing(mut self, options: &'static [&'static str]) -> Self {
        self.computed = options;
        self
    }

    /// The options that the attribute gives.
    #[inline(always)]
    #[must_use]
    pub const fn config(&self) -> &P::Config {
        &self.config
    }

    /// What the site works on; looked up at its first call, and again only while the look-up fails.
    #[inline]
    pub(crate) fn bound(&'static self, owner: Owner) -> Result<P::Bound, Error> {
        match self.bound.get() {
            Some(bound) => Ok(*bound),
            None => self.bind(owner),
        }
    }

    #[cold]
    fn bind(&'static self, owner: Owner) -> Result<P::Bound, Error> {
        self.place.remember(owner);
        self.bound.get_or_try_init(|| P::bind(self, owner)).copied()
    }

    /// Tells, once for each option, that a value computed for a call was out of range.
    pub(crate) fn tell_clamped(&self, invalid: Invalid, policy: &'static str) {
        let Invalid { option, value, .. } = invalid;
        let place = P::Config::EMPTY.list().iter().position(|(name, _)| *name == option);
        // The last one is for what only the macro knows, such as `permits`.
        let bit = 1_u32 << place.map_or(31, |place| place.min(31) as u32);
        let news = self.told_clamped.fetch_or(bit, Ordering::Relaxed) & bit == 0;
        if news {
            event::emit_rare(|| Event::ConfigClamped { policy, kind: P::KIND, option, value });
        }
    }

    #[inline]
    pub(crate) fn bound_already(&self) -> Option<P::Bound> {
        self.bound.get().copied()
    }
}

impl<P: Policy> fmt::Debug for Site<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site").field("kind", &P::KIND).field("place", &self.place).finish_non_exhaustive()
    }
}

/// Any site, as link-time collection sees it.
#[doc(hidden)]
pub trait AnySite: Sync {
    /// Makes the site's name and options known.
    fn link(&'static self);
    /// How the registry shows a site that shares no state.
    fn describe(&self) -> Option<PolicySnapshot>;
}

impl<P: Policy> AnySite for Site<P> {
    fn link(&'static self) {
        P::link(self);
    }

    fn describe(&self) -> Option<PolicySnapshot> {
        P::describe(self)
    }
}

#[cfg(test)]
mod tests {
    use super::simple_name;

    #[test]
    fn a_type_is_shown_without_path_and_generics() {
        assert_eq!(simple_name("billing::Client"), Some("Client"));
        assert_eq!(simple_name("billing::Client<alloc::string::String>"), Some("Client"));
        assert_eq!(simple_name("&mut billing::Client<T>"), Some("Client"));
        assert_eq!(simple_name("dyn billing::Api + core::marker::Send"), Some("Api"));
        assert_eq!(simple_name("billing::Größe"), Some("Größe"));
        for nameless in ["(u8, u8)", "[billing::Client; 2]", "*const billing::Client", "fn(u8)", "()"] {
            assert_eq!(simple_name(nameless), None, "{nameless}");
        }
    }
}
