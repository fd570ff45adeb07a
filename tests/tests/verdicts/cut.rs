//! A call that a deadline cuts is judged by the time that its body ran: every cell of that row of the table.

use std::time::Duration;

use resilience::{CircuitBreaker, Deadline, bulkhead, circuit_breaker, rate_limit, timeout};
use resilience_tests::{Answer, Script, ms, poll_times, secs, sleep};

use crate::forms::Work;

/// Guards what it is given.
type Around = for<'a> fn(Work<'a>) -> Work<'a>;

/// A stack with a breaker, and how long a body below it must have run to be at fault when it is cut; nothing where neither
/// `slow_call` nor a timeout is given.
struct Row {
    breaker: &'static str,
    call: Around,
    given: Option<Duration>,
    /// The function's own timeout, which cuts by itself.
    own: Option<Duration>,
}

/// `name: attributes` is a guarded function of that name, and a list of them.
macro_rules! rows {
    ($($name:ident $breaker:literal ($given:expr, $own:expr): $($attribute:meta)*;)*) => {
        $(
            $(#[$attribute])*
            async fn $name(work: &mut Work<'_>) -> Answer {
                work.await
            }
        )*

        const ROWS: &[Row] = &[$(Row {
            breaker: $breaker,
            call: |mut work| Box::pin(async move { $name(&mut work).await }),
            given: $given,
            own: $own,
        }),*];
    };
}

/// The options of the second of each pair keep it from being one future.
const TWO: Duration = secs(2);

rows! {
    nothing "nothing" (None, None): circuit_breaker("nothing");
    nothing_asked "nothing asked" (None, None): circuit_breaker("nothing asked", when = |_| true);
    beside "beside" (None, None): circuit_breaker("beside") bulkhead("beside");
    below "below" (Some(TWO), Some(TWO)): circuit_breaker("below") timeout("2s");
    below_asked "below asked" (Some(TWO), Some(TWO)): circuit_breaker("below asked", when = |_| true) timeout(TWO);
    below_block "below block" (Some(TWO), Some(TWO)): circuit_breaker("below block") rate_limit(limit = 1_000, permits = 1) timeout(TWO);
    above "above" (Some(TWO), Some(TWO)): timeout("2s") circuit_breaker("above");
    above_asked "above asked" (Some(TWO), Some(TWO)): timeout(TWO) circuit_breaker("above asked", when = |_| true);
    above_block "above block" (Some(TWO), Some(TWO)): timeout(TWO) rate_limit(limit = 1_000, permits = 1) circuit_breaker("above block");
    slow "slow" (Some(secs(1)), None): circuit_breaker("slow", slow_call = "1s");
    slow_asked "slow asked" (Some(secs(1)), None): circuit_breaker("slow asked", slow_call = "1s", when = |_| true);
    slow_beside "slow beside" (Some(secs(1)), None): circuit_breaker("slow beside", slow_call = "1s") bulkhead("slow beside");
    slow_block "slow block" (Some(secs(1)), None): circuit_breaker("slow block", slow_call = "1s") rate_limit(limit = 1_000, permits = 1);
    slow_first "slow first" (Some(secs(1)), Some(TWO)): circuit_breaker("slow first", slow_call = "1s") timeout("2s");
    slow_first_asked "slow first asked" (Some(secs(1)), Some(TWO)): timeout(TWO) circuit_breaker("slow first asked", slow_call = "1s", when = |_| true);
    slow_last "slow last" (Some(TWO), Some(TWO)): timeout("2s") circuit_breaker("slow last", slow_call = "3s");
    slow_last_asked "slow last asked" (Some(TWO), Some(TWO)): circuit_breaker("slow last asked", slow_call = "3s", when = |_| true) timeout(TWO);
    innermost "innermost" (Some(TWO), Some(TWO)): timeout("5s") circuit_breaker("innermost") timeout("2s");
    innermost_asked "innermost asked" (Some(TWO), Some(TWO)): timeout("5s") circuit_breaker("innermost asked", when = |_| true) timeout(TWO);
    retried "retried" (Some(TWO), Some(TWO)): circuit_breaker("retried") resilience::retry(max_attempts = 1) timeout("2s");
}

/// Another function with a timeout.
#[timeout(limit)]
async fn within(limit: Duration, work: Work<'_>) -> Answer {
    work.await
}

/// Who sets the deadline that cuts the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cutter {
    /// A function around with a timeout.
    Timeout,
    /// A caller, by `Deadline::scope`; a function around cuts the call then.
    Scope,
    /// A caller, by `Deadline::scope`; only the call itself can cut.
    ScopeOnly,
}

