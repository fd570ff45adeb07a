//! What the registry shows.

use std::fmt;

use super::entry::{Entry, settings};
use crate::bulkhead;
use crate::circuit_breaker;
use crate::name::Name;
use crate::options::{Options, Setting, Source};
use crate::policy::{Policy, Shared};
use crate::rate_limit;
use crate::retry_budget;
use crate::site::{Place, Site};
use crate::text::OneLine;

/// All policies at one moment.
///
/// `Display` prints one line for a policy: kind, name, live numbers, and the options that were given.
#[derive(Clone, Debug)]
pub struct Snapshot {
    policies: Vec<PolicySnapshot>,
}

impl Snapshot {
    pub(super) fn new(mut policies: Vec<PolicySnapshot>) -> Self {
        policies.sort_by(|a, b| (a.kind, &a.name, a.position()).cmp(&(b.kind, &b.name, b.position())));
        tell_apart(&mut policies);
        Self { policies }
    }

    /// Returns the policies, sorted by kind and name.
    #[must_use]
    pub fn policies(&self) -> &[PolicySnapshot] {
        &self.policies
    }
}

/// Of those without a name, several may show the same.
fn tell_apart(policies: &mut [PolicySnapshot]) {
    for of_one_name in policies.chunk_by_mut(|a, b| (a.kind, &a.name) == (b.kind, &b.name)) {
        if let [_, _, ..] = of_one_name {
            let mut before = (String::new(), 1);
            for policy in of_one_name {
                let address = policy.sites.first().map_or_else(String::new, Place::address);
                before = if before.0 == address { (address, before.1 + 1) } else { (address, 1) };
                policy.place = if before.1 == 1 { before.0.clone() } else { format!("{}#{}", before.0, before.1) };
            }
        }
    }
}

impl fmt::Display for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.policies.iter().try_for_each(|policy| writeln!(f, "{policy}"))
    }
}

/// One policy at one moment.
#[derive(Clone, Debug)]
pub struct PolicySnapshot {
    kind: &'static str,
    name: String,
    /// `@file:line:column`, where others have the same name.
    place: String,
    settings: Vec<Setting>,
    sites: Vec<Place>,
    live: Option<Live>,
}

/// A policy's live numbers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Live {
    /// A circuit breaker's state and window.
    CircuitBreaker(circuit_breaker::Snapshot),
    /// A bulkhead's slots and queue.
    Bulkhead(bulkhead::Snapshot),
    /// A rate limiter's permits and queue.
    RateLimiter(rate_limit::Snapshot),
    /// A retry budget's tokens.
    RetryBudget(retry_budget::Snapshot),
}

impl PolicySnapshot {
    pub(crate) fn of_entry<P: Shared>(entry: &'static Entry<P>) -> Self {
        Self {
            kind: P::KIND,
            name: entry.name().to_owned(),
            place: String::new(),
            settings: entry.settings(),
            sites: entry.sites(),
            live: Some(P::live(entry)),
        }
    }

    pub(crate) fn of_site<P: Policy<Bound = &'static Name>>(site: &Site<P>) -> Self {
        let name =
            site.bound_already().map(Name::as_str).or(site.name).map_or_else(|| site.place.shown(), str::to_owned);
        let mut settings = settings(site.config.effective().list(), &[(Source::Attribute, site.config.list())]);
        settings.retain(|setting| !site.computed.contains(&setting.name()));
        Self { kind: P::KIND, name, place: String::new(), settings, sites: vec![site.place], live: None }
    }

    fn position(&self) -> Option<(&'static str, u32, u32)> {
        self.sites.first().map(Place::position)
    }

    /// Returns the kind of policy, as the attribute is called: `"circuit_breaker"`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns an option's effective value and its source; `None` for an option that is not in effect.
    ///
    /// A value that the attribute computes for each call is not known here: it is `None` too.
    #[must_use]
    pub fn option(&self, name: &str) -> Option<Setting> {
        self.settings.iter().find(|setting| setting.name() == name).copied()
    }

    /// Returns all options in effect.
    #[must_use]
    pub fn options(&self) -> &[Setting] {
        &self.settings
    }

    /// Returns where the policy is used, in the order of the source.
    #[must_use]
    pub fn sites(&self) -> &[Place] {
        &self.sites
    }

    /// Returns the live numbers, where the policy has state.
    #[must_use]
    pub fn live(&self) -> Option<&Live> {
        self.live.as_ref()
    }
}

impl fmt::Display for PolicySnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:15} {}{}", self.kind, OneLine(&self.name), self.place)?;
        match &self.live {
            Some(Live::CircuitBreaker(live)) => {
                write!(f, ": {}, {} calls, {} failed", live.state, live.calls, live.failures)?;
                if live.cut_early > 0 {
                    write!(f, ", {} cut early", live.cut_early)?;
                }
            }
            Some(Live::Bulkhead(live)) => {
                write!(f, ": {} of {} in flight, {} waiting", live.in_flight, live.max_concurrent, live.waiting)?;
            }
            Some(Live::RateLimiter(live)) => {
                write!(f, ": {} permits there, {} waiting", live.available, live.waiting)?;
            }
            Some(Live::RetryBudget(live)) => write!(f, ": {} retries there", live.available)?,
            None => {}
        }
        let given = self.settings.iter().filter(|setting| setting.source() != Source::Default);
        for (position, setting) in given.enumerate() {
            let lead = if position == 0 { "; " } else { ", " };
            write!(f, "{lead}{} = {} ({})", setting.name(), setting.value(), setting.source())?;
        }
        Ok(())
    }
}
