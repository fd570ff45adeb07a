//! The numbers of a run.

use std::time::Duration;

use crate::record::{Count, Pages, STRETCH, index};
use crate::script::{FAILURE, RECOVERY};
use crate::simulation::Plan;

/// A run in numbers. Load is told in times the capacity, a time from the recovery on.
pub(crate) struct Summary {
    pub(crate) load: Vec<f64>,
    /// The part of the load that was answered in time.
    pub(crate) useful: Vec<f64>,
    /// The highest load while the server failed, but for the moment in which it begins to, which is the same for all.
    pub(crate) peak_failing: f64,
    /// The highest load after the recovery.
    pub(crate) peak_after: f64,
    /// Calls that reached the server.
    pub(crate) calls: u64,
    /// Those that it worked for in vain.
    pub(crate) wasted: u64,
    /// When the last call failed; nothing if calls still did at the end.
    pub(crate) drained: Option<Duration>,
    /// In as much time as the failure took, the server that had recovered answered less than half as much as before.
    pub(crate) collapsed: bool,
    /// When 9 in 10 clients had been answered again.
    pub(crate) back: Option<Duration>,
    pub(crate) requests: u64,
    pub(crate) answered: u64,
    /// 99 in 100 requests ended within this, with an answer or without.
    pub(crate) settled: Option<Duration>,
}

impl Summary {
    pub(crate) fn new(plan: &Plan, pages: &Pages) -> Self {
        let [offered, answered, failed, wasted] =
            [Count::Offered, Count::Answered, Count::Failed, Count::Wasted].map(|count| pages.series(count));
        let capacity = plan.capacity() * STRETCH.as_secs_f64();
        let loads = |series: &[u32]| series.iter().map(|&number| f64::from(number) / capacity).collect::<Vec<_>>();
        let (load, useful) = (loads(&offered), loads(&answered));
        let (failure, recovery) = (index(FAILURE), index(RECOVERY));
        Self {
            peak_failing: peak(&load[failure + 1..recovery]),
            peak_after: peak(&load[recovery..]),
            calls: sum(&offered),
            wasted: sum(&wasted),
            drained: drained(&failed[recovery..]),
            collapsed: mean(&useful[recovery..2 * recovery - failure]) < mean(&useful[..failure]) / 2.0,
            back: rank(plan.clients.into(), 90).and_then(|rank| pages.back.get(rank)).map(|&time| time - RECOVERY),
            requests: pages.requests,
            answered: pages.answered,
            settled: settled(pages),
            load,
            useful,
        }
    }
}

fn peak(part: &[f64]) -> f64 {
    part.iter().copied().fold(0.0, f64::max)
}

fn mean(part: &[f64]) -> f64 {
    part.iter().sum::<f64>() / part.len() as f64
}

fn sum(series: &[u32]) -> u64 {
    series.iter().copied().map(u64::from).sum()
}

/// Storms come in waves: none within so many stretches before the end is taken for none any more.
const QUIET: usize = 50;

fn drained(failed: &[u32]) -> Option<Duration> {
    let stretches = failed.iter().rposition(|&number| number > 0).map_or(0, |last| last + 1);
    (stretches + QUIET <= failed.len()).then(|| STRETCH * stretches as u32)
}

/// The place, from 0, of the one that so many in a hundred are not behind.
fn rank(number: u64, percent: u64) -> Option<usize> {
    (number * percent).div_ceil(100).checked_sub(1).map(|rank| rank as usize)
}

/// Requests that have not ended are behind all others.
fn settled(pages: &Pages) -> Option<Duration> {
    let rank = rank(pages.requests, 99)? as u64;
    let ended = pages.ended_after.iter().scan(0, |sum, number| {
        *sum += number;
        Some(*sum)
    });
    ended.zip(1..).find(|(ended, _)| *ended > rank).map(|(_, stretches)| STRETCH * stretches)
}
