//! The deadline in force: when the caller of everything inside stops waiting.
//!
//! It lives in a thread-local that the futures of this module set for the length of each poll, so it follows the task.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::error::Error;
use crate::time::{self, Instant};

thread_local! {
    static IN_FORCE: Cell<Option<Instant>> = const { Cell::new(None) };
    /// Set while work is being dropped because the deadline in force has passed.
    static PASSING: Cell<bool> = const { Cell::new(false) };
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
        let earlier = in_force().map_or(*this.deadline, |outer| outer.min(*this.deadline));
        let _restore = enter(earlier);
        this.future.poll(context)
    }
}

pub(crate) fn in_force() -> Option<Instant> {
    IN_FORCE.get()
}

/// Refuses, in the name of `policy`, a call whose deadline has passed. Reads the clock only if there is a deadline.
pub(crate) fn check(policy: &'static str) -> Result<(), Error> {
    match in_force() {
        Some(deadline) if deadline <= time::now() => Err(Error::deadline_exceeded(policy)),
        _ => Ok(()),
    }
}

/// Puts `deadline` in force until the guard is dropped.
pub(crate) fn enter(deadline: Instant) -> Restore {
    Restore { deadline: IN_FORCE.replace(Some(deadline)) }
}

pub(crate) struct Restore {
    deadline: Option<Instant>,
}

impl Drop for Restore {
    fn drop(&mut self) {
        IN_FORCE.set(self.deadline);
    }
}

/// Runs `drop_work` such that permits dropped by it know that the deadline in force is the reason.
pub(crate) fn passing(drop_work: impl FnOnce()) {
    struct Unset(bool);
    impl Drop for Unset {
        fn drop(&mut self) {
            PASSING.set(self.0);
        }
    }
    let _unset = Unset(PASSING.replace(true));
    drop_work();
}

/// Runs code that has nothing to do with the call whose deadline is in force: a listener's.
pub(crate) fn aside(code: impl FnOnce()) {
    struct Restore(Option<Instant>, bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            let _ = IN_FORCE.try_with(|in_force| in_force.set(self.0));
            let _ = PASSING.try_with(|passing| passing.set(self.1));
        }
    }
    let in_force = IN_FORCE.try_with(Cell::take).unwrap_or_default();
    let passing = PASSING.try_with(|passing| passing.replace(false)).unwrap_or_default();
    let _restore = Restore(in_force, passing);
    code();
}

/// Whether work is being dropped right now because the deadline in force has passed.
pub(crate) fn is_passing() -> bool {
    // A permit may be dropped by another thread-local's destructor, after ours: then nobody's deadline is passing.
    PASSING.try_with(Cell::get).unwrap_or(false)
}
