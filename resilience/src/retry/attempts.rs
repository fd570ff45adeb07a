//! The attempts of one call: whether there is another, and after what pause.

use std::num::NonZeroU64;
use std::time::Duration;

use super::backoff::Pauses;
use super::before::{Before, Keeps, Kept, NotAtAll};
use super::by::{By, Named};
use super::config::{Config, Settings};
use super::pause::Pause;
use super::{Attempt, RetryAttempt, RetryPolicy, nested, quiet};
use crate::classify::Class;
use crate::deadline;
use crate::error::Error;
use crate::event::{self, Event, RetryLimit};
use crate::fallible::{Fallible, error_text, with_error};
use crate::linked::Below;
use crate::name::Name;
use crate::outcome::Seen;
use crate::retry_budget::{self, Budget, RetryBudget};
use crate::site::Site;
use crate::story::Story;
use crate::time::{self, Instant};

/// Why there is no further attempt.
enum Stop {
    At(RetryLimit),
    Broke(RetryBudget),
    /// This policy below would refuse it.
    Refused(&'static Name),
}

/// The state of one call's attempts; `K` is how the result of one that failed is kept.
///
/// It is made where it stays and begun there: returned in a `Result` it would be copied, which costs more than the rest.
#[derive(Debug)]
pub struct Attempts<'a, K = NotAtAll> {
    by: By,
    pub(super) config: &'a Config,
    /// The first start as a stamp, where `max_elapsed` is given. (A call's future holds this: it stays small.)
    pub(super) started: Option<NonZeroU64>,
    /// Attempts that have begun.
    pub(super) begun: u32,
    /// The budget has not had its deposit.
    owes_deposit: bool,
    /// It is to have it once the layers around the body have heard how that ended.
    deposit_is_due: bool,
    /// The last attempt was refused: the call ends as the one before did.
    ends_as_before: bool,
    before: Option<Box<Before<K>>>,
}

