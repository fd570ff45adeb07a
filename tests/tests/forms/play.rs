//! Plays a script with one form of a stack, and writes down all that can be seen.

use std::cell::Cell;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::thread;

use futures::future::{BoxFuture, join_all};
use futures::{FutureExt, TryFutureExt};
use resilience::{CircuitBreaker, Deadline, RetryBudget, retry};
use resilience_tests::{Answer, Clock, alone, ms, polls, secs, sleep};
use tokio::runtime::Runtime;

use super::body::Body;
use super::scene::{Scene, numbers, rejected};
use super::script::{Call, Leaves, Script};
use super::stacks::Form;

/// When nothing is under way any more but what would be for ever, in milliseconds.
const LATE: u64 = 400;

/// After so long nothing that a policy remembers matters: it is as fresh.
const PAUSE: u64 = 3600;

/// Where scripts are played, one after the other on one clock: policies remember the time.
pub(crate) struct Theatre {
    runtime: Runtime,
    clock: Clock,
    pauses: Cell<u64>,
}

impl Theatre {
    pub(crate) fn new() -> Self {
        let runtime = alone();
        let clock = runtime.block_on(async { Clock::start() });
        Self { runtime, clock, pauses: Cell::new(0) }
    }

    /// What the form's policies show while nobody plays.
    pub(crate) fn look(&self, form: &Form) -> String {
        self.runtime.block_on(async {
            self.pause().await;
            numbers(form, rejected(form))
        })
    }

    /// Windows of time have their edges at fixed moments: every play begins equally far from one.
    async fn pause(&self) {
        self.pauses.set(self.pauses.get() + 1);
        self.clock.until(secs(self.pauses.get() * PAUSE)).await;
    }

    /// All that can be seen of a script that is played with that form, in order, without the form's name.
    pub(crate) fn play(&self, script: &Script, form: &Form) -> Vec<String> {
        let lines = self.runtime.block_on(async {
            self.pause().await;
            for name in [form.name, form.asks_name] {
                CircuitBreaker::get(name).iter().for_each(CircuitBreaker::reset);
                if let Some(budget) = RetryBudget::get(name) {
                    budget.reconfigure(|config| config.min_per_second(1).ratio(0.4)).expect("options in range");
                }
            }
            retry::seed_jitter(script.seed);
            perform(script, form).await
        });
        lines.iter().map(|line| line.replace("::fused::", "::form::").replace("::spelled::", "::form::")).collect()
    }
}

async fn perform(script: &Script, form: &Form) -> Vec<String> {
    let scene = Arc::new(Scene::begin(*form));
    let told = resilience::subscribe({
        let (scene, here) = (Arc::clone(&scene), thread::current().id());
        move |event| {
            if thread::current().id() == here {
                scene.tell(format_args!("{event:?}"));
            }
        }
    });
    let calls = script
        .calls
        .iter()
        .enumerate()
        .map(|(number, call)| tokio::spawn(one_call(format!("call {number}"), call.clone(), Arc::clone(&scene))));
    for ended in join_all(calls).await {
        ended.expect("panics of bodies are caught");
    }
    sleep(ms(LATE)).await;
    scene.tell("the end");
    drop(told);
    scene.take()
}

async fn one_call(name: String, call: Call, scene: Arc<Scene>) {
    if call.at > 0 {
        sleep(ms(call.at)).await;
    }
    let body = Body::new(&name, &call, &scene);
    let guarded = AssertUnwindSafe((scene.form.call)(&body)).catch_unwind().map_err(|_| "panicked");
    let guarded: BoxFuture<'_, Result<Answer, &str>> = match call.deadline {
        Some(after) => Deadline::after(ms(after)).scope(guarded).boxed(),
        None => guarded.boxed(),
    };
    let ended = match call.leaves {
        Leaves::AfterPolls(times) => tokio::time::timeout(ms(LATE), polls(guarded, times)).await.ok().flatten(),
        Leaves::After(after) => tokio::time::timeout(ms(after), guarded).await.ok(),
        Leaves::Late => tokio::time::timeout(ms(LATE), guarded).await.ok(),
    };
    scene.tell(format_args!("{name} ends: {ended:?}"));
}
