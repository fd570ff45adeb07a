//! Bodies that do as they are told, and remember what happened to them.

use std::collections::VecDeque;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::fault::{Answer, Fault};
use crate::time::{Clock, sleep};

/// What one run of a body does.
#[derive(Clone, Debug)]
pub enum Step {
    /// Returns the number of the run.
    Ok,
    /// Returns this.
    Give(u32),
    /// Fails.
    Err(Fault),
    /// Never ends.
    Hang,
    /// Panics.
    Panic,
    /// Takes so long, then does the other step.
    Slow(Duration, Box<Step>),
}

impl Step {
    /// This step after so long.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        Self::Slow(duration, Box::new(self))
    }
}

/// Fails.
impl From<Fault> for Step {
    fn from(fault: Fault) -> Self {
        Self::Err(fault)
    }
}

/// A body: each run takes the next step; the last step is repeated. Clones are the same body.
#[derive(Clone, Debug)]
pub struct Script {
    steps: Arc<Mutex<VecDeque<Step>>>,
    probe: Probe,
}

impl Script {
    /// A body that takes these steps.
    ///
    /// # Panics
    ///
    /// Without any step.
    #[must_use]
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        let steps: VecDeque<_> = steps.into_iter().collect();
        assert!(!steps.is_empty(), "a script has at least one step");
        Self { steps: Arc::new(Mutex::new(steps)), probe: Probe::start() }
    }

    /// A body that always succeeds.
    #[must_use]
    pub fn ok() -> Self {
        Self::new([Step::Ok])
    }

    /// A body that always fails in a way that may pass.
    #[must_use]
    pub fn down() -> Self {
        Self::new([Step::Err(Fault::Down)])
    }

    /// A body that never ends.
    #[must_use]
    pub fn hang() -> Self {
        Self::new([Step::Hang])
    }

    /// Runs it once.
    ///
    /// # Errors
    ///
    /// As the script says.
    pub async fn run(&self) -> Answer {
        let mut guard = self.probe.enter();
        let mut step = self.next();
        while let Step::Slow(duration, then) = step {
            sleep(duration).await;
            step = *then;
        }
        let answer = match step {
            Step::Ok => Ok(guard.number),
            Step::Give(value) => Ok(value),
            Step::Err(fault) => Err(fault),
            Step::Panic => panic!("the body panics, as its script says"),
            Step::Hang | Step::Slow(..) => pending().await,
        };
        guard.finished = true;
        answer
    }

    fn next(&self) -> Step {
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        match (steps.len(), steps.front().cloned()) {
            (0 | 1, Some(last)) => last,
            _ => steps.pop_front().unwrap_or(Step::Hang),
        }
    }

    /// What happened to the body so far.
    #[must_use]
    pub fn probe(&self) -> &Probe {
        &self.probe
    }

    /// How often it ran.
    #[must_use]
    pub fn entered(&self) -> u32 {
        self.probe.entered()
    }
}

/// Counts runs: begun, ended, dropped half-way, and how many there were at once.
#[derive(Clone, Debug)]
pub struct Probe {
    clock: Clock,
    counts: Arc<Mutex<Counts>>,
}

#[derive(Debug, Default)]
struct Counts {
    finished: u32,
    dropped: u32,
    in_flight: u32,
    max_in_flight: u32,
    starts: Vec<Duration>,
}

impl Probe {
    /// Starts counting, and the clock for [`starts`](Self::starts).
    #[must_use]
    pub fn start() -> Self {
        Self { clock: Clock::start(), counts: Arc::default() }
    }

    fn enter(&self) -> Running {
        let mut counts = self.counts();
        counts.starts.push(self.clock.elapsed());
        counts.in_flight += 1;
        counts.max_in_flight = counts.max_in_flight.max(counts.in_flight);
        let number = u32::try_from(counts.starts.len()).unwrap_or(u32::MAX);
        drop(counts);
        Running { probe: self.clone(), number, finished: false }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs begun.
    #[must_use]
    pub fn entered(&self) -> u32 {
        u32::try_from(self.counts().starts.len()).unwrap_or(u32::MAX)
    }

    /// Runs that returned.
    #[must_use]
    pub fn finished(&self) -> u32 {
        self.counts().finished
    }

    /// Runs dropped before their end, by a panic of their own too.
    #[must_use]
    pub fn dropped(&self) -> u32 {
        self.counts().dropped
    }

    /// Runs under way.
    #[must_use]
    pub fn in_flight(&self) -> u32 {
        self.counts().in_flight
    }

    /// The most there ever were at once.
    #[must_use]
    pub fn max_in_flight(&self) -> u32 {
        self.counts().max_in_flight
    }

    /// When each run began, counted from the making of the script.
    #[must_use]
    pub fn starts(&self) -> Vec<Duration> {
        self.counts().starts.clone()
    }

    /// The time between one start and the next.
    #[must_use]
    pub fn gaps(&self) -> Vec<Duration> {
        let starts = self.starts();
        starts.iter().zip(starts.iter().skip(1)).map(|(earlier, later)| *later - *earlier).collect()
    }
}

struct Running {
    probe: Probe,
    number: u32,
    finished: bool,
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut counts = self.probe.counts();
        counts.in_flight -= 1;
        if self.finished {
            counts.finished += 1;
        } else {
            counts.dropped += 1;
        }
    }
}
