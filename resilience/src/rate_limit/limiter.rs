//! The state behind a name: the bucket, and the line of those who wait.
//!
//! The head of the line holds the turnstile while it waits for its permits. Permits are taken when their turn comes, not
//! before: who leaves the line has nothing to give back, and those behind move up.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

use super::Snapshot;
use super::bucket::Bucket;
use super::config::Settings;
use crate::time::{self, Instant};

/// The state behind a name.
#[doc(hidden)]
#[derive(Debug)]
pub struct Limiter {
    core: Mutex<Core>,
    turnstile: Semaphore,
    rejected: AtomicU32,
}

#[derive(Debug)]
struct Core {
    /// Nothing until somebody gives a limit.
    bucket: Option<Bucket>,
    max_wait: Duration,
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
}

/// What comes of asking.
pub(super) enum Turn<'a> {
    Now,
    Later(PlaceInLine<'a>),
}

impl Limiter {
    pub(super) fn new(settings: Option<Settings>, now: Instant) -> Self {
        let core = Core {
            bucket: settings.map(|settings| Bucket::new(&settings, now)),
            max_wait: settings.map_or(Duration::ZERO, |settings| settings.max_wait),
            waiting: 0,
            asked_for: 0,
        };
        Self { core: Mutex::new(core), turnstile: Semaphore::new(1), rejected: AtomicU32::new(0) }
    }

    fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn reconfigure(&self, settings: Option<Settings>, now: Instant) {
        let mut core = self.core();
        core.max_wait = settings.map_or(Duration::ZERO, |settings| settings.max_wait);
        match (&mut core.bucket, settings) {
            (Some(bucket), Some(settings)) => bucket.reconfigure(&settings, now),
            (bucket, settings) => *bucket = settings.map(|settings| Bucket::new(&settings, now)),
        }
    }

    /// Takes permits if nobody is in line.
    ///
    /// # Errors
    ///
    /// Why not.
    pub(super) fn take_now(&self, permits: u32, now: Instant) -> Result<(), Denied> {
        self.core().take_now(permits, now)
    }

    /// Takes permits at once, or joins the line if they are there in time.
    ///
    /// # Errors
    ///
    /// Why not.
    pub(super) fn take_or_join(
        &self,
        permits: u32,
        now: Instant,
        deadline: Option<Instant>,
    ) -> Result<Turn<'_>, Denied> {
        let mut core = self.core();
        let wait = match core.take_now(permits, now) {
            Ok(()) => return Ok(Turn::Now),
            Err(Denied::For(wait)) => wait,
            Err(denied) => return Err(denied),
        };
        let longest = time::after(now, core.max_wait);
        // A call that is served when its deadline passes is served for nothing.
        let in_time = deadline.and_then(|deadline| deadline.checked_sub(Duration::from_nanos(1)));
        let until = in_time.map_or(longest, |in_time| in_time.min(longest));
        if time::after(now, wait) > until {
            return Err(Denied::For(wait));
        }
        core.waiting = core.waiting.saturating_add(1);
        core.asked_for = core.asked_for.saturating_add(u64::from(permits));
        Ok(Turn::Later(PlaceInLine { limiter: self, permits, until }))
    }

    pub(super) fn count_refusal(&self) {
        let _ = self.rejected.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| Some(count.saturating_add(1)));
    }

    pub(super) fn snapshot(&self, now: Instant) -> Snapshot {
        let mut core = self.core();
        Snapshot {
            available: core.bucket.as_mut().map_or(0, |bucket| bucket.available(now)),
            waiting: core.waiting,
            rejected: self.rejected.load(Ordering::Relaxed),
        }
    }
}

impl Core {
    fn take_now(&mut self, permits: u32, now: Instant) -> Result<(), Denied> {
        if self.waiting == 0 { self.take(permits, now) } else { Err(self.wait_for(permits, self.asked_for, now)) }
    }

    fn take(&mut self, permits: u32, now: Instant) -> Result<(), Denied> {
        let bucket = self.bucket.as_mut().ok_or(Denied::WithoutLimit)?;
        bucket.take(permits, now).map_err(Denied::of)
    }

    fn wait_for(&mut self, permits: u32, ahead: u64, now: Instant) -> Denied {
        let Some(bucket) = &mut self.bucket else { return Denied::WithoutLimit };
        bucket.refill(now);
        Denied::of(bucket.wait_for(permits, ahead))
    }
}

impl Denied {
    fn of(wait: Option<Duration>) -> Self {
        wait.map_or(Self::Never, Self::For)
    }
}

/// A call's place in the line; dropping it leaves the line.
#[must_use = "a place that is dropped at once is lost"]
pub(super) struct PlaceInLine<'a> {
    limiter: &'a Limiter,
    permits: u32,
    until: Instant,
}

impl PlaceInLine<'_> {
    /// Waits for the permits.
    ///
    /// # Errors
    ///
    /// Why not, where the wait turns out longer than allowed: the limit was lowered meanwhile.
    pub(super) async fn served(self) -> Result<(), Denied> {
        // The turnstile is kept until the permits are taken; it is never closed.
        let turn = time::by(self.until, self.limiter.turnstile.acquire()).await;
        if turn.is_err() {
            let mut core = self.limiter.core();
            let ahead = core.asked_for.saturating_sub(u64::from(self.permits));
            return Err(core.wait_for(self.permits, ahead, time::now()));
        }
        loop {
            let now = time::now();
            let wait = match self.limiter.core().take(self.permits, now) {
                Err(Denied::For(wait)) => wait,
                taken_or_denied => return taken_or_denied,
            };
            let then = time::after(now, wait);
            if then > self.until {
                return Err(Denied::For(wait));
            }
            time::sleep_until(then).await;
        }
    }
}

impl Drop for PlaceInLine<'_> {
    fn drop(&mut self) {
        let mut core = self.limiter.core();
        core.waiting = core.waiting.saturating_sub(1);
        core.asked_for = core.asked_for.saturating_sub(u64::from(self.permits));
    }
}
