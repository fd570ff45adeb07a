//! The state behind a name: the bucket, and the line of those who wait.
//!
//! The head of the line holds the turnstile while it waits for its permits. Permits are taken when their turn comes, not
//! before: who leaves the line has nothing to give back, and those behind move up. Permits that come back end its wait.

use std::sync::PoisonError;
use std::time::Duration;

use tokio::sync::{Notify, Semaphore};

use super::Snapshot;
use super::bucket::{Bucket, Mark};
use super::config::Settings;
use super::gate::{Answer, Gate};
use super::polled::{in_time, while_under};
use crate::deadline;
use crate::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::sync::{Mutex, MutexGuard};
use crate::time::{self, Instant};

/// The state behind a name.
#[doc(hidden)]
#[derive(Debug)]
pub struct Limiter {
    gate: Gate,
    rejected: AtomicU32,
    max_wait_nanos: AtomicU64,
    core: Mutex<Core>,
    turnstile: Semaphore,
    /// Tells the head of the line of other rates, and of permits that came back.
    changed: Notify,
}

#[derive(Debug)]
struct Core {
    /// Nothing until somebody gives a limit.
    bucket: Option<Bucket>,
    /// How often the rates have been changed.
    changes: u64,
    /// Where the marks of a limit's bucket ended that has been taken away.
    marks: u64,
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
    /// They are there after so many nanoseconds.
    For(u64),
    /// The deadline passed in line.
    Late,
}

/// What the gate answered when it did not let a call pass.
#[derive(Debug)]
pub(crate) struct NotTaken {
    answer: Answer,
    at: Instant,
}

/// What comes of asking.
pub(super) enum Turn<'a> {
    Now(Mark),
    Later(PlaceInLine<'a>),
}

impl Limiter {
    pub(super) fn new(settings: Option<Settings>) -> Self {
        let now = time::stamp(time::now());
        let bucket = settings.map(|settings| Bucket::new(&settings, now));
        let limiter = Self {
            gate: Gate::new(),
            rejected: AtomicU32::new(0),
            max_wait_nanos: AtomicU64::new(max_wait_nanos(settings)),
            core: Mutex::new(Core { bucket, changes: 0, marks: 0, waiting: 0, asked_for: 0 }),
            turnstile: Semaphore::new(1),
            changed: Notify::new(),
        };
        limiter.work(|_| ());
        limiter
    }

    fn core(&self) -> MutexGuard<'_, Core> {
        self.core.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on the bucket and the line, after what was taken without the lock. While there is a line, the gate is closed.
    fn work<T>(&self, work: impl FnOnce(&mut Core) -> T) -> T {
        self.work_on(self.core(), work)
    }

    fn work_on<T>(&self, mut core: MutexGuard<'_, Core>, work: impl FnOnce(&mut Core) -> T) -> T {
        core.bucket.iter_mut().for_each(|bucket| self.gate.close(bucket));
        let result = work(&mut core);
        match &core.bucket {
            Some(bucket) if core.waiting == 0 => self.gate.open(bucket),
            _ => {}
        }
        result
    }

    pub(super) fn reconfigure(&self, settings: Option<Settings>) {
        self.max_wait_nanos.store(max_wait_nanos(settings), Ordering::Relaxed);
        self.work(|core| {
            let now = time::stamp(time::now());
            match (&mut core.bucket, settings) {
                (Some(bucket), Some(settings)) => bucket.reconfigure(&settings, now),
                (bucket, settings) => {
                    let marks = bucket.as_ref().map_or(core.marks, Bucket::beyond);
                    core.marks = marks;
                    *bucket = settings.map(|settings| Bucket::new(&settings, now).following(marks));
                }
            }
            core.changes += 1;
        });
        self.changed.notify_waiters();
    }

    /// Takes permits for good if there are enough for those in line, too; `read` is what the clock shows, if that is known.
    ///
    /// # Errors
    ///
    /// Why not.
    #[inline]
    pub(super) fn take_now(&self, permits: u32, read: Option<Instant>) -> Result<(), Denied> {
        match self.take_at_gate(permits, read) {
            Ok(_mark) => Ok(()),
            Err(NotTaken { answer: Answer::Refused(wait), .. }) => Err(Denied::for_want(wait)),
            // Without patience nobody joins the line.
            Err(NotTaken { at, .. }) => self.take_with_lock(permits, at, Duration::ZERO).map(|_now| ()),
        }
    }

