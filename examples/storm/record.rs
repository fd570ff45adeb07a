//! What is written down while a run goes on.

use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Things are counted by stretches of this length.
pub(crate) const STRETCH: Duration = Duration::from_millis(100);

/// The stretch in which a moment lies.
pub(crate) fn index(time: Duration) -> usize {
    (time.as_nanos() / STRETCH.as_nanos()) as usize
}

/// What is counted.
#[derive(Clone, Copy)]
pub(crate) enum Count {
    /// A call reached the server.
    Offered,
    /// A call was answered, and its caller was still there.
    Answered,
    /// The server turned a call away or lost it, or its caller gave it up.
    Failed,
    /// The server finished work that nobody waited for.
    Wasted,
}

/// All that was written down.
#[derive(Default)]
pub(crate) struct Pages {
    /// The counts of each stretch, in the order of [`Count`].
    stretches: Vec<[u32; 4]>,
    /// What clients asked for. Each request takes as many calls as its strategy gives it.
    pub(crate) requests: u64,
    pub(crate) answered: u64,
    /// How many requests ended after so many stretches, with an answer or without.
    pub(crate) ended_after: Vec<u64>,
    /// When clients had their first answer after the recovery, in order.
    pub(crate) back: Vec<Duration>,
}

impl Pages {
    /// How often it happened in each stretch.
    pub(crate) fn series(&self, count: Count) -> Vec<u32> {
        self.stretches.iter().map(|counts| counts[count as usize]).collect()
    }
}

/// The record of one run.
pub(crate) struct Record(Mutex<Pages>);

impl Record {
    pub(crate) fn new(length: Duration) -> Self {
        let stretches = index(length);
        Self(Mutex::new(Pages {
            stretches: vec![Default::default(); stretches],
            ended_after: vec![0; stretches],
            ..Pages::default()
        }))
    }

    pub(crate) fn count(&self, time: Duration, count: Count) {
        if let Some(counts) = self.pages().stretches.get_mut(index(time)) {
            counts[count as usize] += 1;
        }
    }

    /// A request begins.
    pub(crate) fn begin(&self) {
        self.pages().requests += 1;
    }

    /// A request ends.
    pub(crate) fn end(&self, took: Duration, answered: bool) {
        let mut pages = self.pages();
        pages.answered += u64::from(answered);
        if let Some(number) = pages.ended_after.get_mut(index(took)) {
            *number += 1;
        }
    }

    /// A client has its first answer since the recovery.
    pub(crate) fn back(&self, time: Duration) {
        self.pages().back.push(time);
    }

    /// Ends the record. What happens later, as the run is taken down, leaves no trace.
    pub(crate) fn take(&self) -> Pages {
        mem::take(&mut self.pages())
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
