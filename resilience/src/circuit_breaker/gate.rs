//! What a call may do without the machine's lock: pass, be refused, and record a success.
//!
//! One word says what every call finds as long as nobody changes the machine, and holds the successes that were counted
//! here since; another one holds the refusals, and whether they may still be counted. All work on the machine stands
//! between [`Gate::close`] and [`Gate::open`], under the machine's lock: the first takes the counted results out and lets no
//! more in, the second says anew what calls find. A call that counts does so by exchanging the very word it decided by. It
//! so comes, in the order of all calls, before whatever closes the gate next; and one that finds the gate closed waits for
//! the lock. Nothing is counted twice, or lost.

use std::ops::Range;

use super::state::Machine;
use super::ticket::{Counted, Passage, Successes, Ticket};
use crate::error::Wait;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::time::{self, Instant};

/// Every call passes as a regular one.
const PASS: u64 = 1;
/// Every call passes and is not recorded.
const UNRECORDED: u64 = 1 << 1;
/// The time that a call takes matters.
const TIMED: u64 = 1 << 2;
/// A success is counted here, if it was not slow.
const COUNT: u64 = 1 << 3;
/// A success changes nothing at all, if it was not slow.
const IGNORE: u64 = 1 << 4;
/// Every call is refused, and counted in the word of refusals, which says so too.
const REFUSE: u64 = 1 << 5;
/// What the gate says holds for a span of time only: with [`REFUSE`] the cooldown, with [`COUNT`] the bucket that the window's
/// newest results are in.
const SPAN: u64 = 1 << 6;

/// How many successes are counted: eight bits. The one that finds them full takes the lock.
const COUNTED_SHIFT: u32 = 8;
const COUNTED: u64 = 0xff << COUNTED_SHIFT;
const ONE: u64 = 1 << COUNTED_SHIFT;
/// How often the gate was opened: a word of before the last work on the machine cannot be exchanged any more.
const TURN_SHIFT: u32 = 16;
const TURN: u64 = 0xff << TURN_SHIFT;
const ONE_TURN: u64 = 1 << TURN_SHIFT;
/// The machine's generation.
const GENERATION_SHIFT: u32 = 32;
const GENERATION: u64 = !0 << GENERATION_SHIFT;
/// In the word of refusals, how many are counted: so many that none takes the lock. Those who are refused come in masses, and
/// would meet at the lock again and again.
const REFUSALS_SHIFT: u32 = 32;
const ONE_REFUSAL: u64 = 1 << REFUSALS_SHIFT;
/// What is still true while the machine is being worked on: calls are let in as before until the work is done.
const WHILE_CLOSED: u64 = !(COUNT | IGNORE | REFUSE | SPAN | COUNTED);

#[derive(Debug)]
pub(super) struct Gate {
    word: AtomicU64,
    /// With [`SPAN`], when it begins and when it is over, as [`time::stamp`] has it.
    since: AtomicU64,
    until: AtomicU64,
    /// With [`TIMED`], the nanoseconds after which a call is slow.
    limit: AtomicU64,
    /// [`REFUSE`] and [`SPAN`], the turn, and the number of refusals.
    refused: AtomicU64,
    /// Above, the machine's generation; below, how many calls were cut early in it.
    cut_early: AtomicU64,
}

/// What the gate says at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word(u64);

impl Word {
    /// A regular call's ticket, if every call passes and its length does not matter.
    #[inline]
    pub(super) fn passes_untimed(self) -> Option<Ticket> {
        (self.0 & (PASS | TIMED) == PASS).then(|| self.ticket())
    }

    pub(super) fn passes(self) -> Option<Ticket> {
        if self.0 & PASS != 0 { Some(self.ticket()) } else { (self.0 & UNRECORDED != 0).then_some(Ticket::UNRECORDED) }
    }

    pub(super) fn is_timed(self) -> bool {
        self.0 & TIMED != 0
    }

    #[inline]
    fn ticket(self) -> Ticket {
        Ticket::regular((self.0 >> GENERATION_SHIFT) as u32)
    }

