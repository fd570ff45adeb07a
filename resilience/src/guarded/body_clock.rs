//! How long a call's body has run: since its first poll, and not while the call waits in a line or a pause of ours.
//!
//! The clock is read where somebody needs the time: before and after the body where a breaker counts slow calls, and else
//! once the body first waits under a timeout, which reads the clock then anyway. Where layers stand in the function, those of
//! one block do not see the body in another: there it tells the block around it by way of this thread.

use std::cell::Cell;
use std::task::Poll;

use crate::deadline;
use crate::time;

/// What is known of a body, or of several that ran one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyClock {
    /// Of [`State::BITS`] bits, with a number above.
    state: u64,
    /// The length of the function's innermost timeout around the body, in nanoseconds, or [`NONE`].
    own_timeout: u64,
}

/// In the length of a timeout: one that is further out does not come in its place.
const INNERMOST: u64 = 1 << 63;
/// Beside it: a breaker will ask how long the body has run, should it be cut.
const JUDGED: u64 = 1 << 62;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It has not been polled.
    Outside = 0,
    /// It is running; the number is the moment since when, as far as that is known.
    Running = 1,
    /// It has not been polled, and its time will be asked for.
    OutsideTimed = 2,
    /// It is running and timed; the number is the time it has run, less the present moment.
    RunningTimed = 3,
    /// It is not running any more; the number is the time that it has run.
    Stopped = 5,
}

impl State {
    const BITS: u32 = 3;
    const ALL: [Self; 8] = [
        Self::Outside,
        Self::Running,
        Self::OutsideTimed,
        Self::RunningTimed,
        Self::Outside,
        Self::Stopped,
        Self::Outside,
        Self::Outside,
    ];
}

const NONE: u64 = JUDGED - 1;

/// What the layers of the function that is being polled say to its body, and hear from it.
struct Function {
    /// A block of the function is being polled, which hears of the body.
    hears: Cell<bool>,
    /// What it has heard.
    block: Cell<BodyClock>,
    /// The length of the innermost timeout that the block is inside of.
    own_timeout: Cell<u64>,
}

thread_local! {
    static FUNCTION: Function = const {
        Function { own_timeout: Cell::new(NONE), hears: Cell::new(false), block: Cell::new(BodyClock::NEW) }
    };
}

impl BodyClock {
    /// Before the body.
    pub(crate) const NEW: Self = Self::new(State::Outside, 0);
    /// Since nobody knows when.
    const RUNNING: Self = Self::new(State::Running, 0);

    const fn new(state: State, number: u64) -> Self {
        Self { state: number << State::BITS | state as u64, own_timeout: NONE }
    }

    /// Of a call by hand, which counts as running from the start; timed if `since` is a moment and not zero.
    pub(crate) fn running_since(since: u64) -> Self {
        if since == 0 { Self::new(State::Running, 0) } else { Self::NEW.running_at(since) }
    }

    fn set(&mut self, state: State, number: u64) {
        self.state = Self::new(state, number).state;
    }

    fn state(self) -> State {
        State::ALL[(self.state & ((1 << State::BITS) - 1)) as usize]
    }

    fn number(self) -> u64 {
        self.state >> State::BITS
    }

    /// Asks for the time that the body takes, before it begins.
    #[cold]
    pub(crate) fn time(&mut self) {
        if self.state() == State::Outside {
            self.set(State::OutsideTimed, 0);
        }
    }

    /// Whether the body has been polled.
    #[inline(always)]
    pub(crate) fn has_begun(self) -> bool {
        self.state & 1 == State::Running as u64
    }

    /// For how many nanoseconds the body has run, where that is known.
    pub(crate) fn ran(self) -> Option<u64> {
        let now = || time::stamp(time::now());
        match (self.state(), self.number()) {
            (State::Outside | State::OutsideTimed, _) | (State::Running, 0) => None,
            (State::Running, since) => Some(now().saturating_sub(since)),
            (State::RunningTimed, _) => Some(self.stopped_at(now()).number()),
            (State::Stopped, ran) => Some(ran),
        }
    }

    /// The same, where its time was asked for.
    #[inline]
    pub(crate) fn timed(self) -> Option<u64> {
        if self.state() == State::Running { None } else { self.ran() }
    }

    /// The length of the function's innermost timeout around the body.
    pub(crate) fn own_timeout(self) -> Option<u64> {
        Some(self.own_timeout & NONE).filter(|nanos| *nanos != NONE)
    }

    /// A breaker lets the call in.
    #[inline(always)]
    pub(crate) fn is_judged(&mut self) {
        self.own_timeout |= JUDGED;
    }

    /// The same around a timeout of that many nanoseconds.
    pub(crate) fn within(self, nanos: Option<u64>) -> Self {
        match nanos {
            Some(nanos) if self.own_timeout & INNERMOST == 0 => {
                Self { own_timeout: nanos.min(NONE - 1) | INNERMOST, ..self }
            }
            _ => self,
        }
    }

    #[inline(always)]
    fn is_timed(self) -> bool {
        self.state & ((1 << State::BITS) - 1) > State::Running as u64
    }

