//! Durations as text: `200ms`, `1.5s`, `1h30m`. All arithmetic is checked.

use std::time::Duration;

const UNITS: [(&str, u128); 6] = [
    ("h", 3_600_000_000_000),
    ("m", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// Reads `200ms`, `1.5s`, `1h30m`.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let mut rest = text.trim();
    let wrong = || "write a duration as `\"200ms\"`, `\"1.5s\"` or `\"1h30m\"`".to_owned();
    if rest.starts_with('-') {
        return Err("a duration cannot be negative; remove the `-`".to_owned());
    }
    if let Some(message) = other_digits(rest) {
        return Err(message);
    }
    let mut total: u128 = 0;
    let mut smallest = u128::MAX;
    while !rest.is_empty() {
        let (number, after) = split_at(rest, |c| c.is_ascii_digit() || c == '.');
        let (unit, after) = split_at(after.trim_start(), char::is_alphabetic);
        if !is_decimal(number) {
            return Err(wrong());
        }
        if unit.is_empty() {
            if let Some(unit) = UNITS.iter().find(|(_, nanos)| *nanos < smallest).filter(|_| smallest != u128::MAX) {
                return Err(format!(
                    "a duration needs a unit after each number: write `\"{}{}\"`",
                    text.trim(),
                    unit.0
                ));
            }
            let number = number.trim_end_matches(".0");
            return Err(format!("a duration needs a unit: write `\"{number}s\"` or `\"{number}ms\"`"));
        }
        let Some((_, nanos)) = UNITS.iter().find(|(known, _)| *known == unit) else {
            return Err(unknown_unit(number, unit));
        };
        if *nanos >= smallest {
            return Err("write the units of a duration from large to small, each once: `\"1h30m\"`".to_owned());
        }
        smallest = *nanos;
        total = scaled(number, *nanos)?.checked_add(total).ok_or_else(too_long)?;
        rest = after.trim_start();
    }
    if smallest == u128::MAX {
        return Err(wrong());
    }
    let per_second = 1_000_000_000;
    let seconds = total.checked_div(per_second).and_then(|s| u64::try_from(s).ok()).ok_or_else(too_long)?;
    let nanos = total.checked_rem(per_second).and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
    Ok(Duration::new(seconds, nanos))
}

/// `1,5s`, `1,000ms`, `1_000ms`; and `s`, which has no number at all.
fn other_digits(text: &str) -> Option<String> {
    if let Some(unit) = meant(text) {
        return Some(format!("a duration begins with a number: write `\"1{unit}\"`"));
    }
    let is_right = |text: &String| parse_duration(text).is_ok();
    let plain = Some(text.replace(['_', ','], "")).filter(|plain| plain != text).filter(is_right);
    let pointed = Some(text.replace(',', ".")).filter(|_| text.matches(',').count() == 1).filter(is_right);
    match (plain, pointed) {
        (Some(plain), Some(pointed)) if is_grouped(text) => {
            Some(format!("a duration is written without a comma, `\"{plain}\"`, or with a point, `\"{pointed}\"`"))
        }
        (_, Some(pointed)) => Some(format!("a duration is written with a point: `\"{pointed}\"`")),
        (Some(plain), None) => Some(format!("a duration is written with digits alone: `\"{plain}\"`")),
        (None, None) => None,
    }
}

/// Whether three digits follow the comma, as in `1,000`.
fn is_grouped(text: &str) -> bool {
    let fraction = text.split_once(',').map_or("", |(_, fraction)| fraction);
    fraction.chars().take_while(char::is_ascii_digit).count() == 3
}

/// Digits, and perhaps a point and digits.
pub(crate) fn is_decimal(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits(whole) && digits(fraction)
}

/// `number` (decimal) times `nanos`.
fn scaled(number: &str, nanos: u128) -> Result<u128, String> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let fraction = fraction.trim_end_matches('0');
    let whole = whole.parse::<u128>().ok().and_then(|whole| whole.checked_mul(nanos)).ok_or_else(too_long)?;
    if fraction.is_empty() {
        return Ok(whole);
    }
    let finer = || "a duration is counted in whole nanoseconds".to_owned();
    let digits = u32::try_from(fraction.len()).map_err(|_| finer())?;
    let divisor = 10_u128.checked_pow(digits).ok_or_else(finer)?;
    let scaled = fraction.parse::<u128>().ok().and_then(|fraction| fraction.checked_mul(nanos)).ok_or_else(finer)?;
    match (scaled.checked_div(divisor), scaled.checked_rem(divisor)) {
        (Some(part), Some(0)) => whole.checked_add(part).ok_or_else(too_long),
        _ => Err(finer()),
    }
}