    fn is_full(self) -> bool {
        self.0 & COUNTED == COUNTED
    }

    fn counted(self) -> u32 {
        // Eight bits.
        ((self.0 & COUNTED) >> COUNTED_SHIFT) as u32
    }
}

impl Gate {
    pub(super) fn new(machine: &Machine) -> Self {
        let gate = Self {
            word: AtomicU64::new(0),
            since: AtomicU64::new(0),
            until: AtomicU64::new(0),
            limit: AtomicU64::new(0),
            refused: AtomicU64::new(0),
            cut_early: AtomicU64::new(0),
        };
        gate.open(machine);
        gate
    }

    /// In one order with all that is done to all breakers, so that no two callers can tell that a success which was
    /// ignored here would have come later there. It costs no more than a weaker order.
    #[inline]
    pub(super) fn look(&self) -> Word {
        Word(self.word.load(Ordering::SeqCst))
    }

    /// Begins work on the machine, whose lock the caller holds; returns how many results were counted here.
    pub(super) fn close(&self) -> u32 {
        let successes = Word(self.word.fetch_and(WHILE_CLOSED, Ordering::SeqCst)).counted();
        successes.saturating_add(refusals(self.refused.fetch_and(TURN, Ordering::SeqCst)))
    }

    /// What is counted here, for a reader that holds the lock and changes nothing.
    pub(super) fn counted(&self, generation: u32) -> Counted {
        let results = self.look().counted().saturating_add(refusals(self.refused.load(Ordering::SeqCst)));
        let cut = self.cut_early.load(Ordering::Relaxed);
        // The lower half.
        let cut_early = if (cut >> GENERATION_SHIFT) as u32 == generation { cut as u32 } else { 0 };
        Counted { results, cut_early }
    }

    /// Ends work on the machine.
    pub(super) fn open(&self, machine: &Machine) {
        let generation = u64::from(machine.generation()) << GENERATION_SHIFT;
        if self.cut_early.load(Ordering::Relaxed) & GENERATION != generation {
            self.cut_early.store(generation, Ordering::Relaxed);
        }
        let mut word = generation;
        word |= self.word.load(Ordering::Relaxed).wrapping_add(ONE_TURN) & TURN;
        if let Some(slow) = machine.settings().slow {
            self.limit.store(slow.limit.get(), Ordering::Release);
            word |= TIMED;
        }
        word |= match machine.passage() {
            Passage::Pass(Successes::Recorded) => PASS,
            Passage::Pass(Successes::Counted) => PASS | COUNT,
            Passage::Pass(Successes::CountedIn(bucket)) => PASS | COUNT | self.set_span(bucket),
            Passage::Pass(Successes::Ignored) => PASS | IGNORE,
            Passage::Unrecorded => UNRECORDED,
            Passage::Refused => REFUSE,
            Passage::RefusedIn(cooldown) => REFUSE | self.set_span(cooldown),
            Passage::Asks => 0,
        };
        self.refused.store(word & (TURN | REFUSE | SPAN), Ordering::Release);
        self.word.store(word, Ordering::Release);
    }

    fn set_span(&self, span: Range<Instant>) -> u64 {
        self.since.store(time::stamp(span.start), Ordering::Release);
        self.until.store(time::stamp(span.end), Ordering::Release);
        SPAN
    }

    /// Whether a success that was not timed changes nothing.
    #[inline]
    pub(super) fn ignores_success(&self, ticket: Ticket) -> bool {
        let seen = self.look();
        seen.0 & IGNORE != 0 && seen.ticket() == ticket
    }

