//! Threads: all on one instance.

use std::sync::Arc;

use resilience_benches::contenders::{Kind, bare, groups};

use super::{Line, Panel, medians};
use crate::args::Args;
use crate::way::{Stage, Way};

const THREADS: [usize; 3] = [1, 2, 4];

/// Ours through attributes, of each group whose calls pass.
pub(super) fn panel(stage: &Stage, args: &Args) -> Panel {
    let bare = (bare().make)();
    let mut lines = Vec::new();
    for group in groups().into_iter().filter(|group| group.kind == Kind::Pass) {
        let Some(ours) = group.contenders.first().filter(|contender| contender.ours) else { continue };
        let subject = (ours.make)();
        let ways = THREADS.map(|threads| (Way::Threads(threads), Arc::clone(&subject)));
        let alone = THREADS.map(|threads| (Way::Threads(threads), Arc::clone(&bare)));
        let times = medians(stage, &[ways, alone].concat(), args);
        let (ways, alone) = times.split_at(THREADS.len());
        let above =
            THREADS.iter().zip(ways.iter().zip(alone)).map(|(&threads, (own, bare))| (threads as f64, own - bare));
        lines.push(Line::drawn(group.title, above.collect()));
    }
    Panel {
        title: "As threads grow, all on one instance: nanoseconds a call above a bare await, of one core's share",
        across: "threads on two cores",
        lines,
    }
}
