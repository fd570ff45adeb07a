//! The two forms of an expansion, held equal: policies as one future of the runtime, and the same policies spelled out
//! in the function, because words of the user's run in the middle of a call.
//!
//! A script is drawn: some calls, and what their bodies do. Each form plays it, and all that can be seen is compared.

mod body;
mod play;
mod scene;
mod script;
mod stacks;

use std::cell::Cell;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};

use play::Theatre;
use stacks::Stack;

/// Plays so many scripts, each with one of the stacks.
fn hold_equal(stacks: &[Stack], scripts: u32) {
    let (theatre, failed) = (Theatre::new(), Cell::new(false));
    // A script that fails is told in full. Its seed alone would not bring it back: policies remember earlier ones.
    let config = Config { failure_persistence: None, ..Config::with_cases(scripts) };
    let drawn = (script::script(), any::<Index>());
    let played = TestRunner::new(config).run(&drawn, |(script, which)| {
        let stack = which.get(stacks);
        let [fused, spelled] = &stack.forms;
        // A script that has failed is not made shorter on top of what it left behind.
        if failed.get() && theatre.look(fused) != theatre.look(spelled) {
            return Ok(());
        }
        let [fused, spelled] = [theatre.play(&script, fused), theatre.play(&script, spelled)];
        if let Some(differs) = (0..fused.len().max(spelled.len())).find(|line| fused.get(*line) != spelled.get(*line)) {
            failed.set(true);
            let [fused, spelled] = [fused, spelled].map(|lines| lines[..lines.len().min(differs + 1)].join("\n  "));
            let report = format!("{}:\n one future:\n  {fused}\n spelled out:\n  {spelled}", stack.name);
            return Err(TestCaseError::fail(report));
        }
        Ok(())
    });
    if let Err(failed) = played {
        panic!("{failed}");
    }
}

#[test]
fn one_policy_and_any_two_in_any_order() {
    hold_equal(stacks::small::STACKS, 700);
}

#[test]
fn three_in_half_of_their_orders() {
    hold_equal(stacks::threes::STACKS, 700);
}

#[test]
fn five_and_more() {
    hold_equal(stacks::large::STACKS, 700);
}
