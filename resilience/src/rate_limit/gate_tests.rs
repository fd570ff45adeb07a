//! The gate beside a bucket that every call asks, step by step, and in every interleaving.

use std::time::Duration;

use super::bucket::{Bucket, Mark};
use super::config::Settings;
use super::gate::{Answer, Gate};
use crate::sync::{Mutex, MutexGuard};

fn rates(limit: u32, per: u64, burst: u32) -> Settings {
    Settings { limit, per: Duration::from_nanos(per), burst, max_wait: Duration::ZERO }
}

/// A limiter without its line.
struct Guarded {
    gate: Gate,
    bucket: Mutex<Bucket>,
}

impl Guarded {
    fn new(settings: &Settings, now: u64) -> Self {
        let guarded = Self { gate: Gate::new(), bucket: Mutex::new(Bucket::new(settings, now)) };
        guarded.work(|_| ());
        guarded
    }

    fn work<T>(&self, work: impl FnOnce(&mut Bucket) -> T) -> T {
        self.work_on(self.bucket.lock().unwrap(), work)
    }

    fn work_on<T>(&self, mut bucket: MutexGuard<'_, Bucket>, work: impl FnOnce(&mut Bucket) -> T) -> T {
        self.gate.close(&mut bucket);
        let result = work(&mut bucket);
        self.gate.open(&bucket);
        result
    }

    fn take(&self, permits: u32, now: u64) -> Result<(), Option<u64>> {
        self.take_marked(permits, now).map(|_mark| ())
    }

    fn take_marked(&self, permits: u32, now: u64) -> Result<Mark, Option<u64>> {
        if let Some(answer) = self.at_gate(permits, now) {
            return answer;
        }
        let bucket = self.bucket.lock().unwrap();
        self.at_gate(permits, now).unwrap_or_else(|| self.work_on(bucket, |bucket| marked(bucket, permits, now)))
    }

    fn at_gate(&self, permits: u32, now: u64) -> Option<Result<Mark, Option<u64>>> {
        match self.gate.take(permits, now) {
            Answer::Taken(full) => Some(Ok(Mark { at: now, full })),
            Answer::Refused(wait) => Some(Err(wait)),
            Answer::Asks => None,
        }
    }

    fn give_back(&self, permits: u32, mark: Mark, now: u64) {
        self.work(|bucket| bucket.give_back(permits, mark, now));
    }

    fn available(&self, now: u64) -> u32 {
        let mut copy = self.bucket.lock().unwrap().clone();
        self.gate.look(&mut copy);
        copy.available(now)
    }
}

fn marked(bucket: &mut Bucket, permits: u32, now: u64) -> Result<Mark, Option<u64>> {
    bucket.take(permits, now)?;
    Ok(Mark { at: now, full: bucket.full() })
}

#[cfg(not(resilience_loom))]
mod model {
    use proptest::prelude::*;

    use super::*;

    const YEAR: u64 = 365 * 86_400 * 1_000_000_000;

    #[derive(Clone, Debug)]
    enum Step {
        Take(u32),
        /// A clock that goes on, or another one's.
        Time(i64),
        Rates(Settings),
        Look,
        /// One of those that were taken, counted from the last.
        GiveBack(usize),
    }

    fn any_rates() -> impl Strategy<Value = Settings> {
        let per = prop_oneof![
            Just(1u64),
            Just(1_000_000),
            Just(333_333_333),
            Just(1_000_000_000),
            Just(86_400_000_000_000),
            Just(u64::MAX),
            1u64..10_000_000_000,
        ];
        let limit = prop_oneof![Just(1u32), Just(333), Just(1000), Just(u32::MAX), 1u32..1000, any::<u32>()];
        let burst = prop_oneof![Just(1u32), Just(u32::MAX), 1u32..50];
        (limit, per, burst).prop_map(|(limit, per, burst)| rates(limit.max(1), per, burst))
    }

    fn step() -> impl Strategy<Value = Step> {
        let time = prop_oneof![
            4 => 0i64..10,
            6 => 0i64..5_000_000,
            4 => 0i64..3_000_000_000,
            1 => -200_000i64..0,
            1 => -3_000_000_000i64..0,
            1 => 0i64..YEAR as i64,
            1 => -(YEAR as i64)..0,
        ];
        prop_oneof![
            12 => (0u32..6).prop_map(Step::Take),
            1 => any::<u32>().prop_map(Step::Take),
            10 => time.prop_map(Step::Time),
            1 => any_rates().prop_map(Step::Rates),
            3 => Just(Step::Look),
            6 => (0usize..4).prop_map(Step::GiveBack),
        ]
    }

