//! Numbers as they are written in tables.

use std::time::Duration;

/// In the unit that fits: "0.8 ms", "53 ms", "7.31 s".
#[must_use]
pub fn time(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match seconds {
        ..0.01 => format!("{:.1} ms", seconds * 1e3),
        ..0.9995 => format!("{:.0} ms", seconds * 1e3),
        _ => format!("{seconds:.2} s"),
    }
}

/// With a comma between thousands.
#[must_use]
pub fn count(number: usize) -> String {
    if number < 1000 { number.to_string() } else { format!("{},{:03}", count(number / 1000), number % 1000) }
}
