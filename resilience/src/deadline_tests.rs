//! Deadlines that are settled late, against a model that settles each at once.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use proptest::prelude::*;

use crate::error::ErrorKind;
use crate::guarded::{self, Guarded};
use crate::site::{Place, Site};
use crate::time::{self, Instant};
use crate::timeout::{self, TimeoutPolicy};
use crate::{Deadline, deadline, unwind};

static SITE: Site<TimeoutPolicy> =
    Site::new(Place::new("deadline_tests", "run"), timeout::Config::new()).named("model");

#[derive(Clone, Debug)]
enum Step {
    Ask,
    Check,
    Sleep(u64),
    Scope(u64, Vec<Step>),
    Timeout(u64, Vec<Step>),
}

/// What was seen, and after how many milliseconds.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Remaining(Option<u64>),
    Passed(bool),
    Ended(Result<(), (ErrorKind, bool)>),
}

type Log = Vec<(u64, Seen)>;

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn since(start: Instant) -> u64 {
    u64::try_from((time::now() - start).as_millis()).unwrap_or(u64::MAX)
}

/// The steps as they are.
fn run<'a>(steps: &'a [Step], start: Instant, log: &'a RefCell<Log>) -> Pin<Box<dyn Future<Output = ()> + 'a>> {
    Box::pin(async move {
        for step in steps {
            let seen = match step {
                Step::Ask => {
                    let left = Deadline::current().map(|deadline| deadline.remaining());
                    Seen::Remaining(left.map(|left| u64::try_from(left.as_millis()).unwrap_or(u64::MAX)))
                }
                Step::Check => Seen::Passed(deadline::check("model").is_err()),
                Step::Sleep(millis) => {
                    time::sleep_until(time::now() + ms(*millis)).await;
                    continue;
                }
                Step::Scope(length, inner) => {
                    Deadline::after(ms(*length)).scope(run(inner, start, log)).await;
                    continue;
                }
                Step::Timeout(length, inner) => {
                    let config = timeout::Config::new().duration(ms(*length));
                    let work = unwind::body(run(inner, start, log));
                    // A layer above: it reads the clock for both.
                    let _ = deadline::on_way_in("model");
                    let ended = Guarded { guard: guarded::bound(&SITE, config, None), work: Some(work) }.await;
                    Seen::Ended(ended.map_err(|error| (error.kind(), error.cut_in_flight())))
                }
            };
            log.borrow_mut().push((since(start), seen));
        }
    })
}

/// The steps as they should be: time as a number, each end known from the start.
struct Model {
    now: u64,
    log: Log,
}

impl Model {
    /// `in_force` is the deadline, `cut` the end of the innermost timeout; an error is work that was cut.
    fn run(&mut self, steps: &[Step], in_force: Option<u64>, cut: Option<u64>) -> Result<(), ()> {
        for step in steps {
            let seen = match step {
                Step::Ask => Seen::Remaining(in_force.map(|at| at.saturating_sub(self.now))),
                Step::Check => Seen::Passed(self.passed(in_force)),
                Step::Sleep(millis) => {
                    let until = self.now + millis;
                    if let Some(cut) = cut.filter(|cut| *cut < until) {
                        self.now = self.now.max(cut);
                        return Err(());
                    }
                    self.now = until;
                    continue;
                }
                Step::Scope(length, inner) => {
                    let at = self.now + length;
                    self.run(inner, Some(in_force.map_or(at, |outer| outer.min(at))), cut)?;
                    continue;
                }
                Step::Timeout(_, _) if self.passed(in_force) => Seen::Ended(Err((ErrorKind::DeadlineExceeded, false))),
                Step::Timeout(length, inner) => {
                    let own = self.now + length;
                    let end = in_force.map_or(own, |outer| outer.min(own));
                    let kind = if end < own { ErrorKind::DeadlineExceeded } else { ErrorKind::TimedOut };
                    Seen::Ended(self.run(inner, Some(end), Some(end)).map_err(|()| (kind, true)))
                }
            };
            self.log.push((self.now, seen));
        }
        Ok(())
    }

    fn passed(&self, in_force: Option<u64>) -> bool {
        in_force.is_some_and(|at| at <= self.now)
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let leaf = prop_oneof![Just(Step::Ask), Just(Step::Check), (1u64..6).prop_map(Step::Sleep)];
    let step = leaf.prop_recursive(4, 40, 5, |inner| {
        let inner = prop::collection::vec(inner, 0..5);
        prop_oneof![
            (1u64..12, inner.clone()).prop_map(|(length, inner)| Step::Timeout(length, inner)),
            (1u64..12, inner).prop_map(|(length, inner)| Step::Scope(length, inner)),
        ]
    });
    prop::collection::vec(step, 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn late_settling_shows_nowhere(steps in steps()) {
        let mut model = Model { now: 0, log: Vec::new() };
        let _ = model.run(&steps, None, None);
        let log = RefCell::new(Vec::new());
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_time().start_paused(true).build().unwrap().block_on(async {
            run(&steps, time::now(), &log).await;
        });
        prop_assert_eq!(log.into_inner(), model.log);
        prop_assert!(Deadline::current().is_none());
    }
}
