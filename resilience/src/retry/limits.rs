//! What leaves no room for another attempt: their number, time, and a wait that is too long.

use std::time::Duration;

use super::attempts::Attempts;
use super::backoff::Pauses;
use super::chance;
use super::config::Settings;
use crate::deadline;
use crate::event::RetryLimit;
use crate::time::{self, Instant};

impl<K> Attempts<'_, K> {
    /// The pause before the next attempt, or which limit it would exceed.
    pub(super) fn within_limits(
        &self,
        settings: &Settings,
        hint: Option<Duration>,
        pauses: &mut Pauses,
    ) -> Result<Duration, RetryLimit> {
        if self.begun >= settings.max_attempts {
            return Err(RetryLimit::Attempts);
        }
        if hint.is_some_and(|hint| hint > settings.max_retry_after) {
            return Err(RetryLimit::RetryAfter);
        }
        let pausing = pauses.next(settings, self.begun.saturating_sub(1), hint, chance::unit());
        if deadline::is_up() {
            return Err(RetryLimit::Deadline);
        }
        let deadline = deadline::in_force();
        let latest = self.started.zip(settings.max_elapsed).map(|(started, limit)| {
            let limit = time::nanos(limit);
            started.get().saturating_add(limit)
        });
        if deadline.is_none() && latest.is_none() {
            return Ok(pausing.within(Duration::MAX));
        }
        let resumed = time::after(time::now(), pausing.least);
        let room_before = |deadline: Instant| deadline.checked_duration_since(resumed).filter(|room| !room.is_zero());
        let before = deadline.map(|deadline| room_before(deadline).ok_or(RetryLimit::Deadline)).transpose()?;
        let room_until = |latest: u64| latest.checked_sub(time::stamp(resumed)).map(Duration::from_nanos);
        let until = latest.map(|latest| room_until(latest).ok_or(RetryLimit::Elapsed)).transpose()?;
        // A timer that ends in the deadline's last millisecond fires when that has passed.
        let before = before.map(|room| room.saturating_sub(time::TICK));
        Ok(pausing.within(before.into_iter().chain(until).min().unwrap_or(Duration::MAX)))
    }

    /// Which limit an attempt would exceed that begins at that moment, which is asked for if there is one.
    pub(super) fn too_late(&self, begins: impl FnOnce() -> Instant) -> Option<RetryLimit> {
        if deadline::is_up() {
            return Some(RetryLimit::Deadline);
        }
        if self.started.is_none() && !deadline::is_a_moment() {
            return None;
        }
        let begins = begins();
        let latest = self.started.zip(self.config.max_elapsed);
        let latest = latest.map(|(started, limit)| started.get().saturating_add(time::nanos(limit)));
        if deadline::in_force().is_some_and(|deadline| deadline <= begins) {
            Some(RetryLimit::Deadline)
        } else if latest.is_some_and(|latest| time::stamp(begins) > latest) {
            Some(RetryLimit::Elapsed)
        } else {
            None
        }
    }
}
