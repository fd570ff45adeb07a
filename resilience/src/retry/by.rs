//! Whose attempts they are, and how those are called.

use super::RetryPolicy;
use crate::name::Name;
use crate::retry_budget::{self, Budget, RetryBudget};
use crate::site::Site;

/// Whose attempts they are, and what budget they draw on.
#[derive(Clone, Copy, Debug)]
pub(super) enum By {
    /// A macro's; the sites are bound when the attempts begin.
    Site(&'static Site<RetryPolicy>, Option<&'static Site<Budget>>),
    /// A handle's, by its name.
    Handle(&'static str, Option<RetryBudget>),
}

impl By {
    pub(super) fn named(self) -> Named {
        match self {
            Self::Site(site, _) => Named::Site(site),
            Self::Handle(name, _) => Named::Handle(name),
        }
    }

    /// The site, of a macro's.
    pub(super) fn site(self) -> Option<&'static Site<RetryPolicy>> {
        match self {
            Self::Site(site, _) => Some(site),
            Self::Handle(..) => None,
        }
    }

    #[inline]
    pub(super) const fn has_budget(self) -> bool {
        matches!(self, Self::Site(_, Some(_)) | Self::Handle(_, Some(_)))
    }

    pub(super) fn budget(self) -> Option<RetryBudget> {
        match self {
            Self::Site(_, budget) => budget.and_then(retry_budget::of_site_bound),
            Self::Handle(_, budget) => budget,
        }
    }
}

/// What a name is found by. A handle's is looked up where an error refers to it, and not for each pause.
#[derive(Clone, Copy, Debug)]
pub(super) enum Named {
    Site(&'static Site<RetryPolicy>),
    Handle(&'static str),
}

impl Named {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Site(site) => site.bound_already().map_or("retry", Name::as_str),
            Self::Handle(name) => name,
        }
    }
}

impl From<Named> for &'static Name {
    fn from(named: Named) -> Self {
        match named {
            Named::Site(site) => site.bound_already().unwrap_or_else(|| "retry".into()),
            Named::Handle(name) => name.into(),
        }
    }
}
