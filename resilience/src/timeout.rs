// Timeout: stops waiting for a call, and drops its work.

use std::fmt;
use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::task::coop;

use crate::deadline;
use crate::error::Error;
use crate::event::{self, Event};
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
    /// Work with an end.
    ///
    /// A struct and not an `async fn`: that would hold the work twice (rust-lang/rust#62958).
    #[must_use = "futures do nothing unless awaited"]
    pub struct Timeout<F> {
        // And not the name that it shows: a future that every guarded call holds stays small.
        site: &'static Site<TimeoutPolicy>,
        duration: Duration,
        // Known from the first poll on.
        limit: Option<Limit>,
        #[pin]
        work: Option<F>,
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

/// Bounds the work below a macro's timeout.
pub(crate) fn run<F, R>(site: &'static Site<TimeoutPolicy>, owner: Owner, config: &Config, work: F) -> Timeout<F>
where
    F: Future<Output = Result<R, Error>>,
{
    // A site without shared state always has a name; it is known by that from the first call on.
    let policy = site.bound(owner).unwrap_or("timeout");
    if let Some(invalid) = config.problem() {
        site.tell_clamped(invalid, policy);
    }
    let duration = config.in_range().duration.unwrap_or(Duration::MAX);
    Timeout { site, duration, limit: None, work: Some(work), sleep: None }
}

impl<F, R> Future for Timeout<F>
where
    F: Future<Output = Result<R, Error>>,
{
    type Output = Result<R, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let limit = match *this.limit {
            Some(limit) => limit,
            None => {
                deadline::check(name(this.site))?;
                *this.limit.insert(Limit::from_now(*this.duration))
            }
        };
        let in_force = deadline::enter(limit.at);
        let had_budget = coop::has_budget_remaining();
        let Some(work) = this.work.as_mut().as_pin_mut() else { return Poll::Pending };
        if let Poll::Ready(result) = work.poll(context) {
            return Poll::Ready(result);
        }
        if this.sleep.is_none() {
            this.sleep.set(Some(time::sleep_until(limit.at)));
        }
        let Some(sleep) = this.sleep.as_mut().as_pin_mut() else { return Poll::Pending };
        // Work that uses up the task's budget must not starve the timer that ends it.
        let elapsed = if had_budget && !coop::has_budget_remaining() {
            pin!(coop::unconstrained(sleep)).poll(context)
        } else {
            sleep.poll(context)
        };
        if elapsed.is_pending() {
            return Poll::Pending;
        }
        // The work is gone before anybody hears of it; its permits know why.
        deadline::passing(|| this.work.set(None));
        drop(in_force);
        Poll::Ready(Err(expired(name(this.site), *this.duration, limit.inherited)))
    }
}

/// The name that [`run`] has bound the site to.
fn name(site: &'static Site<TimeoutPolicy>) -> &'static str {
    site.bound_already().unwrap_or("timeout")
}

impl Limit {
    fn from_now(duration: Duration) -> Self {
        let own = time::after(time::now(), duration);
        match deadline::in_force() {
            Some(at) if at < own => Self { at, inherited: true },
            _ => Self { at: own, inherited: false },
        }
    }
}

fn expired(policy: &'static str, after: Duration, inherited: bool) -> Error {
    event::emit(|| Event::TimeoutElapsed { policy, after, inherited });
    if inherited { Error::deadline_cut(policy) } else { Error::timed_out(policy, after) }
}

impl<F> fmt::Debug for Timeout<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timeout").field("duration", &self.duration).finish_non_exhaustive()
    }
}
