//! Ways to call one instance: from one thread, from two at once, from many tasks, and with a body that waits.

use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use core_affinity::CoreId;
use resilience_benches::subject::Subject;
use resilience_instructions::body::Body;
use tokio::runtime::{Builder, Runtime};

/// One column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// So many threads, each with a runtime of its own and pinned to a core.
    Threads(usize),
    Tasks,
    Pending,
}

/// Sixteen tasks on a runtime with two workers: the case of a server.
const TASKS: u64 = 16;
const WORKERS: usize = 2;
/// The most threads at once.
const THREADS: usize = 4;

impl Way {
    pub(crate) const ALL: [Self; 4] = [Self::Threads(1), Self::Threads(2), Self::Tasks, Self::Pending];

    pub(crate) fn title(self) -> String {
        match self {
            Self::Threads(1) => "1 thread".to_owned(),
            Self::Threads(count) => format!("{count} threads"),
            Self::Tasks => "16 tasks".to_owned(),
            Self::Pending => "pending body".to_owned(),
        }
    }

    fn body(self) -> Body {
        if self == Self::Pending { Body::Pending } else { Body::Ready }
    }
}

/// The runtimes, which are made once.
pub(crate) struct Stage {
    /// One for each thread.
    single: Vec<Runtime>,
    cores: Vec<CoreId>,
    server: Runtime,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let single = || Builder::new_current_thread().enable_time().build().expect("a runtime");
        let server = Builder::new_multi_thread().worker_threads(WORKERS).enable_time().build().expect("a runtime");
        let cores = core_affinity::get_core_ids().unwrap_or_default();
        Self { single: (0..THREADS).map(|_| single()).collect(), cores, server }
    }

    /// For making instances in.
    pub(crate) fn enter(&self) -> tokio::runtime::EnterGuard<'_> {
        self.single[0].enter()
    }

    /// How many of so many calls pass.
    pub(crate) fn passed(&self, subject: &Arc<dyn Subject>, count: u64) -> u64 {
        self.single[0].block_on(Arc::clone(subject).calls(count, Body::Ready))
    }

    /// How long one call takes, over so many by each thread: of one core's share where there are more.
    pub(crate) fn nanoseconds(&self, way: Way, subject: &Arc<dyn Subject>, count: u64) -> f64 {
        let elapsed = match way {
            Way::Threads(1) | Way::Pending => on(&self.single[0], subject, count, way.body()),
            Way::Threads(threads) => self.threads(threads, subject, count),
            Way::Tasks => self.tasks(subject, count),
        };
        elapsed.as_secs_f64() * 1e9 / count as f64
    }

    /// The mean of the threads' times: each calls without a break while the others do, but for the edges.
    fn threads(&self, threads: usize, subject: &Arc<dyn Subject>, count: u64) -> Duration {
        let start = Barrier::new(threads);
        let elapsed: Duration = std::thread::scope(|scope| {
            let threads: Vec<_> = (self.single.iter().take(threads).enumerate())
                .map(|(index, runtime)| {
                    let (start, core) = (&start, self.cores.get(index % self.cores.len().max(1)).copied());
                    scope.spawn(move || {
                        if let Some(core) = core {
                            core_affinity::set_for_current(core);
                        }
                        start.wait();
                        on(runtime, subject, count, Body::Ready)
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("a loop does not panic")).sum()
        });
        // More threads than cores take turns.
        let turns = threads.div_ceil(self.cores.len().max(1));
        elapsed / (threads * turns) as u32
    }

    fn tasks(&self, subject: &Arc<dyn Subject>, count: u64) -> Duration {
        let each = (count * WORKERS as u64).div_ceil(TASKS);
        let started = Instant::now();
        self.server.block_on(async {
            let tasks: Vec<_> =
                (0..TASKS).map(|_| tokio::spawn(Arc::clone(subject).calls(each, Body::Ready))).collect();
            for task in tasks {
                task.await.expect("a loop does not panic");
            }
        });
        started.elapsed()
    }
}

fn on(runtime: &Runtime, subject: &Arc<dyn Subject>, count: u64, body: Body) -> Duration {
    let calls = Arc::clone(subject).calls(count, body);
    let started = Instant::now();
    runtime.block_on(calls);
    started.elapsed()
}
