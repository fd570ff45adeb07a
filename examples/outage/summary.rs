//! The numbers: what a service and its upstream went through, phase by phase.

use std::time::Duration;

use crate::recorder::{Ending, Request};
use crate::script::{Phase, Script};

/// All that was recorded of one service and its upstream.
pub(crate) struct Recording {
    /// In the order in which they were due.
    pub(crate) requests: Vec<Request>,
    /// Calls in flight at the upstream, after each arrival and departure there.
    pub(crate) load: Vec<(Duration, u32)>,
}

/// One part of a recording in numbers. Requests belong to the time when they were due, calls to when they arrived.
pub(crate) struct Summary {
    pub(crate) requests: usize,
    /// Requests that had a good answer.
    pub(crate) good: usize,
    /// Latency that half of the requests, and 99 in 100, stayed below, whatever their end.
    pub(crate) p50: Option<Duration>,
    pub(crate) p99: Option<Duration>,
    /// Calls that reached the upstream.
    pub(crate) calls: usize,
    /// Most calls in flight there.
    pub(crate) peak: u32,
}

impl Recording {
    pub(crate) fn phase(&self, phase: &Phase) -> Summary {
        self.between(phase.begin, phase.end)
    }

    pub(crate) fn whole(&self) -> Summary {
        self.between(Duration::ZERO, Duration::MAX)
    }

    fn between(&self, begin: Duration, end: Duration) -> Summary {
        let within = |time: Duration| begin <= time && time < end;
        let requests: Vec<_> = self.requests.iter().filter(|request| within(request.due)).collect();
        let good = requests.iter().filter(|request| request.ending == Ending::Good).count();

        let sent = requests.iter().filter(|request| request.ending != Ending::Unsent);
        let mut latencies: Vec<_> = sent.map(|request| request.latency).collect();
        latencies.sort_unstable();

        Summary {
            requests: requests.len(),
            good,
            p50: percentile(&latencies, 0.50),
            p99: percentile(&latencies, 0.99),
            calls: self.arrivals().filter(|&time| within(time)).count(),
            peak: self.peak(begin, end),
        }
    }

    /// Most calls in flight between two moments, those that were there at the first one included.
    pub(crate) fn peak(&self, begin: Duration, end: Duration) -> u32 {
        let first = self.load.partition_point(|&(time, _)| time < begin);
        let until = self.load.partition_point(|&(time, _)| time < end);
        let carried = first.checked_sub(1).map(|before| self.load[before].1);
        self.load[first..until].iter().map(|&(_, in_flight)| in_flight).chain(carried).max().unwrap_or(0)
    }

    /// How long after the upstream's recovery the first good answer was given.
    pub(crate) fn first_good_answer(&self, script: &Script) -> Option<Duration> {
        let good = self.requests.iter().filter(|request| request.ending == Ending::Good);
        good.filter_map(|request| (request.due + request.latency).checked_sub(script.recovery())).min()
    }

    fn arrivals(&self) -> impl Iterator<Item = Duration> {
        let mut before = 0;
        self.load.iter().filter_map(move |&(time, in_flight)| {
            let arrived = in_flight > before;
            before = in_flight;
            arrived.then_some(time)
        })
    }
}

impl Summary {
    /// The share of the requests that had a good answer.
    pub(crate) fn success(&self) -> Option<f64> {
        (self.requests > 0).then(|| self.good as f64 / self.requests as f64)
    }
}

/// The nearest-rank percentile of sorted values.
fn percentile(sorted: &[Duration], rank: f64) -> Option<Duration> {
    let index = (sorted.len() as f64 * rank).ceil() as usize;
    sorted.get(index.saturating_sub(1)).copied()
}