fn too_long() -> String {
    format!("a duration is at most {} seconds", u64::MAX)
}

fn unknown_unit(number: &str, unit: &str) -> String {
    if let Some(meant) = meant(unit) {
        return format!("a duration has no unit `{unit}`; write `{meant}`");
    }
    let hours = match unit.to_lowercase().as_str() {
        "d" | "day" | "days" => Some(24_u64),
        "w" | "week" | "weeks" => Some(168),
        _ => None,
    };
    match hours.and_then(|hours| number.parse::<u64>().ok()?.checked_mul(hours)) {
        Some(hours) => format!("a duration has no unit `{unit}`; write `{hours}h`"),
        None => format!("a duration has no unit `{unit}`; the units are `h`, `m`, `s`, `ms`, `us`, `ns`"),
    }
}

/// The unit that goes by that name elsewhere.
pub(crate) fn meant(unit: &str) -> Option<&'static str> {
    match unit.to_lowercase().as_str() {
        "h" | "hr" | "hrs" | "hour" | "hours" => Some("h"),
        "m" | "min" | "mins" | "minute" | "minutes" => Some("m"),
        "s" | "sec" | "secs" | "second" | "seconds" => Some("s"),
        "ms" | "msec" | "msecs" | "milli" | "millis" | "millisecond" | "milliseconds" => Some("ms"),
        "us" | "µs" | "μs" | "micro" | "micros" | "microsecond" | "microseconds" => Some("us"),
        "ns" | "nano" | "nanos" | "nanosecond" | "nanoseconds" => Some("ns"),
        _ => None,
    }
}

fn split_at(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

#[cfg(test)]
#[allow(clippy::expect_used, reason = "tests may panic")]
mod tests {
    use super::parse_duration;

    #[test]
    fn durations() {
        for (text, millis) in
            [("200ms", 200), ("1.5s", 1500), ("2m", 120_000), ("1h30m", 5_400_000), ("1h 0.5s", 3_600_500), ("0ms", 0)]
        {
            assert_eq!(parse_duration(text).map(|d| d.as_millis()), Ok(millis), "{text}");
        }
        assert_eq!(parse_duration("18446744073709551615s").map(|d| d.as_secs()), Ok(u64::MAX));
    }

    #[test]
    fn wrong_durations_name_the_fix() {
        for (text, part) in [
            ("", "200ms"),
            ("5", "write `\"5s\"`"),
            ("-5s", "negative"),
            ("5sec", "write `s`"),
            ("5parsec", "the units are"),
            ("30m1h", "large to small"),
            ("1s1s", "large to small"),
            ("18446744073709551616s", "at most"),
            ("999999999999999999999999999999999999999999h", "at most"),
            ("0.1ns", "whole nanoseconds"),
            (".5s", "200ms"),
            ("1..5s", "200ms"),
            ("s", "`\"1s\"`"),
            ("Minute", "`\"1m\"`"),
            ("2d", "write `48h`"),
            ("1week", "write `168h`"),
            ("1.5d", "the units are"),
            ("18446744073709551615d", "the units are"),
            ("1_000ms", "digits alone: `\"1000ms\"`"),
            ("1,000ms", "`\"1000ms\"`, or with a point, `\"1.000ms\"`"),
            ("1,000,000ms", "digits alone: `\"1000000ms\"`"),
            ("1,0,s", "digits alone"),
            (",", "200ms"),
            ("1m30", "write `\"1m30s\"`"),
            ("1s500", "write `\"1s500ms\"`"),
            ("2h 5", "write `\"2h 5m\"`"),
            ("1ns5", "write `\"5s\"`"),
            ("1,5s", "`\"1.5s\"`"),
        ] {
            let message = parse_duration(text).expect_err(text);
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
