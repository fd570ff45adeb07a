//! Everybody's turn, round by round: what disturbs the machine for a while disturbs all, and ratios stay true.

use std::sync::Arc;
use std::time::Duration;

use rand::seq::SliceRandom;
use resilience_benches::contenders::{Contender, Group, Kind};
use resilience_benches::subject::Subject;

use crate::args::Args;
use crate::statistics::{Spread, median};
use crate::way::{Stage, Way};

/// What came of one way of calling.
pub(crate) struct Column {
    pub(crate) way: Way,
    /// The body alone.
    pub(crate) bare: Spread,
    /// For each contender of the group.
    pub(crate) cells: Vec<Cell>,
}

pub(crate) struct Cell {
    /// Nanoseconds above the bare body.
    pub(crate) above: Spread,
    /// That, divided by the same of the group's first contender in the same round.
    pub(crate) ratio: f64,
}

/// How many calls must all pass, or all be refused, before it counts.
const TRIED: u64 = 16;

pub(crate) fn measure(group: &Group, bare: &Contender, args: &Args) -> Vec<Column> {
    let stage = Stage::new();
    Way::ALL
        .into_iter()
        .filter(|&way| group.kind == Kind::Pass || way != Way::Pending)
        .map(|way| {
            let _inside = stage.enter();
            // The body alone comes first.
            let subjects: Vec<_> = std::iter::once(bare).chain(&group.contenders).map(|it| (it.make)()).collect();
            for (subject, contender) in subjects[1..].iter().zip(&group.contenders) {
                let passed = stage.passed(subject, TRIED) == TRIED;
                assert_eq!(
                    passed,
                    group.kind != Kind::Refused,
                    "{} does not do what it is measured for",
                    contender.name
                );
            }
            column(way, &stage, &subjects, args)
        })
        .collect()
}

fn column(way: Way, stage: &Stage, subjects: &[Arc<dyn Subject>], args: &Args) -> Column {
    let times = turns(stage, &subjects.iter().map(|subject| (way, subject)).collect::<Vec<_>>(), args);
    // The body alone is subtracted by its median: in one round alone it may have been disturbed.
    let bare = Spread::of(&times[0]);
    let above: Vec<Vec<f64>> =
        times[1..].iter().map(|own| own.iter().map(|time| time - bare.median).collect()).collect();
    let cells = above.iter().map(|own| Cell { above: Spread::of(own), ratio: ratio(own, &above[0]) }).collect();
    Column { way, bare, cells }
}

/// Nanoseconds of one call, in each round, for each.
pub(crate) fn turns(stage: &Stage, subjects: &[(Way, &Arc<dyn Subject>)], args: &Args) -> Vec<Vec<f64>> {
    let counts: Vec<u64> =
        subjects.iter().map(|(way, subject)| calibrate(*way, stage, subject, args.slice())).collect();
    let mut order: Vec<usize> = (0..subjects.len()).collect();
    let mut random = rand::rng();
    let mut times = vec![Vec::with_capacity(args.rounds()); subjects.len()];
    for _ in 0..args.rounds() {
        order.shuffle(&mut random);
        for &index in &order {
            let (way, subject) = subjects[index];
            times[index].push(stage.nanoseconds(way, subject, counts[index]));
        }
    }
    times
}

/// Rounds in which the first contender was lost in the noise say nothing.
fn ratio(own: &[f64], first: &[f64]) -> f64 {
    median(own.iter().zip(first).filter(|(_, first)| **first > 0.2).map(|(own, first)| own / first).collect())
}

/// How many calls fill a turn. The best of three tries: one that was interrupted says too few.
fn calibrate(way: Way, stage: &Stage, subject: &Arc<dyn Subject>, slice: Duration) -> u64 {
    let whole = slice.as_secs_f64() * 1e9;
    let mut count = 8;
    loop {
        let tries = [(); 3].map(|()| stage.nanoseconds(way, subject, count));
        let elapsed = tries.into_iter().fold(f64::INFINITY, f64::min) * count as f64;
        if elapsed > whole / 4.0 {
            return ((count as f64 * whole / elapsed) as u64).max(1);
        }
        count *= 4;
    }
}
