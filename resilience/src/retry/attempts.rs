//! The attempts of one call: whether there is another, and after what pause.

use std::num::NonZeroU64;
use std::time::Duration;

use super::backoff::Pauses;
use super::by::{By, Named};
use super::config::{Config, Settings};
use super::pause::Pause;
use super::{RetryAttempt, RetryPolicy, chance, nested, quiet};
use crate::classify::Class;
use crate::deadline;
use crate::error::Error;
use crate::event::{self, Event, RetryLimit};
use crate::fallible::{Fallible, error_text};
use crate::outcome::Seen;
use crate::retry_budget::{self, Budget, RetryBudget};
use crate::site::{Owner, Site};
use crate::time::{self, Instant};

/// Why there is no further attempt.
enum Stop {
    At(RetryLimit),
    Broke(RetryBudget),
}

/// The state of one call's attempts.
///
/// It is made where it stays and begun there: returned in a `Result` it would be copied, which costs more than the rest.
#[derive(Debug)]
pub struct Attempts<'a> {
    by: By,
    config: &'a Config,
    /// The first start as a stamp, where `max_elapsed` is given. (A call's future holds this: it stays small.)
    started: Option<NonZeroU64>,
    /// Attempts that have failed.
    failed: u32,
    /// They have not begun. (A true one is written, and read right after, by itself; a false one with its neighbours, which
    /// takes longer than all the rest of `begin`.)
    fresh: bool,
    pauses: Pauses,
}