    /// Takes permits if the gate has them; else what it said. `read` is what the clock shows, if that is known.
    #[inline(always)]
    pub(super) fn take_at_gate(&self, permits: u32, read: Option<Instant>) -> Result<Mark, NotTaken> {
        let now = read.unwrap_or_else(time::now);
        let at = time::stamp(now);
        match self.gate.take(permits, at) {
            Answer::Taken(full) => Ok(Mark { at, full }),
            answer => Err(NotTaken { answer, at: now }),
        }
    }

    /// Takes back what a call took that did not come to be, and has the head of the line look again.
    #[cold]
    pub(super) fn give_back(&self, permits: u32, mark: Mark) {
        let now = time::now();
        let awaited = self.work(|core| {
            let now = time::stamp(core.no_earlier(now));
            if let Some(bucket) = &mut core.bucket {
                bucket.give_back(permits, mark, now);
            }
            core.waiting > 0
        });
        if awaited {
            self.changed.notify_waiters();
        }
    }

    /// After the gate had none: takes permits all the same, or joins the line if they are there in time.
    ///
    /// # Errors
    ///
    /// Why not.
    pub(super) fn join_after(&self, permits: u32, not_taken: NotTaken) -> Result<Turn<'_>, Denied> {
        match not_taken.answer {
            Answer::Refused(wait) if self.max_wait().is_zero() => Err(Denied::for_want(wait)),
            _ => self.take_with_lock(permits, not_taken.at, self.max_wait()),
        }
    }

    #[inline(never)]
    fn take_with_lock(&self, permits: u32, now: Instant, patience: Duration) -> Result<Turn<'_>, Denied> {
        let core = self.core();
        // Whoever closed the gate to work has opened it by now; to close it again would send all others here, too.
        let at = time::stamp(now);
        match self.gate.take(permits, at) {
            Answer::Taken(full) => return Ok(Turn::Now(Mark { at, full })),
            Answer::Refused(wait) if patience.is_zero() => return Err(Denied::for_want(wait)),
            _ => {}
        }
        self.work_on(core, |core| {
            let now = core.no_earlier(now);
            match core.take_now(permits, now) {
                Ok(mark) => Ok(Turn::Now(mark)),
                Err(Denied::For(wait)) if !patience.is_zero() => self.join(core, permits, now, wait, patience),
                Err(denied) => Err(denied),
            }
        })
    }

    fn join(
        &self,
        core: &mut Core,
        permits: u32,
        now: Instant,
        wait: u64,
        patience: Duration,
    ) -> Result<Turn<'_>, Denied> {
        let deadline = deadline::in_force();
        let longest = time::after(now, patience);
        // A call that is served when its deadline passes is served for nothing.
        let in_time = deadline.and_then(|deadline| deadline.checked_sub(Duration::from_nanos(1)));
        let until = in_time.map_or(longest, |in_time| in_time.min(longest));
        if time::after(now, Duration::from_nanos(wait)) > until {
            return Err(Denied::For(wait));
        }
        core.waiting = core.waiting.saturating_add(1);
        core.asked_for = core.asked_for.saturating_add(u64::from(permits));
        Ok(Turn::Later(PlaceInLine { limiter: self, permits, longest, deadline, changes: core.changes, left: false }))
    }

    fn max_wait(&self) -> Duration {
        Duration::from_nanos(self.max_wait_nanos.load(Ordering::Relaxed))
    }

    /// Whether a call that comes after so long, and asks for one permit, is refused as things are.
    pub(super) fn refuses_for(&self, length: Duration) -> bool {
        let core = self.core();
        let then = time::stamp(time::after(time::now(), length.saturating_add(self.max_wait())));
        let Some(mut copy) = core.bucket.clone() else { return false };
        self.gate.look(&mut copy);
        copy.refill(then);
        copy.wait_for(1, core.asked_for).is_none_or(|wait| wait > 0)
    }

    pub(super) fn count_refusal(&self) {
        let _ = self.rejected.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| Some(count.saturating_add(1)));
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        let core = self.core();
        let now = time::stamp(time::now());
        // On a copy: a reader, perhaps on another runtime's clock, changes nothing.
        let available = core.bucket.clone().map_or(0, |mut copy| {
            self.gate.look(&mut copy);
            copy.available(now)
        });
        Snapshot { available, waiting: core.waiting, rejected: self.rejected.load(Ordering::Relaxed) }
    }
}

fn max_wait_nanos(settings: Option<Settings>) -> u64 {
    settings.map_or(0, |settings| time::nanos(settings.max_wait))
}

