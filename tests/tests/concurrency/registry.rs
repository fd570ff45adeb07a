//! First uses on many threads.

use std::sync::Arc;
use std::thread;

use futures::future::join_all;
use resilience::circuit_breaker::Config;
use resilience::{CircuitBreaker, Error, Outcome, bulkhead};
use resilience_tests::unique;
use tokio::sync::Semaphore;
use tokio::task::yield_now;

#[bulkhead(max_concurrent = 1)]
async fn first_called_by_many(gate: &Semaphore) -> Result<(), Error> {
    drop(gate.acquire().await);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_site_first_called_on_all_threads_is_one_policy() {
    let gate = Arc::new(Semaphore::new(0));
    let calls: Vec<_> = (0..16)
        .map(|_| {
            let gate = Arc::clone(&gate);
            tokio::spawn(async move { first_called_by_many(&gate).await })
        })
        .collect();
    while calls.iter().filter(|call| call.is_finished()).count() < 15 {
        yield_now().await;
    }
    gate.add_permits(1);
    let served = join_all(calls).await.into_iter().filter(|call| matches!(call, Ok(Ok(())))).count();
    assert_eq!(served, 1);
}

#[test]
fn a_name_registered_on_all_threads_is_one_breaker() {
    for _ in 0..50 {
        let name = unique("together");
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let breaker = CircuitBreaker::register(name, Config::new().min_calls(50)).unwrap();
                    breaker.try_acquire().unwrap().record(Outcome::Success);
                });
            }
        });
        assert_eq!(CircuitBreaker::get(name).unwrap().snapshot().calls, 4);
    }
}
