//! The table of results (DESIGN, section 4): every row of it, below stacks of one, two and three policies.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use resilience::{
    Bulkhead, CircuitBreaker, Deadline, ErrorKind, bulkhead, circuit_breaker, fallback, rate_limit, retry,
    stale_if_error, timeout,
};
use resilience_tests::{Answer, EventLog, Fault, Script, Step, cut_by_deadline, ms, refusal, secs};

/// The columns are stacks, outermost policy first: Retry, circuit Breaker, Fallback, Stale-if-error, bulkHead, Timeout;
/// `?` has `when = missing` and `when_ok = bad`. A cell says what each policy made of what happened below:
///
/// - retry: how many attempts there were, of three;
/// - circuit breaker: failures/calls that it recorded;
/// - fallback: `f` used;
/// - stale-if-error: `s` served what it had remembered, `+` remembered what it got;
/// - `-` neither, `.` nothing to see.
const TABLE: &str = include_str!("table.txt");

/// What happens below the stack that is looked at: the rows, by name.
#[derive(Clone, Debug)]
enum Below {
    /// The body does that; a nested guarded function returns its refusal as an error.
    Body(Step),
    /// A timeout of 50 ms cuts a body that hangs.
    Cut,
    /// A timeout of 50 ms cuts a call that waits in the line of a bulkhead.
    CutInLine,
    /// A timeout of 50 ms is clipped by a deadline in 20 ms, and cuts a body that hangs: it was given less than its time.
    CutByDeadline,
    /// A breaker is open.
    Open,
    /// A bulkhead is full.
    Full,
    /// A rate limit is used up.
    Limited,
    /// The deadline has passed before the call.
    Late,
    /// The caller drops the call.
    Dropped,
    /// A timeout above the stack drops the call; one in the stack would give it more time.
    DroppedByDeadline,
}

impl Below {
    async fn of(row: &str) -> Self {
        let nested = async |kind| Self::Body(Step::Err(refusal(kind).await.into()));
        match row {
            "ok" => Self::Body(Step::Ok),
            "bad-ok" => Self::Body(Step::Give(BAD)),
            "down" => Self::Body(Fault::Down.into()),
            "busy" => Self::Body(Fault::Busy(None).into()),
            "busy-5s" => Self::Body(Fault::Busy(Some(secs(5))).into()),
            "broken" => Self::Body(Fault::Broken.into()),
            "missing" => Self::Body(Fault::NotFound.into()),
            "invalid" => Self::Body(Fault::Invalid.into()),
            "nested-open" => nested(ErrorKind::CircuitOpen).await,
            "nested-full" => nested(ErrorKind::BulkheadFull).await,
            "nested-limited" => nested(ErrorKind::RateLimited).await,
            "nested-late" => nested(ErrorKind::DeadlineExceeded).await,
            "nested-cut" => nested(ErrorKind::TimedOut).await,
            "nested-cut-late" => Self::Body(Step::Err(cut_by_deadline().await.into())),
            "cut" => Self::Cut,
            "cut-in-line" => Self::CutInLine,
            "cut-by-deadline" => Self::CutByDeadline,
            "open" => Self::Open,
            "full" => Self::Full,
            "limited" => Self::Limited,
            "late" => Self::Late,
            "panic" => Self::Body(Step::Panic),
            "dropped" => Self::Dropped,
            "dropped-by-deadline" => Self::DroppedByDeadline,
            other => panic!("no such row: {other}"),
        }
    }
}

/// The policy between the stack and the body, without which a row cannot happen.
#[derive(Clone, Copy)]
enum Layer {
    None,
    Timeout,
    Line,
    Breaker,
    Bulkhead,
    RateLimit,
}

/// What the rate limit below is asked for: more than it has is never there.
static PERMITS: AtomicU32 = AtomicU32::new(1);

impl Below {
    fn layer(&self) -> Layer {
        match self {
            Self::Body(_) | Self::Dropped | Self::DroppedByDeadline => Layer::None,
            Self::Cut | Self::CutByDeadline | Self::Late => Layer::Timeout,
            Self::CutInLine => Layer::Line,
            Self::Open => Layer::Breaker,
            Self::Full => Layer::Bulkhead,
            Self::Limited => Layer::RateLimit,
        }
    }

