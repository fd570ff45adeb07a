//! The one place that names a clock: tokio's, so that `tokio::time::pause` governs everything.

#![allow(clippy::disallowed_methods, reason = "this is the file the ban points to")]

#[cfg(test)]
use std::future::Future;
use std::sync::OnceLock;
use std::time::Duration;

pub(crate) use tokio::time::{Instant, Sleep};

/// What "never" is clamped to where an instant is needed: thirty years, as tokio does.
const FAR_FUTURE: Duration = Duration::from_secs(86_400 * 365 * 30);

/// By how much a call is overtaken, at most, between its looks at the clock and at what is shared, while its thread runs; in
/// nanoseconds. If what is shared is further ahead, the clock may be another runtime's.
pub(crate) const OVERTAKEN: u64 = 100_000;

/// What timers are exact to: they end on whole milliseconds.
pub(crate) const TICK: Duration = Duration::from_millis(1);

#[inline]
pub(crate) fn now() -> Instant {
    Instant::now()
}

pub(crate) fn sleep_until(at: Instant) -> Sleep {
    tokio::time::sleep_until(at)
}

/// `now + duration`, and far in the future where that is further away: "never" is the same moment however it was said.
#[inline]
pub(crate) fn after(now: Instant, duration: Duration) -> Instant {
    now + duration.min(FAR_FUTURE)
}

/// `duration * factor`, at most `cap`; never panics, whatever the factor.
pub(crate) fn scale(duration: Duration, factor: f64, cap: Duration) -> Duration {
    Duration::try_from_secs_f64(duration.as_secs_f64() * factor).map_or(cap, |scaled| scaled.min(cap))
}

/// Whole nanoseconds; saturates after 584 years.
#[inline]
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// A moment as one word, which atomics can hold: nanoseconds since a moment before any that a clock has shown, also one
/// that was paused early. Earlier ones are that moment.
pub(crate) fn stamp(at: Instant) -> u64 {
    static BASE: OnceLock<Instant> = OnceLock::new();
    nanos(at.saturating_duration_since(*BASE.get_or_init(long_ago)))
}

/// As [`after`], where moments are stamps and durations nanoseconds; "never" is the last stamp.
pub(crate) fn later(stamp: u64, wait: u64) -> u64 {
    if wait < nanos(FAR_FUTURE) { stamp.saturating_add(wait) } else { u64::MAX }
}

/// Thirty years ago, or as long as the platform can tell: some know no moment before the machine's start.
fn long_ago() -> Instant {
    let (now, mut ago) = (now(), FAR_FUTURE);
    loop {
        if let Some(then) = now.checked_sub(ago) {
            return then;
        }
        ago /= 2;
    }
}

/// Waits for `future` until then.
#[cfg(test)]
pub(crate) fn by<F: Future>(until: Instant, future: F) -> tokio::time::Timeout<F> {
    tokio::time::timeout_at(until, future)
}

/// Lets paused time pass.
#[cfg(test)]
pub(crate) async fn pass(duration: Duration) {
    tokio::time::advance(duration).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaling_saturates_at_the_cap() {
        let cap = Duration::from_secs(5);
        assert_eq!(scale(Duration::from_millis(10), 2.0, cap), Duration::from_millis(20));
        assert_eq!(scale(Duration::MAX, 2.0, cap), cap);
        assert_eq!(scale(Duration::from_secs(1), f64::INFINITY, cap), cap);
        assert_eq!(scale(Duration::ZERO, f64::INFINITY, cap), cap, "NaN counts as too large");
        assert_eq!(scale(Duration::MAX, 1.0, Duration::MAX), Duration::MAX);
    }

    #[test]
    fn stamps_are_as_far_apart_as_moments() {
        let start = now();
        for span in [Duration::from_nanos(1), FAR_FUTURE] {
            assert_eq!(stamp(start + span) - stamp(start), nanos(span));
        }
        let early = start.checked_sub(Duration::from_secs(60)).unwrap_or(start);
        assert_eq!(stamp(start) - stamp(early), nanos(start - early));
    }

    #[test]
    fn an_instant_beyond_representation_is_far_away() {
        let start = now();
        assert!(after(start, Duration::MAX) >= start + FAR_FUTURE);
        assert_eq!(after(start, Duration::from_secs(1)), start + Duration::from_secs(1));
    }
}