impl Denied {
    /// The bucket has too little: for so many nanoseconds, or for ever.
    fn for_want(wait: Option<u64>) -> Self {
        wait.map_or(Self::Never, Self::For)
    }
}

impl Core {
    /// `now`, or what the clock shows now where another call has looked at the bucket with a later reading.
    ///
    /// It is read before the lock, which is held for less than reading it takes. If the bucket is ahead even of this
    /// reading, the clock is another runtime's.
    fn no_earlier(&self, now: Instant) -> Instant {
        let ahead = self.bucket.as_ref().is_some_and(|bucket| bucket.at() > time::stamp(now));
        if ahead { time::now() } else { now }
    }

    fn take_now(&mut self, permits: u32, now: Instant) -> Result<Mark, Denied> {
        if self.waiting > 0 && permits > 0 {
            self.beyond_the_line(permits, now)?;
        }
        self.take(permits, now)
    }

    /// Those in line may be due and not have been woken yet: what is there beyond theirs is free.
    fn beyond_the_line(&mut self, permits: u32, now: Instant) -> Result<(), Denied> {
        let wait = self.wait_for(permits, self.asked_for, now)?;
        if wait == 0 { Ok(()) } else { Err(Denied::For(wait)) }
    }

    fn take(&mut self, permits: u32, now: Instant) -> Result<Mark, Denied> {
        let bucket = self.bucket.as_mut().ok_or(Denied::WithoutLimit)?;
        let at = time::stamp(now);
        bucket.take(permits, at).map_err(Denied::for_want)?;
        Ok(Mark { at, full: bucket.full() })
    }

    fn wait_for(&mut self, permits: u32, ahead: u64, now: Instant) -> Result<u64, Denied> {
        let bucket = self.bucket.as_mut().ok_or(Denied::WithoutLimit)?;
        bucket.refill(time::stamp(now));
        bucket.wait_for(permits, ahead).ok_or(Denied::Never)
    }
}

/// What the head of the line finds.
enum Look {
    Served(Mark),
    Due(Instant),
}

/// A call's place in the line; dropping it leaves the line.
#[must_use = "a place that is dropped at once is lost"]
pub(super) struct PlaceInLine<'a> {
    limiter: &'a Limiter,
    permits: u32,
    /// The latest moment at which the call may be due, as far as `max_wait` says.
    longest: Instant,
    /// That of whoever has polled it last.
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
    /// Why not, where the wait turns out longer than allowed: the rate was lowered meanwhile, or the deadline of whoever polls it
    /// has passed, or is too early.
    pub(super) async fn served(mut self) -> Result<Mark, Denied> {
        let turnstile = self.limiter.turnstile.acquire();
        // Kept until the permits are taken; it is never closed.
        let _turn = in_time(turnstile).await.ok_or(Denied::Late)?;
        loop {
            self.deadline = deadline::in_force();
            // Made before the look at the bucket: a change after that look ends the wait.
            let changed = self.limiter.changed.notified();
            let then = match self.take()? {
                Look::Served(mark) => return Ok(mark),
                Look::Due(then) => then,
            };
            // Whether it came or not, or somebody else polls now, the bucket tells.
            let _ = while_under(self.deadline, time::by(then, changed)).await;
        }
    }

    /// Takes the permits, or says when they are there.
    fn take(&mut self) -> Result<Look, Denied> {
        self.limiter.work(|core| {
            let now = time::now();
            if self.deadline.is_some_and(|deadline| deadline <= now) {
                return Err(Denied::Late);
            }
            let wait = match core.take(self.permits, now) {
                Ok(mark) => {
                    self.leave(core);
                    return Ok(Look::Served(mark));
                }
                Err(Denied::For(wait)) => wait,
                Err(denied) => return Err(denied),
            };
            let then = time::after(now, Duration::from_nanos(wait));
            // While the rates are the same, only timers, which fire in whole milliseconds, can have made the call late.
            let too_late = self.deadline.is_some_and(|deadline| then >= deadline);
            if too_late || (core.changes != self.changes && then > self.longest) {
                Err(Denied::For(wait))
            } else {
                Ok(Look::Due(then))
            }
        })
    }

    fn leave(&mut self, core: &mut Core) {
        self.left = true;
        core.waiting = core.waiting.saturating_sub(1);
        core.asked_for = core.asked_for.saturating_sub(u64::from(self.permits));
    }
}

impl Drop for PlaceInLine<'_> {
    fn drop(&mut self) {
        if !self.left {
            let limiter = self.limiter;
            limiter.work(|core| self.leave(core));
        }
    }
}
