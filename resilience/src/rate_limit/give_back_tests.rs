//! Permits that come back: what the bucket is worth afterwards, and that the promise holds for those that do not.

use std::time::Duration;

use proptest::prelude::*;

use super::bucket::{Bucket, Mark};
use super::config::Settings;

const START: u64 = 1 << 60;
const SECOND: u64 = 1_000_000_000;

fn settings(limit: u32, per: u64, burst: u32) -> Settings {
    Settings { limit, per: Duration::from_nanos(per), burst, max_wait: Duration::ZERO }
}

/// One permit a second, and so many at once.
fn slow(burst: u32) -> Bucket {
    Bucket::new(&settings(1, SECOND, burst), START)
}

fn take(bucket: &mut Bucket, permits: u32, now: u64) -> Option<Mark> {
    bucket.take(permits, now).is_ok().then(|| Mark { at: now, full: bucket.full() })
}

fn taken(bucket: &mut Bucket, now: u64) -> Mark {
    take(bucket, 1, now).expect("a permit is there")
}

#[derive(Clone, Debug)]
enum Step {
    Take(u32),
    Wait(u64),
    GiveBack(prop::sample::Index),
}

fn step() -> impl Strategy<Value = Step> {
    let wait = prop_oneof![Just(0u64), 0u64..50_000_000, 0u64..2_000_000_000];
    prop_oneof![
        5 => (1u32..4).prop_map(Step::Take),
        2 => wait.prop_map(Step::Wait),
        4 => any::<prop::sample::Index>().prop_map(Step::GiveBack),
    ]
}

fn any_settings() -> impl Strategy<Value = Settings> {
    let per = prop_oneof![Just(1_000u64), Just(333_333_333), Just(SECOND), Just(10 * SECOND), Just(u64::MAX / 8)];
    let limit = prop_oneof![Just(1u32), Just(3), Just(10), Just(97), Just(u32::MAX)];
    let burst = prop_oneof![Just(1u32), Just(2), 1u32..12, Just(u32::MAX)];
    (limit, per, burst).prop_map(|(limit, per, burst)| settings(limit, per, burst))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Whoever stays would have been let in all the same if those who gave back had never come. So the promise, which a bucket
    /// without them keeps, is kept.
    #[test]
    fn those_who_stay_are_let_in_as_if_the_others_had_never_come(
        settings in any_settings(),
        steps in prop::collection::vec(step(), 1..120),
    ) {
        let (mut bucket, mut now) = (Bucket::new(&settings, START), START);
        let mut let_in: Vec<(u64, u32, Mark, bool)> = Vec::new();
        for step in steps {
            match step {
                Step::Wait(nanos) => now += nanos,
                Step::Take(permits) => {
                    let_in.extend(take(&mut bucket, permits, now).map(|mark| (now, permits, mark, true)));
                }
                Step::GiveBack(which) => {
                    let staying: Vec<_> = (0..let_in.len()).filter(|call| let_in[*call].3).collect();
                    if staying.is_empty() {
                        continue;
                    }
                    let (_, permits, mark, stays) = &mut let_in[staying[which.index(staying.len())]];
                    let before = bucket.clone().available(now);
                    bucket.give_back(*permits, *mark, now);
                    *stays = false;
                    let after = bucket.clone().available(now);
                    prop_assert!((before..=before.saturating_add(*permits).min(settings.burst)).contains(&after));
                }
            }
        }
        let mut alone = Bucket::new(&settings, START);
        for (at, permits, _, _) in let_in.iter().filter(|call| call.3) {
            prop_assert_eq!(alone.take(*permits, *at), Ok(()));
        }
        prop_assert!(bucket.available(now) <= alone.available(now));
        // And the promise itself, for any two of them.
        let stayed: Vec<_> = let_in.iter().filter(|call| call.3).collect();
        let (limit, per, burst) = (u128::from(settings.limit), settings.per.as_nanos(), u128::from(settings.burst));
        for (first, (from, ..)) in stayed.iter().enumerate() {
            let mut sum = 0u128;
            for (to, permits, ..) in &stayed[first..] {
                sum += u128::from(*permits);
                prop_assert!(sum * per <= burst * per + limit * u128::from(to - from));
            }
        }
    }

    /// Refused below in the moment in which they were let in: all comes back, in whatever order.
    #[test]
    fn all_that_is_given_back_at_once_is_there(
        settings in any_settings(),
        before in 0u64..3 * SECOND,
        steps in prop::collection::vec((1u32..4, any::<prop::sample::Index>(), any::<bool>()), 1..40),
    ) {
        let mut bucket = Bucket::new(&settings, START);
        let _ = bucket.take(settings.burst.min(5), START);
        let now = START + before;
        let mut alone = bucket.clone();
        let mut waiting: Vec<(u32, Mark)> = Vec::new();
        for (permits, which, stays) in steps {
            match take(&mut bucket, permits, now) {
                Some(_) if stays => prop_assert_eq!(alone.take(permits, now), Ok(())),
                Some(mark) => waiting.push((permits, mark)),
                None if waiting.is_empty() => {}
                None => {
                    let (permits, mark) = waiting.swap_remove(which.index(waiting.len()));
                    bucket.give_back(permits, mark, now);
                }
            }
        }
        for (permits, mark) in waiting.into_iter().rev() {
            bucket.give_back(permits, mark, now);
        }
        prop_assert_eq!(bucket.available(now), alone.available(now));
    }
}