    proptest! {
        /// To the last permit and the last nanosecond, whatever the rates, and whatever the clock does.
        #[test]
        fn the_gate_does_what_the_bucket_does(
            first in any_rates(),
            start in 0..200 * YEAR,
            steps in prop::collection::vec(step(), 1..200),
        ) {
            let mut now = start;
            let guarded = Guarded::new(&first, now);
            let mut model = Bucket::new(&first, now);
            let mut taken = Vec::new();
            for step in steps {
                match step {
                    Step::Take(permits) => {
                        let answer = guarded.take_marked(permits, now);
                        prop_assert_eq!(answer, marked(&mut model, permits, now));
                        taken.extend(answer.map(|mark| (permits, mark)));
                    }
                    Step::GiveBack(before) => {
                        let Some(at) = taken.len().checked_sub(before + 1) else { continue };
                        let (permits, mark) = taken.remove(at);
                        guarded.give_back(permits, mark, now);
                        model.give_back(permits, mark, now);
                        prop_assert_eq!(guarded.available(now), model.clone().available(now));
                    }
                    Step::Time(by) => now = now.saturating_add_signed(by),
                    Step::Rates(settings) => {
                        guarded.work(|bucket| bucket.reconfigure(&settings, now));
                        model.reconfigure(&settings, now);
                    }
                    Step::Look => prop_assert_eq!(guarded.available(now), model.clone().available(now)),
                }
            }
        }

        /// Calls whose clock readings are in another order than they are let in, as it happens between threads: never
        /// more than was promised between any two of the moments for which they were let in.
        #[test]
        fn late_readings_win_nothing(
            settings in any_rates(),
            calls in prop::collection::vec((0u64..300_000, 0u64..200_000, 1u32..4), 1..60),
        ) {
            const START: u64 = 1 << 50;
            let guarded = Guarded::new(&settings, START);
            let (mut time, mut latest) = (START, START);
            let mut taken: Vec<(u64, u32)> = Vec::new();
            for (step, late, permits) in calls {
                time += step;
                let read = time.saturating_sub(late).max(START);
                let answer = guarded.at_gate(permits, read).unwrap_or_else(|| {
                    latest = time;
                    guarded.work(|bucket| marked(bucket, permits, time))
                });
                latest = latest.max(read);
                if answer.is_ok() {
                    taken.push((latest, permits));
                }
            }
            let (limit, per) = (u128::from(settings.limit), settings.per.as_nanos());
            for (first, (from, _)) in taken.iter().enumerate() {
                let mut sum = 0;
                for (to, permits) in &taken[first..] {
                    sum += u128::from(*permits);
                    prop_assert!(sum * per <= u128::from(settings.burst) * per + limit * u128::from(to - from));
                }
            }
        }
    }

    /// Rates that are no whole number of nanoseconds, asked in time: nothing is lost, nothing gained.
    #[test]
    fn not_a_permit_is_lost_over_a_long_time() {
        for (limit, per) in [(333, 1_000_000_000), (7, 3_600_000_000_000), (999_983, 86_400_000_000_000)] {
            let start = 1 << 60;
            let guarded = Guarded::new(&rates(limit, per, 2), start);
            let (mut now, mut taken) = (start, 0u64);
            while taken < 100_000 {
                match guarded.take(1, now) {
                    Ok(()) => taken += 1,
                    Err(wait) => now += wait.expect("one is never too many"),
                }
            }
            let exact = (u128::from(taken - 2) * u128::from(per)).div_ceil(u128::from(limit));
            assert_eq!(u128::from(now - start), exact);
        }
    }

    #[test]
    fn usual_rates_take_no_lock_and_all_others_work() {
        const SECOND: u64 = 1_000_000_000;
        for (limit, per) in [(1, 3600 * SECOND), (333, SECOND), (999_983, SECOND), (9999, 86_400 * SECOND)] {
            let guarded = Guarded::new(&rates(limit, per, limit), 1 << 60);
            let _held = guarded.bucket.lock().unwrap();
            assert!(matches!(guarded.gate.take(limit, 1 << 60), Answer::Taken(_)));
            assert!(matches!(guarded.gate.take(1, (1 << 60) + 1), Answer::Refused(Some(_))));
        }
        let huge = Guarded::new(&rates(u32::MAX, u64::MAX - 1, u32::MAX), 1 << 60);
        assert_eq!(huge.gate.take(1, 1 << 60), Answer::Asks);
        assert_eq!(huge.take(u32::MAX, 1 << 60), Ok(()));
    }
}

#[cfg(resilience_loom)]
mod interleavings {
    use loom::sync::Arc;
    use loom::thread;