    /// Makes it happen to `call` of a stack: how that ends, if it does.
    async fn happen_to(&self, stack: &Stack, key: u32) -> Option<Answer> {
        let step = if let Self::Body(step) = self { step.clone() } else { Step::Hang };
        let call = (stack.call)(self.layer(), step, key);
        match self {
            Self::Body(_) | Self::Cut => AssertUnwindSafe(call).catch_unwind().await.ok(),
            Self::CutByDeadline => Some(Deadline::after(ms(20)).scope(call).await),
            Self::Late => Some(Deadline::after(Duration::ZERO).scope(call).await),
            Self::DroppedByDeadline => Some(bounded(call).await),
            Self::Dropped => {
                assert!(tokio::time::timeout(ms(10), call).await.is_err());
                None
            }
            Self::Open => {
                let breaker = CircuitBreaker::get("table-open").unwrap();
                breaker.force_open();
                let answer = call.await;
                breaker.reset();
                Some(answer)
            }
            Self::CutInLine => {
                let bulkhead = Bulkhead::get("table-line").unwrap();
                let _slot = bulkhead.try_acquire().unwrap();
                Some(call.await)
            }
            Self::Full => {
                let bulkhead = Bulkhead::get("table-full").unwrap();
                let _slot = bulkhead.try_acquire().unwrap();
                Some(call.await)
            }
            Self::Limited => {
                PERMITS.store(u32::MAX, Ordering::Relaxed);
                let answer = call.await;
                PERMITS.store(1, Ordering::Relaxed);
                Some(answer)
            }
        }
    }
}

/// One column.
struct Stack {
    name: &'static str,
    call: fn(Layer, Step, u32) -> BoxFuture<'static, Answer>,
}

