//! A call site: one attribute on one function, what it declares, and what it is bound to.

use std::fmt;
use std::panic::Location;
use std::sync::atomic::{AtomicU32, Ordering};

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

    /// Returns the name of the function; of a method under an `impl` block's list, with its type: `Client::charge`.
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
    pub(crate) fn position(&self) -> (&'static str, u32, u32) {
        (self.file(), self.line(), self.location.column())
    }

    /// The name of a policy that was given none: `module::function`, or `module::Type::function`.
    pub(crate) fn shown(&self) -> String {
        let Self { module, function, .. } = self;
        format!("{module}::{function}")
    }

    /// `@file:line:column`, to tell equal names apart.
    pub(crate) fn address(&self) -> String {
        let (file, line, column) = self.position();
        format!("@{file}:{line}:{column}")
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { module, function, .. } = self;
        write!(f, "{module}::{function} ({}:{})", self.file(), self.line())
    }
}

/// Who asks a policy to be let in, for events.
#[derive(Clone, Copy)]
pub(crate) struct Asker(Option<&'static Place>);

impl Asker {
    /// Somebody by a handle.
    pub(crate) const HAND: Self = Self(None);

    pub(crate) fn of<P: Policy>(site: &'static Site<P>) -> Self {
        Self(Some(&site.place))
    }

    pub(crate) fn place(self) -> Option<&'static Place> {
        self.0
    }

    /// The function as it is shown: `module::Type::function`.
    pub(crate) fn function(self) -> Option<String> {
        self.0.map(Place::shown)
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
    pub(crate) fn bound(&'static self) -> Result<P::Bound, Error> {
        match self.bound.get() {
            Some(bound) => Ok(*bound),
            None => self.bind(),
        }
    }

    #[cold]
    fn bind(&'static self) -> Result<P::Bound, Error> {
        self.bound.get_or_try_init(|| P::bind(self)).copied()
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
