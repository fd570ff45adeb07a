//! The bucket, and the line of those who wait for its permits. Pure: time comes in as an argument, in nanoseconds.
//!
//! Permits are taken when their turn comes, not before: who leaves the line has nothing to give back, and those behind move
//! up. Each in line knows when the permits are there for it if all before it take theirs, and looks then by a timer of its
//! own. Whoever does not come then has lost its turn: those behind do not wait for it, and it goes to the end of the line when
//! it comes after all, unless what it asks for is there and makes nobody later.

use std::task::Waker;

use super::bucket::{Bucket, Mark};
use super::config::Settings;
use crate::line::Line;
use crate::time;

/// How much later than its turn a call may come: timers end on whole milliseconds, and threads have other things to do.
pub(super) const LATE: u64 = 5 * time::TICK.as_nanos() as u64;

#[derive(Debug)]
pub(super) struct State {
    /// Nothing until somebody gives a limit.
    bucket: Option<Bucket>,
    /// Where the marks of a limit's bucket ended that has been taken away.
    marks: u64,
    line: Line<Waiting>,
    /// What those in line ask for together.
    asked_for: u64,
    /// Of those who have left. Dropping them is somebody else's code.
    gone: Vec<Waker>,
}

/// What is known of a call in line.
#[derive(Debug)]
pub(super) struct Waiting {
    permits: u32,
    /// When it looks for them.
    pub(super) due: u64,
}

/// A call's place in the line.
#[derive(Debug)]
pub(super) struct Spot {
    pub(super) number: u64,
    permits: u32,
    /// How long it waits at most.
    longest: u64,
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

/// What comes of asking.
#[derive(Debug)]
pub(super) enum Asked {
    Taken(Mark),
    Waits(Spot),
}

/// What a call in line finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Served(Mark),
    /// It is to look again then.
    At(u64),
}

impl Denied {
    /// The bucket has too little: for so many nanoseconds, or for ever.
    pub(super) fn for_want(wait: Option<u64>) -> Self {
        wait.map_or(Self::Never, Self::For)
    }
}

impl State {
    pub(super) fn new(settings: Option<Settings>, now: u64) -> Self {
        let bucket = settings.map(|settings| Bucket::new(&settings, now));
        Self { bucket, marks: 0, line: Line::new(), asked_for: 0, gone: Vec::new() }
    }

    pub(super) fn bucket(&self) -> Option<&Bucket> {
        self.bucket.as_ref()
    }

    pub(super) fn bucket_mut(&mut self) -> Option<&mut Bucket> {
        self.bucket.as_mut()
    }

    pub(super) fn line(&self) -> &Line<Waiting> {
        &self.line
    }

    pub(super) fn line_mut(&mut self) -> &mut Line<Waiting> {
        &mut self.line
    }

    /// Whether the bucket was looked at with a later reading of the clock.
    pub(super) fn is_ahead_of(&self, now: u64) -> bool {
        self.bucket.as_ref().is_some_and(|bucket| bucket.at() > now)
    }

    pub(super) fn reconfigure(&mut self, settings: Option<Settings>, now: u64) {
        match (&mut self.bucket, settings) {
            (Some(bucket), Some(settings)) => bucket.reconfigure(&settings, now),
            (bucket, settings) => {
                self.marks = bucket.as_ref().map_or(self.marks, Bucket::beyond);
                *bucket = settings.map(|settings| Bucket::new(&settings, now).following(self.marks));
            }
        }
    }

    /// Takes permits that are there beyond those for the line: its calls may be due and not have been woken yet.
    ///
    /// # Errors
    ///
    /// Why not.
    pub(super) fn take_now(&mut self, permits: u32, now: u64) -> Result<Mark, Denied> {
        self.pass_over(now);
        if permits > 0 {
            match self.wait_for(permits, self.asked_for, now)? {
                0 => {}
                wait => return Err(Denied::For(wait)),
            }
        }
        self.take(permits, now)
    }

    /// Takes permits that are there, or joins the line if they are there by `longest`.
    ///
    /// # Errors
    ///
    /// Why not.
    pub(super) fn take_or_join(&mut self, permits: u32, now: u64, until: u64, longest: u64) -> Result<Asked, Denied> {
        match self.take_now(permits, now) {
            Ok(mark) => Ok(Asked::Taken(mark)),
            Err(Denied::For(wait)) => {
                let spot = Spot { number: self.line.draw(), permits, longest };
                self.join(&spot, now, wait, until).map(|_| Asked::Waits(spot))
            }
            Err(denied) => Err(denied),
        }
    }

    /// Joins the line at its end; returns when to look.
    fn join(&mut self, spot: &Spot, now: u64, wait: u64, until: u64) -> Result<u64, Denied> {
        let due = time::later(now, wait.max(self.ticks()));
        if due > until {
            return Err(Denied::For(wait));
        }
        self.line.join(spot.number, Waiting { permits: spot.permits, due });
        self.asked_for = self.asked_for.saturating_add(u64::from(spot.permits));
        Ok(due)
    }

    /// How long it takes until whoever joins is served, as far as timers tell: in a tick no more are served than the bucket
    /// holds.
    fn ticks(&self) -> u64 {
        let burst = self.bucket.as_ref().map_or(1, |bucket| u64::from(bucket.burst()).max(1));
        let ahead = self.asked_for / burst;
        if ahead == 0 { 0 } else { (ahead + 1).saturating_mul(time::nanos(time::TICK)) }
    }

