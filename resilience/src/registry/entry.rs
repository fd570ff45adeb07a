//! One name: its state, and the layers of its configuration.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::verify::Conflict;
use crate::error::Error;
use crate::options::{ConfigError, Options, Setting, Source};
use crate::policy::Shared;
use crate::site::{Place, Site};

/// A name's state and configuration.
#[doc(hidden)]
#[derive(Debug)]
pub struct Entry<P: Shared> {
    name: &'static str,
    pub(crate) state: P,
    layers: Mutex<Layers<P>>,
    /// Set for good once two sites have given the name different options.
    conflict: OnceLock<Conflict>,
}

#[derive(Debug)]
struct Layers<P: Shared> {
    attribute: P::Config,
    /// The site that gave the attribute layer.
    declared_at: Option<&'static Place>,
    runtime: P::Config,
    sites: Vec<&'static Place>,
}

impl<P: Shared> Layers<P> {
    fn merged(&self) -> P::Config {
        self.attribute.overlay(self.runtime)
    }
}

impl<P: Shared> Entry<P> {
    /// An entry lives as long as the program: names belong to code, not to data.
    pub(crate) fn leak(name: String, attribute: P::Config, runtime: P::Config) -> &'static Self {
        let layers = Layers::<P> { attribute, declared_at: None, runtime, sites: Vec::new() };
        let state = P::create(&layers.merged().effective());
        Box::leak(Box::new(Self { name: name.leak(), state, layers: Mutex::new(layers), conflict: OnceLock::new() }))
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    fn layers(&self) -> MutexGuard<'_, Layers<P>> {
        self.layers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in a site and its options. The first that gives any decides; a later one must agree.
    pub(crate) fn declare(&self, site: &'static Site<P>) {
        let mut layers = self.layers();
        if layers.sites.iter().any(|known| std::ptr::eq(*known, &raw const site.place)) {
            return;
        }
        layers.sites.push(&site.place);
        if site.config == P::Config::EMPTY {
            return;
        }
        match layers.declared_at {
            None => {
                layers.declared_at = Some(&site.place);
                layers.attribute = site.config;
                self.state.apply(&layers.merged().effective());
            }
            Some(first) if layers.attribute != site.config => {
                // Only the first conflict of a name is kept: mending it shows the next.
                let _ = self.conflict.set(Conflict::new(P::KIND, self.name, first, &site.place));
            }
            Some(_) => {}
        }
    }

    /// Refuses a name whose sites disagree.
    pub(crate) fn usable(&self) -> Result<(), Error> {
        match self.conflict.get() {
            None => Ok(()),
            Some(conflict) => Err(Error::misconfigured(self.name, conflict.explanation())),
        }
    }

    pub(crate) fn conflict(&self) -> Option<&Conflict> {
        self.conflict.get()
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
        if let Some(error) = merged.error(self.name) {
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
        self.layers().sites.iter().map(|place| **place).collect()
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
