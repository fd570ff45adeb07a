//! The line that shows how far the run is.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use resilience_examples::clock::Clock;

use crate::breaker;
use crate::recorder::Load;
use crate::script::Script;

const EVERY: Duration = Duration::from_millis(100);

/// Shows the state of things until it is dropped: on a terminal as a line that changes, else as a line per phase.
pub(crate) async fn show(clock: Clock, script: &Script, naive: &Load, guarded: &Load) {
    let style = ProgressStyle::with_template("{bar:8} {wide_msg}").expect("a valid template").progress_chars("━╸─");
    let bar = ProgressBar::new(script.length().as_millis() as u64).with_style(style);
    let mut printed = "";
    loop {
        let now = clock.elapsed();
        let phase = script.at(now).name;
        let line = format!(
            "{:4.1} s {phase:<13} breaker {:<9} upstream: naive {:>3}, guarded {:>2}",
            now.as_secs_f64(),
            breaker::state(),
            naive.in_flight(),
            guarded.in_flight(),
        );
        if !bar.is_hidden() {
            bar.set_position(now.as_millis() as u64);
            bar.set_message(line);
        } else if printed != phase {
            eprintln!("{line}");
            printed = phase;
        }
        clock.pause(EVERY).await;
    }
}
