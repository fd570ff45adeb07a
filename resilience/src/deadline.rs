//! The deadline in force: when the caller of everything inside stops waiting.
//!
//! It lives in a thread-local that the futures of this module set for the length of each poll, so it follows the task.
//!
//! A timeout reads no clock before it must: reading it costs more than everything else a guarded call does. So a timeout
//! whose first poll is under way has no end yet, only a length; the clock is read once somebody inside asks how long there
//! is, or the work first waits. That reading then holds for every timeout that began in the same poll.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::error::Error;
use crate::name::Name;
use crate::outcome::Origin;
use crate::time::{self, Instant};

thread_local! {
    static IN_FORCE: InForce = const {
        InForce {
            at: Cell::new(None),
            whose: Cell::new(Whose { origin: Origin::Timeout, is_up: false }),
            begun: Cell::new(NONE),
            settled: Cell::new(None),
            read: Cell::new(None),
        }
    };
    /// Set while work is being dropped because a deadline has passed: who had set that.
    static PASSING: Cell<Option<Origin>> = const { Cell::new(None) };
}

/// What bounds the code that is running. (Cells side by side: a call touches one or two of them, and copies none.)
struct InForce {
    /// The earliest deadline that is known as a moment.
    at: Cell<Option<Instant>>,
    /// Who has set that one, and whether a timeout around is up.
    whose: Cell<Whose>,
    /// The shortest of the timeouts that began in this poll and have no end yet, in nanoseconds.
    begun: Cell<u64>,
    /// Since when those that began in this poll count, where that is known.
    settled: Cell<Option<Instant>>,
    /// What the clock showed to a layer of the call that is on its way in right now.
    read: Cell<Option<Instant>>,
}

/// Side by side, so that a call that keeps and restores the one does so with the other.
#[derive(Clone, Copy)]
struct Whose {
    /// Who has set the deadline in force.
    origin: Origin,
    /// A timeout is up, and polls its work for the last time.
    is_up: bool,
}

/// No timeout that has no end yet.
const NONE: u64 = u64::MAX;

impl InForce {
    /// Lets the timeouts that have no end yet count from `now`.
    fn settle(&self, now: Instant) {
        let begun = self.begun.replace(NONE);
        if begun != NONE {
            self.bound(Length(begun).from(now), Origin::Timeout);
            self.settled.set(Some(now));
        }
    }

    /// Puts a deadline in force, unless an earlier one is.
    fn bound(&self, deadline: Instant, origin: Origin) {
        if self.at.get().is_none_or(|at| deadline < at) {
            self.at.set(Some(deadline));
            self.whose.set(Whose { origin, ..self.whose.get() });
        }
    }
}

/// The moment after which nobody waits for an answer any more.
///
/// `#[timeout]` sets it for everything inside, to the earlier of its own end and the one it inherits. An inner timeout
/// is clipped to it, a retry neither sleeps nor starts past it, a queue refuses what it cannot serve in time. It does
/// not cross `tokio::spawn` by itself, but a body that itself polls other tasks, as `LocalSet::run_until` does, lends them
/// its deadline meanwhile. For a task of its own take [`Deadline::current`] along and enter it with [`Deadline::scope`].
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use resilience::Deadline;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// assert!(Deadline::current().is_none());
/// let deadline = Deadline::after(Duration::from_secs(2));
/// let task = tokio::spawn(deadline.scope(async {
///     Deadline::current().map(|deadline| deadline.remaining())
/// }));
/// assert_eq!(task.await.unwrap(), Some(Duration::from_secs(2)));
/// # });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Deadline(Instant);

impl Deadline {
    /// Returns the deadline in force, if there is one.
    #[must_use]
    pub fn current() -> Option<Self> {
        in_force().map(Self)
    }

    /// Returns the deadline that lies `duration` from now; a huge duration saturates.
    #[must_use]
    pub fn after(duration: Duration) -> Self {
        Self(time::after(time::now(), duration))
    }

    /// Returns the time that is left; zero once the deadline has passed.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.0.saturating_duration_since(time::now())
    }

    /// Puts the deadline in force for `future`, unless an earlier one is in force already.
    ///
    /// The policies inside heed it. It does not cut the future itself: `#[timeout]` does that.
    ///
    /// # Cancel safety
    ///
    /// Dropping the returned future drops `future`.
    pub fn scope<F: Future>(self, future: F) -> Scope<F> {
        Scope { future, deadline: self.0 }
    }
}

pin_project_lite::pin_project! {
    /// The future of [`Deadline::scope`].
    #[derive(Debug)]
    #[must_use = "futures do nothing unless awaited"]
    pub struct Scope<F> {
        #[pin]
        future: F,
        deadline: Instant,
    }
}

