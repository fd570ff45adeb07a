//! The line, step by step, with calls that come for their turn, come late, leave, or never come.

use std::time::Duration;

use proptest::prelude::*;

use super::config::Settings;
use super::state::{Asked, Denied, LATE, Look, Spot, State};

const START: u64 = 1 << 60;
const MS: u64 = 1_000_000;
const NEVER: u64 = u64::MAX;
const HOUR: u64 = 3_600_000 * MS;

fn rate(limit: u32, per: Duration, burst: u32) -> Settings {
    Settings { limit, per, burst, max_wait: Duration::ZERO }
}

/// A permit in each `per`, none there.
fn empty(per: u64, burst: u32) -> State {
    let mut state = State::new(Some(rate(1, Duration::from_nanos(per), burst)), START);
    state.take_now(burst, START).expect("a full bucket");
    state
}

fn join(state: &mut State, permits: u32, at: u64, max_wait: u64) -> Result<Asked, Denied> {
    state.take_or_join(permits, START + at, NEVER, START + at + max_wait)
}

fn waits(state: &mut State, permits: u32, at: u64, max_wait: u64) -> Spot {
    match join(state, permits, at, max_wait) {
        Ok(Asked::Waits(spot)) => spot,
        other => panic!("joins the line: {other:?}"),
    }
}

fn look(state: &mut State, spot: &mut Spot, at: u64) -> Result<Look, Denied> {
    state.look(spot, START + at, NEVER)
}

fn is_served(state: &mut State, spot: &mut Spot, at: u64) -> bool {
    matches!(look(state, spot, at), Ok(Look::Served(_)))
}

#[test]
fn those_behind_one_that_never_comes_are_served_when_they_were_due() {
    let mut state = empty(100 * MS, 1);
    let _leaked = waits(&mut state, 1, 0, HOUR);
    let mut second = waits(&mut state, 1, 0, 200 * MS);
    let mut third = waits(&mut state, 1, 0, 300 * MS);
    assert_eq!(look(&mut state, &mut second, 0), Ok(Look::At(START + 200 * MS)));
    assert!(is_served(&mut state, &mut second, 200 * MS));
    assert!(is_served(&mut state, &mut third, 300 * MS));
    assert_eq!(state.waiting(START + 300 * MS), (0, 0));
}

/// The one behind lets the other go first for as long as that may be on its way, but not past its own longest wait.
#[test]
fn a_turn_passes_on_after_a_while() {
    for (max_wait, then) in [(HOUR, MS + LATE), (3 * MS, 3 * MS)] {
        let mut state = empty(MS, 1);
        let _leaked = waits(&mut state, 1, 0, HOUR);
        let mut second = waits(&mut state, 1, 0, max_wait);
        assert_eq!(look(&mut state, &mut second, 2 * MS), Ok(Look::At(START + then)));
        assert!(is_served(&mut state, &mut second, then));
    }
}

/// Its permit is still there, and those behind get theirs without it.
#[test]
fn who_comes_late_is_served_where_that_makes_nobody_later() {
    let mut state = empty(100 * MS, 2);
    let mut late = waits(&mut state, 1, 0, HOUR);
    let mut behind = waits(&mut state, 1, 0, 200 * MS);
    assert!(is_served(&mut state, &mut late, 150 * MS));
    assert!(is_served(&mut state, &mut behind, 200 * MS));
}

/// The bucket holds one: what came while it did not come is lost.
#[test]
fn who_comes_late_for_what_is_gone_waits_behind_the_others_or_is_refused() {
    for (max_wait, comes_to) in [(400 * MS, Ok(Look::At(START + 400 * MS))), (399 * MS, Err(Denied::For(150 * MS)))] {
        let mut state = empty(100 * MS, 1);
        let mut late = waits(&mut state, 1, 0, max_wait);
        let mut second = waits(&mut state, 1, 0, 200 * MS);
        let mut third = waits(&mut state, 1, 0, 300 * MS);
        assert!(is_served(&mut state, &mut second, 200 * MS));
        assert_eq!(look(&mut state, &mut late, 250 * MS), comes_to);
        assert!(is_served(&mut state, &mut third, 300 * MS));
        assert!(comes_to.is_err() || is_served(&mut state, &mut late, 400 * MS));
    }
}

#[test]
fn one_that_never_comes_is_no_reason_to_refuse_others() {
    let mut state = empty(100 * MS, 1);
    let _leaked = waits(&mut state, 1, 0, HOUR);
    assert_eq!(state.take_now(1, START + 100 * MS), Err(Denied::For(100 * MS)), "it may be on its way");
    assert!(state.take_now(1, START + 100 * MS + LATE).is_ok());
    assert!(state.line().is_empty());
}

/// How a call in line behaves.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Manner {
    /// It looks when it is to.
    Comes,
    /// It looks so much later, beyond what counts as late.
    ComesLate(u64),
    NeverComes,
    /// It leaves after so long.
    Leaves(u64),
}

#[derive(Debug)]
struct Caller {
    spot: Spot,
    manner: Manner,
    permits: u32,
    /// When it is served at the latest, if those before it come or do not.
    due: u64,
    longest: u64,
    looks_at: u64,
}

