// Rate limiter: bounds how many calls start in a span of time, with bursts after quiet times.

mod bucket;
mod config;
mod gate;
#[cfg(test)]
mod gate_tests;
#[cfg(all(test, not(resilience_loom)))]
mod give_back_tests;
mod in_line;
mod limiter;
mod state;
#[cfg(all(test, not(resilience_loom)))]
mod state_tests;
mod taken;
#[cfg(all(test, not(resilience_loom)))]
mod taken_tests;

use std::future::Future;
use std::time::Duration;

pub(crate) use bucket::Mark;
pub use config::Config;
pub use limiter::Limiter;
pub(crate) use limiter::NotTaken;
pub use taken::Taken;

use crate::admission::Answer;
use crate::deadline;
use crate::error::{Error, Wait};
use crate::event::{self, Event};
use crate::fused::fused;
use crate::options::kind::Count;
use crate::options::{Invalid, Value};
use crate::policy::{Shared, handle, shared};
use crate::registry::{Entry, Live, Registry};
use crate::site::{Asker, Site};
use crate::time::Instant;
use config::Settings;
use in_line::InLine;
use limiter::Turn;
use state::Denied;

static REGISTRY: Registry<Limiter> = Registry::new();

shared!(Limiter, Config, "rate_limit");

impl Shared for Limiter {
    fn registry() -> &'static Registry<Self> {
        &REGISTRY
    }

    fn create(config: &Config) -> Self {
        Self::new(Settings::of(config))
    }

    fn apply(&self, config: &Config) {
        self.reconfigure(Settings::of(config));
    }

    fn refuses_for(entry: &'static Entry<Self>, after: Duration) -> bool {
        entry.state.refuses_for(after)
    }

    fn live(entry: &'static Entry<Self>) -> Live {
        Live::RateLimiter(RateLimiter(entry).snapshot())
    }

    fn missing(config: &Config) -> Option<&'static str> {
        config.limit.is_none().then_some("limit")
    }
}

/// A rate limiter at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// Permits that are there at once.
    pub available: u32,
    /// Calls waiting for their turn.
    pub waiting: u32,
    /// Calls refused since the start of the program.
    pub rejected: u32,
}

handle! {
    /// A named rate limiter, shared by everything that uses its name; cheap to copy.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use resilience::{RateLimiter, rate_limit};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
    /// let limiter = RateLimiter::register("sms", rate_limit::Config::new().limit(2).per(Duration::from_secs(1)))?;
    /// limiter.try_acquire(2)?;
    /// let error = limiter.try_acquire(1).unwrap_err();
    /// assert_eq!(error.retry_after(), Some(Duration::from_millis(500)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    RateLimiter over Limiter, called "rate limiter", kept: "permits that are there stay as far as they fit into the new burst, and so does the line"
}

impl RateLimiter {
    /// Returns the permits that are there, the calls in line, and the calls refused.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.0.state.snapshot()
    }

    /// Takes so many permits if they are there and nobody waits in line for them; all or none.
    ///
    /// They are taken for good, whatever becomes of the call. Zero permits are always there, and take nothing.
    ///
    /// # Errors
    ///
    /// [`RateLimited`](crate::ErrorKind::RateLimited), with the exact time after which they are there as `retry_after`
    /// (none if they never will be, because `burst` is less);
    /// [`DeadlineExceeded`](crate::ErrorKind::DeadlineExceeded) where the deadline in force has passed;
    /// [`Misconfigured`](crate::ErrorKind::Misconfigured) where no `limit` is given anywhere, or two call sites give
    /// the name different options.
    pub fn try_acquire(&self, permits: u32) -> Result<(), Error> {
        self.0.usable()?;
        let now = deadline::look(self.0.named())?;
        self.0.state.take_now(permits, now).map_err(|denied| refuse(self.0, permits, denied, Asker::HAND))
    }

    /// Takes so many permits, waiting for up to `max_wait`; first come, first served.
    ///
    /// They are taken for good, whatever becomes of the call. Zero permits are always there, and take nothing.
    ///
    /// # Errors
    ///
    /// As [`try_acquire`](Self::try_acquire), at once where the wait would be longer than `max_wait` or end after the
    /// deadline in force.
    ///
    /// # Cancel safety
    ///
    /// A call that is dropped before its turn has taken nothing; who is behind it is served earlier for it.
    pub fn acquire(&self, permits: u32) -> impl Future<Output = Result<(), Error>> + Send + Sync + use<> {
        let entry = self.0;
        fused(async move {
            entry.usable()?;
            let now = deadline::look(entry.named())?;
            match acquire(entry, permits, now, Asker::HAND) {
                Answer::Now(answer) => answer.map(|_taken| ()),
                Answer::InLine(wait) => wait.await.map(|_taken| ()),
            }
        })
    }
}