    fn running_at(self, now: u64) -> Self {
        let mut clock = self;
        clock.set(State::RunningTimed, self.number().wrapping_sub(now));
        clock
    }

    fn stopped_at(self, now: u64) -> Self {
        let mut clock = self;
        // Both numbers are without their highest bits.
        clock.set(State::Stopped, (self.number().wrapping_add(now)) & (u64::MAX >> State::BITS));
        clock
    }

    /// The body is about to be polled; whether a block of the function hears of it, for [`polled`](Self::polled).
    #[inline(always)]
    pub(crate) fn polls(&mut self) -> bool {
        let heard = FUNCTION.with(|function| function.hears.get());
        if !heard && self.state <= Self::RUNNING.state {
            self.state = Self::RUNNING.state;
            return false;
        }
        self.polls_timed_or_heard(heard);
        heard
    }

    #[inline(never)]
    fn polls_timed_or_heard(&mut self, heard: bool) {
        FUNCTION.with(|function| {
            if !self.has_begun() {
                self.own_timeout = if heard { function.own_timeout.get() } else { NONE };
                self.begin(function, heard);
            }
            // What is polled is the body, and none of the function's layers. (Nothing is put back where the body panics: the
            // block does that.)
            function.hears.set(false);
        });
    }

    /// The body has been polled.
    #[inline(always)]
    pub(crate) fn polled(&mut self, heard: bool, is_pending: bool) {
        if heard {
            FUNCTION.with(|function| function.hears.set(true));
        }
        if is_pending {
            if self.state == Self::RUNNING.state && (heard || self.own_timeout & JUDGED != 0) {
                self.first_waits();
            }
        } else if self.state() == State::RunningTimed {
            self.stop();
        }
    }

    #[inline(never)]
    fn begin(&mut self, function: &Function, heard: bool) {
        let block = function.block.get();
        if self.is_timed() || heard && block.is_timed() {
            let (now, own_timeout) = (time::stamp(time::now()), self.own_timeout);
            *self = self.running_at(now);
            let around = if block.is_timed() { block.running_at(now) } else { *self };
            function.tell(heard, Self { own_timeout, ..around });
        } else {
            self.set(State::Running, 0);
            function.tell(heard, *self);
        }
    }

    /// The body waits for the first time: who cuts it will ask how long it has run.
    #[inline(never)]
    fn first_waits(&mut self) {
        if deadline::is_in_force() {
            self.set(State::Running, time::stamp(deadline::since()));
            FUNCTION.with(|function| {
                let block = function.block.get();
                function.tell(function.hears.get(), if block.is_timed() { block } else { *self });
            });
        }
    }

    #[inline(never)]
    fn stop(&mut self) {
        let now = time::stamp(time::now());
        *self = self.stopped_at(now);
        FUNCTION.with(|function| {
            let block = function.block.get();
            let stopped = if block.state() == State::RunningTimed { block.stopped_at(now) } else { block };
            function.tell(function.hears.get(), stopped);
        });
    }

    /// The body has been dropped by a timeout around it.
    #[inline(always)]
    pub(crate) fn cut(&mut self) {
        if self.state() == State::RunningTimed {
            self.stop();
        }
    }

    /// Polls a block of the function that the body is in, right inside of a timeout of that many nanoseconds, if of any.
    pub(crate) fn poll_block<T>(&mut self, timeout: Option<u64>, poll: impl FnOnce() -> Poll<T>) -> Poll<T> {
        FUNCTION.with(|function| {
            let around = function.restore();
            if around.hears && around.block.is_timed() {
                self.time();
            }
            function.block.set(*self);
            if let Some(nanos) = timeout {
                function.own_timeout.set(nanos.min(NONE - 1));
            } else if !around.hears {
                function.own_timeout.set(NONE);
            }
            function.hears.set(true);
            // Also where the body panics.
            let _heard = Heard { around, before: *self, clock: self };
            poll()
        })
    }

    /// What a block around has heard once one inside has gone from `before` to `after`.
    fn followed(self, before: Self, after: Self) -> Self {
        if before == after || !after.is_timed() {
            return if before == after { self } else { after };
        }
        // The time run, or that less the present moment: it has changed by as much.
        let number = self.number().wrapping_add(after.number()).wrapping_sub(before.number());
        Self { own_timeout: after.own_timeout, ..Self::new(after.state(), number & (u64::MAX >> State::BITS)) }
    }
}

/// A block around hears of a timeout that stands inside of it, until this is dropped.
#[must_use]
pub(crate) struct HeardTimeout {
    around: Option<u64>,
}

/// What is polled is inside of a timeout of that many nanoseconds, where a block of the function hears of its body.
#[inline(always)]
pub(crate) fn hears_of_timeout(nanos: u64) -> HeardTimeout {
    let around = |function: &Function| function.hears.get().then(|| function.own_timeout.replace(nanos.min(NONE - 1)));
    HeardTimeout { around: FUNCTION.with(around) }
}

