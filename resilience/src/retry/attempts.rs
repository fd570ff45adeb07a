//! The attempts of one call: whether there is another, and after what pause.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::backoff::Pauses;
use super::config::{Config, Settings};
use super::{RetryAttempt, RetryPolicy, chance, nested};
use crate::classify::Class;
use crate::deadline;
use crate::error::Error;
use crate::event::{self, Event, RetryLimit};
use crate::fallible::{Fallible, error_text};
use crate::outcome::Seen;
use crate::retry_budget::RetryBudget;
use crate::site::Site;
use crate::time::{self, Instant, Sleep};

/// Why there is no further attempt.
enum Stop {
    At(RetryLimit),
    Broke(RetryBudget),
}

/// The state of one call's attempts.
#[derive(Debug)]
pub struct Attempts<'a> {
    policy: &'static str,
    /// The macro's site; a handle has none.
    site: Option<&'static Site<RetryPolicy>>,
    config: &'a Config,
    /// The first start, where `max_elapsed` is given.
    started: Option<Instant>,
    made: u32,
    pauses: Pauses,
    budget: Option<RetryBudget>,
}

impl<'a> Attempts<'a> {
    /// Begins a call, unless its deadline has passed.
    pub(super) fn begin(
        policy: &'static str,
        site: Option<&'static Site<RetryPolicy>>,
        config: &'a Config,
        budget: Option<RetryBudget>,
    ) -> Result<Self, Error> {
        deadline::check(policy)?;
        if let Some(site) = site {
            nested::report(site, policy);
        }
        if let Some(budget) = budget {
            budget.deposit();
        }
        let started = config.max_elapsed.is_some().then(time::now);
        Ok(Self { policy, site, config, started, made: 0, pauses: Pauses::new(), budget })
    }

    /// Looks at what an attempt ended with: the pause before the next one, or nothing if it was the last.
    #[doc(hidden)]
    pub fn next<R: Fallible>(
        &mut self,
        result: &Result<R, Error>,
        classify: impl FnOnce(&R::Error) -> Class,
        text: impl FnOnce(&R::Error) -> String,
        on_retry: impl FnOnce(&RetryAttempt<'_, R::Error>),
    ) -> Option<Pause> {
        self.made = self.made.saturating_add(1);
        let seen = Seen::of(result, classify);
        if seen == Seen::Value {
            if self.made > 1 {
                event::emit(|| Event::RetryRecovered { policy: self.policy, attempts: self.made });
            }
            return None;
        }
        let hint = seen.again()?;
        let settings = self.settings();
        let attempt = self.made;
        let decision = self.decide(&settings, hint);
        let error = || error_text(result, text);
        let policy = self.policy;
        match decision {
            Err(Stop::At(limit)) => {
                event::emit(|| Event::RetryExhausted { policy, attempts: attempt, limit, error: error() });
                None
            }
            Err(Stop::Broke(budget)) => {
                let budget = budget.name();
                event::emit(|| Event::RetryBudgetExhausted { policy, budget, attempts: attempt, error: error() });
                None
            }
            Ok(delay) => {
                event::emit(|| Event::RetryAttemptFailed { policy, attempt, delay, error: error() });
                with_error(result, |error| on_retry(&RetryAttempt { attempt, delay, error }));
                Some(Pause::new(policy, delay))
            }
        }
    }

    /// The options in effect; tells of those that were out of range. Asked for only once an attempt has failed.
    fn settings(&self) -> Settings {
        if let Some(site) = self.site {
            self.config.problems().for_each(|invalid| site.tell_clamped(invalid, self.policy));
        }
        Settings::from(self.config)
    }

    /// The pause before the next attempt, if there is one.
    fn decide(&mut self, settings: &Settings, hint: Option<Duration>) -> Result<Duration, Stop> {
        let delay = self.within_limits(settings, hint).map_err(Stop::At)?;
        // Asked last: a retry that does not come to pass spends nothing.
        match self.budget {
            Some(budget) if !budget.try_withdraw() => Err(Stop::Broke(budget)),
            _ => Ok(delay),
        }
    }

    fn within_limits(&mut self, settings: &Settings, hint: Option<Duration>) -> Result<Duration, RetryLimit> {
        if self.made >= settings.max_attempts {
            return Err(RetryLimit::Attempts);
        }
        let delay =
            self.pauses.next(settings, self.made.saturating_sub(1), chance::unit()).max(hint.unwrap_or_default());
        let deadline = deadline::in_force();
        let latest = self.started.zip(settings.max_elapsed).map(|(started, limit)| time::after(started, limit));
        if deadline.is_none() && latest.is_none() {
            return Ok(delay);
        }
        let resumed = time::after(time::now(), delay);
        if deadline.is_some_and(|deadline| resumed >= deadline) {
            Err(RetryLimit::Deadline)
        } else if latest.is_some_and(|latest| resumed > latest) {
            Err(RetryLimit::Elapsed)
        } else {
            Ok(delay)
        }
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

pin_project_lite::pin_project! {
    /// The pause before another attempt.
    ///
    /// Timers may be late; where the deadline has passed meanwhile, there is no other attempt.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless awaited"]
    pub struct Pause {
        policy: &'static str,
        // No timer for no pause: a retry without delay works without one, and does not wait for the next tick.
        #[pin]
        sleep: Option<Sleep>,
    }
}

impl Pause {
    fn new(policy: &'static str, delay: Duration) -> Self {
        let sleep = (!delay.is_zero()).then(|| time::sleep_until(time::after(time::now(), delay)));
        Self { policy, sleep }
    }
}

impl Future for Pause {
    type Output = Result<(), Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let this = self.project();
        if let Some(sleep) = this.sleep.as_pin_mut() {
            std::task::ready!(sleep.poll(context));
        }
        Poll::Ready(deadline::check(this.policy))
    }
}
