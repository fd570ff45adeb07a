//! The attempts of one call: whether there is another, and after what pause.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::backoff::Pauses;
use super::config::{Config, Settings};
use super::{RetryAttempt, RetryPolicy};
use crate::classify::Class;
use crate::deadline;
use crate::error::Error;
use crate::event::{self, Event, RetryLimit};
use crate::fallible::Fallible;
use crate::outcome::Seen;
use crate::site::{Owner, Site};
use crate::time::{self, Instant, Sleep};

/// Whose attempts they are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Caller {
    Site(&'static Site<RetryPolicy>, Owner),
    Handle,
}

impl Caller {
    fn name(self) -> &'static str {
        match self {
            // A site without shared state always has a name.
            Self::Site(site, owner) => site.bound(owner).unwrap_or("retry"),
            Self::Handle => "retry",
        }
    }
}

/// The state of one call's attempts.
#[derive(Debug)]
pub struct Attempts<'a> {
    caller: Caller,
    config: &'a Config,
    /// The first start, where `max_elapsed` is given.
    started: Option<Instant>,
    made: u32,
    pauses: Pauses,
}

impl<'a> Attempts<'a> {
    /// Begins a call, unless its deadline has passed.
    pub(super) fn begin(caller: Caller, config: &'a Config) -> Result<Self, Error> {
        // A site is known by its full name from the first call on.
        let name = caller.name();
        deadline::check(|| name)?;
        let started = config.max_elapsed.is_some().then(time::now);
        Ok(Self { caller, config, started, made: 0, pauses: Pauses::new() })
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
                event::emit(|| Event::RetryRecovered { policy: self.caller.name(), attempts: self.made });
            }
            return None;
        }
        let hint = seen.again()?;
        let settings = self.settings();
        let attempt = self.made;
        let decision = self.decide(&settings, hint);
        let error_text = || match result {
            Ok(returned) => returned.result().err().map(text).unwrap_or_default(),
            Err(refusal) => refusal.to_string(),
        };
        let policy = || self.caller.name();
        match decision {
            Err(limit) => {
                event::emit(|| Event::RetryExhausted {
                    policy: policy(),
                    attempts: attempt,
                    limit,
                    error: error_text(),
                });
                None
            }
            Ok(delay) => {
                event::emit(|| Event::RetryAttemptFailed { policy: policy(), attempt, delay, error: error_text() });
                with_error(result, |error| on_retry(&RetryAttempt { attempt, delay, error }));
                Some(Pause::new(delay))
            }
        }
    }

    /// The options in effect; tells of those that were out of range. Asked for only once an attempt has failed.
    fn settings(&self) -> Settings {
        if let Caller::Site(site, _) = self.caller {
            self.config.problems().for_each(|invalid| site.tell_clamped(invalid, self.caller.name()));
        }
        Settings::from(self.config)
    }

    fn decide(&mut self, settings: &Settings, hint: Option<Duration>) -> Result<Duration, RetryLimit> {
        if self.made >= settings.max_attempts {
            return Err(RetryLimit::Attempts);
        }
        let delay = self.pauses.next(settings, rand::random()).max(hint.unwrap_or_default());
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
    #[derive(Debug)]
    #[must_use = "futures do nothing unless awaited"]
    pub struct Pause {
        // No timer for no pause: a retry without delay works without one, and does not wait for the next tick.
        #[pin]
        sleep: Option<Sleep>,
    }
}

impl Pause {
    fn new(delay: Duration) -> Self {
        let sleep = (!delay.is_zero()).then(|| time::sleep_until(time::after(time::now(), delay)));
        Self { sleep }
    }
}

impl Future for Pause {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        match self.project().sleep.as_pin_mut() {
            Some(sleep) => sleep.poll(context),
            None => Poll::Ready(()),
        }
    }
}
