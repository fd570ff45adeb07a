//! The script: when the server fails, and when it is back.

use std::time::Duration;

/// The server is well until here. Then it loses its connections and what it was working on, and refuses every call.
pub(crate) const FAILURE: Duration = Duration::from_secs(10);

/// Then it is as well as before.
pub(crate) const RECOVERY: Duration = Duration::from_secs(30);

/// The shortest run that shows something, in seconds: it must go on for as long after the trigger as it took.
pub(crate) const SHORTEST: i64 = 60;

pub(crate) fn failing(time: Duration) -> bool {
    FAILURE <= time && time < RECOVERY
}