/// Calls that wait below and leave later, the first of them first, or the last: the bucket is as full as if they had never
/// come.
#[test]
fn a_queue_that_leaves_later_has_taken_nothing() {
    for (burst, calls, later) in [(10, 10, SECOND / 2), (10, 9, 5 * SECOND), (10, 4, 3 * SECOND), (3, 3, 1), (1, 1, 7)]
    {
        for last_first in [false, true] {
            let mut bucket = slow(burst);
            let mut marks: Vec<_> = (0..calls).map(|_| taken(&mut bucket, START)).collect();
            if last_first {
                marks.reverse();
            }
            for mark in marks {
                bucket.give_back(1, mark, START + later);
            }
            assert_eq!(bucket.available(START + later), burst, "{calls} of {burst}, after {later} ns, {last_first}");
        }
    }
}

/// Ten at once are let in and wait below, one a second leaves for good: what it took is there for the next.
#[test]
fn in_a_lasting_overload_what_a_queue_below_refuses_is_used() {
    let mut bucket = slow(10);
    let mut waiting: std::collections::VecDeque<_> = (0..10).map(|_| taken(&mut bucket, START)).collect();
    for half_seconds in 1..200 {
        let now = START + half_seconds * SECOND / 2;
        let oldest = waiting.pop_front().expect("it is full all the time");
        // Every other one is refused below, the rest comes to be.
        if half_seconds % 2 == 0 {
            bucket.give_back(1, oldest, now);
            waiting.push_back(taken(&mut bucket, now));
            waiting.push_back(taken(&mut bucket, now));
        }
    }
}

/// The counterexample to adding what comes back: the bucket would have been full, and what time brought lost.
#[test]
fn what_time_would_not_have_brought_does_not_come_back() {
    for burst in 1..4 {
        let mut bucket = slow(burst);
        let waits_below = taken(&mut bucket, START);
        assert_eq!(bucket.take(burst, START + SECOND), Ok(()));
        bucket.give_back(1, waits_below, START + SECOND);
        assert_eq!(bucket.take(1, START + SECOND), Err(Some(SECOND)), "{burst} at once, and no more");
    }
}

#[test]
fn never_more_than_the_bucket_holds() {
    let mut bucket = slow(3);
    let mark = taken(&mut bucket, START);
    bucket.give_back(1, mark, START + 10 * SECOND);
    assert_eq!(bucket.available(START + 10 * SECOND), 3);
    // Also where it holds less by now.
    let marks: Vec<_> = (0..3).map(|_| taken(&mut bucket, START + 10 * SECOND)).collect();
    bucket.reconfigure(&settings(1, SECOND, 2), START + 10 * SECOND);
    for mark in marks {
        bucket.give_back(1, mark, START + 10 * SECOND);
    }
    assert_eq!(bucket.available(START + 10 * SECOND), 2);
}

/// Other rates in between: permits come back as permits, and none that did not fit into the bucket then.
#[test]
fn other_rates_in_between() {
    for (to, expected) in [
        (settings(10, SECOND, 10), 8),
        (settings(1, 60 * SECOND, 10), 8),
        (settings(1, SECOND, 20), 8),
        // The six that were left and the two that come back, as far as they fit.
        (settings(1, SECOND, 7), 7),
        (settings(1, SECOND, 6), 6),
        (settings(1, SECOND, 3), 3),
    ] {
        let mut bucket = slow(10);
        let _stay = (taken(&mut bucket, START), taken(&mut bucket, START));
        let leave = [taken(&mut bucket, START), taken(&mut bucket, START)];
        bucket.reconfigure(&to, START);
        for mark in leave {
            bucket.give_back(1, mark, START);
        }
        assert_eq!(bucket.available(START), expected, "{to:?}");
    }
    // It was full when the smaller bucket came; what is taken from that one later is none of those.
    let mut bucket = slow(10);
    let leaves = taken(&mut bucket, START);
    bucket.reconfigure(&settings(1, SECOND, 3), START);
    let _ = (taken(&mut bucket, START), taken(&mut bucket, START));
    bucket.give_back(1, leaves, START);
    assert_eq!(bucket.available(START), 1);
}

/// A bucket whose rates the gate does not hold keeps no account of others: what time has brought since does not come back.
#[test]
fn a_huge_bucket_takes_back_what_time_has_not_brought() {
    let per = 604_800 * SECOND;
    let mut bucket = Bucket::new(&settings(u32::MAX, per, u32::MAX), START);
    assert_eq!(bucket.take(u32::MAX, START), Ok(()));
    let mark = Mark { at: START, full: bucket.full() };
    bucket.give_back(u32::MAX, mark, START + SECOND);
    assert_eq!(bucket.available(START + SECOND), u32::MAX);
}
