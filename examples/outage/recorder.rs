//! What is written down while the outage goes on.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use resilience_examples::clock::Clock;

/// An answer that comes later than this is of no use to whoever asked.
pub(crate) const GOOD_WITHIN: Duration = Duration::from_secs(1);

/// How a request to a service ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It was answered, in time.
    Good,
    /// It was answered, after [`GOOD_WITHIN`].
    Late,
    /// The service said "not now" (503) without a try, or after one.
    Refused,
    /// The service could not answer.
    Failed,
    /// It was still waiting when the run was over.
    Cut,
    /// It was not sent: too many were waiting already.
    Unsent,
}

/// One request to a service. Its latency is counted from when it was due, so a late driver cannot hide anything.
pub(crate) struct Request {
    pub(crate) due: Duration,
    pub(crate) latency: Duration,
    pub(crate) ending: Ending,
}

/// The load of an upstream: the calls in flight there after each arrival and each departure.
#[derive(Default)]
struct Log {
    in_flight: u32,
    changes: Vec<(Duration, u32)>,
}

/// The recorder of one upstream's load. Clones write into the same log.
#[derive(Clone)]
pub(crate) struct Load {
    clock: Clock,
    log: Arc<Mutex<Log>>,
}

impl Load {
    pub(crate) fn new(clock: Clock) -> Self {
        Self { clock, log: Arc::default() }
    }

    /// Counts a call until the returned value is dropped.
    pub(crate) fn enter(&self) -> InFlight {
        self.change(|in_flight| in_flight + 1);
        InFlight(self.clone())
    }

    pub(crate) fn in_flight(&self) -> u32 {
        lock(&self.log).in_flight
    }

    /// All changes so far.
    pub(crate) fn take(&self) -> Vec<(Duration, u32)> {
        mem::take(&mut lock(&self.log).changes)
    }

    fn change(&self, change: impl FnOnce(u32) -> u32) {
        let mut log = lock(&self.log);
        log.in_flight = change(log.in_flight);
        let change = (self.clock.elapsed(), log.in_flight);
        log.changes.push(change);
    }
}

/// A call that is in flight at the upstream.
pub(crate) struct InFlight(Load);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.change(|in_flight| in_flight - 1);
    }
}

/// The recorder of the requests to one service. Clones write into the same list.
#[derive(Clone)]
pub(crate) struct Requests {
    clock: Clock,
    list: Arc<Mutex<Vec<Request>>>,
}

impl Requests {
    pub(crate) fn new(clock: Clock) -> Self {
        Self { clock, list: Arc::default() }
    }

    /// A request is sent. Unless it comes to another end, it is [`Ending::Cut`] when the returned value is dropped.
    pub(crate) fn sent(&self, due: Duration) -> Waiting {
        Waiting { requests: self.clone(), due, ending: Ending::Cut }
    }

    pub(crate) fn unsent(&self, due: Duration) {
        lock(&self.list).push(Request { due, latency: Duration::ZERO, ending: Ending::Unsent });
    }

    /// All requests so far, in the order in which they were due.
    pub(crate) fn take(&self) -> Vec<Request> {
        let mut requests = mem::take(&mut *lock(&self.list));
        requests.sort_by_key(|request| request.due);
        requests
    }
}

/// A request that waits for its answer.
pub(crate) struct Waiting {
    requests: Requests,
    due: Duration,
    ending: Ending,
}

impl Waiting {
    pub(crate) fn end(mut self, ending: Ending) {
        self.ending = ending;
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let latency = self.requests.clock.elapsed().saturating_sub(self.due);
        let ending = match self.ending {
            Ending::Good if latency > GOOD_WITHIN => Ending::Late,
            ending => ending,
        };
        lock(&self.requests.list).push(Request { due: self.due, latency, ending });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nothing panics while it holds a log")
}
