//! The server: so many calls a second, first come, first served, and a line of bounded length.
//!
//! It cannot know which of the callers in its line have left. It works for them too, and that is what keeps a storm
//! alive: once the line is longer than callers wait, all that the server does is in vain.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use resilience_examples::clock::Clock;

use crate::client::CallError;
use crate::record::{Count, Record};
use crate::script::{self, FAILURE};

/// The longest line, by the time until the last in it is served. A call that does not fit is turned away.
const LONGEST_LINE: Duration = Duration::from_secs(3);

/// One server.
pub(crate) struct Server {
    clock: Clock,
    /// What one call takes.
    work: Duration,
    /// When all that is in the line will be done. The script is known: nothing has to run for that.
    free_at: Mutex<Duration>,
    record: Arc<Record>,
}

impl Server {
    pub(crate) fn new(clock: Clock, capacity: f64, record: Arc<Record>) -> Self {
        Self { clock, work: Duration::from_secs_f64(1.0 / capacity), free_at: Mutex::default(), record }
    }

    /// One call, from its arrival to its answer. A caller that waits no longer drops it.
    pub(crate) async fn call(&self) -> Result<(), CallError> {
        let now = self.clock.elapsed();
        self.record.count(now, Count::Offered);
        let place = if script::failing(now) { None } else { self.line_up(now) };
        let Some(done_at) = place else {
            self.record.count(now, Count::Failed);
            return Err(CallError::Unreachable);
        };
        let waiting = Waiting { server: self, done_at };
        if waiting.is_lost() {
            self.clock.until(FAILURE).await;
            return Err(CallError::Unreachable);
        }
        self.clock.until(done_at).await;
        waiting.end();
        Ok(())
    }

    /// Takes a place in the line, and tells when the work will be done; nothing where the line is too long.
    fn line_up(&self, now: Duration) -> Option<Duration> {
        let mut free_at = self.free_at.lock().unwrap_or_else(PoisonError::into_inner);
        let begin = now.max(*free_at);
        if begin - now > LONGEST_LINE {
            return None;
        }
        *free_at = begin + self.work;
        Some(*free_at)
    }
}

/// A call in the line. If it is dropped there, its caller has left.
struct Waiting<'a> {
    server: &'a Server,
    done_at: Duration,
}

impl Waiting<'_> {
    /// The server fails before it comes to this call.
    fn is_lost(&self) -> bool {
        script::failing(self.done_at)
    }

    fn end(self) {
        self.server.record.count(self.server.clock.elapsed(), Count::Answered);
        std::mem::forget(self);
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.server.record.count(self.server.clock.elapsed(), Count::Failed);
        if !self.is_lost() {
            self.server.record.count(self.done_at, Count::Wasted);
        }
    }
}