    use super::*;
    use crate::rate_limit::limiter::{Limiter, Turn};
    use crate::rate_limit::state::Denied;
    use crate::time;

    const START: u64 = 1 << 60;

    fn at_once(guarded: &Arc<Guarded>, one: impl FnOnce(&Guarded) + 'static, other: impl FnOnce(&Guarded)) {
        let shared = guarded.clone();
        let one = thread::spawn(move || one(&shared));
        other(guarded);
        one.join().unwrap();
    }

    #[test]
    fn loom_a_permit_is_taken_once() {
        loom::model(|| {
            let guarded = Arc::new(Guarded::new(&rates(1, 1000, 3), START));
            let taken = loom::sync::atomic::AtomicU32::new(0);
            let taken = Arc::new(taken);
            let count = taken.clone();
            let visit = |guarded: &Guarded, taken: &loom::sync::atomic::AtomicU32| {
                let answers = [guarded.take(2, START), guarded.take(1, START)];
                let sum = answers.iter().zip([2, 1]).map(|(answer, permits)| u32::from(answer.is_ok()) * permits).sum();
                taken.fetch_add(sum, loom::sync::atomic::Ordering::Relaxed);
            };
            at_once(&guarded, move |guarded| visit(guarded, &count), |guarded| visit(guarded, &taken));
            assert_eq!(taken.load(loom::sync::atomic::Ordering::Relaxed), 3);
            assert_eq!(guarded.available(START), 0);
        });
    }

    /// Whoever works on the bucket finds every permit that was taken before, and what comes after finds the work done.
    #[test]
    fn loom_no_permit_is_lost_while_the_bucket_is_worked_on() {
        loom::model(|| {
            let guarded = Arc::new(Guarded::new(&rates(1, 1000, 4), START));
            at_once(
                &guarded,
                |guarded| (0..2).for_each(|_| assert_eq!(guarded.take(1, START), Ok(()))),
                |guarded| {
                    guarded.work(|bucket| bucket.take(1, START).unwrap());
                    assert!((1..=3).contains(&guarded.available(START)));
                },
            );
            assert_eq!(guarded.available(START), 1);
        });
    }

    /// The permits that are there stay, whenever one is taken, and no call is judged half by one rate and half by another.
    #[test]
    fn loom_other_rates_come_before_a_call_or_after_it() {
        loom::model(|| {
            let guarded = Arc::new(Guarded::new(&rates(1, 1000, 2), START));
            assert_eq!(guarded.take(2, START), Ok(()));
            at_once(
                &guarded,
                |guarded| guarded.work(|bucket| bucket.reconfigure(&rates(3, 10, 5), START)),
                |guarded| {
                    let answer = guarded.take(1, START);
                    assert!([Err(Some(1000)), Err(Some(4))].contains(&answer), "{answer:?}");
                    let answer = guarded.take(4, START);
                    assert!([Err(None), Err(Some(14))].contains(&answer), "{answer:?}");
                },
            );
            assert_eq!(guarded.available(START), 0);
        });
    }

    /// Two calls that read the clock at different moments, and one that works on the bucket: never more than was promised.
    #[test]
    fn loom_a_moment_that_is_written_late_makes_no_permits() {
        loom::model(|| {
            let guarded = Arc::new(Guarded::new(&rates(1, 10, 1), START));
            at_once(
                &guarded,
                |guarded| {
                    // The later moment; it may be the first to ask.
                    let _ = guarded.gate.take(1, START + 10);
                },
                |guarded| {
                    let _ = guarded.gate.take(1, START + 3);
                    guarded.work(|bucket| assert!(bucket.at() >= START));
                },
            );
            // Both can have been let in only in the order of their moments.
            let answer = guarded.take(1, START + 12);
            assert!([Err(Some(1)), Err(Some(8))].contains(&answer), "{answer:?}");
        });
    }

    /// Two threads that were stopped for hours: one before it wrote its moment, one before it asked. The hand has gone more
    /// than half a round meanwhile.
    #[test]
    fn loom_a_moment_of_long_ago_is_not_taken_for_one_ahead() {
        const SECOND: u64 = 1_000_000_000;
        let hours_later = START + 6000 * SECOND;
        loom::model(move || {
            let guarded = Arc::new(Guarded::new(&rates(999_983, SECOND, 1), START));
            at_once(
                &guarded,
                |guarded| {
                    let _ = guarded.gate.take(1, START + 1);
                },
                |guarded| {
                    assert_eq!(guarded.work(|bucket| bucket.take(1, hours_later)), Ok(()));
                    assert_eq!(guarded.gate.take(1, START + 2), Answer::Asks);
                },
            );
        });
    }