fn manner() -> impl Strategy<Value = Manner> {
    prop_oneof![
        4 => Just(Manner::Comes),
        1 => (0..500 * MS).prop_map(Manner::ComesLate),
        1 => Just(Manner::NeverComes),
        1 => (0..500 * MS).prop_map(Manner::Leaves),
    ]
}

fn looks_at(manner: Manner, at: u64) -> u64 {
    match manner {
        Manner::Comes | Manner::Leaves(_) => at,
        Manner::ComesLate(later) => at + LATE + later,
        Manner::NeverComes => NEVER,
    }
}

/// A turn that is not taken passes on after a while: and roundings add a little.
fn lost_by(manner: Manner) -> u64 {
    if matches!(manner, Manner::Comes | Manner::Leaves(_)) { 0 } else { LATE + 1000 }
}

/// Runs the line until that moment; whom it has served, and when. So much time is `lost` at most while turns pass on.
fn run(state: &mut State, callers: &mut Vec<Caller>, until: u64, lost: &mut u64, served: &mut Vec<(u64, u32)>) {
    loop {
        let next = callers.iter().enumerate().min_by_key(|(_, caller)| caller.looks_at);
        let Some((at, now)) = next.map(|(at, caller)| (at, caller.looks_at)).filter(|(_, now)| *now <= until) else {
            return;
        };
        let caller = &mut callers[at];
        let first = state.line().first();
        let leaves = matches!(caller.manner, Manner::Leaves(then) if now >= START + then);
        let look = if leaves { None } else { Some(state.look(&mut caller.spot, now, NEVER)) };
        match look {
            Some(Ok(Look::At(then))) => {
                assert!(then > now, "it does not look again and again");
                caller.looks_at = looks_at(caller.manner, then);
                *lost += lost_by(caller.manner);
            }
            Some(Ok(Look::Served(_))) => {
                let Caller { manner, due, longest, permits, .. } = callers.remove(at);
                served.push((now, permits));
                if manner == Manner::Comes {
                    assert!(now <= longest + LATE, "it waits no longer than it may");
                    assert!(now <= due + *lost, "it is served when it was due");
                }
            }
            Some(Err(denied)) => {
                let Caller { manner, due, longest, .. } = callers.remove(at);
                let comes_late = matches!(manner, Manner::ComesLate(_));
                assert!(
                    comes_late || due + *lost > longest + LATE,
                    "{denied:?} although it was due {due} of {longest}"
                );
            }
            None => {
                let caller = callers.remove(at);
                state.leave(caller.spot.number);
            }
        }
        tell_first(state, first, callers, now);
    }
}

/// Who is first now, and was not, is told to look; not everybody comes.
fn tell_first(state: &mut State, before: Option<u64>, callers: &mut [Caller], now: u64) {
    let first = state.line().first();
    if first.is_some() && first != before {
        assert!(state.tell_first(now).is_none(), "nobody has a waker here");
        let told = callers.iter_mut().filter(|caller| Some(caller.spot.number) == first);
        let coming = told.filter(|caller| matches!(caller.manner, Manner::Comes | Manner::Leaves(_)));
        coming.for_each(|caller| caller.looks_at = now);
    }
}

proptest! {
    /// Whatever the others do: who comes for its turn is served when it was told to be, and the promise is kept.
    #[test]
    fn nobody_waits_for_somebody_who_does_not_come(
        per in prop_oneof![Just(MS / 10), Just(MS), Just(100 * MS), 1..300 * MS],
        burst in prop_oneof![Just(1u32), 1u32..6],
        arrivals in prop::collection::vec((0..50 * MS, 1u32..6, 0..1000 * MS, manner()), 1..60),
    ) {
        let (mut state, mut callers, mut served) = (empty(per, burst), Vec::new(), vec![(START, burst)]);
        let mut lost = 0;
        let mut now = START;
        for (after, permits, max_wait, manner) in arrivals {
            now += after;
            run(&mut state, &mut callers, now, &mut lost, &mut served);
            let first = state.line().first();
            let last_due = callers.last().map_or(0, |caller| caller.due);
            match state.take_or_join(permits, now, now + max_wait, now + max_wait) {
                Ok(Asked::Taken(_)) => served.push((now, permits)),
                Ok(Asked::Waits(spot)) => {
                    let wait = state.line().iter().last().map(|(_, waiting)| waiting.due).expect("it has joined");
                    let leaves = |then| if let Manner::Leaves(after) = manner { now - START + after } else { then };
                    let manner = if let Manner::Leaves(_) = manner { Manner::Leaves(leaves(0)) } else { manner };
                    let looks_at = looks_at(manner, wait);
                    lost += lost_by(manner);
                    // Where nobody before it moves up.
                    let due = wait.max(last_due + per * u64::from(permits));
                    callers.push(Caller { spot, manner, permits, due, longest: now + max_wait, looks_at });
                }
                Err(_) => {}
            }
            tell_first(&mut state, first, &mut callers, now);
        }
        run(&mut state, &mut callers, now + HOUR, &mut lost, &mut served);
        prop_assert!(callers.iter().all(|caller| caller.manner == Manner::NeverComes), "{:?}", callers);
        for (first, (from, _)) in served.iter().enumerate() {
            let mut sum = 0;
            for (to, permits) in &served[first..] {
                sum += u128::from(*permits);
                prop_assert!(sum * u128::from(per) <= u128::from(burst) * u128::from(per) + u128::from(to - from));
            }
        }
    }
}
