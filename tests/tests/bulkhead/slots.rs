//! Slots: taken, refused, given back.

use std::time::Duration;

use resilience::bulkhead::Config;
use resilience::{Bulkhead, ErrorKind, Retry, retry};
use resilience_tests::{Answer, Clock, EventLog, Fault, Script, Step, bulkhead, ms, secs, sleep, unique};

use super::load;

#[tokio::test(start_paused = true)]
async fn as_many_as_there_are_slots_and_not_one_more() {
    let bulkhead = bulkhead(Config::new().max_concurrent(3));
    let mut slots: Vec<_> = (0..3).map(|_| bulkhead.try_acquire().unwrap()).collect();
    for refusals in 1..=100 {
        let error = bulkhead.try_acquire().unwrap_err();
        assert_eq!(
            (error.kind(), error.policy(), error.retry_after()),
            (ErrorKind::BulkheadFull, bulkhead.name(), None)
        );
        assert_eq!(bulkhead.acquire().await.unwrap_err().kind(), ErrorKind::BulkheadFull);
        assert_eq!(bulkhead.snapshot().rejected, 2 * refusals);
        assert_eq!(load(&bulkhead), (3, 0));
    }
    slots.pop();
    assert_eq!(load(&bulkhead), (2, 0));
    slots.push(bulkhead.acquire().await.unwrap());
    assert!(bulkhead.try_acquire().is_err());
    slots.clear();
    assert_eq!(load(&bulkhead), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn twenty_five_at_once_and_no_waiting_by_default() {
    let bulkhead = bulkhead(Config::new());
    let slots: Vec<_> = (0..25).map(|_| bulkhead.try_acquire().unwrap()).collect();
    let clock = Clock::start();
    assert_eq!(bulkhead.acquire().await.unwrap_err().kind(), ErrorKind::BulkheadFull);
    assert_eq!(clock.elapsed(), Duration::ZERO);
    drop(slots);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_told() {
    let name = unique("told");
    let bulkhead = Bulkhead::register(name, Config::new().max_concurrent(1).max_wait(ms(70)).max_queue(1)).unwrap();
    let log = EventLog::of([name]);
    let _slot = bulkhead.try_acquire().unwrap();
    log.assert_finished();
    let waited = |events: Vec<resilience::Event>| match events.as_slice() {
        [resilience::Event::BulkheadRejected { waited, .. }] => *waited,
        _ => unreachable!(),
    };
    bulkhead.try_acquire().unwrap_err();
    assert_eq!(waited(log.expect(["bulkhead.rejected"])), Duration::ZERO);
    bulkhead.acquire().await.unwrap_err();
    assert_eq!(waited(log.expect(["bulkhead.rejected"])), ms(70));
    log.assert_finished();
}

#[tokio::test(start_paused = true)]
async fn bh07_any_number_of_slots_works() {
    for slots in [1, 2, 1 << 20, u32::MAX >> 3, u32::MAX] {
        let bulkhead = bulkhead(Config::new().max_concurrent(slots));
        let slot = bulkhead.try_acquire().unwrap();
        assert_eq!(load(&bulkhead), (1, 0), "{slots}");
        drop(slot);
        bulkhead.resize(1).unwrap();
        bulkhead.resize(u32::MAX).unwrap();
        let slot = bulkhead.acquire().await.unwrap();
        assert_eq!(load(&bulkhead), (1, 0), "{slots}");
        bulkhead.resize(1).unwrap();
        assert!(bulkhead.try_acquire().is_err());
        drop(slot);
        let _slot = bulkhead.try_acquire().unwrap();
    }
    let none = Bulkhead::register(unique("none"), Config::new().max_concurrent(0)).unwrap_err();
    assert_eq!((none.option(), none.value().to_string().as_str()), ("max_concurrent", "0"));
}

#[tokio::test(start_paused = true)]
async fn to04_extreme_waits() {
    for wait in [Duration::MAX, secs(u64::MAX), secs(u64::MAX / 10), Duration::from_nanos(u64::MAX)] {
        let bulkhead = bulkhead(Config::new().max_concurrent(1).max_wait(wait));
        drop(bulkhead.acquire().await.unwrap());
        let slot = bulkhead.try_acquire().unwrap();
        let (waited, ()) = tokio::join!(bulkhead.acquire(), async {
            sleep(secs(86_400)).await;
            drop(slot);
        });
        assert!(waited.is_ok(), "{wait:?}");
    }
    for wait in [Duration::ZERO, Duration::from_nanos(1)] {
        let bulkhead = bulkhead(Config::new().max_concurrent(1).max_wait(wait));
        let _slot = bulkhead.acquire().await.unwrap();
        let clock = Clock::start();
        assert_eq!(bulkhead.acquire().await.unwrap_err().kind(), ErrorKind::BulkheadFull);
        assert!(clock.elapsed() <= ms(1), "{wait:?}");
    }
}

/// `[retry → bulkhead]` by hand.
async fn retried(bulkhead: Bulkhead, body: Script, options: retry::Config) -> Answer {
    let attempt = || async {
        let _slot = bulkhead.acquire().await?;
        body.run().await
    };
    Retry::new(options.backoff(retry::Backoff::Constant).jitter(retry::Jitter::None)).classified().call(attempt).await
}

#[tokio::test(start_paused = true)]
async fn c21_a_retry_loses_its_slot_while_it_waits() {
    let bulkhead = bulkhead(Config::new().max_concurrent(1));
    let options = retry::Config::new().max_attempts(2).base_delay(secs(1));
    let a = tokio::spawn(retried(bulkhead, Script::new([Step::Err(Fault::Down)]), options));
    sleep(ms(100)).await;
    assert_eq!(load(&bulkhead), (0, 0), "the slot is free while A waits");
    let b = tokio::spawn(retried(bulkhead, Script::new([Step::Ok.after(secs(2))]), options));
    assert_eq!(a.await.unwrap().unwrap_err().kind(), Some(ErrorKind::BulkheadFull));
    assert_eq!(b.await.unwrap(), Ok(1));
}

#[tokio::test(start_paused = true)]
async fn c21_full_is_not_tried_again() {
    for attempts in [1, 2] {
        let bulkhead = bulkhead(Config::new().max_concurrent(1));
        let _slot = bulkhead.try_acquire().unwrap();
        let clock = Clock::start();
        let options = retry::Config::new().max_attempts(attempts).base_delay(secs(1));
        let refused = retried(bulkhead, Script::ok(), options).await;
        assert_eq!(refused.unwrap_err().kind(), Some(ErrorKind::BulkheadFull));
        assert_eq!(clock.elapsed(), Duration::ZERO);
    }
}
