//! How often arguments are cloned: once for each attempt, and not at all where the body runs once.

use super::*;
use resilience::fallback;

struct Counted<'a>(&'a AtomicU32);

impl Clone for Counted<'_> {
    fn clone(&self) -> Self {
        self.0.fetch_add(1, Ordering::SeqCst);
        Self(self.0)
    }
}

#[timeout("9s")]
#[retry(base_delay = 0ms)]
#[timeout("2s")]
#[bulkhead]
#[timeout("1s")]
async fn cloned(counted: Counted<'_>, _unmentioned: Counted<'_>, attempts: &Attempts) -> Result<u32> {
    drop(counted);
    attempts.next()
}

#[circuit_breaker]
#[timeout("1s")]
async fn moved(counted: Counted<'_>) -> Result<u32> {
    drop(counted);
    Ok(1)
}

#[tokio::test(start_paused = true)]
async fn one_clone_per_attempt_and_none_without_retry() {
    let clones = AtomicU32::new(0);
    cloned(Counted(&clones), Counted(&clones), Attempts::needed(3)).await.unwrap();
    assert_eq!(clones.swap(0, Ordering::SeqCst), 3);
    moved(Counted(&clones)).await.unwrap();
    assert_eq!(clones.into_inner(), 0);
}

#[fallback(|_| Ok(named.0.load(Ordering::SeqCst)))]
#[timeout("2s")]
#[bulkhead]
#[timeout("1s")]
async fn consumed(named: Counted<'_>, other: Counted<'_>) -> Result<u32> {
    drop((named, other));
    Err(Error::other("down"))
}

#[tokio::test]
async fn only_what_body_and_stand_in_take_is_cloned_once() {
    let clones = AtomicU32::new(0);
    assert_eq!(consumed(Counted(&clones), Counted(&clones)).await.unwrap(), 1);
}