impl<'a, K> Attempts<'a, K> {
    /// The attempts of one call of a macro's function.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub const fn new(site: &'static Site<RetryPolicy>, _keeps: Keeps<K>) -> Self {
        Self::of(By::Site(site, None), &site.config)
    }

    /// Takes these options instead of the site's.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn with(mut self, config: &'a Config) -> Self {
        self.config = config;
        self
    }

    /// Names the budget of a macro's function.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn budgeted(mut self, budget: &'static Site<Budget>) -> Self {
        if let By::Site(site, _) = self.by {
            self.by = By::Site(site, Some(budget));
            self.owes_deposit = true;
        }
        self
    }

    #[inline]
    pub(super) const fn of_handle(name: &'static str, config: &'a Config, budget: Option<RetryBudget>) -> Self {
        Self::of(By::Handle(name, budget), config)
    }

    #[inline]
    const fn of(by: By, config: &'a Config) -> Self {
        Self {
            by,
            config,
            started: None,
            begun: 0,
            owes_deposit: by.has_budget(),
            deposit_is_due: false,
            ends_as_before: false,
            before: None,
        }
    }

    /// Begins a call of a macro's function, unless it has begun, or its deadline has passed.
    ///
    /// # Errors
    ///
    /// Why the call is refused.
    #[doc(hidden)]
    #[inline]
    pub fn begin(&mut self) -> Result<(), Error> {
        if self.begun > 0 {
            return Ok(());
        }
        self.begun = 1;
        // Looked at before anything that the compiler cannot see through, so that it knows them.
        let (by, timed) = (self.by, self.config.max_elapsed.is_some());
        if let By::Site(site, budget) = by {
            // A site is known by its full name from the first call on.
            let policy = site.bound()?;
            if let Some(budget) = budget {
                retry_budget::of_site(budget)?;
            }
            deadline::on_way_in(policy)?;
            nested::report(site, policy.as_str());
            self.start(timed);
        }
        Ok(())
    }

    /// Begins a call of a handle.
    pub(super) fn begin_by_handle(&mut self) -> Result<(), Error> {
        self.begun = 1;
        deadline::check(self.named())?;
        self.start(self.config.max_elapsed.is_some());
        Ok(())
    }

    #[inline]
    fn start(&mut self, timed: bool) {
        if timed {
            self.started = NonZeroU64::new(time::stamp(time::now()).max(1));
        }
    }

    /// Whether the budget waits for a deposit, which a call makes once its body is polled.
    #[inline(always)]
    pub(super) fn owes_deposit(&self) -> bool {
        self.owes_deposit
    }

    /// The body, which stands in the function, has ended in its first poll.
    pub(super) fn will_deposit(&mut self) {
        self.deposit_is_due = true;
    }

    /// Deposits into the budget.
    #[inline(never)]
    pub(super) fn deposit(&mut self) {
        (self.owes_deposit, self.deposit_is_due) = (false, false);
        if let Some(budget) = self.by.budget() {
            budget.deposit();
        }
    }

    /// Notes, until it is dropped, that one of these attempts is being polled.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn polling(&self) -> nested::Outer {
        nested::polling(self.by.site(), Attempt::new(self.begun, self.config))
    }

    fn policy(&self) -> &'static str {
        self.named().as_str()
    }

    /// What the policy is called.
    pub(super) fn named(&self) -> Named {
        self.by.named()
    }

    /// Looks at what an attempt ended with: the length of the pause before the next one, or nothing if it was the last.
    ///
    /// `below` are the sites between the retry and the body.
    #[doc(hidden)]
    #[inline]
    pub fn next<R: Fallible>(
        &mut self,
        result: &Result<R, Error>,
        mut classify: fn(&R::Error) -> Class,
        text: fn(&R::Error) -> String,
        below: &'static dyn Below,
    ) -> Option<Duration> {
        self.next_when(result, &mut classify, text, quiet, below)
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
        below: &'static dyn Below,
    ) -> Option<Duration> {
        if self.deposit_is_due {
            self.deposit();
        }
        self.delay(result, classify, text, on_retry, below)
    }

    /// [`next_when`](Self::next_when) where a value may have `failed`: it is then looked at as an error that says so.
    #[doc(hidden)]
    #[inline]
    pub fn next_when_ok<R: Fallible>(
        &mut self,
        result: &Result<R, Error>,
        failed: bool,
        classify: &mut dyn FnMut(&R::Error) -> Class,
        text: fn(&R::Error) -> String,
        on_retry: impl FnOnce(&RetryAttempt<'_, R::Error>),
        below: &'static dyn Below,
    ) -> Option<Duration> {
        if failed {
            return self.next_when(&Err::<R, _>(Error::failed_value(self.named())), classify, text, on_retry, below);
        }
        self.next_when(result, classify, text, on_retry, below)
    }

    /// [`next`](Self::next) of a call whose layers are at hand.
    #[inline]
    pub(crate) fn delay_by<R: Fallible>(
        &mut self,
        result: &Result<R, Error>,
        mut classify: fn(&R::Error) -> Class,
        text: fn(&R::Error) -> String,
        below: &'static dyn Below,
    ) -> Option<Duration> {
        self.delay(result, &mut classify, text, quiet, below)
    }

    #[inline]
    fn delay<R: Fallible>(
        &mut self,
        result: &Result<R, Error>,
        classify: &mut dyn FnMut(&R::Error) -> Class,
        text: fn(&R::Error) -> String,
        on_retry: impl FnOnce(&RetryAttempt<'_, R::Error>),
        below: &'static dyn Below,
    ) -> Option<Duration> {
        // The usual end of a call stands in the caller's code; everything else is a call away.
        match result {
            Ok(returned) if returned.result().is_ok() => {
                if self.begun > 1 {
                    self.tell_recovered();
                }
                None
            }
            failed => self.after_failure(failed, classify, text, on_retry, below),
        }
    }

    #[cold]
    fn tell_recovered(&self) {
        event::emit(|| Event::RetryRecovered { policy: self.policy(), attempts: self.begun });
    }

    #[inline(never)]
    fn after_failure<R: Fallible>(
        &mut self,
        result: &Result<R, Error>,
        classify: &mut dyn FnMut(&R::Error) -> Class,
        text: fn(&R::Error) -> String,
        on_retry: impl FnOnce(&RetryAttempt<'_, R::Error>),
        below: &'static dyn Below,
    ) -> Option<Duration> {
        let seen = Seen::of(result, classify);
        if seen.is_refusal() {
            let refused_by = result.as_ref().err().map(Error::named);
            self.end_by_refusal(refused_by.map(Name::as_str));
            return None;
        }
        let delay = self.judge(seen, &|| error_text(result, text), below)?;
        let attempt = self.begun;
        with_error(result, |error| on_retry(&RetryAttempt { attempt, delay, error }));
        Some(delay)
    }

    /// An error that was learnt is not replaced by a refusal: the call ends as the attempt before, if there was one.
    fn end_by_refusal(&mut self, refused_by: Option<&'static str>) {
        let Some(before) = &self.before else { return };
        self.ends_as_before = true;
        self.tell_exhausted(RetryLimit::Refused, refused_by, before.class, &|| before.text.clone());
    }

    /// What follows a failure, for any function: this is compiled once, and not for each.
    fn judge(&mut self, seen: Seen, error: &dyn Fn() -> String, below: &'static dyn Below) -> Option<Duration> {
        let (hint, class) = (seen.again()?, seen.class());
        let settings = self.settings();
        let mut pauses = self.before.as_ref().map_or(Pauses::new(), |before| before.pauses);
        match self.decide(&settings, hint, &mut pauses, below) {
            Ok(delay) => {
                let (policy, attempt, text) = (self.policy(), self.begun, error());
                event::emit(|| Event::RetryAttemptFailed { policy, attempt, delay, error: text.clone(), class });
                self.before = Some(Box::new(Before { text, class, pauses, result: None }));
                return Some(delay);
            }
            Err(Stop::Broke(budget)) => {
                let (policy, budget, attempts) = (self.policy(), budget.name(), self.begun);
                event::emit(|| Event::RetryBudgetExhausted { policy, budget, attempts, error: error(), class });
            }
            Err(Stop::At(limit)) => self.tell_exhausted(limit, None, class, error),
            Err(Stop::Refused(name)) => self.tell_exhausted(RetryLimit::Refused, Some(name.as_str()), class, error),
        }
        None
    }

    fn tell_exhausted(
        &self,
        limit: RetryLimit,
        refused_by: Option<&'static str>,
        class: Class,
        error: &dyn Fn() -> String,
    ) {
        let (policy, attempts) = (self.policy(), self.begun);
        event::emit(|| Event::RetryExhausted { policy, attempts, limit, refused_by, error: error(), class });
    }

    /// The options in effect; tells of those that were out of range. Asked for only once an attempt has failed.
    fn settings(&self) -> Settings {
        if let By::Site(site, _) = self.by {
            self.config.problems().for_each(|invalid| site.tell_clamped(invalid, self.policy()));
        }
        Settings::from(self.config)
    }

    /// The pause before the next attempt, if there is one.
    fn decide(
        &self,
        settings: &Settings,
        hint: Option<Duration>,
        pauses: &mut Pauses,
        below: &'static dyn Below,
    ) -> Result<Duration, Stop> {
        let delay = self.within_limits(settings, hint, pauses).map_err(Stop::At)?;
        if let Some(name) = below.would_refuse(delay) {
            return Err(Stop::Refused(name));
        }
        // Asked last: a retry that does not come to pass spends nothing.
        match self.by.budget() {
            Some(budget) if !budget.try_withdraw() => Err(Stop::Broke(budget)),
            _ => Ok(delay),
        }
    }

    /// Keeps what an attempt ended with that is tried again.
    #[doc(hidden)]
    pub fn keep<R>(&mut self, result: Result<R, Error>)
    where
        K: Kept<R>,
    {
        if let Some(before) = &mut self.before {
            before.result = K::keep(result);
        }
    }

    /// What the call ends with, where the last attempt ended with this.
    #[doc(hidden)]
    #[inline(always)]
    pub fn end<R>(&mut self, last: Result<R, Error>) -> Result<R, Error>
    where
        K: Kept<R>,
    {
        if self.ends_as_before { self.end_as_before(last) } else { last }
    }

    /// Whether the last attempt was refused, and the call ends as the one before.
    #[inline(always)]
    pub(super) fn ends_as_before(&self) -> bool {
        self.ends_as_before
    }

    /// What the call ends with then.
    #[cold]
    pub(super) fn end_as_before<R>(&mut self, last: Result<R, Error>) -> Result<R, Error>
    where
        K: Kept<R>,
    {
        let Some(before) = self.before.take() else { return last };
        match before.result {
            Some(kept) => kept.into_result(),
            None => last.map_err(|refusal| refusal.after_failure(Story::new(&before.text, self.begun))),
        }
    }

    /// The pause before the next attempt, which ends with what the call ends with if there is none.
    #[doc(hidden)]
    pub fn pause<R>(&mut self, delay: Duration) -> Pause<'_, 'a, K, R>
    where
        K: Kept<R>,
    {
        Pause::new(self, delay)
    }

    /// Begins the next attempt after the pause, unless that would be too late: what the call ends with then.
    pub(super) fn resume<R>(&mut self) -> Option<Result<R, Error>>
    where
        K: Kept<R>,
    {
        match self.too_late(time::now) {
            Some(limit) => Some(self.end_late(limit)),
            None => {
                self.begun = self.begun.saturating_add(1);
                None
            }
        }
    }

    /// The pause that ends at that moment is in vain: what the call ends with then.
    pub(super) fn in_vain<R>(&mut self, until: Instant) -> Option<Result<R, Error>>
    where
        K: Kept<R>,
    {
        self.too_late(|| until).map(|limit| self.end_late(limit))
    }

    #[cold]
    fn end_late<R>(&mut self, limit: RetryLimit) -> Result<R, Error>
    where
        K: Kept<R>,
    {
        if let Some(before) = &self.before {
            self.tell_exhausted(limit, None, before.class, &|| before.text.clone());
        }
        self.end_as_before(Err(Error::deadline_exceeded(self.named())))
    }

    #[cold]
    fn leave_story(&self) {
        let text = self.before.as_ref().map_or("", |before| &before.text);
        Story::new(text, self.begun).leave();
    }
}

/// Dropped by a timeout, it leaves what it knows: the cause is not lost.
impl<K> Drop for Attempts<'_, K> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.begun > 0 && deadline::passing_by().is_some() {
            self.leave_story();
        }
    }
}