impl Drop for HeardTimeout {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(nanos) = self.around {
            FUNCTION.with(|function| function.own_timeout.set(nanos));
        }
    }
}

/// Runs code that no layer is around: a listener's.
pub(crate) fn aside(code: impl FnOnce()) {
    FUNCTION.with(|function| {
        let _restore = function.restore();
        function.hears.set(false);
        code();
    });
}

impl Function {
    fn tell(&self, hears: bool, block: BodyClock) {
        if hears {
            self.block.set(block);
        }
    }

    fn restore(&self) -> Restore<'_> {
        Restore {
            function: self,
            hears: self.hears.get(),
            own_timeout: self.own_timeout.get(),
            block: self.block.get(),
        }
    }
}

/// Takes over what a block has heard, and tells the one around, when it is dropped.
struct Heard<'a, 'b> {
    around: Restore<'a>,
    before: BodyClock,
    clock: &'b mut BodyClock,
}

impl Drop for Heard<'_, '_> {
    fn drop(&mut self) {
        let Self { around, before, clock } = self;
        let after = around.function.block.get();
        **clock = after;
        if around.hears {
            around.block = around.block.followed(*before, after);
        }
    }
}

struct Restore<'a> {
    function: &'a Function,
    hears: bool,
    own_timeout: u64,
    block: BodyClock,
}

impl Drop for Restore<'_> {
    fn drop(&mut self) {
        self.function.hears.set(self.hears);
        self.function.own_timeout.set(self.own_timeout);
        self.function.block.set(self.block);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    async fn pass(millis: u64) {
        time::advance(Duration::from_millis(millis)).await;
    }

    fn ms(clock: BodyClock) -> Option<u64> {
        clock.ran().map(|nanos| nanos / 1_000_000)
    }

    impl BodyClock {
        fn poll(&mut self, poll: impl FnOnce() -> Poll<()>) -> Poll<()> {
            let heard = self.polls();
            let polled = poll();
            self.polled(heard, polled.is_pending());
            polled
        }
    }

    fn waits() -> Poll<()> {
        Poll::Pending
    }

    fn ends() -> Poll<()> {
        Poll::Ready(())
    }

    #[tokio::test(start_paused = true)]
    async fn a_timed_body_runs_from_its_first_poll_to_its_end() {
        let mut clock = BodyClock::NEW;
        clock.time();
        pass(10).await;
        assert!(!clock.has_begun() && ms(clock).is_none());
        assert!(clock.poll(waits).is_pending());
        pass(20).await;
        assert_eq!((clock.has_begun(), ms(clock)), (true, Some(20)));
        assert!(clock.poll(ends).is_ready());
        pass(40).await;
        assert_eq!((ms(clock), clock.timed().is_some()), (Some(20), true));
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_question_there_is_no_time() {
        let mut clock = BodyClock::NEW;
        assert!(clock.poll(waits).is_pending());
        pass(20).await;
        assert_eq!((clock.has_begun(), clock.ran(), clock.timed()), (true, None, None));
    }

    #[tokio::test(start_paused = true)]
    async fn bodies_in_a_block_are_added_up_and_what_is_between_them_is_not() {
        let (mut outer, mut inner) = (BodyClock::NEW, BodyClock::NEW);
        outer.time();
        let (mut first, mut second) = (BodyClock::NEW, BodyClock::NEW);
        let mut step = |body: Option<&mut BodyClock>, poll: fn() -> Poll<()>| {
            let _ = outer.poll_block(None, || {
                inner.poll_block(None, || match body {
                    Some(body) => body.poll(poll),
                    None => Poll::Pending,
                })
            });
            (ms(outer), ms(inner))
        };
        assert_eq!(step(None, waits), (None, None));
        pass(5).await;
        assert_eq!(step(Some(&mut first), waits), (Some(0), Some(0)));
        pass(10).await;
        assert_eq!(step(Some(&mut first), ends), (Some(10), Some(10)));
        pass(100).await;
        assert_eq!(step(None, waits), (Some(10), Some(10)), "a pause");
        assert_eq!(step(Some(&mut second), waits), (Some(10), Some(10)));
        pass(7).await;
        assert_eq!(step(Some(&mut second), waits), (Some(17), Some(17)));
        assert_eq!(step(Some(&mut second), ends), (Some(17), Some(17)));
        pass(100).await;
        assert_eq!(step(None, waits), (Some(17), Some(17)));
    }

    #[tokio::test(start_paused = true)]
    async fn another_functions_block_hears_nothing() {
        let (mut block, mut body, mut other) = (BodyClock::NEW, BodyClock::NEW, BodyClock::NEW);
        block.time();
        let _ = block.poll_block(Some(7), || {
            body.poll(|| {
                let mut other_block = BodyClock::NEW;
                let polled = other_block.poll_block(None, || other.poll(waits));
                assert!(other_block.has_begun());
                polled
            })
        });
        assert_eq!((body.own_timeout(), block.own_timeout(), other.own_timeout()), (Some(7), Some(7), None));
        pass(3).await;
        assert_eq!((ms(block), other.ran()), (Some(3), None));
    }
}
