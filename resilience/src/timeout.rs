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
use crate::guarded::body_clock::hears_of_timeout;
use crate::guarded::{BodyClock, Call, Layer};
use crate::name::Name;
use crate::options::{Invalid, config};
use crate::outcome::Origin;
use crate::policy::per_call;
use crate::site::Site;
use crate::story;
use crate::time::{self, Sleep};

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
        // By how many nanoseconds the timer ends before the timeout does, for the deadline of an enclosing call.
        clipped: u64,
        // Made when the work first waits: work that is ready at once costs no timer. From then on the end is known, see
        // `deadline.rs`.
        #[pin]
        sleep: Option<Sleep>,
    }
}

impl Bound {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new(site: &'static Site<TimeoutPolicy>, config: &Config) -> Self {
        let (duration, out_of_range) = match config.duration {
            Some(duration) if !duration.is_zero() => (duration, false),
            given => (nearest(given), true),
        };
        Self { site, length: Length::of(duration), out_of_range, clipped: 0, sleep: None }
    }

    /// Its length.
    pub(crate) fn nanos(&self) -> u64 {
        self.length.nanos()
    }

    /// The same, and makes the site known: who polls the layer need not know whose method it is.
    pub(crate) fn known(site: &'static Site<TimeoutPolicy>, config: &Config) -> Self {
        let layer = Self::new(site, config);
        bind(site, layer.out_of_range);
        Self { out_of_range: false, ..layer }
    }
}

/// The nearest duration in range.
#[cold]
fn nearest(given: Option<Duration>) -> Duration {
    Config { duration: given }.in_range().duration.unwrap_or(Duration::MAX)
}

/// Makes the site known by the name that it shows.
#[inline]
fn bind(site: &'static Site<TimeoutPolicy>, out_of_range: bool) {
    if site.bound_already().is_none() || out_of_range {
        bind_and_tell(site, out_of_range);
    }
}

#[cold]
fn bind_and_tell(site: &'static Site<TimeoutPolicy>, out_of_range: bool) {
    // A site without shared state always has a name.
    let policy = site.bound().map_or("timeout", Name::as_str);
    if out_of_range {
        // Nothing but zero is.
        let problem = Config { duration: Some(Duration::ZERO) }.problem();
        problem.into_iter().for_each(|invalid| site.tell_clamped(invalid, policy));
    }
}

impl Layer for Bound {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(self: Pin<&mut Self>, inner: &mut dyn Call, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let mut this = self.project();
        let _outer = deadline::keep();
        let _heard = hears_of_timeout(this.length.nanos());
        match this.sleep.as_mut().as_pin_mut() {
            Some(sleep) => resume(sleep, this.clipped),
            None => begin(this.site, *this.length, *this.out_of_range)?,
        }
        let had_budget = coop::has_budget_remaining();
        if let Poll::Ready(ended) = inner.poll(context) {
            return Poll::Ready(ended);
        }
        if this.sleep.is_none() {
            let (own, end) = deadline::end(*this.length);
            if end != own {
                *this.clipped = time::nanos(own - end);
            }
            this.sleep.set(Some(time::sleep_until(end)));
        }
        if poll_end(this.sleep, had_budget, context).is_pending() {
            return Poll::Pending;
        }
        // The work is gone before anybody hears of it; its permits know why, and a retry leaves what it knows. (It stands here
        // and not in a function of its own: the compiler then knows all of what is inside.)
        let clipped = (*this.clipped > 0).then(deadline::origin);
        let body_began = inner.clock().has_begun();
        let passing = deadline::passing(clipped.unwrap_or(Origin::Timeout));
        drop(story::left());
        inner.end(Some(this.length.nanos()));
        drop(passing);
        Poll::Ready(Err(expired(this.site, this.length.duration(), clipped, body_began)))
    }

    fn timeout(&self) -> Option<u64> {
        Some(self.length.nanos())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn end(self: Pin<&mut Self>, _clock: BodyClock) {
        self.project().sleep.set(None);
    }
}

/// Goes on with a timeout whose end is known, under the deadline of whoever polls it now.
///
/// One that is up polls its work once more, as that may be ready; and not under its own deadline, or the policies inside would
/// find that passed, and end the call in their names. Where that matters, they know that it is up.
#[inline(never)]
fn resume(mut sleep: Pin<&mut Sleep>, clipped: &mut u64) {
    let mut own = sleep.deadline();
    if *clipped > 0 {
        own += Duration::from_nanos(*clipped);
    }
    let end = deadline::clipped(own);
    if end != sleep.deadline() {
        *clipped = time::nanos(own - end);
        sleep.as_mut().reset(end);
    }
    if sleep.is_elapsed() { deadline::set_up() } else { deadline::set(end) }
}

/// Puts the length in force of a timeout that has no end yet.
#[inline]
fn begin(site: &'static Site<TimeoutPolicy>, length: Length, out_of_range: bool) -> Result<(), Error> {
    bind(site, out_of_range);
    deadline::begin(|| name(site), length)
}

/// Whether the end is there.
#[inline(never)]
fn poll_end(sleep: Pin<&mut Option<Sleep>>, had_budget: bool, context: &mut Context<'_>) -> Poll<()> {
    let Some(sleep) = sleep.as_pin_mut() else { return Poll::Pending };
    // Work that uses up the task's budget must not starve the timer that ends it. Work that found none left could do
    // nothing in this poll, and is not cut for it.
    if had_budget && !coop::has_budget_remaining() {
        pin!(coop::unconstrained(sleep)).poll(context)
    } else {
        sleep.poll(context)
    }
}

/// The name that the site is bound to.
fn name(site: &'static Site<TimeoutPolicy>) -> &'static Name {
    static UNBOUND: Name = Name::new("timeout");
    site.bound_already().unwrap_or(&UNBOUND)
}

/// Tells of the end; `clipped` says who set the deadline that came before the timeout's own end.
#[cold]
fn expired(site: &'static Site<TimeoutPolicy>, after: Duration, clipped: Option<Origin>, body_began: bool) -> Error {
    let story = story::left();
    let name = name(site);
    let error = match clipped {
        None => Error::timed_out(name, after, body_began),
        Some(origin) if body_began => Error::deadline_cut(name, origin),
        Some(_) => Error::deadline_exceeded(name),
    };
    event::emit(|| Event::TimeoutElapsed {
        policy: name.as_str(),
        after,
        inherited: clipped.is_some(),
        attempts: story.as_ref().map(|story| story.attempts),
        error: story.as_ref().map(|story| story.text.to_string()).filter(|text| !text.is_empty()),
    });
    match story {
        Some(story) => error.with_story(story),
        None => error,
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bound").field("duration", &self.length.duration()).finish_non_exhaustive()
    }
}
