//! Calls inside of calls as they come by chance: side by side, one after the other, given up half-way, swallowed.

use futures::future::{BoxFuture, join_all};
use resilience::circuit_breaker::State;
use resilience::{Bulkhead, CircuitBreaker, bulkhead, circuit_breaker, rate_limit};
use resilience_tests::{Answer, Dice, Fault, secs, sleep, trip};
use tokio::sync::Notify;

use crate::forms::Work;

/// How a call ends once the calls inside of it have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Ok,
    Err,
    /// It hangs, and is dropped by whoever called it.
    GivenUp,
}

#[derive(Debug)]
struct Call {
    inside: Vec<Call>,
    side_by_side: bool,
    end: End,
    /// Which of the functions it is a call of.
    function: usize,
    /// How often the work yields before it ends.
    yields: u64,
}

impl Call {
    fn by_chance(dice: &mut Dice, depth: u64, ends: &[End]) -> Self {
        let number = if depth == 0 { 0 } else { dice.below(4) };
        Self {
            inside: (0..number).map(|_| Self::by_chance(dice, depth - 1, ends)).collect(),
            side_by_side: dice.below(2) == 0,
            end: dice.one_of(ends),
            function: dice.below(3) as usize,
            yields: dice.below(3),
        }
    }

    /// Successes and failures that it and the calls inside are to be counted as: the innermost count.
    fn expected(&self) -> (u32, u32) {
        let (mut successes, mut failures) = (0, 0);
        for call in &self.inside {
            let (more, failed) = call.expected();
            (successes, failures) = (successes + more, failures + failed);
        }
        match (successes + failures, self.end) {
            (0, End::Ok) => (1, 0),
            (0, End::Err) => (0, 1),
            _ => (successes, failures),
        }
    }

    fn run(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let hangs = Notify::new();
            let call = FUNCTIONS[self.function](Box::pin(self.work(&hangs)));
            tokio::select! {
                _ = call => {}
                () = hangs.notified() => {}
            }
        })
    }

    async fn work(&self, hangs: &Notify) -> Answer {
        let inside = self.inside.iter().map(Self::run);
        if self.side_by_side {
            join_all(inside).await;
        } else {
            for call in inside {
                call.await;
            }
        }
        for _ in 0..self.yields {
            tokio::task::yield_now().await;
        }
        match self.end {
            End::Ok => Ok(0),
            End::Err => Err(Fault::Down),
            End::GivenUp => {
                hangs.notify_one();
                std::future::pending().await
            }
        }
    }
}

#[circuit_breaker("trees", min_calls = 1_000, window_calls = 1_000, cooldown = "10s", success_threshold = 500)]
async fn first(work: &mut Work<'_>) -> Answer {
    work.await
}

#[bulkhead("trees", max_concurrent = 500)]
#[circuit_breaker("trees", when = |_| true)]
#[rate_limit(limit = 1_000_000, permits = 1)]
async fn second(work: &mut Work<'_>) -> Answer {
    work.await
}

#[circuit_breaker("trees")]
#[bulkhead("trees")]
async fn third(work: &mut Work<'_>) -> Answer {
    work.await
}

const FUNCTIONS: [for<'a> fn(Work<'a>) -> Work<'a>; 3] = [
    |mut work| Box::pin(async move { first(&mut work).await }),
    |mut work| Box::pin(async move { second(&mut work).await }),
    |mut work| Box::pin(async move { third(&mut work).await }),
];

#[tokio::test(start_paused = true)]
async fn the_innermost_count_once_and_everything_comes_back() {
    let breaker = CircuitBreaker::get("trees").expect("declared");
    let slots = Bulkhead::get("trees").expect("declared");
    for seed in 0..400 {
        let tree = Call::by_chance(&mut Dice::new(seed), 4, &[End::Ok, End::Err, End::GivenUp]);
        breaker.reset();
        tree.run().await;
        let snapshot = breaker.snapshot();
        let (successes, failures) = tree.expected();
        assert_eq!((snapshot.calls, snapshot.failures), (successes + failures, failures), "{seed}: {tree:?}");
        assert_eq!(slots.snapshot().in_flight, 0, "{seed}");

        let trial = Call::by_chance(&mut Dice::new(seed), 4, &[End::Ok, End::GivenUp]);
        breaker.reset();
        breaker.reconfigure(|config| config.consecutive_failures(2)).expect("in range");
        trip(&breaker, 2);
        sleep(secs(10)).await;
        trial.run().await;
        let (successes, _) = trial.expected();
        assert_eq!((breaker.state(), breaker.snapshot().calls), (State::HalfOpen, successes), "{seed}: {trial:?}");
        let left: Vec<_> = (0..501).map_while(|_| breaker.try_acquire().ok()).collect();
        assert_eq!(left.len(), 500 - successes as usize, "{seed}: every trial slot has come back once");
        drop(left);
        breaker.reset();
        breaker.reconfigure(|config| config.consecutive_failures(1_000)).expect("in range");
    }
}
