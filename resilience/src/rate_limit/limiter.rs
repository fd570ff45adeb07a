//! The state behind a name: its bucket and line under a lock, and the gate that most calls pass without it.

use std::sync::PoisonError;
use std::task::Waker;
use std::time::Duration;

use super::Snapshot;
use super::bucket::Mark;
use super::config::Settings;
use super::gate::{Answer, Gate};
use super::state::{Asked, Denied, Look, Spot, State};
use crate::deadline;
use crate::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::sync::{Mutex, MutexGuard};
use crate::time::{self, Instant};
use crate::wake::{forget, wake};

/// The state behind a name.
#[doc(hidden)]
#[derive(Debug)]
pub struct Limiter {
    gate: Gate,
    rejected: AtomicU32,
    max_wait_nanos: AtomicU64,
    state: Mutex<State>,
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
        let limiter = Self {
            gate: Gate::new(),
            rejected: AtomicU32::new(0),
            max_wait_nanos: AtomicU64::new(max_wait_nanos(settings)),
            state: Mutex::new(State::new(settings, time::stamp(time::now()))),
        };
        limiter.work(|_| ());
        limiter
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on the bucket and the line, after what was taken without the lock. While there is a line, the gate is closed.
    fn work<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        self.work_on(self.state(), work)
    }

    /// Whoever is first in line because of it is told to look.
    fn work_on<T>(&self, mut state: MutexGuard<'_, State>, work: impl FnOnce(&mut State) -> T) -> T {
        let (result, told) = self.with_gate_closed(&mut state, |state| {
            let first = state.line().first();
            let result = work(state);
            (result, if state.line().first() == first { None } else { tell_first(state) })
        });
        let gone = state.gone();
        drop(state);
        forget(gone);
        wake(told);
        result
    }

    /// Does what may let the first in line be served earlier: it is told to look.
    fn work_for_line(&self, work: impl FnOnce(&mut State)) {
        let mut state = self.state();
        let told = self.with_gate_closed(&mut state, |state| {
            work(state);
            tell_first(state)
        });
        drop(state);
        wake(told);
    }

    fn with_gate_closed<T>(&self, state: &mut State, work: impl FnOnce(&mut State) -> T) -> T {
        state.bucket_mut().into_iter().for_each(|bucket| self.gate.close(bucket));
        let result = work(state);
        match state.bucket() {
            Some(bucket) if state.line().is_empty() => self.gate.open(bucket),
            _ => {}
        }
        result
    }

    pub(super) fn reconfigure(&self, settings: Option<Settings>) {
        self.max_wait_nanos.store(max_wait_nanos(settings), Ordering::Relaxed);
        self.work_for_line(|state| state.reconfigure(settings, time::stamp(time::now())));
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
        self.work_for_line(|state| {
            let now = time::stamp(no_earlier(state, now));
            if let Some(bucket) = state.bucket_mut() {
                bucket.give_back(permits, mark, now);
            }
        });
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
        let state = self.state();
        // Whoever closed the gate to work has opened it by now; to close it again would send all others here, too.
        let at = time::stamp(now);
        match self.gate.take(permits, at) {
            Answer::Taken(full) => return Ok(Turn::Now(Mark { at, full })),
            Answer::Refused(wait) if patience.is_zero() => return Err(Denied::for_want(wait)),
            _ => {}
        }
        self.work_on(state, |state| {
            let now = no_earlier(state, now);
            let at = time::stamp(now);
            if patience.is_zero() {
                return state.take_now(permits, at).map(Turn::Now);
            }
            let longest = time::later(at, time::nanos(patience));
            let until = in_time(deadline::in_force()).min(longest);
            Ok(match state.take_or_join(permits, at, until, longest)? {
                Asked::Taken(mark) => Turn::Now(mark),
                Asked::Waits(spot) => Turn::Later(PlaceInLine { limiter: self, spot, left: false }),
            })
        })
    }

    fn max_wait(&self) -> Duration {
        Duration::from_nanos(self.max_wait_nanos.load(Ordering::Relaxed))
    }

    /// Whether a call that comes after so long, and asks for one permit, is refused as things are.
    pub(super) fn refuses_for(&self, length: Duration) -> bool {
        let state = self.state();
        let now = time::now();
        let then = time::stamp(time::after(now, length.saturating_add(self.max_wait())));
        let Some(mut copy) = state.bucket().cloned() else { return false };
        self.gate.look(&mut copy);
        copy.refill(then);
        let (_, asked_for) = state.waiting(time::stamp(now));
        copy.wait_for(1, asked_for).is_none_or(|wait| wait > 0)
    }

    pub(super) fn count_refusal(&self) {
        let _ = self.rejected.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| Some(count.saturating_add(1)));
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        let state = self.state();
        let now = time::stamp(time::now());
        // On a copy: a reader, perhaps on another runtime's clock, changes nothing.
        let available = state.bucket().cloned().map_or(0, |mut copy| {
            self.gate.look(&mut copy);
            copy.available(now)
        });
        let (waiting, _) = state.waiting(now);
        let waiting = u32::try_from(waiting).unwrap_or(u32::MAX);
        Snapshot { available, waiting, rejected: self.rejected.load(Ordering::Relaxed) }
    }
}