impl Row {
    /// Cuts a call after so long; the calls, the failures, and those cut early that its breaker shows then.
    async fn cut(&self, cutter: Cutter, after: Duration) -> (u32, u32, u32) {
        let breaker = CircuitBreaker::get(self.breaker).expect("declared");
        breaker.reset();
        let hang = Script::hang();
        let call = (self.call)(Box::pin(hang.run()));
        let ended = match cutter {
            Cutter::Timeout => within(after, call).await,
            Cutter::Scope => Deadline::after(after).scope(within(secs(3600), call)).await,
            Cutter::ScopeOnly => Deadline::after(after).scope(call).await,
        };
        ended.expect_err("it is cut");
        assert_eq!(hang.probe().dropped(), 1);
        let snapshot = breaker.snapshot();
        (snapshot.calls, snapshot.failures, snapshot.cut_early)
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_from_what_was_given_on_and_neutral_before() {
    const EARLY: (u32, u32, u32) = (0, 0, 1);
    const FAILED: (u32, u32, u32) = (1, 1, 0);
    for row in ROWS {
        for cutter in [Cutter::Timeout, Cutter::Scope, Cutter::ScopeOnly] {
            if cutter == Cutter::ScopeOnly && row.own.is_none() {
                continue;
            }
            let cells = match (row.given, cutter) {
                (None, Cutter::Timeout) => vec![(ms(1), FAILED), (secs(9), FAILED)],
                (None, _) => vec![(ms(1), EARLY), (secs(9), EARLY)],
                (Some(given), _) => {
                    vec![
                        (ms(1), EARLY),
                        (given - ms(1), EARLY),
                        (given, FAILED),
                        (given + ms(1), FAILED),
                        (secs(9), FAILED),
                    ]
                }
            };
            for (ran, expected) in cells {
                let cut = row.cut(cutter, ran).await;
                assert_eq!(cut, expected, "`{}`, cut by {cutter:?} after {ran:?}", row.breaker);
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_has_passed_or_passes_in_a_line_of_ours_says_nothing() {
    #[circuit_breaker("in line")]
    #[bulkhead("in line", max_concurrent = 1, max_wait = "1m")]
    async fn in_line(work: &mut Work<'_>) -> Answer {
        work.await
    }
    #[circuit_breaker("at the limit", slow_call = "1ms")]
    #[rate_limit("at the limit", limit = 1, per = "1m", max_wait = "1h")]
    async fn at_the_limit(work: &mut Work<'_>) -> Answer {
        work.await
    }
    #[circuit_breaker("at the limit asked", when = |_| true)]
    #[rate_limit("at the limit asked", limit = 1, per = "1m", max_wait = "1h", permits = 1)]
    #[timeout(ms(1))]
    async fn at_the_limit_asked(work: &mut Work<'_>) -> Answer {
        work.await
    }
    let rows: [(&str, Around); 3] = [
        ("in line", |mut work| Box::pin(async move { in_line(&mut work).await })),
        ("at the limit", |mut work| Box::pin(async move { at_the_limit(&mut work).await })),
        ("at the limit asked", |mut work| Box::pin(async move { at_the_limit_asked(&mut work).await })),
    ];
    for (breaker, call) in rows {
        let (body, hang) = (Script::ok(), Script::hang());
        let mut first = call(Box::pin(hang.run()));
        assert_eq!(poll_times(first.as_mut(), 1).await, None, "the slot, or the permit, is taken");
        let second = call(Box::pin(body.run()));
        within(secs(2), second).await.expect_err("in line");
        let third = call(Box::pin(body.run()));
        Deadline::after(secs(2)).scope(within(secs(5), third)).await.expect_err("in line");
        let passed = Deadline::after(ms(0)).scope(call(Box::pin(body.run()))).await;
        passed.expect_err("too late");
        drop(first);
        let snapshot = CircuitBreaker::get(breaker).expect("declared").snapshot();
        let counts = (snapshot.calls, snapshot.failures, snapshot.cut_early, body.entered());
        assert_eq!((counts, breaker), ((0, 0, 0, 0), breaker));
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_in_a_line_is_no_time_of_the_body() {
    #[circuit_breaker("after a line", slow_call = "800ms")]
    #[bulkhead("after a line", max_concurrent = 1, max_wait = "1m")]
    async fn after_a_line(work: &mut Work<'_>) -> Answer {
        work.await
    }
    let breaker = CircuitBreaker::get("after a line").expect("declared");
    for (limit, expected) in [(ms(1299), (0, 0, 1)), (ms(1300), (1, 1, 0))] {
        breaker.reset();
        let hang = Script::hang();
        let (mut held, mut work): (Work<'_>, Work<'_>) = (
            Box::pin(async {
                sleep(ms(500)).await;
                Ok(0)
            }),
            Box::pin(hang.run()),
        );
        let waits: Work<'_> = Box::pin(after_a_line(&mut work));
        let (held, cut) = tokio::join!(after_a_line(&mut held), within(limit, waits));
        assert_eq!(held, Ok(0));
        cut.expect_err("it hangs");
        let snapshot = breaker.snapshot();
        // The one that held the slot is a call, too.
        assert_eq!((snapshot.calls - 1, snapshot.failures, snapshot.cut_early), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_trial_is_judged_by_the_same_time() {
    #[circuit_breaker("cut in a trial", slow_call = "1s", consecutive_failures = 1, cooldown = "10s")]
    async fn trial(work: &mut Work<'_>) -> Answer {
        work.await
    }
    let breaker = CircuitBreaker::get("cut in a trial").expect("declared");
    resilience_tests::trip(&breaker, 1);
    sleep(secs(10)).await;
    for (limit, state) in [(ms(999), "half-open"), (ms(999), "half-open"), (secs(1), "open")] {
        let mut work: Work<'_> = Box::pin(std::future::pending());
        let call: Work<'_> = Box::pin(trial(&mut work));
        within(limit, call).await.expect_err("it hangs");
        assert_eq!(breaker.state().to_string(), state);
    }
}

/// The same by hand: `call` counts from its first poll.
#[tokio::test(start_paused = true)]
async fn calls_by_a_handle_are_judged_likewise() {
    let slow = circuit_breaker::Config::new().slow_call(secs(1));
    for (config, after, by_scope, expected) in [
        (slow, ms(999), false, (0, 0, 1)),
        (slow, secs(1), false, (1, 1, 0)),
        (slow, secs(1), true, (1, 1, 0)),
        (circuit_breaker::Config::new(), ms(1), false, (1, 1, 0)),
        (circuit_breaker::Config::new(), ms(1), true, (0, 0, 1)),
    ] {
        let breaker = resilience_tests::breaker(config);
        let hang = Script::hang();
        let call: Work<'_> = Box::pin(async { breaker.call(hang.run()).await? });
        let ended = match by_scope {
            true => Deadline::after(after).scope(within(secs(60), call)).await,
            false => within(after, call).await,
        };
        ended.expect_err("it hangs");
        let snapshot = breaker.snapshot();
        assert_eq!((snapshot.calls, snapshot.failures, snapshot.cut_early), expected, "{after:?}, {by_scope}");
    }
}
