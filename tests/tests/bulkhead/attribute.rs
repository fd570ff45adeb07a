//! `#[bulkhead]` on functions and methods.

use std::pin::pin;
use std::time::Duration;

use futures::FutureExt as _;
use resilience::{Bulkhead, Error, ErrorKind, bulkhead, timeout};
use resilience_tests::{Answer, Clock, Script, Step, ms, secs, sleep};

use super::load;

#[bulkhead("attribute-two", max_concurrent = 2, max_wait = "1h", max_queue = 100)]
async fn two_at_once(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn bh05_the_slot_is_free_when_the_call_ends_not_when_its_future_goes() {
    let bulkhead = Bulkhead::get("attribute-two").unwrap();
    let clock = Clock::start();
    let first = Script::new([Step::Ok.after(secs(10))]);
    let short = Script::new([Step::Ok.after(ms(10))]);
    let all = futures::future::join_all((0..10).map(|number| two_at_once(if number == 0 { &first } else { &short })));
    tokio::join!(all, async {
        clock.until(ms(91)).await;
        assert_eq!((short.probe().finished(), first.probe().finished()), (9, 0));
        assert_eq!(load(&bulkhead), (1, 0));
    });
    assert_eq!((clock.elapsed(), short.probe().max_in_flight()), (secs(10), 1));

    let body = Script::ok();
    let mut done = pin!(two_at_once(&body));
    assert_eq!(done.as_mut().now_or_never(), Some(Ok(1)));
    assert_eq!(load(&bulkhead), (0, 0), "and the future is still there");
}

struct Store;
struct Cache;

impl Store {
    #[bulkhead(max_concurrent = 8)]
    async fn read(&self, body: &Script) -> Answer {
        body.run().await
    }

    #[bulkhead(max_concurrent = 8)]
    async fn write(&self, body: &Script) -> Answer {
        body.run().await
    }
}

impl Cache {
    #[bulkhead(max_concurrent = 8)]
    async fn read(&self, body: &Script) -> Answer {
        body.run().await
    }
}

#[tokio::test(start_paused = true)]
async fn c23_instances_of_one_type_share_the_slots_of_a_method() {
    let body = Script::hang();
    let (a, b) = (Store, Store);
    let mut held: Vec<_> =
        (0..8).map(|number| Box::pin(if number % 2 == 0 { a.read(&body) } else { b.read(&body) })).collect();
    for call in &mut held {
        assert!(call.as_mut().now_or_never().is_none());
    }
    assert_eq!(a.read(&body).await.unwrap_err().kind(), Some(ErrorKind::BulkheadFull));
    // Another method, another type: slots of their own.
    let mut others = [Box::pin(a.write(&body)).left_future(), Box::pin(Cache.read(&body)).right_future()];
    for other in &mut others {
        assert!(other.now_or_never().is_none());
    }
}

#[bulkhead("attribute-shared", max_concurrent = 1)]
async fn first(body: &Script) -> Answer {
    body.run().await
}

#[bulkhead("attribute-shared")]
async fn second(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn functions_that_give_one_name_share_its_slots() {
    let body = Script::hang();
    let mut held = pin!(second(&body));
    assert!(held.as_mut().now_or_never().is_none());
    let refused = first(&body).await.unwrap_err();
    assert_eq!((refused.kind(), body.entered()), (Some(ErrorKind::BulkheadFull), 1));
    assert_eq!(refused.refusal().map(Error::policy), Some("attribute-shared"));
    let by_hand = Bulkhead::get("attribute-shared").unwrap();
    assert!(by_hand.try_acquire().is_err());
}

#[timeout("500ms")]
#[bulkhead("attribute-queue", max_concurrent = 1, max_wait = "400ms")]
async fn queued(body: &Script) -> Answer {
    body.run().await
}

/// Part (b): the time in the queue counts. Part (a) is a deviation: a body that is cut is dropped and frees its slot.
#[tokio::test(start_paused = true)]
async fn c25_the_time_in_the_queue_counts_and_who_times_out_frees_the_slot() {
    let (a, b) = (Script::new([Step::Ok.after(ms(400))]), Script::hang());
    let clock = Clock::start();
    let (first, second) = tokio::join!(queued(&a), async {
        clock.until(ms(100)).await;
        queued(&b).await
    });
    assert_eq!((first, b.probe().starts()), (Ok(1), vec![ms(400)]));
    assert_eq!(second.unwrap_err().kind(), Some(ErrorKind::TimedOut));
    assert_eq!(clock.elapsed(), ms(600), "500 ms after its submission");

    let (a, b) = (Script::hang(), Script::ok());
    let (first, second) = tokio::join!(queued(&a), async {
        clock.until(ms(800)).await;
        queued(&b).await
    });
    assert_eq!(first.unwrap_err().kind(), Some(ErrorKind::TimedOut));
    assert_eq!((second, b.probe().starts()), (Ok(1), vec![ms(500)]));
    assert_eq!(load(&Bulkhead::get("attribute-queue").unwrap()), (0, 0));
}

#[bulkhead]
async fn bare(duration: Duration) -> Result<(), Error> {
    sleep(duration).await;
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn an_attribute_without_options_has_the_defaults() {
    let calls = futures::future::join_all((0..26).map(|_| bare(ms(1)))).await;
    let refused: Vec<_> = calls.iter().filter_map(|call| call.as_ref().err()).collect();
    assert_eq!(refused.iter().map(|error| error.kind()).collect::<Vec<_>>(), [ErrorKind::BulkheadFull]);
    assert_eq!(refused[0].policy(), concat!(module_path!(), "::bare"));
}