fn max_wait_nanos(settings: Option<Settings>) -> u64 {
    settings.map_or(0, |settings| time::nanos(settings.max_wait))
}

/// `now`, or what the clock shows now where another call has looked at the bucket with a later reading.
///
/// It is read before the lock, which is held for less than reading it takes. If the bucket is ahead even of this reading, the
/// clock is another runtime's.
fn no_earlier(state: &State, now: Instant) -> Instant {
    if state.is_ahead_of(time::stamp(now)) { time::now() } else { now }
}

/// The last moment before the deadline: a call that is served when its deadline passes is served for nothing.
fn in_time(deadline: Option<Instant>) -> u64 {
    deadline.map_or(u64::MAX, |deadline| time::stamp(deadline).saturating_sub(1))
}

fn tell_first(state: &mut State) -> Option<Waker> {
    if state.line().is_empty() { None } else { state.tell_first(time::stamp(time::now())) }
}

/// A call's place in the line; dropping it leaves the line.
#[must_use = "a place that is dropped at once is lost"]
pub(super) struct PlaceInLine<'a> {
    limiter: &'a Limiter,
    spot: Spot,
    left: bool,
}

/// What a call in line finds.
pub(super) enum Found {
    Served(Mark),
    LooksAgain(Instant),
}

impl PlaceInLine<'_> {
    /// Takes the permits, or says when to look for them again; `waker` is told if that changes.
    ///
    /// # Errors
    ///
    /// Why there is nothing to wait for any more.
    pub(super) fn look(&mut self, deadline: Option<Instant>, waker: Waker) -> Result<Found, Denied> {
        let mut waker = Some(waker);
        let spot = &mut self.spot;
        let (found, now) = self.limiter.work(|state| {
            let now = time::now();
            if deadline.is_some_and(|deadline| deadline <= now) {
                return (Err(Denied::Late), now);
            }
            let found = state.look(spot, time::stamp(now), in_time(deadline));
            if let Some(place) = state.line_mut().get_mut(spot.number) {
                std::mem::swap(&mut place.waker, &mut waker);
            }
            (found, now)
        });
        forget(waker);
        match found? {
            Look::Served(mark) => {
                self.left = true;
                Ok(Found::Served(mark))
            }
            Look::At(at) => {
                let wait = Duration::from_nanos(at.saturating_sub(time::stamp(now)));
                Ok(Found::LooksAgain(time::after(now, wait)))
            }
        }
    }
}

impl Drop for PlaceInLine<'_> {
    fn drop(&mut self) {
        if !self.left {
            self.limiter.work(|state| state.leave(self.spot.number));
        }
    }
}
