//! What is drawn: calls, what their bodies do, and when their callers leave.

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use resilience_tests::{Fault, ms};

/// Some calls; times are in milliseconds.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) calls: Vec<Call>,
    /// What jitter is drawn from.
    pub(crate) seed: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// When it begins.
    pub(crate) at: u64,
    /// How far away the deadline in force is.
    pub(crate) deadline: Option<u64>,
    pub(crate) leaves: Leaves,
    /// What the body does in each attempt; the last one is repeated.
    pub(crate) steps: Vec<Step>,
    /// The same for the body of the function that it asks.
    pub(crate) asked: Vec<Step>,
}

/// When the caller drops the call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Leaves {
    AfterPolls(usize),
    After(u64),
    /// When everything else is long over.
    Late,
}

/// What a body does.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// It asks for the deadline in force, first and last.
    pub(crate) looks: bool,
    /// It lets others go first, so often.
    pub(crate) yields: u32,
    /// It works without looking up, so many milliseconds: whoever waits hears of it late.
    pub(crate) works: u64,
    /// It waits, so many milliseconds.
    pub(crate) waits: u64,
    pub(crate) end: End,
}

#[derive(Clone, Debug)]
pub(crate) enum End {
    Succeeds,
    Fails(Fault),
    Panics,
    Hangs,
    /// It ends as another guarded function does.
    Asks,
}

pub(crate) fn script() -> impl Strategy<Value = Script> {
    (vec(call(), 1..6), any::<u64>()).prop_map(|(calls, seed)| Script { calls, seed })
}

fn call() -> impl Strategy<Value = Call> {
    let at = prop_oneof![2 => Just(0), 3 => 0..40_u64];
    let leaves = prop_oneof![
        4 => Just(Leaves::Late),
        2 => (0..40_u64).prop_map(Leaves::After),
        1 => (0..8_usize).prop_map(Leaves::AfterPolls),
    ];
    let deadline = weighted(0.3, prop_oneof![1 => Just(0), 5 => 1..30_u64]);
    let steps = vec(step(prop_oneof![7 => end(), 1 => Just(End::Asks)]), 1..4);
    (at, deadline, leaves, steps, vec(step(end()), 1..3)).prop_map(|(at, deadline, leaves, steps, asked)| Call {
        at,
        deadline,
        leaves,
        steps,
        asked,
    })
}

fn step(end: impl Strategy<Value = End>) -> impl Strategy<Value = Step> {
    let yields = prop_oneof![3 => Just(0), 1 => 1..3_u32];
    let waits = prop_oneof![2 => Just(0), 3 => 1..14_u64];
    let works = prop_oneof![9 => Just(0), 1 => 1..12_u64];
    (proptest::bool::weighted(0.2), yields, works, waits, end).prop_map(|(looks, yields, works, waits, end)| Step {
        looks,
        yields,
        works,
        waits,
        end,
    })
}

fn end() -> impl Strategy<Value = End> {
    let fault = prop_oneof![
        5 => Just(Fault::Down),
        1 => Just(Fault::Busy(None)),
        1 => (1..20_u64).prop_map(|after| Fault::Busy(Some(ms(after)))),
        1 => Just(Fault::Broken),
        1 => Just(Fault::NotFound),
        1 => Just(Fault::Invalid),
    ];
    prop_oneof![
        6 => Just(End::Succeeds),
        9 => fault.prop_map(End::Fails),
        1 => Just(End::Panics),
        1 => Just(End::Hangs),
    ]
}
