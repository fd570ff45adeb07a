//! What a call holds until it is known whether it came to be, and the line that waits for it.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use tokio::task::{LocalSet, spawn_local, yield_now};

use super::{Config, RateLimiter, Snapshot, Taken, acquire};
use crate::admission::Admission;
use crate::error::Error;
use crate::time;

const SECOND: Duration = Duration::from_secs(1);

/// One permit in ten seconds, and so many at once.
fn slow(name: &str, burst: u32) -> RateLimiter {
    let config = Config::new().limit(1).per(SECOND * 10).burst(burst).max_wait(SECOND * 3600);
    RateLimiter::register(name, config).expect("a good configuration")
}

async fn asked(limiter: RateLimiter, permits: u32) -> Result<Taken, Error> {
    Admission::from(acquire(limiter.0, permits, None)).await
}

async fn taken(limiter: RateLimiter, permits: u32) -> Taken {
    asked(limiter, permits).await.expect("permits are there, or will be")
}

fn available(limiter: RateLimiter) -> u32 {
    limiter.snapshot().available
}

/// Who was served, and after how many milliseconds.
#[derive(Clone)]
struct Line {
    limiter: RateLimiter,
    since: time::Instant,
    served: Rc<RefCell<Vec<(u32, u128)>>>,
}

impl Line {
    fn new(limiter: RateLimiter) -> Self {
        Self { limiter, since: time::now(), served: Rc::default() }
    }

    async fn join(&self, who: u32, permits: u32) {
        let line = self.clone();
        spawn_local(async move {
            taken(line.limiter, permits).await.spent();
            line.served.borrow_mut().push((who, line.since.elapsed().as_millis()));
        });
        yield_now().await;
    }

    async fn until(&self, after: Duration) {
        time::sleep_until(self.since + after).await;
        yield_now().await;
    }

    fn served(&self) -> Vec<(u32, u128)> {
        self.served.borrow().clone()
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_dropped_comes_back_and_what_is_spent_does_not() {
    let limiter = slow("taken-dropped", 5);
    let (one, three) = (taken(limiter, 1).await, taken(limiter, 3).await);
    assert_eq!(available(limiter), 1);
    drop(three);
    assert_eq!(available(limiter), 4);
    one.spent();
    assert_eq!(available(limiter), 4);
    // By hand: whatever becomes of it.
    limiter.try_acquire(2).expect("they are there");
    limiter.acquire(1).await.expect("it is there");
    assert_eq!(available(limiter), 1);
}

#[tokio::test(start_paused = true)]
async fn a_refused_call_has_nothing_to_give_back() {
    let limiter = slow("taken-refused", 2);
    let held = taken(limiter, 2).await;
    assert!(asked(limiter, 3).await.is_err(), "more than there ever are");
    assert_eq!(available(limiter), 0);
    drop(held);
    assert_eq!(available(limiter), 2);
}

/// The head looks again as soon as something comes back, and so does whoever is the head then.
#[tokio::test(start_paused = true)]
async fn the_line_is_served_by_what_comes_back() {
    LocalSet::new()
        .run_until(async {
            let limiter = slow("taken-line", 3);
            let (one, two) = (taken(limiter, 1).await, taken(limiter, 2).await);
            let line = Line::new(limiter);
            for who in 0..3 {
                line.join(who, 1).await;
            }
            line.until(SECOND).await;
            assert_eq!(line.served(), []);
            drop(two);
            line.until(SECOND).await;
            assert_eq!(line.served(), [(0, 1000), (1, 1000)], "both profit");
            line.until(SECOND * 2).await;
            drop(one);
            line.until(SECOND * 2).await;
            assert_eq!(line.served(), [(0, 1000), (1, 1000), (2, 2000)]);
            assert_eq!(limiter.snapshot().waiting, 0);
        })
        .await;
}

/// Too little for the head: it goes on waiting, for less, and nobody passes it.
#[tokio::test(start_paused = true)]
async fn what_comes_back_is_the_heads() {
    LocalSet::new()
        .run_until(async {
            let limiter = slow("taken-head", 3);
            let (one, other, _rest) = (taken(limiter, 1).await, taken(limiter, 1).await, taken(limiter, 1).await);
            let line = Line::new(limiter);
            line.join(0, 2).await;
            line.join(1, 1).await;
            drop(other);
            yield_now().await;
            assert!(limiter.try_acquire(1).is_err());
            let Snapshot { available, waiting, .. } = limiter.snapshot();
            assert_eq!((available, waiting), (1, 2));
            line.until(SECOND * 4).await;
            drop(one);
            line.until(SECOND * 4).await;
            assert_eq!(line.served(), [(0, 4000)]);
        })
        .await;
}

/// Dropped while it waits it has taken nothing; dropped when it has been served, it gives back what it was served.
#[tokio::test(start_paused = true)]
async fn a_place_in_line_that_turns_into_permits() {
    let limiter = slow("taken-place", 1);
    taken(limiter, 1).await.spent();
    drop(time::by(time::now() + SECOND, asked(limiter, 1)).await);
    let served = taken(limiter, 1).await;
    assert_eq!(available(limiter), 0);
    drop(served);
    assert_eq!(available(limiter), 1);
}

#[tokio::test(start_paused = true)]
async fn a_limit_that_has_been_taken_away_takes_nothing_back() {
    let limiter = slow("taken-away", 3);
    let held = [taken(limiter, 1).await, taken(limiter, 1).await];
    RateLimiter::register("taken-away", Config::new()).expect("a good configuration");
    let [one, other] = held;
    drop(one);
    assert_eq!(available(limiter), 0);
    slow("taken-away", 3);
    assert_eq!(available(limiter), 3, "a new bucket");
    limiter.try_acquire(2).expect("they are there");
    drop(other);
    assert_eq!(available(limiter), 1, "which has not given that one");
}

/// On threads, with a clock that goes on.
#[test]
fn on_threads_not_a_permit_is_lost_or_won() {
    let config = Config::new().limit(64).per(SECOND * 86_400 * 365).burst(64);
    let limiter = RateLimiter::register("taken-threads", config).expect("a good configuration");
    let stayed = std::thread::scope(|scope| {
        let visits = (0..4u32).map(|thread| {
            scope.spawn(move || {
                let mut stayed = 0;
                for call in 0..2_000 {
                    let permits = 1 + (thread + call) % 3;
                    let crate::admission::Answer::Now(Ok(taken)) = acquire(limiter.0, permits, None) else { continue };
                    if call % 50 == 0 {
                        taken.spent();
                        stayed += permits;
                    }
                }
                stayed
            })
        });
        visits.collect::<Vec<_>>().into_iter().map(|visit| visit.join().expect("no panic")).sum::<u32>()
    });
    // But for what time has brought meanwhile, which is next to nothing at that rate.
    let left = 64_u32.saturating_sub(stayed);
    assert!((left.saturating_sub(1)..=left).contains(&available(limiter)), "{} of {left}", available(limiter));
}
