//! The script: when the server fails, and when it is back.

use std::time::Duration;

/// The server is well until here. Then it loses its connections and its line, and turns every call away.
pub(crate) const FAILURE: Duration = Duration::from_secs(10);

/// From here on it is as well as before.
pub(crate) const RECOVERY: Duration = Duration::from_secs(30);

pub(crate) fn failing(time: Duration) -> bool {
    FAILURE <= time && time < RECOVERY
}
