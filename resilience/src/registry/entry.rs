//! One name: its state, and the layers of its configuration.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::names::AnyEntry;
use super::verify::{Conflict, Incomplete};
use crate::error::Error;
use crate::name::Name;
use crate::options::{ConfigError, Listed, Options, Setting, Source};
use crate::policy::Shared;
use crate::site::{Place, Site};

/// A name's state and configuration.
///
/// In this order: what a call looks at lies together, and what it never touches keeps the next entry's off its cache lines.
#[doc(hidden)]
#[derive(Debug)]
#[repr(C)]
pub struct Entry<P: Shared> {
    name: Name,
    /// Two sites have given the name different options. Set for good.
    disputed: AtomicBool,
    pub(crate) state: P,
    layers: Mutex<Layers<P>>,
}

/// Where the options come from. A layer that gives none takes no room: there may be very many names.
#[derive(Debug)]
struct Layers<P: Shared> {
    /// The first site that gives any options.
    attribute: Option<&'static Site<P>>,
    runtime: Option<Box<P::Config>>,
    /// In the order of the source.
    sites: Vec<&'static Site<P>>,
}

impl<P: Shared> Layers<P> {
    fn attribute(&self) -> P::Config {
        self.attribute.map_or(P::Config::EMPTY, |site| site.config)
    }

    fn runtime(&self) -> P::Config {
        self.runtime.as_deref().copied().unwrap_or(P::Config::EMPTY)
    }

    fn merged(&self) -> P::Config {
        self.attribute().overlay(self.runtime())
    }
}

fn given<C: Options>(config: C) -> Option<Box<C>> {
    (config != C::EMPTY).then(|| Box::new(config))
}

impl<P: Shared> Entry<P> {
    /// An entry lives as long as the program: names belong to code, not to data.
    pub(crate) fn leak(name: &'static str, runtime: P::Config) -> &'static Self {
        let layers = Layers::<P> { attribute: None, runtime: given(runtime), sites: Vec::new() };
        let state = P::create(&runtime.effective());
        let name = Name::new(name);
        Box::leak(Box::new(Self { name, disputed: AtomicBool::new(false), state, layers: Mutex::new(layers) }))
    }

    #[inline]
    pub(crate) fn name(&self) -> &'static str {
        self.name.as_str()
    }

    /// The name for an error to refer to.
    #[inline]
    pub(crate) fn named(&'static self) -> &'static Name {
        &self.name
    }

    fn layers(&self) -> MutexGuard<'_, Layers<P>> {
        self.layers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in a site and its options. The first that gives any decides; a later one must agree.
    pub(super) fn declare(&self, site: &'static Site<P>) {
        let mut layers = self.layers();
        if layers.sites.iter().any(|known| std::ptr::eq(*known, site)) {
            return;
        }
        let position = layers.sites.partition_point(|known| known.place.position() <= site.place.position());
        layers.sites.insert(position, site);
        if site.config == P::Config::EMPTY {
            return;
        }
        if layers.attribute.is_none() {
            layers.attribute = Some(site);
            self.state.apply(&layers.merged().effective());
        } else if layers.attribute() != site.config {
            self.disputed.store(true, Ordering::Release);
        }
    }

    /// Refuses a name whose sites disagree.
    #[inline]
    pub(crate) fn usable(&self) -> Result<(), Error> {
        if self.disputed.load(Ordering::Acquire) { Err(self.disagreement()) } else { Ok(()) }
    }

    #[cold]
    fn disagreement(&self) -> Error {
        let explanation = self.conflicts().first().map(Conflict::explanation);
        Error::misconfigured(self.name(), &explanation.unwrap_or_default())
    }

    pub(crate) fn replace_runtime(&self, config: P::Config) -> Result<(), ConfigError> {
        self.change_runtime(|_| config)
    }

    /// `edit` gives the options to change; it runs before any lock is taken.
    pub(crate) fn edit_runtime(&self, edit: impl FnOnce(P::Config) -> P::Config) -> Result<(), ConfigError> {
        let changes = edit(P::Config::EMPTY);
        self.change_runtime(|runtime| runtime.overlay(changes))
    }

    fn change_runtime(&self, change: impl FnOnce(P::Config) -> P::Config) -> Result<(), ConfigError> {
        let mut layers = self.layers();
        let runtime = change(layers.runtime());
        let merged = layers.attribute().overlay(runtime);
        if let Some(error) = merged.error(self.name()) {
            return Err(error);
        }
        layers.runtime = given(runtime);
        self.state.apply(&merged.effective());
        Ok(())
    }

    /// Every option in effect, and its source.
    pub(super) fn settings(&self) -> Vec<Setting> {
        let layers = self.layers();
        let given = [(Source::Attribute, layers.attribute().list()), (Source::Runtime, layers.runtime().list())];
        settings(layers.merged().effective().list(), &given)
    }

    /// Whether anybody gives any option.
    pub(super) fn is_configured(&self) -> bool {
        self.layers().merged() != P::Config::EMPTY
    }

    pub(super) fn sites(&self) -> Vec<Place> {
        self.layers().sites.iter().map(|site| site.place).collect()
    }

    /// Every site that gives other options than the first one in the source that gives any.
    pub(super) fn conflicts(&self) -> Vec<Conflict> {
        let layers = self.layers();
        let mut declared = layers.sites.iter().filter(|site| site.config != P::Config::EMPTY);
        let Some(first) = declared.next() else { return Vec::new() };
        let differing = declared.filter(|site| site.config != first.config);
        differing.map(|second| Conflict::new(P::KIND, self.name(), &first.place, &second.place)).collect()
    }

    /// The option that nobody gives although the policy needs it.
    pub(super) fn missing(&self) -> Option<Incomplete> {
        let layers = self.layers();
        let option = P::missing(&layers.merged())?;
        let sites = layers.sites.iter().map(|site| &site.place).collect();
        Some(Incomplete::new(P::KIND, self.name(), option, sites))
    }
}

impl<P: Shared> AnyEntry for Entry<P> {
    fn name(&self) -> &'static str {
        self.name.as_str()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The options in effect, each with the strongest of the `layers` that gives it; the weakest stands first.
pub(super) fn settings(effective: Listed, layers: &[(Source, Listed)]) -> Vec<Setting> {
    let source = |position: usize| {
        let gives = |(_, list): &&(Source, Listed)| list.get(position).is_some_and(|(_, value)| value.is_some());
        layers.iter().rev().find(gives).map_or(Source::Default, |(source, _)| *source)
    };
    let given = effective.into_iter().enumerate();
    given.filter_map(|(at, (name, value))| Some(Setting { name, value: value?, source: source(at) })).collect()
}