    /// While somebody stands in line nobody is let in past them, and once they have left, the gate is open again.
    #[test]
    fn loom_nobody_overtakes_a_line_that_is_being_joined() {
        let hour = Duration::from_secs(3600);
        loom::model(move || {
            let settings = Settings { max_wait: hour * 3, ..rates(1, time::nanos(hour), 2) };
            let limiter = Arc::new(Limiter::new(Some(settings)));
            // One moment for all, after the limiter's first.
            let now = Some(time::now() + hour);
            limiter.take_now(1, now).unwrap();
            let shared = limiter.clone();
            let other = thread::spawn(move || shared.take_now(1, now).is_ok());
            let joined = match limiter.take_at_gate(2, now) {
                Ok(mark) => Turn::Now(mark),
                Err(not_taken) => limiter.join_after(2, not_taken).expect("there is time to wait"),
            };
            let waits = matches!(joined, Turn::Later(_));
            assert!(waits, "one permit is there at most");
            let after = limiter.take_now(1, now);
            assert!(matches!(after, Err(Denied::For(_))), "past two who wait for the only one: {after:?}");
            let other = other.join().unwrap();
            drop(joined);
            let left = limiter.snapshot();
            assert_eq!(left.waiting, 0);
            assert_eq!(limiter.take_now(1, now).is_ok(), !other, "what nobody took is there");
            assert!(limiter.take_now(1, now).is_err());
        });
    }

    /// One gives back what it has just taken, beside one that takes: whatever the order, both permits are there once more than
    /// the other has taken, and never more.
    #[test]
    fn loom_what_is_given_back_is_there_once() {
        loom::model(|| {
            let guarded = Arc::new(Guarded::new(&rates(1, 1000, 2), START));
            let got = Arc::new(loom::sync::atomic::AtomicU32::new(0));
            let count = got.clone();
            at_once(
                &guarded,
                |guarded| {
                    if let Ok(mark) = guarded.take_marked(1, START) {
                        guarded.give_back(1, mark, START);
                    }
                },
                move |guarded| {
                    let taken = (0..2).map(|_| u32::from(guarded.take(1, START).is_ok())).sum();
                    count.store(taken, loom::sync::atomic::Ordering::Relaxed);
                },
            );
            let got = got.load(loom::sync::atomic::Ordering::Relaxed);
            assert!(got >= 1, "one was there all the time");
            assert_eq!(guarded.available(START), 2 - got);
        });
    }

    /// Two give back what they took, one after a while: all is there, and it is no more than the bucket holds.
    #[test]
    fn loom_all_that_is_given_back_is_there() {
        loom::model(|| {
            let guarded = Arc::new(Guarded::new(&rates(1, 1000, 3), START));
            let visit = |guarded: &Guarded, later: u64| {
                let mark = guarded.take_marked(1, START).expect("three are there, and two take one each");
                guarded.give_back(1, mark, START + later);
            };
            at_once(&guarded, move |guarded| visit(guarded, 0), move |guarded| visit(guarded, 10));
            assert_eq!(guarded.available(START + 10), 3);
        });
    }

    /// Those who wait find what is given back: the permit is there when they are told to look, or when they join.
    #[test]
    fn loom_a_line_gets_what_is_given_back() {
        let hour = Duration::from_secs(3600);
        loom::model(move || {
            let settings = Settings { max_wait: hour * 3, ..rates(1, time::nanos(hour), 1) };
            let limiter = Arc::new(Limiter::new(Some(settings)));
            let now = Some(time::now() + hour);
            let mark = limiter.take_at_gate(1, now).expect("one is there");
            let shared = limiter.clone();
            let other = thread::spawn(move || shared.give_back(1, mark));
            let joined = match limiter.take_at_gate(1, now) {
                Ok(mark) => Turn::Now(mark),
                Err(not_taken) => limiter.join_after(1, not_taken).expect("there is time to wait"),
            };
            let waits = matches!(joined, Turn::Later(_));
            other.join().unwrap();
            assert_eq!(limiter.snapshot().available, u32::from(waits));
            drop(joined);
            assert_eq!(limiter.take_now(1, now).is_ok(), waits);
        });
    }

    #[test]
    fn loom_a_reader_changes_nothing() {
        loom::model(|| {
            let guarded = Arc::new(Guarded::new(&rates(1, 10, 3), START));
            at_once(
                &guarded,
                |guarded| assert_eq!(guarded.take(1, START + 5), Ok(())),
                |guarded| assert!((2..=3).contains(&guarded.available(START + 5))),
            );
            assert_eq!(guarded.available(START + 5), 2);
        });
    }
}