/// Takes permits, in a handle's name or a site's, for a call whose deadline has not passed; `now` is what the clock shows, if
/// that is known.
#[inline]
pub(crate) fn acquire(
    entry: &'static Entry<Limiter>,
    permits: u32,
    now: Option<Instant>,
    asker: Asker,
) -> Answer<Taken> {
    match at_once(entry, permits, now) {
        Ok(mark) => Answer::Now(Ok(Taken::new(entry, permits, mark))),
        Err(not_taken) => not_at_once(entry, permits, not_taken, asker),
    }
}

/// Takes permits that are there; else what the gate said, and when.
#[inline(always)]
pub(crate) fn at_once(entry: &'static Entry<Limiter>, permits: u32, now: Option<Instant>) -> Result<Mark, NotTaken> {
    entry.state.take_at_gate(permits, now)
}

/// Refuses, or has the call wait in line.
#[inline(never)]
pub(crate) fn not_at_once(
    entry: &'static Entry<Limiter>,
    permits: u32,
    not_taken: NotTaken,
    asker: Asker,
) -> Answer<Taken> {
    match entry.state.join_after(permits, not_taken) {
        Ok(Turn::Now(mark)) => Answer::Now(Ok(Taken::new(entry, permits, mark))),
        Ok(Turn::Later(place)) => Answer::after(async move {
            let served = InLine::new(place).await;
            served.map(|mark| Taken::new(entry, permits, mark)).map_err(|denied| refuse(entry, permits, denied, asker))
        }),
        Err(denied) => Answer::Now(Err(refuse(entry, permits, denied, asker))),
    }
}

/// The number of permits that a call of a macro's function takes: one at least. Tells, once for a site, of a smaller one.
#[inline]
pub(crate) fn counted(site: &'static Site<Limiter>, permits: u32) -> u32 {
    if permits == 0 {
        tell_none(site);
    }
    permits.max(1)
}

#[cold]
fn tell_none(site: &'static Site<Limiter>) {
    let policy = site.bound_already().map_or("rate_limit", Entry::name);
    site.tell_clamped(NO_PERMITS, policy);
}

const NO_PERMITS: Invalid = Invalid {
    option: "permits",
    value: Value::Count(0),
    range: Count::RANGE,
    sentence: "`permits` must be at least 1",
};

#[cold]
fn refuse(entry: &'static Entry<Limiter>, permits: u32, denied: Denied, asker: Asker) -> Error {
    let policy = entry.name();
    let nanos = match denied {
        Denied::WithoutLimit => {
            return Error::misconfigured(
                policy,
                "rate_limit has no `limit`: no call site gives one, nor does `register`",
            );
        }
        Denied::Never | Denied::Late => None,
        Denied::For(nanos) => Some(nanos),
    };
    entry.state.count_refusal();
    event::emit(|| {
        let retry_after = nanos.map(Duration::from_nanos);
        Event::RateLimitRejected { policy, function: asker.function(), permits, retry_after }
    });
    if denied == Denied::Late {
        Error::deadline_exceeded(entry.named())
    } else {
        Error::rate_limited(entry.named(), nanos.map_or(Wait::UNKNOWN, Wait::from_nanos))
    }
}