impl<F: Future> Future for Scope<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let deadline = *this.deadline;
        let _outer = keep();
        IN_FORCE.with(|in_force| {
            in_force.bound(deadline, Origin::Scope);
            in_force.settled.set(None);
            in_force.read.set(None);
        });
        this.future.poll(context)
    }
}

/// The moment, if there is a deadline; reads the clock where it belongs to a timeout that has just begun.
pub(crate) fn in_force() -> Option<Instant> {
    IN_FORCE.with(|in_force| {
        if in_force.begun.get() != NONE {
            in_force.settle(time::now());
        }
        in_force.at.get()
    })
}

/// Whether there is a deadline; the clock is not read for it.
#[inline]
pub(crate) fn is_in_force() -> bool {
    IN_FORCE.with(|in_force| in_force.begun.get() != NONE || in_force.at.get().is_some())
}

/// Whether a deadline is known as a moment, which has to be looked at.
#[inline]
pub(crate) fn is_a_moment() -> bool {
    IN_FORCE.with(|in_force| in_force.at.get().is_some())
}

/// Refuses, in the name of `policy`, a call whose deadline has passed.
///
/// Reads the clock only if the deadline is known as a moment: a timeout that has just begun cannot have passed.
#[inline]
pub(crate) fn check(policy: impl Into<&'static Name>) -> Result<(), Error> {
    look(policy).map(|_| ())
}

/// As [`check`]; what the clock showed, where it was read.
#[inline]
pub(crate) fn look(policy: impl Into<&'static Name>) -> Result<Option<Instant>, Error> {
    if is_a_moment() { by_clock().map(Some).ok_or_else(|| Error::deadline_exceeded(policy)) } else { Ok(None) }
}

/// As [`look`], for a layer of a macro's call, which hands the reading on to the layers below it.
///
/// Between two layers nothing happens but what an attribute's options compute, until the body is polled, or the call is
/// refused or waits: there the [way in ends](way_in_ends), so that nothing else sees an old reading. It also ends before
/// an option that may wait itself, or leave the function.
#[inline]
pub(crate) fn on_way_in(policy: impl Into<&'static Name>) -> Result<Option<Instant>, Error> {
    if is_a_moment() { by_reading().map(Some).ok_or_else(|| Error::deadline_exceeded(policy)) } else { Ok(None) }
}

/// From here on the clock is read anew.
#[inline]
pub(crate) fn way_in_ends() {
    let _ = IN_FORCE.try_with(|in_force| in_force.read.set(None));
}

/// What the clock shows, unless the deadline has passed by it.
#[inline(never)]
fn by_clock() -> Option<Instant> {
    in_time(time::now())
}

/// What the clock showed to the layers above.
#[inline(never)]
fn by_reading() -> Option<Instant> {
    let read = IN_FORCE.with(|in_force| in_force.read.get());
    let now = in_time(read.unwrap_or_else(time::now))?;
    IN_FORCE.with(|in_force| in_force.read.set(Some(now)));
    Some(now)
}

fn in_time(now: Instant) -> Option<Instant> {
    IN_FORCE.with(|in_force| in_force.settle(now));
    in_force().is_none_or(|deadline| now < deadline).then_some(now)
}

/// How long a timeout is, in nanoseconds: five centuries at most.
#[derive(Clone, Copy)]
pub(crate) struct Length(u64);

impl Length {
    #[inline]
    pub(crate) fn of(duration: Duration) -> Self {
        Self(time::nanos(duration).min(NONE - 1))
    }

    pub(crate) fn nanos(self) -> u64 {
        self.0
    }

    fn from(self, now: Instant) -> Instant {
        time::after(now, Duration::from_nanos(self.0))
    }

    /// The duration, where a longer one than can be counted is for ever.
    pub(crate) fn duration(self) -> Duration {
        if self.0 == NONE - 1 { Duration::MAX } else { Duration::from_nanos(self.0) }
    }
}

/// Puts the deadline of a timeout in force, unless an earlier one is.
pub(crate) fn set(deadline: Instant) {
    IN_FORCE.with(|in_force| {
        in_force.bound(deadline, Origin::Timeout);
        in_force.settled.set(None);
        in_force.read.set(None);
    });
}

/// Puts nothing in force.
fn put_nothing() {
    let _ = IN_FORCE.try_with(|in_force| {
        in_force.at.set(None);
        in_force.whose.set(Whose { origin: Origin::Timeout, is_up: false });
        in_force.begun.set(NONE);
        in_force.settled.set(None);
        in_force.read.set(None);
    });
}

