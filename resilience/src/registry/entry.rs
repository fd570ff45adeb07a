//! One name: its state, and the layers of its configuration.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::verify::{Conflict, Incomplete};
use crate::error::Error;
use crate::name::Name;
use crate::options::{ConfigError, Options, Setting, Source};
use crate::policy::Shared;
use crate::site::{Place, Site};

/// A name's state and configuration.
#[doc(hidden)]
#[derive(Debug)]
pub struct Entry<P: Shared> {
    name: Name,
    pub(crate) state: P,
    layers: Mutex<Layers<P>>,
    /// Two sites have given the name different options. Set for good.
    disputed: AtomicBool,
}

#[derive(Debug)]
struct Layers<P: Shared> {
    attribute: P::Config,
    runtime: P::Config,
    /// Every site, and the options it gives.
    sites: Vec<(&'static Place, P::Config)>,
}

impl<P: Shared> Layers<P> {
    fn merged(&self) -> P::Config {
        self.attribute.overlay(self.runtime)
    }
}

impl<P: Shared> Entry<P> {
    /// An entry lives as long as the program: names belong to code, not to data.
    pub(crate) fn leak(name: String, attribute: P::Config, runtime: P::Config) -> &'static Self {
        let layers = Layers::<P> { attribute, runtime, sites: Vec::new() };
        let state = P::create(&layers.merged().effective());
        Box::leak(Box::new(Self {
            name: Name::new(name.leak()),
            state,
            layers: Mutex::new(layers),
            disputed: AtomicBool::new(false),
        }))
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
    pub(crate) fn declare(&self, site: &'static Site<P>) {
        let mut layers = self.layers();
        if layers.sites.iter().any(|(known, _)| std::ptr::eq(*known, &raw const site.place)) {
            return;
        }
        layers.sites.push((&site.place, site.config));
        if site.config == P::Config::EMPTY {
            return;
        }
        if layers.attribute == P::Config::EMPTY {
            layers.attribute = site.config;
            self.state.apply(&layers.merged().effective());
        } else if layers.attribute != site.config {
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

    /// The option that nobody gives although the policy needs it.
    pub(crate) fn missing(&self) -> Option<Incomplete> {
        let layers = self.layers();
        let option = P::missing(&layers.merged())?;
        let sites = layers.sites.iter().map(|(place, _)| *place).collect();
        Some(Incomplete::new(P::KIND, self.name(), option, sites))
    }

    /// Every site that gives other options than the first one in the source that gives any.
    pub(crate) fn conflicts(&self) -> Vec<Conflict> {
        let mut declared = self.layers().sites.clone();
        declared.retain(|(_, config)| *config != P::Config::EMPTY);
        declared.sort_by_key(|(place, _)| (place.file(), place.line()));
        let Some(((first, options), others)) = declared.split_first() else { return Vec::new() };
        let differing = others.iter().filter(|(_, config)| config != options);
        differing.map(|(second, _)| Conflict::new(P::KIND, self.name(), first, second)).collect()
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
        let runtime = change(layers.runtime);
        let merged = layers.attribute.overlay(runtime);
        if let Some(error) = merged.error(self.name()) {
            return Err(error);
        }
        layers.runtime = runtime;
        self.state.apply(&merged.effective());
        Ok(())
    }

    /// The effective options and their sources.
    pub(crate) fn settings(&self) -> Vec<Setting> {
        let layers = self.layers();
        settings(
            layers.merged().effective(),
            &[(Source::Attribute, layers.attribute), (Source::Runtime, layers.runtime)],
        )
    }

    pub(crate) fn sites(&self) -> Vec<Place> {
        self.layers().sites.iter().map(|(place, _)| **place).collect()
    }
}

/// `layers` from the weakest to the strongest.
pub(super) fn settings<C: Options>(effective: C, layers: &[(Source, C)]) -> Vec<Setting> {
    let given: Vec<_> = layers.iter().map(|(source, config)| (*source, config.list())).collect();
    let by_position = |position: usize| {
        given
            .iter()
            .rev()
            .find(|(_, list)| list.get(position).is_some_and(|(_, value)| value.is_some()))
            .map(|(source, _)| *source)
    };
    effective
        .list()
        .into_iter()
        .enumerate()
        .filter_map(|(position, (name, value))| {
            Some(Setting { name, value: value?, source: by_position(position).unwrap_or(Source::Default) })
        })
        .collect()
}
