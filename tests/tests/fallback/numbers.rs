//! FB-05: a thousand calls of every kind, and what is counted adds up to them.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;

use futures::FutureExt as _;
use resilience::{
    Bulkhead, CircuitBreaker, ErrorKind, Event, RateLimiter, bulkhead, circuit_breaker, fallback, rate_limit, timeout,
};
use resilience_tests::{Answer, Dice, EventLog, Fault, Script, Step, ms};

use super::INSTEAD;

const NAME: &str = "numbers";

#[fallback(|error| if works { Ok(INSTEAD) } else { Err(error) }, when = recoverable, name = "numbers")]
#[circuit_breaker("numbers", window_calls = 2000, min_calls = 2000)]
#[rate_limit("numbers", limit = 1_000_000, per = "1h", permits = permits)]
#[bulkhead("numbers", max_concurrent = 1)]
#[timeout("50ms", name = "numbers")]
async fn call(works: bool, permits: u32, body: &Script) -> Answer {
    body.run().await
}

/// Of the body's own errors; refusals are always replaced.
fn recoverable(fault: &Fault) -> bool {
    *fault == Fault::Down
}

/// What a call meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Ok,
    UserError,
    Recovered,
    NotRecovered,
    TimedOut,
    Open,
    Full,
    Limited,
    Dropped,
    Panicked,
}

const KINDS: [Kind; 10] = [
    Kind::Ok,
    Kind::UserError,
    Kind::Recovered,
    Kind::NotRecovered,
    Kind::TimedOut,
    Kind::Open,
    Kind::Full,
    Kind::Limited,
    Kind::Dropped,
    Kind::Panicked,
];

async fn meet(kind: Kind) {
    let breaker = CircuitBreaker::get(NAME).unwrap();
    let bulkhead = Bulkhead::get(NAME).unwrap();
    let step = match kind {
        Kind::UserError => Step::Err(Fault::Broken),
        Kind::Recovered | Kind::NotRecovered => Step::Err(Fault::Down),
        Kind::TimedOut | Kind::Dropped => Step::Hang,
        Kind::Panicked => Step::Panic,
        _ => Step::Ok,
    };
    let body = Script::new([step]);
    let slot = (kind == Kind::Full).then(|| bulkhead.try_acquire().unwrap());
    // More than the burst is never there.
    let permits = if kind == Kind::Limited { u32::MAX } else { 1 };
    if kind == Kind::Open {
        breaker.force_open();
    }
    let guarded = call(kind != Kind::NotRecovered, permits, &body);
    match kind {
        Kind::Dropped => assert!(tokio::time::timeout(ms(10), guarded).await.is_err()),
        Kind::Panicked => assert!(AssertUnwindSafe(guarded).catch_unwind().await.is_err()),
        _ => {
            let expected = match kind {
                Kind::Ok => Ok(1),
                Kind::UserError => Err(Fault::Broken),
                Kind::NotRecovered => Err(Fault::Down),
                _ => Ok(INSTEAD),
            };
            assert_eq!(guarded.await, expected, "{kind:?}");
        }
    }
    drop(slot);
}

#[tokio::test(start_paused = true)]
async fn fb05_a_thousand_calls_add_up() {
    let breaker = CircuitBreaker::get(NAME).unwrap();
    let mut dice = Dice::new(5);
    let kinds: Vec<_> = (0..1000).map(|_| dice.one_of(&KINDS)).collect();
    let mut made = BTreeMap::new();
    kinds.iter().for_each(|kind| *made.entry(*kind).or_insert(0u32) += 1);
    assert_eq!(made.len(), KINDS.len(), "every kind is among them");
    let number = |kinds: &[Kind]| kinds.iter().map(|kind| made[kind]).sum::<u32>();

    let log = EventLog::of([NAME]);
    let (mut recorded, mut failures) = (0, 0);
    for kind in &kinds {
        if *kind == Kind::Open {
            // Forcing and resetting empties the window: what it held is added up.
            recorded += breaker.snapshot().calls;
            failures += breaker.snapshot().failures;
            meet(*kind).await;
            breaker.reset();
        } else {
            meet(*kind).await;
        }
    }
    recorded += breaker.snapshot().calls;
    failures += breaker.snapshot().failures;

    let events = log.take();
    let told = |name: &str| events.iter().filter(|event| event.name() == name).count() as u32;
    let replaced = |kind: Option<ErrorKind>| {
        let of_kind = |event: &&Event| matches!(event, Event::FallbackUsed { refusal, .. } if *refusal == kind);
        events.iter().filter(of_kind).count() as u32
    };
    assert_eq!(told("circuit_breaker.rejected"), number(&[Kind::Open]));
    assert_eq!(told("bulkhead.rejected"), number(&[Kind::Full]));
    assert_eq!(told("rate_limit.rejected"), number(&[Kind::Limited]));
    assert_eq!(told("timeout.elapsed"), number(&[Kind::TimedOut]));
    assert_eq!(replaced(None), number(&[Kind::Recovered, Kind::NotRecovered]));
    assert_eq!(replaced(Some(ErrorKind::TimedOut)), number(&[Kind::TimedOut]));
    assert_eq!(replaced(Some(ErrorKind::CircuitOpen)), number(&[Kind::Open]));
    assert_eq!(replaced(Some(ErrorKind::BulkheadFull)), number(&[Kind::Full]));
    assert_eq!(replaced(Some(ErrorKind::RateLimited)), number(&[Kind::Limited]));
    assert_eq!(told("fallback.used"), 1000 - number(&[Kind::Ok, Kind::UserError, Kind::Dropped, Kind::Panicked]));
    // The breaker has every call that reached the dependency, and no other.
    let neutral = number(&[Kind::Open, Kind::Full, Kind::Limited, Kind::Dropped]);
    assert_eq!(recorded, 1000 - neutral);
    assert_eq!(failures, recorded - number(&[Kind::Ok]));
    assert_eq!(Bulkhead::get(NAME).unwrap().snapshot().rejected, number(&[Kind::Full]));
    assert_eq!(RateLimiter::get(NAME).unwrap().snapshot().rejected, number(&[Kind::Limited]));
    assert_eq!((Bulkhead::get(NAME).unwrap().snapshot().in_flight, breaker.snapshot().probes_in_flight), (0, 0));
}
