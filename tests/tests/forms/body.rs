//! Bodies that do what a script says, and tell of it.

use std::future::pending;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::BoxFuture;
use resilience::Deadline;
use resilience_tests::{Answer, ms, sleep};
use tokio::task::yield_now;
use tokio::time::advance;

use super::scene::Scene;
use super::script::{Call, End, Step};

/// A guarded function.
pub(crate) type Guarded = for<'a> fn(&'a Body) -> BoxFuture<'a, Answer>;

/// The body of one call, and of the guarded function that it asks.
#[derive(Debug)]
pub(crate) struct Body {
    name: String,
    scene: Arc<Scene>,
    own: Steps,
    asked: Steps,
}

#[derive(Debug)]
struct Steps {
    steps: Vec<Step>,
    taken: AtomicUsize,
}

impl Steps {
    fn new(steps: &[Step]) -> Self {
        Self { steps: steps.to_vec(), taken: AtomicUsize::new(0) }
    }

    /// The next one and its number; the last one is repeated.
    fn next(&self) -> (usize, &Step) {
        let number = self.taken.fetch_add(1, Ordering::Relaxed);
        (number, &self.steps[number.min(self.steps.len() - 1)])
    }
}

impl Body {
    pub(crate) fn new(name: &str, call: &Call, scene: &Arc<Scene>) -> Self {
        let (own, asked) = (Steps::new(&call.steps), Steps::new(&call.asked));
        Self { name: name.to_owned(), scene: Arc::clone(scene), own, asked }
    }

    /// What stands in the function of a stack.
    pub(crate) async fn run(&self) -> Answer {
        self.attempt("body", &self.own).await
    }

    /// What stands in the function that this body asks.
    pub(crate) async fn run_asked(&self) -> Answer {
        self.attempt("asked", &self.asked).await
    }

    async fn attempt(&self, whose: &str, steps: &Steps) -> Answer {
        let (number, step) = steps.next();
        let name = format!("{}, {whose} {number}", self.name);
        let running = Running { name, looks: step.looks, scene: &self.scene };
        running.tell("begins");
        for _ in 0..step.yields {
            yield_now().await;
        }
        if step.works > 0 {
            advance(ms(step.works)).await;
        }
        if step.waits > 0 {
            sleep(ms(step.waits)).await;
        }
        running.tell("goes on");
        match &step.end {
            End::Succeeds => Ok(u32::try_from(number).unwrap_or(u32::MAX)),
            End::Fails(fault) => Err(fault.clone()),
            // Without the message that a panic hook would write.
            End::Panics => resume_unwind(Box::new("the body panics, as its script says")),
            End::Hangs => pending().await,
            End::Asks => (self.scene.form.asks)(self).await,
        }
    }
}

/// Tells when it is dropped, as what a body holds would be.
struct Running<'a> {
    name: String,
    looks: bool,
    scene: &'a Scene,
}

impl Running<'_> {
    fn tell(&self, what: &str) {
        // Who asks for the deadline lets it count from now on.
        let left = self.looks.then(|| Deadline::current().map(|deadline| deadline.remaining()));
        self.scene.tell(format_args!("{} {what}; deadline {left:?}", self.name));
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.tell("is over");
    }
}
