// Retry budget: bounds retries to a part of the calls, over any number of functions.
//
// `max_attempts` bounds what one call does; when every call fails, that is still a multiple of the load. A budget bounds
// the sum.

mod account;
mod config;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use config::Config;

use crate::error::Error;
use crate::policy::{Shared, handle, shared};
use crate::registry::{Entry, Live, Registry};
use crate::time;
use account::Account;
use config::Settings;

static REGISTRY: Registry<Budget> = Registry::new();

/// The state behind a name.
#[doc(hidden)]
#[derive(Debug)]
pub struct Budget(Mutex<Account>);

shared!(Budget, Config, "retry_budget");

impl Shared for Budget {
    fn registry() -> &'static Registry<Self> {
        &REGISTRY
    }

    fn create(config: &Config) -> Self {
        Self(Mutex::new(Account::new(Settings::from(config), time::now())))
    }

    fn apply(&self, config: &Config) {
        self.account().reconfigure(Settings::from(config), time::now());
    }

    fn live(entry: &'static Entry<Self>) -> Live {
        Live::RetryBudget(RetryBudget(entry).snapshot())
    }
}

impl Budget {
    fn account(&self) -> MutexGuard<'_, Account> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A retry budget at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// Retries that would be allowed at once.
    pub available: u32,
}

handle! {
    /// A named retry budget, shared by every `#[retry(budget = "name")]`; cheap to copy.
    ///
    /// Each first attempt deposits `ratio` tokens, each retry withdraws one; `min_per_second` are always there. It is asked
    /// before the pause; a refusal returns the last error at once.
    ///
    /// # Examples
    ///
    /// ```
    /// use resilience::{RetryBudget, retry_budget};
    ///
    /// let budget = RetryBudget::register("search", retry_budget::Config::new().ratio(0.5).min_per_second(0))?;
    /// budget.deposit();
    /// assert!(!budget.try_withdraw());
    /// budget.deposit();
    /// assert!(budget.try_withdraw());
    /// # Ok::<(), resilience::ConfigError>(())
    /// ```
    RetryBudget over Budget, called "retry budget", kept: "what was earned stays until it is old"
}

impl RetryBudget {
    /// Returns how many retries would be allowed at once.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        // On a copy: a reader, perhaps on another runtime's clock, changes nothing.
        let mut account = self.0.state.account().clone();
        Snapshot { available: account.available(time::now()) }
    }

    /// Earns what a first attempt earns.
    pub fn deposit(&self) {
        self.0.state.account().deposit(time::now());
    }

    /// Spends a token for a retry; false if there is none.
    #[must_use]
    pub fn try_withdraw(&self) -> bool {
        self.0.state.account().withdraw(time::now())
    }
}

/// The budget of a macro's retry.
pub(crate) fn of_site(site: &'static crate::site::Site<Budget>) -> Result<RetryBudget, Error> {
    site.bound().map(RetryBudget)
}

/// The same, once it is bound.
pub(crate) fn of_site_bound(site: &'static crate::site::Site<Budget>) -> Option<RetryBudget> {
    site.bound_already().map(RetryBudget)
}
