//! What a reset keeps. A program of its own: elsewhere, snapshots of the whole registry are taken on other clocks, and a
//! reader who looks when the cooldown is over, by its clock, makes a breaker half-open.

use resilience::{CircuitBreaker, circuit_breaker};
use resilience_tests::{Answer, Script, play, secs, trip};

#[circuit_breaker(
    "reset",
    consecutive_failures = 6,
    cooldown = "12s",
    cooldown_multiplier = 2.5,
    success_threshold = 4
)]
async fn guarded(body: &Script) -> Answer {
    body.run().await
}

/// Entries are never removed; what can be re-created with defaults elsewhere is reset here, and keeps its options.
#[tokio::test(start_paused = true)]
async fn rg03_a_reset_keeps_the_declared_options() {
    assert!(guarded(&Script::ok()).await.is_ok());
    let breaker = CircuitBreaker::get("reset").unwrap();
    for _ in 0..3 {
        trip(&breaker, 6);
        assert_eq!(breaker.snapshot().cooldown_remaining, Some(secs(12)));
        breaker.reset();
    }
    // One failed recovery: the cooldown is 30 s then.
    trip(&breaker, 6);
    play(&breaker, "+12s err +29s refused +1s ok*4 =closed").await;
}