/// Puts a deadline in force that is `length` away from now, unless an earlier one is.
///
/// # Errors
///
/// Refuses, in the name of `policy`, where the one in force has passed.
#[inline]
pub(crate) fn begin(policy: impl FnOnce() -> &'static Name, length: Length) -> Result<(), Error> {
    IN_FORCE.with(|in_force| {
        if in_force.at.get().is_some() {
            return begin_by_clock(length).ok_or_else(|| Error::deadline_exceeded(policy()));
        }
        // No moment is in force, so nothing was settled.
        in_force.begun.set(in_force.begun.get().min(length.0));
        Ok(())
    })
}

/// Where the clock must be read anyway, the new deadline counts from that reading.
#[inline(never)]
fn begin_by_clock(length: Length) -> Option<()> {
    // It settles what began before.
    let now = by_reading()?;
    IN_FORCE.with(|in_force| {
        in_force.bound(length.from(now), Origin::Timeout);
        in_force.settled.set(Some(now));
    });
    Some(())
}

/// Keeps what is in force, to put it in force again when it is dropped.
///
/// (It is made before what comes in its place: a guard in a `Result` is copied about, which costs more than all the rest.)
#[inline]
pub(crate) fn keep() -> Outer {
    IN_FORCE.with(|in_force| Outer {
        at: in_force.at.get(),
        whose: in_force.whose.get(),
        begun: in_force.begun.get(),
        // Where no moment is in force, nothing was settled: one word less to keep.
        settled: in_force.at.get().and_then(|_| in_force.settled.get()),
    })
}

pub(crate) struct Outer {
    at: Option<Instant>,
    whose: Whose,
    begun: u64,
    settled: Option<Instant>,
}

impl Drop for Outer {
    #[inline]
    fn drop(&mut self) {
        let Self { at, whose, begun, settled } = *self;
        let _ = IN_FORCE.try_with(|in_force| {
            let asked = in_force.begun.replace(begun) == NONE;
            in_force.at.set(at);
            in_force.whose.set(whose);
            if asked {
                leave_settled(begun, settled);
            }
        });
    }
}

#[inline(never)]
fn leave_settled(begun: u64, settled: Option<Instant>) {
    IN_FORCE.with(|in_force| {
        let since = in_force.settled.replace(settled);
        if let (Some(since), true) = (since, begun != NONE) {
            // What is left began in the same poll as what was left: it counts from the same moment.
            in_force.settle(since);
        }
    });
}

/// The end of the timeout of this length that has begun last, and that of the deadline in force, which is no later.
#[inline]
pub(crate) fn end(length: Length) -> (Instant, Instant) {
    let own = length.from(since());
    (own, IN_FORCE.with(|in_force| in_force.at.get()).map_or(own, |at| at.min(own)))
}

/// The deadline in force, where that is earlier than `own`; else that.
pub(crate) fn clipped(own: Instant) -> Instant {
    in_force().map_or(own, |deadline| deadline.min(own))
}

/// Who has set the deadline in force.
pub(crate) fn origin() -> Origin {
    IN_FORCE.with(|in_force| in_force.whose.get().origin)
}

/// Notes that a timeout is up whose work is polled once more: what has not begun does not begin now.
pub(crate) fn set_up() {
    IN_FORCE.with(|in_force| in_force.whose.set(Whose { is_up: true, ..in_force.whose.get() }));
}

/// Whether a timeout around is up. Its deadline is not in force any more: who would end because of it waits to be dropped.
pub(crate) fn is_up() -> bool {
    IN_FORCE.with(|in_force| in_force.whose.get().is_up)
}

/// Since when the timeouts count that began in this poll; else what the clock shows.
#[inline(never)]
pub(crate) fn since() -> Instant {
    IN_FORCE.with(|in_force| {
        in_force.settled.get().unwrap_or_else(|| {
            let now = time::now();
            in_force.settle(now);
            now
        })
    })
}

/// Until it is dropped, permits that are dropped know that a deadline is the reason, and who had set it.
pub(crate) fn passing(origin: Origin) -> Passing {
    Passing { before: PASSING.replace(Some(origin)) }
}

pub(crate) struct Passing {
    before: Option<Origin>,
}

impl Drop for Passing {
    fn drop(&mut self) {
        PASSING.set(self.before);
    }
}

/// Runs code that has nothing to do with the call whose deadline is in force: a listener's.
pub(crate) fn aside(code: impl FnOnce()) {
    let _outer = keep();
    put_nothing();
    let _passing = Passing { before: PASSING.take() };
    code();
}

/// Who had set the deadline that has passed, while work is being dropped because of it.
pub(crate) fn passing_by() -> Option<Origin> {
    // A permit may be dropped by another thread-local's destructor, after ours: then nobody's deadline is passing.
    PASSING.try_with(Cell::get).ok().flatten()
}
