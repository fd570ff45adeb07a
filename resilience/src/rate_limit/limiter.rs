//! The state behind a name: the bucket, and the line of those who wait.
//!
//! The head of the line holds the turnstile while it waits for its permits. Permits are taken when their turn comes, not
//! before: who leaves the line has nothing to give back, and those behind move up.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore};

use super::Snapshot;
use super::bucket::Bucket;
use super::config::Settings;
use crate::deadline;
use crate::time::{self, Instant};

/// The state behind a name.
#[doc(hidden)]
#[derive(Debug)]
pub struct Limiter {
    core: Mutex<Core>,
    turnstile: Semaphore,
    /// Tells the head of the line of other rates.
    changed: Notify,
    rejected: AtomicU32,
}

#[derive(Debug)]
struct Core {
    /// Nothing until somebody gives a limit.
    bucket: Option<Bucket>,
    max_wait: Duration,
    /// How often the rates have been changed.
    changes: u64,
    /// Calls in line, and the permits they ask for together.
    waiting: u32,
    asked_for: u64,
}

/// Why there are no permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Denied {
    WithoutLimit,
    /// More than the bucket holds.
    Never,
    /// They are there after this time.
    For(Duration),
    /// The deadline passed in line.
    Late,
}

/// What comes of asking.
pub(super) enum Turn<'a> {
    Now,
    Later(PlaceInLine<'a>),
}

impl Limiter {
    pub(super) fn new(settings: Option<Settings>) -> Self {
        let now = time::now();
        let core = Core {
            bucket: settings.map(|settings| Bucket::new(&settings, now)),
            max_wait: settings.map_or(Duration::ZERO, |settings| settings.max_wait),
            changes: 0,
            waiting: 0,
            asked_for: 0,
        };
        Self {
            core: Mutex::new(core),
            turnstile: Semaphore::new(1),
            changed: Notify::new(),
            rejected: AtomicU32::new(0),
        }
    }

    fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn reconfigure(&self, settings: Option<Settings>) {
        let mut core = self.core();
        let now = time::now();
        core.max_wait = settings.map_or(Duration::ZERO, |settings| settings.max_wait);
        match (&mut core.bucket, settings) {
            (Some(bucket), Some(settings)) => bucket.reconfigure(&settings, now),
            (bucket, settings) => *bucket = settings.map(|settings| Bucket::new(&settings, now)),
        }
        core.changes += 1;
        drop(core);
        self.changed.notify_waiters();
    }

    /// The core, and the clock: `read` if it was read just now.
    ///
    /// It is read before the lock, which is held for less than reading it takes. So another call may have been faster: where
    /// the bucket is ahead, the clock is read once more. If the bucket is ahead even then, the clock is another runtime's.
    #[inline]
    fn core_now(&self, read: Option<Instant>) -> (MutexGuard<'_, Core>, Instant) {
        let now = read.unwrap_or_else(time::now);
        let core = self.core();
        let ahead = core.bucket.as_ref().is_some_and(|bucket| bucket.at() > now);
        let now = if ahead { time::now() } else { now };
        (core, now)
    }

    /// Takes permits if there are enough for those in line, too; `read` is what the clock shows, if that is known.
    ///
    /// # Errors
    ///
    /// Why not.
    #[inline]
    pub(super) fn take_now(&self, permits: u32, read: Option<Instant>) -> Result<(), Denied> {
        let (mut core, now) = self.core_now(read);
        core.take_now(permits, now)
    }

    /// Takes permits at once, or joins the line if they are there in time; `read` is what the clock shows, if that is known.
    ///
    /// # Errors
    ///
    /// Why not.
    #[inline]
    pub(super) fn take_or_join(&self, permits: u32, read: Option<Instant>) -> Result<Turn<'_>, Denied> {
        let (mut core, now) = self.core_now(read);
        match core.take_now(permits, now) {
            Ok(()) => Ok(Turn::Now),
            Err(Denied::For(wait)) => self.join(core, permits, now, wait),
            Err(denied) => Err(denied),
        }
    }

    #[inline(never)]
    fn join(
        &self,
        mut core: MutexGuard<'_, Core>,
        permits: u32,
        now: Instant,
        wait: Duration,
    ) -> Result<Turn<'_>, Denied> {
        if core.max_wait.is_zero() {
            return Err(Denied::For(wait));
        }
        let deadline = deadline::in_force();
        let longest = time::after(now, core.max_wait);
        // A call that is served when its deadline passes is served for nothing.
        let in_time = deadline.and_then(|deadline| deadline.checked_sub(Duration::from_nanos(1)));
        let until = in_time.map_or(longest, |in_time| in_time.min(longest));
        if time::after(now, wait) > until {
            return Err(Denied::For(wait));
        }
        core.waiting = core.waiting.saturating_add(1);
        core.asked_for = core.asked_for.saturating_add(u64::from(permits));
        let changes = core.changes;
        Ok(Turn::Later(PlaceInLine { limiter: self, permits, until, deadline, changes, left: false }))
    }

    pub(super) fn count_refusal(&self) {
        let _ = self.rejected.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| Some(count.saturating_add(1)));
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        let core = self.core();
        let now = time::now();
        Snapshot {
            // On a copy: a reader, perhaps on another runtime's clock, changes nothing.
            available: core.bucket.clone().map_or(0, |mut bucket| bucket.available(now)),
            waiting: core.waiting,
            rejected: self.rejected.load(Ordering::Relaxed),
        }
    }
}