    /// What a call in line finds that must be served by `until`.
    ///
    /// # Errors
    ///
    /// Why it need not wait any longer: the rate was lowered meanwhile, calls before it came late, or `until` is too early.
    pub(super) fn look(&mut self, spot: &mut Spot, now: u64, until: u64) -> Result<Look, Denied> {
        let due = self.line.get_mut(spot.number).map(|place| place.known.due);
        let Some(due) = due.filter(|due| !is_late(*due, now)) else { return self.come_late(spot, now, until) };
        self.pass_over(now);
        let is_first = self.line.first() == Some(spot.number);
        if !is_first && now < due {
            return Ok(Look::At(due));
        }
        let (ahead, due_ahead) = self.ahead_of(spot.number);
        let own = self.wait_for(spot.permits, 0, now)?;
        let wait = self.wait_for(spot.permits, ahead, now)?;
        if own == 0 && (wait == 0 || now >= spot.longest) {
            self.leave(spot.number);
            return self.take(spot.permits, now).map(Look::Served);
        }
        let alone = time::later(now, own);
        if alone > until.min(spot.longest.saturating_add(LATE)) {
            return Err(Denied::For(wait));
        }
        // Where it only waits for those before it, their turn passes on; and at last it does not wait for them.
        let due = if own == 0 { due_ahead.saturating_add(LATE) } else { time::later(now, wait) };
        let at = due.min(spot.longest.max(alone)).max(now.saturating_add(1));
        if let Some(place) = self.line.get_mut(spot.number) {
            place.known.due = at;
        }
        Ok(Look::At(at))
    }

    /// It has lost its turn.
    fn come_late(&mut self, spot: &mut Spot, now: u64, until: u64) -> Result<Look, Denied> {
        self.leave(spot.number);
        self.pass_over(now);
        let wait = self.wait_for(spot.permits, self.asked_for, now)?;
        if wait == 0 || self.delays_nobody(spot.permits) {
            return self.take(spot.permits, now).map(Look::Served);
        }
        spot.number = self.line.draw();
        self.join(spot, now, wait, until.min(spot.longest)).map(Look::At)
    }

    /// Whether so many permits are there, and everybody in line finds theirs in time without them.
    fn delays_nobody(&self, permits: u32) -> bool {
        let Some(bucket) = &self.bucket else { return false };
        let now = bucket.at();
        let mut ahead = u64::from(permits);
        let in_time = |(_, waiting): (u64, &Waiting)| {
            let wait = bucket.wait_for(waiting.permits, ahead);
            ahead = ahead.saturating_add(u64::from(waiting.permits));
            wait.is_none_or(|wait| time::later(now, wait) <= waiting.due.max(now))
        };
        bucket.wait_for(permits, 0) == Some(0) && self.line.iter().all(in_time)
    }

    /// Takes those out who are first in line and did not come for their turn.
    fn pass_over(&mut self, now: u64) {
        let first_is_late = |line: &Line<Waiting>| {
            let (number, waiting) = line.iter().next()?;
            is_late(waiting.due, now).then_some(number)
        };
        while let Some(number) = first_is_late(&self.line) {
            self.leave(number);
        }
    }

    /// Has the first in line look: it may be served earlier than it knows, and from here on that is its turn.
    pub(super) fn tell_first(&mut self, now: u64) -> Option<Waker> {
        let permits = self.line.first_mut()?.known.permits;
        let wait = self.wait_for(permits, 0, now).unwrap_or(0);
        let place = self.line.first_mut()?;
        place.known.due = place.known.due.min(time::later(now, wait));
        place.waker.take()
    }

    /// What those ask for together who are before it, and when all of them have looked.
    fn ahead_of(&self, number: u64) -> (u64, u64) {
        let ahead = self.line.iter().take_while(|(other, _)| *other < number).map(|(_, waiting)| waiting);
        ahead.fold((0, 0), |(sum, due), waiting| (sum.saturating_add(waiting.permits.into()), waiting.due.max(due)))
    }

    /// Leaves the line, if it is still there.
    pub(super) fn leave(&mut self, number: u64) {
        if let Some(place) = self.line.leave(number) {
            self.asked_for = self.asked_for.saturating_sub(u64::from(place.known.permits));
            self.gone.extend(place.waker);
        }
    }

    /// For the caller to drop, under no lock.
    pub(super) fn gone(&mut self) -> Vec<Waker> {
        std::mem::take(&mut self.gone)
    }

    fn take(&mut self, permits: u32, now: u64) -> Result<Mark, Denied> {
        let bucket = self.bucket.as_mut().ok_or(Denied::WithoutLimit)?;
        bucket.take(permits, now).map_err(Denied::for_want)?;
        Ok(Mark { at: now, full: bucket.full() })
    }

    fn wait_for(&mut self, permits: u32, ahead: u64, now: u64) -> Result<u64, Denied> {
        let bucket = self.bucket.as_mut().ok_or(Denied::WithoutLimit)?;
        bucket.refill(now);
        bucket.wait_for(permits, ahead).ok_or(Denied::Never)
    }

    /// How many are in line that may still come for their turn, and what they ask for: for a reader.
    pub(super) fn waiting(&self, now: u64) -> (usize, u64) {
        let late = self.line.iter().take_while(|(_, waiting)| is_late(waiting.due, now));
        let (gone, not_wanted) =
            late.fold((0, 0), |(gone, sum), (_, waiting)| (gone + 1, sum + u64::from(waiting.permits)));
        (self.line.len() - gone, self.asked_for.saturating_sub(not_wanted))
    }
}

fn is_late(due: u64, now: u64) -> bool {
    due.saturating_add(LATE) <= now
}
