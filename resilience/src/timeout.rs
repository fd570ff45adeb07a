// Timeout: stops waiting for a call, and drops its work.

use std::fmt;
use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::task::coop;

use crate::deadline::{self, Length};
use crate::error::Error;
use crate::event::{self, Event};
use crate::guarded::{Inner, Layer};
use crate::name::Name;
use crate::options::{Invalid, config};
use crate::policy::per_call;
use crate::site::{Owner, Site};
use crate::time::{self, Instant, Sleep};

config! {
    /// The options of a timeout.
    "timeout" {
        /// The longest a call may take; longer than zero.
        duration: Time,
    }
}

impl Config {
    const fn conflict(&self) -> Option<Invalid> {
        None
    }

    fn yield_to(self, _over: &Self) -> Self {
        self
    }

    /// The attribute requires a duration: there is no default.
    fn filled(self) -> Self {
        self
    }
}

/// The kind of policy, for sites.
#[doc(hidden)]
#[derive(Debug)]
pub struct TimeoutPolicy(());

per_call!(TimeoutPolicy, Config, "timeout");

pin_project_lite::pin_project! {
    /// The layer that ends what is inside of it.
    pub struct Bound {
        // And not the name that it shows: a future that every guarded call holds stays small.
        site: &'static Site<TimeoutPolicy>,
        length: Length,
        out_of_range: bool,
        // Known once the work has waited, see `deadline.rs`.
        limit: Option<Limit>,
        // Made when the work first waits: work that is ready at once costs no timer.
        #[pin]
        sleep: Option<Sleep>,
    }
}

#[derive(Clone, Copy, Debug)]
struct Limit {
    at: Instant,
    /// It is the deadline of an enclosing call, which comes before the timeout's own end.
    inherited: bool,
}

impl Bound {
    /// Nothing here can panic: what is made before a call would have to be dropped then, and could not be made in place.
    #[inline(always)]
    pub(crate) fn new(site: &'static Site<TimeoutPolicy>, config: &Config) -> Self {
        let (duration, out_of_range) = match config.duration {
            Some(duration) if !duration.is_zero() => (duration, false),
            given => (nearest(given), true),
        };
        Self { site, length: Length::of(duration), out_of_range, limit: None, sleep: None }
    }
}

/// The nearest duration in range.
#[cold]
fn nearest(given: Option<Duration>) -> Duration {
    Config { duration: given }.in_range().duration.unwrap_or(Duration::MAX)
}

// What is no part of a generic function is compiled once, and not for each function that has a timeout.

/// Makes the site known by the name that it shows.
#[inline]
fn bind(site: &'static Site<TimeoutPolicy>, owner: Owner, out_of_range: bool) {
    if site.bound_already().is_none() || out_of_range {
        bind_and_tell(site, owner, out_of_range);
    }
}

#[cold]
fn bind_and_tell(site: &'static Site<TimeoutPolicy>, owner: Owner, out_of_range: bool) {
    // A site without shared state always has a name.
    let policy = site.bound(owner).map_or("timeout", Name::as_str);
    if out_of_range {
        let problem = Config { duration: Some(Duration::ZERO) }.problem();
        problem.into_iter().for_each(|invalid| site.tell_clamped(invalid, policy));
    }
}

impl<R> Layer<R> for Bound {
    #[inline(always)]
    fn poll<I: Inner<R>>(
        self: Pin<&mut Self>,
        inner: &mut I,
        owner: Owner,
        context: &mut Context<'_>,
    ) -> Poll<Result<R, Error>> {
        let this = self.project();
        let outer = deadline::keep();
        if this.limit.is_none() {
            bind(this.site, owner, *this.out_of_range);
        }
        enter(*this.limit, this.site, *this.length)?;
        if let Poll::Ready(result) = inner.poll(owner, context) {
            return Poll::Ready(result);
        }
        let limit = Limit::known(this.limit, *this.length);
        if poll_end(this.sleep, limit.at, context).is_pending() {
            return Poll::Pending;
        }
        // The work is gone before anybody hears of it; its permits know why.
        let passing = deadline::passing();
        inner.end();
        drop(passing);
        drop(outer);
        Poll::Ready(Err(expired(this.site, this.length.duration(), limit.inherited)))
    }

    fn end(self: Pin<&mut Self>) {}
}

/// Puts the end in force, or the length of one that is not known yet.
#[inline]
fn enter(limit: Option<Limit>, site: &'static Site<TimeoutPolicy>, length: Length) -> Result<(), Error> {
    match limit {
        Some(limit) => deadline::set(limit.at),
        None => deadline::begin(|| name(site), length)?,
    }
    Ok(())
}

/// Whether the end is there.
#[inline(never)]
fn poll_end(mut sleep: Pin<&mut Option<Sleep>>, at: Instant, context: &mut Context<'_>) -> Poll<()> {
    if sleep.is_none() {
        sleep.set(Some(time::sleep_until(at)));
    }
    let Some(sleep) = sleep.as_pin_mut() else { return Poll::Pending };
    // Work that uses up the task's budget must not starve the timer that ends it.
    if coop::has_budget_remaining() { sleep.poll(context) } else { pin!(coop::unconstrained(sleep)).poll(context) }
}

/// The name that the site is bound to.
fn name(site: &'static Site<TimeoutPolicy>) -> &'static Name {
    static UNBOUND: Name = Name::new("timeout");
    site.bound_already().unwrap_or(&UNBOUND)
}

impl Limit {
    /// The limit, once the work has waited.
    #[inline]
    fn known(limit: &mut Option<Self>, length: Length) -> Self {
        *limit.get_or_insert_with(|| Self::of(length))
    }

    /// The limit of work that has just come to wait for the first time.
    #[inline]
    fn of(length: Length) -> Self {
        let (at, inherited) = deadline::end(length);
        Self { at, inherited }
    }
}

#[cold]
fn expired(site: &'static Site<TimeoutPolicy>, after: Duration, inherited: bool) -> Error {
    let name = name(site);
    let policy = name.as_str();
    event::emit(|| Event::TimeoutElapsed { policy, after, inherited });
    if inherited { Error::deadline_cut(name) } else { Error::timed_out(name, after) }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bound").field("duration", &self.length.duration()).finish_non_exhaustive()
    }
}