impl Core {
    #[inline]
    fn take_now(&mut self, permits: u32, now: Instant) -> Result<(), Denied> {
        if self.waiting > 0 && permits > 0 {
            self.beyond_the_line(permits, now)?;
        }
        self.take(permits, now)
    }

    /// Those in line may be due and not have been woken yet: what is there beyond theirs is free.
    #[cold]
    fn beyond_the_line(&mut self, permits: u32, now: Instant) -> Result<(), Denied> {
        let wait = self.wait_for(permits, self.asked_for, now)?;
        if wait.is_zero() { Ok(()) } else { Err(Denied::For(wait)) }
    }

    #[inline]
    fn take(&mut self, permits: u32, now: Instant) -> Result<(), Denied> {
        let bucket = self.bucket.as_mut().ok_or(Denied::WithoutLimit)?;
        bucket.take(permits, now).map_err(|wait| wait.map_or(Denied::Never, Denied::For))
    }

    fn wait_for(&mut self, permits: u32, ahead: u64, now: Instant) -> Result<Duration, Denied> {
        let bucket = self.bucket.as_mut().ok_or(Denied::WithoutLimit)?;
        bucket.refill(now);
        bucket.wait_for(permits, ahead).ok_or(Denied::Never)
    }
}

/// A call's place in the line; dropping it leaves the line.
#[must_use = "a place that is dropped at once is lost"]
pub(super) struct PlaceInLine<'a> {
    limiter: &'a Limiter,
    permits: u32,
    /// The latest moment at which the call may be due.
    until: Instant,
    deadline: Option<Instant>,
    /// The state of the rates by which the call was let in line.
    changes: u64,
    left: bool,
}

impl PlaceInLine<'_> {
    /// Waits for the permits.
    ///
    /// # Errors
    ///
    /// Why not, where the wait turns out longer than allowed: the rate was lowered meanwhile, or the deadline passed.
    pub(super) async fn served(mut self) -> Result<(), Denied> {
        let turnstile = self.limiter.turnstile.acquire();
        // Kept until the permits are taken; it is never closed.
        let _turn = match self.deadline {
            Some(deadline) => time::by(deadline, turnstile).await.map_err(|_| Denied::Late)?,
            None => turnstile.await,
        };
        loop {
            // Made before the look at the bucket: a change after that look ends the wait.
            let changed = self.limiter.changed.notified();
            let then = match self.take()? {
                Some(then) => then,
                None => return Ok(()),
            };
            // Whether it came or not, the bucket tells.
            let _ = time::by(then, changed).await;
        }
    }

    /// Takes the permits, or says when they are there.
    fn take(&mut self) -> Result<Option<Instant>, Denied> {
        let mut core = self.limiter.core();
        let now = time::now();
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            return Err(Denied::Late);
        }
        let wait = match core.take(self.permits, now) {
            Ok(()) => {
                self.leave(&mut core);
                return Ok(None);
            }
            Err(Denied::For(wait)) => wait,
            Err(denied) => return Err(denied),
        };
        let then = time::after(now, wait);
        // While the rates are the same, only timers, which fire in whole milliseconds, can have made the call late.
        let too_late = if core.changes == self.changes {
            self.deadline.is_some_and(|deadline| then >= deadline)
        } else {
            then > self.until
        };
        if too_late { Err(Denied::For(wait)) } else { Ok(Some(then)) }
    }

    fn leave(&mut self, core: &mut Core) {
        if !self.left {
            self.left = true;
            core.waiting = core.waiting.saturating_sub(1);
            core.asked_for = core.asked_for.saturating_sub(u64::from(self.permits));
        }
    }
}

impl Drop for PlaceInLine<'_> {
    fn drop(&mut self) {
        let mut core = self.limiter.core();
        self.leave(&mut core);
    }
}