impl<'a> Attempts<'a> {
    /// The attempts of one call of a macro's function.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub const fn new(site: &'static Site<RetryPolicy>) -> Self {
        Self::of(By::Site(site, None), &site.config)
    }

    /// Takes these options instead of the site's.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub const fn with(mut self, config: &'a Config) -> Self {
        self.config = config;
        self
    }

    /// Names the budget of a macro's function.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub const fn budgeted(mut self, budget: &'static Site<Budget>) -> Self {
        if let By::Site(site, _) = self.by {
            self.by = By::Site(site, Some(budget));
        }
        self
    }

    #[inline]
    pub(super) const fn of_handle(name: &'static str, config: &'a Config, budget: Option<RetryBudget>) -> Self {
        Self::of(By::Handle(name, budget), config)
    }

    #[inline]
    const fn of(by: By, config: &'a Config) -> Self {
        Self { by, config, started: None, failed: 0, fresh: true, pauses: Pauses::new() }
    }

    /// Begins a call of a macro's function, unless it has begun, or its deadline has passed.
    ///
    /// # Errors
    ///
    /// Why the call is refused.
    #[doc(hidden)]
    #[inline]
    pub fn begin(&mut self, owner: Owner) -> Result<(), Error> {
        if !self.fresh {
            return Ok(());
        }
        self.fresh = false;
        // Looked at before anything that the compiler cannot see through, so that it knows them.
        let (by, timed) = (self.by, self.config.max_elapsed.is_some());
        if let By::Site(site, budget) = by {
            // A site is known by its full name from the first call on.
            let policy = site.bound(owner)?;
            let budget = budget.map(retry_budget::of_site).transpose()?;
            deadline::on_way_in(policy)?;
            nested::report(site, policy.as_str());
            self.start(timed, budget);
        }
        Ok(())
    }

    /// Begins a call of a handle.
    pub(super) fn begin_by_handle(&mut self) -> Result<(), Error> {
        deadline::check(self.named())?;
        self.start(self.config.max_elapsed.is_some(), self.by.budget());
        Ok(())
    }

    #[inline]
    fn start(&mut self, timed: bool, budget: Option<RetryBudget>) {
        if let Some(budget) = budget {
            budget.deposit();
        }
        if timed {
            self.started = NonZeroU64::new(time::stamp(time::now()).max(1));
        }
    }

    /// Notes, until it is dropped, that one of these attempts is being polled.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn polling(&self) -> Option<nested::Outer> {
        match self.by {
            By::Site(site, _) => Some(nested::polling(site)),
            By::Handle(..) => None,
        }
    }

    fn policy(&self) -> &'static str {
        self.named().as_str()
    }

    /// What the policy is called.
    pub(super) fn named(&self) -> Named {
        self.by.named()
    }

    /// Looks at what an attempt ended with: the pause before the next one, or nothing if it was the last.
    #[doc(hidden)]
    #[inline]
    pub fn next<R: Fallible>(
        &mut self,
        result: &Result<R, Error>,
        mut classify: fn(&R::Error) -> Class,
        text: fn(&R::Error) -> String,
    ) -> Option<Pause> {
        self.next_when(result, &mut classify, text, quiet)
    }

    /// [`next`](Self::next) by a predicate, or with a function to call before a pause.
    #[doc(hidden)]
    #[inline]
    pub fn next_when<R: Fallible>(
        &mut self,
        result: &Result<R, Error>,
        classify: &mut dyn FnMut(&R::Error) -> Class,
        text: fn(&R::Error) -> String,
        on_retry: impl FnOnce(&RetryAttempt<'_, R::Error>),
    ) -> Option<Pause> {
        self.delay(result, classify, text, on_retry).map(|delay| Pause::new(self.named(), delay))
    }

    /// [`next`](Self::next), as the length of the pause.
    #[inline]
    pub(crate) fn delay_by<R: Fallible>(
        &mut self,
        result: &Result<R, Error>,
        mut classify: fn(&R::Error) -> Class,
        text: fn(&R::Error) -> String,
    ) -> Option<Duration> {
        self.delay(result, &mut classify, text, quiet)
    }

    /// [`next_when`](Self::next_when), as the length of the pause.
    #[inline]
    fn delay<R: Fallible>(
        &mut self,
        result: &Result<R, Error>,
        classify: &mut dyn FnMut(&R::Error) -> Class,
        text: fn(&R::Error) -> String,
        on_retry: impl FnOnce(&RetryAttempt<'_, R::Error>),
    ) -> Option<Duration> {
        // The usual end of a call stands in the caller's code; everything else is a call away.
        match result {
            Ok(returned) if returned.result().is_ok() => {
                if self.failed > 0 {
                    self.tell_recovered();
                }
                None
            }
            failed => self.after_failure(failed, classify, text, on_retry),
        }
    }

    #[cold]
    fn tell_recovered(&self) {
        event::emit(|| Event::RetryRecovered { policy: self.policy(), attempts: self.failed.saturating_add(1) });
    }

    #[inline(never)]
    fn after_failure<R: Fallible>(
        &mut self,
        result: &Result<R, Error>,
        classify: &mut dyn FnMut(&R::Error) -> Class,
        text: fn(&R::Error) -> String,
        on_retry: impl FnOnce(&RetryAttempt<'_, R::Error>),
    ) -> Option<Duration> {
        let delay = self.judge(Seen::of(result, classify), &|| error_text(result, text))?;
        let attempt = self.failed;
        with_error(result, |error| on_retry(&RetryAttempt { attempt, delay, error }));
        Some(delay)
    }

    /// What follows a failure, for any function: this is compiled once, and not for each.
    fn judge(&mut self, seen: Seen, error: &dyn Fn() -> String) -> Option<Duration> {
        self.failed = self.failed.saturating_add(1);
        let hint = seen.again()?;
        let settings = self.settings();
        let (policy, attempts) = (self.policy(), self.failed);
        match self.decide(&settings, hint) {
            Err(Stop::At(limit)) => {
                event::emit(|| Event::RetryExhausted { policy, attempts, limit, error: error() });
                None
            }
            Err(Stop::Broke(budget)) => {
                let budget = budget.name();
                event::emit(|| Event::RetryBudgetExhausted { policy, budget, attempts, error: error() });
                None
            }
            Ok(delay) => {
                event::emit(|| Event::RetryAttemptFailed { policy, attempt: attempts, delay, error: error() });
                Some(delay)
            }
        }
    }

    /// The options in effect; tells of those that were out of range. Asked for only once an attempt has failed.
    fn settings(&self) -> Settings {
        if let By::Site(site, _) = self.by {
            self.config.problems().for_each(|invalid| site.tell_clamped(invalid, self.policy()));
        }
        Settings::from(self.config)
    }

    /// The pause before the next attempt, if there is one.
    fn decide(&mut self, settings: &Settings, hint: Option<Duration>) -> Result<Duration, Stop> {
        let delay = self.within_limits(settings, hint).map_err(Stop::At)?;
        // Asked last: a retry that does not come to pass spends nothing.
        match self.by.budget() {
            Some(budget) if !budget.try_withdraw() => Err(Stop::Broke(budget)),
            _ => Ok(delay),
        }
    }

    fn within_limits(&mut self, settings: &Settings, hint: Option<Duration>) -> Result<Duration, RetryLimit> {
        if self.failed >= settings.max_attempts {
            return Err(RetryLimit::Attempts);
        }
        if hint.is_some_and(|hint| hint > settings.max_retry_after) {
            return Err(RetryLimit::RetryAfter);
        }
        let pausing = self.pauses.next(settings, self.failed.saturating_sub(1), hint, chance::unit());
        let deadline = deadline::in_force();
        let latest = self.started.zip(settings.max_elapsed).map(|(started, limit)| {
            let limit = time::nanos(limit);
            started.get().saturating_add(limit)
        });
        if deadline.is_none() && latest.is_none() {
            return Ok(pausing.within(Duration::MAX));
        }
        let resumed = time::after(time::now(), pausing.least);
        let room_before = |deadline: Instant| deadline.checked_duration_since(resumed).filter(|room| !room.is_zero());
        let before = deadline.map(|deadline| room_before(deadline).ok_or(RetryLimit::Deadline)).transpose()?;
        let room_until = |latest: u64| latest.checked_sub(time::stamp(resumed)).map(Duration::from_nanos);
        let until = latest.map(|latest| room_until(latest).ok_or(RetryLimit::Elapsed)).transpose()?;
        // A timer that ends in the deadline's last millisecond fires when that has passed.
        let before = before.map(|room| room.saturating_sub(time::TICK));
        Ok(pausing.within(before.into_iter().chain(until).min().unwrap_or(Duration::MAX)))
    }
}

/// Hands over the error as the function's own type, a timeout below converted.
fn with_error<R: Fallible>(result: &Result<R, Error>, use_error: impl FnOnce(&R::Error)) {
    match result {
        Ok(returned) => {
            if let Err(error) = returned.result() {
                use_error(error);
            }
        }
        Err(refusal) => {
            if let Err(error) = R::refused(refusal.clone()).result() {
                use_error(error);
            }
        }
    }
}