/// The same functions below a stack, and the choice between them.
macro_rules! stacks {
    // The name of the argument is given by the caller, whose attributes use it.
    ($key:ident; $($module:ident = $name:literal: $(#[$policy:meta])+)+) => {
        $(
            mod $module {
                use super::*;

                $(#[$policy])+
                async fn body($key: u32, script: &Script) -> Answer {
                    let _ = $key;
                    script.run().await
                }

                $(#[$policy])+
                #[timeout("50ms")]
                async fn cut($key: u32, script: &Script) -> Answer {
                    let _ = $key;
                    script.run().await
                }

                $(#[$policy])+
                #[timeout(FIFTY)]
                #[bulkhead("table-line", max_concurrent = 1, max_wait = "1m")]
                async fn in_line($key: u32, script: &Script) -> Answer {
                    let _ = $key;
                    script.run().await
                }

                $(#[$policy])+
                #[circuit_breaker("table-open")]
                async fn open($key: u32, script: &Script) -> Answer {
                    let _ = $key;
                    script.run().await
                }

                $(#[$policy])+
                #[bulkhead("table-full", max_concurrent = 1)]
                async fn full($key: u32, script: &Script) -> Answer {
                    let _ = $key;
                    script.run().await
                }

                $(#[$policy])+
                #[rate_limit("table-limited", limit = 1_000_000, permits = PERMITS.load(Ordering::Relaxed))]
                async fn limited($key: u32, script: &Script) -> Answer {
                    let _ = $key;
                    script.run().await
                }

                pub(super) fn call(layer: Layer, step: Step, key: u32) -> BoxFuture<'static, Answer> {
                    let script = Script::new([step]);
                    Box::pin(async move {
                        match layer {
                            Layer::None => body(key, &script).await,
                            Layer::Timeout => cut(key, &script).await,
                            Layer::Line => in_line(key, &script).await,
                            Layer::Breaker => open(key, &script).await,
                            Layer::Bulkhead => full(key, &script).await,
                            Layer::RateLimit => limited(key, &script).await,
                        }
                    })
                }
            }
        )+

        const STACKS: &[Stack] = &[$(Stack { name: $name, call: $module::call }),+];
    };
}

stacks! {
    key;
    r = "R":
        #[retry(max_attempts = 3, base_delay = "1ms", jitter = "none", name = "R")]
    b = "B":
        #[circuit_breaker("B", window_calls = 10)]
    f = "F":
        #[fallback(value = INSTEAD, name = "F")]
    s = "S":
        #[stale_if_error("1h", key = key, name = "S")]
    r_when = "R?":
        #[retry(max_attempts = 3, base_delay = "1ms", jitter = "none", name = "R?", when = missing, when_ok = bad)]
    b_when = "B?":
        #[circuit_breaker("B?", window_calls = 10, when = missing, when_ok = bad)]
    f_when = "F?":
        #[fallback(value = INSTEAD, name = "F?", when = missing, when_ok = bad)]
    s_when = "S?":
        #[stale_if_error("1h", key = key, name = "S?", when = missing, when_ok = bad)]
    r_b = "R>B":
        #[retry(max_attempts = 3, base_delay = "1ms", jitter = "none", name = "R>B")]
        #[circuit_breaker("R>B", window_calls = 10)]
    b_r = "B>R":
        #[circuit_breaker("B>R", window_calls = 10)]
        #[retry(max_attempts = 3, base_delay = "1ms", jitter = "none", name = "B>R")]
    f_r = "F>R":
        #[fallback(value = INSTEAD, name = "F>R")]
        #[retry(max_attempts = 3, base_delay = "1ms", jitter = "none", name = "F>R")]
    f_b = "F>B":
        #[fallback(value = INSTEAD, name = "F>B")]
        #[circuit_breaker("F>B", window_calls = 10)]
    s_r = "S>R":
        #[stale_if_error("1h", key = key, name = "S>R")]
        #[retry(max_attempts = 3, base_delay = "1ms", jitter = "none", name = "S>R")]
    s_b = "S>B":
        #[stale_if_error("1h", key = key, name = "S>B")]
        #[circuit_breaker("S>B", window_calls = 10)]
    f_s = "F>S":
        #[fallback(value = INSTEAD, name = "F>S")]
        #[stale_if_error("1h", key = key, name = "F>S")]
    r_h = "R>H":
        #[retry(max_attempts = 3, base_delay = "1ms", jitter = "none", name = "R>H")]
        #[bulkhead("R>H", max_concurrent = 1)]
    h_r = "H>R":
        #[bulkhead("H>R", max_concurrent = 1)]
        #[retry(max_attempts = 3, base_delay = "1ms", jitter = "none", name = "H>R")]
    r_t = "R>T":
        #[retry(max_attempts = 3, base_delay = "1ms", jitter = "none", name = "R>T")]
        #[timeout("1h", name = "R>T")]
    f_r_b = "F>R>B":
        #[fallback(value = INSTEAD, name = "F>R>B")]
        #[retry(max_attempts = 3, base_delay = "1ms", jitter = "none", name = "F>R>B")]
        #[circuit_breaker("F>R>B", window_calls = 10)]
    s_r_b = "S>R>B":
        #[stale_if_error("1h", key = key, name = "S>R>B")]
        #[retry(max_attempts = 3, base_delay = "1ms", jitter = "none", name = "S>R>B")]
        #[circuit_breaker("S>R>B", window_calls = 10)]
    f_s_b = "F>S>B":
        #[fallback(value = INSTEAD, name = "F>S>B")]
        #[stale_if_error("1h", key = key, name = "F>S>B")]
        #[circuit_breaker("F>S>B", window_calls = 10)]
    f_s_r = "F>S>R":
        #[fallback(value = INSTEAD, name = "F>S>R")]
        #[stale_if_error("1h", key = key, name = "F>S>R")]
        #[retry(max_attempts = 3, base_delay = "1ms", jitter = "none", name = "F>S>R")]
    b_r_h = "B>R>H":
        #[circuit_breaker("B>R>H", window_calls = 10)]
        #[retry(max_attempts = 3, base_delay = "1ms", jitter = "none", name = "B>R>H")]
        #[bulkhead("B>R>H", max_concurrent = 1)]
    r_b_h = "R>B>H":
        #[retry(max_attempts = 3, base_delay = "1ms", jitter = "none", name = "R>B>H")]
        #[circuit_breaker("R>B>H", window_calls = 10)]
        #[bulkhead("R>B>H", max_concurrent = 1)]
    r_b_t = "R>B>T":
        #[retry(max_attempts = 3, base_delay = "1ms", jitter = "none", name = "R>B>T")]
        #[circuit_breaker("R>B>T", window_calls = 10)]
        #[timeout("1h", name = "R>B>T")]
    f_b_t = "F>B>T":
        #[fallback(value = INSTEAD, name = "F>B>T")]
        #[circuit_breaker("F>B>T", window_calls = 10)]
        #[timeout("1h", name = "F>B>T")]
}

const INSTEAD: u32 = 1000;
const FIFTY: Duration = ms(50);
/// A value that means failure to who asks.
const BAD: u32 = 503;

fn bad(value: &u32) -> bool {
    *value == BAD
}

fn missing(fault: &Fault) -> bool {
    *fault == Fault::NotFound
}

#[timeout("50ms", name = "table-bounded")]
async fn bounded(call: BoxFuture<'static, Answer>) -> Answer {
    call.await
}

impl Stack {
    fn has(&self, policy: char) -> bool {
        self.name.contains(policy)
    }

    fn breaker(&self) -> Option<CircuitBreaker> {
        self.has('B').then(|| CircuitBreaker::get(self.name).unwrap())
    }

    fn reset(&self) {
        self.breaker().iter().for_each(CircuitBreaker::reset);
    }

    /// The cell that it makes of this row, and how the call ended.
    async fn observe(&self, below: &Below) -> (String, Option<Answer>) {
        static KEY: AtomicU32 = AtomicU32::new(0);
        let key = KEY.fetch_add(2, Ordering::Relaxed);
        let log = EventLog::of([self.name]);
        // Something to remember.
        assert_eq!((self.call)(below.layer(), Step::Ok, key).await, Ok(1));
        self.reset();
        let _ = log.take();
        let answer = below.happen_to(self, key).await;
        let events = log.take();
        let recorded = self.breaker().map(|breaker| breaker.snapshot());
        let recorded = recorded.map(|window| format!("{}/{}", window.failures, window.calls)).unwrap_or_default();
        let stored = self.has('S') && self.stores(below, key + 1).await;
        let told = |name: &str| events.iter().filter(|event| event.name() == name).count();
        let cells: Vec<_> = self
            .name
            .trim_end_matches('?')
            .split('>')
            .map(|policy| match policy {
                "R" => (1 + told("retry.attempt_failed")).to_string(),
                "B" => recorded.clone(),
                "F" if told("fallback.used") == 1 => "f".to_owned(),
                "S" if told("stale.served") == 1 => "s".to_owned(),
                "S" if stored => "+".to_owned(),
                "F" | "S" => "-".to_owned(),
                _ => ".".to_owned(),
            })
            .collect();
        (cells.join(","), answer)
    }

    /// Whether it remembers what it gets under a key that it does not know.
    async fn stores(&self, below: &Below, key: u32) -> bool {
        below.happen_to(self, key).await;
        self.reset();
        let log = EventLog::of([self.name]);
        let fault = if self.has('?') { Fault::NotFound } else { Fault::Down };
        let _ = (self.call)(below.layer(), fault.into(), key).await;
        log.take().iter().any(|event| event.name() == "stale.served")
    }

    /// Whatever happened, nothing is held.
    fn assert_settled(&self, what: &str) {
        if self.has('H') {
            assert_eq!(Bulkhead::get(self.name).unwrap().snapshot().in_flight, 0, "{what}");
        }
    }
}

/// The caller gets what took the place of what happened, or what happened, as it was.
#[track_caller]
fn assert_answer(below: &Below, cell: &str, answer: Option<Answer>, what: &str) {
    if cell.contains('f') {
        return assert_eq!(answer, Some(Ok(INSTEAD)), "{what}");
    }
    if cell.contains('s') {
        return assert_eq!(answer, Some(Ok(1)), "{what}");
    }
    let kind = match below {
        Below::Body(Step::Panic) | Below::Dropped => return assert!(answer.is_none(), "{what}"),
        Below::Body(Step::Err(fault)) => return assert_eq!(answer, Some(Err(fault.clone())), "{what}"),
        Below::Body(Step::Give(value)) => return assert_eq!(answer, Some(Ok(*value)), "{what}"),
        Below::Body(_) => return assert_eq!(answer, Some(Ok(1)), "{what}"),
        Below::Cut | Below::CutInLine | Below::DroppedByDeadline => ErrorKind::TimedOut,
        Below::CutByDeadline | Below::Late => ErrorKind::DeadlineExceeded,
        Below::Open => ErrorKind::CircuitOpen,
        Below::Full => ErrorKind::BulkheadFull,
        Below::Limited => ErrorKind::RateLimited,
    };
    assert_eq!(answer.and_then(Result::err).and_then(|fault| fault.kind()), Some(kind), "{what}");
}

#[tokio::test(start_paused = true)]
async fn every_cell_of_the_table() {
    let (mut seen, mut wrong) = (0, Vec::new());
    let mut columns: Vec<&Stack> = Vec::new();
    for line in TABLE.lines().filter(|line| !line.is_empty()) {
        let mut words = line.split_whitespace();
        let row = words.next().unwrap_or_default();
        if row == "below" {
            columns = words.map(|name| STACKS.iter().find(|stack| stack.name == name).expect(name)).collect();
            continue;
        }
        let below = Below::of(row).await;
        let cells: Vec<_> = words.collect();
        assert_eq!(cells.len(), columns.len(), "{line}");
        for (stack, expected) in columns.iter().zip(cells) {
            let what = format!("{row} below {}", stack.name);
            let (cell, answer) = stack.observe(&below).await;
            if cell != expected {
                wrong.push(format!("{what}: {cell}, expected {expected}"));
            }
            assert_answer(&below, &cell, answer, &what);
            stack.assert_settled(&what);
            seen += 1;
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(seen, 24 * STACKS.len(), "every row below every stack");
}

#[tokio::test(start_paused = true)]
async fn a_hint_that_does_not_fit_stops_the_retry() {
    let hint = Fault::Busy(Some(secs(5)));
    let made = async |within| {
        let log = EventLog::of(["R"]);
        let answer = Deadline::after(within).scope(r::call(Layer::None, hint.clone().into(), 0)).await;
        assert_eq!(answer, Err(hint.clone()));
        1 + log.take().iter().filter(|event| event.name() == "retry.attempt_failed").count()
    };
    assert_eq!((made(secs(4)).await, made(secs(6)).await, made(secs(11)).await), (1, 2, 3));
}
