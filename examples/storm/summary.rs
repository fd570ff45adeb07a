//! The numbers of a run.

use std::time::Duration;

use crate::record::{Count, Pages, STRETCH, index};
use crate::script::{FAILURE, RECOVERY};
use crate::simulation::Plan;

pub(crate) struct Summary {
    /// Highest load, in times the capacity, from when the clients first tried again until the recovery; and after it.
    pub(crate) peak_failing: f64,
    pub(crate) peak_after: f64,
    pub(crate) calls: u64,
    pub(crate) wasted: u64,
    /// From the recovery until the last call that failed.
    pub(crate) drained: Option<Duration>,
    /// From the recovery until 99 in 100 clients had had an answer.
    pub(crate) back: Option<Duration>,
    pub(crate) requests: u64,
    pub(crate) answered: u64,
}

impl Summary {
    pub(crate) fn new(plan: &Plan, pages: &Pages) -> Self {
        let offered: Vec<u32> = pages.series(Count::Offered).collect();
        let failed: Vec<u32> = pages.series(Count::Failed).collect();
        let capacity = plan.capacity() * STRETCH.as_secs_f64();
        let peak = |part: &[u32]| f64::from(part.iter().copied().max().unwrap_or(0)) / capacity;
        let (cut, recovery) = (index(FAILURE), index(RECOVERY));
        let last = failed.iter().rposition(|&n| n > 0).unwrap_or(0);
        let drained = (last + 50 < failed.len()).then(|| STRETCH * (last as u32 + 1).saturating_sub(recovery as u32));
        let rank = (plan.clients as usize * 99).div_ceil(100);
        Self {
            peak_failing: peak(&offered[cut + 1..recovery]),
            peak_after: peak(&offered[recovery..]),
            calls: offered.iter().copied().map(u64::from).sum(),
            wasted: pages.series(Count::Wasted).map(u64::from).sum(),
            drained,
            back: pages.back.get(rank - 1).map(|at| *at - RECOVERY),
            requests: pages.requests,
            answered: pages.answered,
        }
    }
}