    /// Records a success, if that changes no more than a number. `elapsed` is the call's length, where it was taken; `now`
    /// is asked for where the moment matters.
    pub(super) fn record_success(&self, ticket: Ticket, elapsed: Option<u64>, now: impl Fn() -> u64) -> bool {
        let mut seen = self.look();
        let mut moment = None;
        loop {
            if seen.ticket() != ticket || seen.0 & (COUNT | IGNORE) == 0 {
                return false;
            }
            if elapsed.is_some_and(|elapsed| self.is_slow(seen, elapsed)) {
                return false;
            }
            let done = if seen.0 & COUNT != 0 {
                let in_span = seen.0 & SPAN == 0 || self.rest(*moment.get_or_insert_with(&now)).is_some();
                if seen.is_full() || !in_span {
                    return false;
                }
                self.count(seen)
            } else {
                self.confirm(seen, elapsed.is_some())
            };
            match done {
                Ok(()) => return true,
                Err(other) => seen = other,
            }
        }
    }

    /// Whether calls do not just pass.
    pub(super) fn may_refuse(&self) -> bool {
        self.look().0 & (PASS | UNRECORDED) == 0
    }

    /// After how many nanoseconds a call is slow, if that is asked for.
    pub(super) fn slow_call(&self) -> Option<u64> {
        self.look().is_timed().then(|| self.limit.load(Ordering::Acquire))
    }

    /// Whether a call of that length is slow by the options in force.
    pub(super) fn finds_slow(&self, elapsed: u64) -> bool {
        self.is_slow(self.look(), elapsed)
    }

    fn is_slow(&self, seen: Word, elapsed: u64) -> bool {
        seen.is_timed() && elapsed > self.limit.load(Ordering::Acquire)
    }

    /// Counts a refusal, if it is certain that it is one, and returns the rest of the cooldown where one is running.
    pub(super) fn refuse(&self, found: Word, now: impl FnOnce() -> Instant) -> Option<Wait> {
        let kind = found.0 & (REFUSE | SPAN);
        if kind & REFUSE == 0 {
            return None;
        }
        let now = if kind & SPAN == 0 { 0 } else { time::stamp(now()) };
        let mut seen = self.refused.load(Ordering::SeqCst);
        loop {
            if seen & (REFUSE | SPAN) != kind || refusals(seen) == u32::MAX {
                return None;
            }
            let rest = if kind & SPAN == 0 { Wait::UNKNOWN } else { Wait::from_nanos(self.rest(now)?) };
            match self.refused.compare_exchange(seen, seen + ONE_REFUSAL, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) => return Some(rest),
                Err(other) => seen = other,
            }
        }
    }

    /// Counts a call that was cut early, if the breaker is still in the state that let it through. One word says both: it
    /// takes no lock, as impatient callers come in masses.
    pub(super) fn count_cut_early(&self, ticket: Ticket) {
        let state = u64::from(ticket.generation()) << GENERATION_SHIFT;
        let mut seen = self.cut_early.load(Ordering::Relaxed);
        while seen & GENERATION == state && seen & !GENERATION != !GENERATION {
            match self.cut_early.compare_exchange(seen, seen + 1, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return,
                Err(other) => seen = other,
            }
        }
    }

    /// How many nanoseconds are left of the span; nothing if it is over, or if the moment is one of another runtime's clock.
    fn rest(&self, now: u64) -> Option<u64> {
        let (since, until) = (self.since.load(Ordering::Acquire), self.until.load(Ordering::Acquire));
        (since <= now && now < until).then(|| until - now)
    }

    /// Takes one more into the count of the word that it was decided by.
    fn count(&self, seen: Word) -> Result<(), Word> {
        self.word
            .compare_exchange(seen.0, seen.0 + ONE, Ordering::SeqCst, Ordering::SeqCst)
            .map_or_else(|other| Err(Word(other)), |_| Ok(()))
    }

    /// Whether the word that was decided by was there all the time that `more` was looked at.
    fn confirm(&self, seen: Word, more: bool) -> Result<(), Word> {
        if !more {
            return Ok(());
        }
        let again = self.look();
        if again.0 == seen.0 { Ok(()) } else { Err(again) }
    }
}

/// Of the word of refusals, their number.
fn refusals(word: u64) -> u32 {
    (word >> REFUSALS_SHIFT) as u32
}
