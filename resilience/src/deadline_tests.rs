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
use crate::{Deadline, deadline};

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
                    let work = run(inner, start, log);
                    // A layer above: it reads the clock for both.
                    let _ = deadline::on_way_in("model");
                    let ended =
                        Guarded { guard: guarded::bound(&SITE, config, guarded::Unasked), work: Some(work) }.await;
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

/// What stands around a step.
#[derive(Clone, Copy)]
enum Around {
    Scope(u64),
    /// Its end: its own, or that of a scope around it which comes before.
    Timeout(u64),
}

impl Model {
    /// An error is work that was cut: by the innermost timeout that is up.
    fn run(&mut self, steps: &[Step], around: &mut Vec<Around>) -> Result<(), usize> {
        for step in steps {
            let seen = match step {
                Step::Ask => Seen::Remaining(self.in_force(around).map(|at| at.saturating_sub(self.now))),
                Step::Check => Seen::Passed(self.passed(around)),
                Step::Sleep(millis) => {
                    let until = self.now + millis;
                    let end = |around: &Around| match around {
                        Around::Scope(_) => u64::MAX,
                        Around::Timeout(end) => *end,
                    };
                    let first = around.iter().map(end).min().unwrap_or(u64::MAX);
                    if first < until {
                        self.now = self.now.max(first);
                        return Err(around.iter().rposition(|around| end(around) <= self.now).unwrap());
                    }
                    self.now = until;
                    continue;
                }
                Step::Scope(length, inner) => {
                    around.push(Around::Scope(self.now + length));
                    let ended = self.run(inner, around);
                    around.pop();
                    ended?;
                    continue;
                }
                Step::Timeout(_, _) if self.passed(around) => Seen::Ended(Err((ErrorKind::DeadlineExceeded, false))),
                Step::Timeout(length, inner) => {
                    let own = self.now + length;
                    let scopes = around.iter().filter_map(|around| match around {
                        Around::Scope(at) => Some(*at),
                        Around::Timeout(_) => None,
                    });
                    let end = scopes.min().unwrap_or(own).min(own);
                    around.push(Around::Timeout(end));
                    let ended = self.run(inner, around);
                    around.pop();
                    match ended {
                        Err(at) if at < around.len() => return Err(at),
                        Err(_) if end < own => Seen::Ended(Err((ErrorKind::DeadlineExceeded, true))),
                        Err(_) => Seen::Ended(Err((ErrorKind::TimedOut, true))),
                        Ok(()) => Seen::Ended(Ok(())),
                    }
                }
            };
            self.log.push((self.now, seen));
        }
        Ok(())
    }

    /// A timeout that is up polls its work once more, and not under its own deadline.
    fn in_force(&self, around: &[Around]) -> Option<u64> {
        let of = |around: &Around| match around {
            Around::Scope(at) => Some(*at),
            Around::Timeout(end) => Some(*end).filter(|end| *end > self.now),
        };
        around.iter().filter_map(of).min()
    }

    fn passed(&self, around: &[Around]) -> bool {
        self.in_force(around).is_some_and(|at| at <= self.now)
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
        let _ = model.run(&steps, &mut Vec::new());
        let log = RefCell::new(Vec::new());
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_time().start_paused(true).build().unwrap().block_on(async {
            run(&steps, time::now(), &log).await;
        });
        prop_assert_eq!(log.into_inner(), model.log);
        prop_assert!(Deadline::current().is_none());
    }
}
