//! Every mistake that can be made with an option, for every option of the macro's table: cases written by a program.

use std::fmt::Write;
use std::fs;
use std::path::Path;

/// One row of the macro's table.
struct Row {
    policy: &'static str,
    key: String,
    kind: String,
    /// The kind of the runtime's option, which knows the range.
    range: Option<String>,
}

/// A value that is wrong: what is written, how much of it is underlined, and what is said.
type Wrong = (String, usize, String);

/// The policies, and what else an attribute needs to be whole.
const POLICIES: [(&str, &str); 7] = [
    ("retry", ""),
    ("circuit_breaker", ""),
    ("bulkhead", ""),
    ("rate_limit", "limit = 30"),
    ("timeout", "\"2s\""),
    ("fallback", "value = ()"),
    ("stale_if_error", "\"10m\""),
];

/// The options that are written first, without their keys: what they are called, and an example.
const FIRST: [(&str, &str, &str); 3] = [
    ("duration", "duration", "#[timeout(\"2s\")]"),
    ("max_age", "age", "#[stale_if_error(\"10m\")]"),
    ("function", "function", "#[fallback(|error| …)]"),
];

/// A file of cases for each option: its name and its text.
pub(crate) fn files() -> Vec<(String, String)> {
    let rows = rows();
    let mut files = Vec::new();
    for (policy, _) in POLICIES {
        let of_policy: Vec<&Row> = rows.iter().filter(|row| row.policy == policy).collect();
        let mut file = String::new();
        unknown(policy, &of_policy, &mut file);
        files.push((format!("{policy}_unknown"), file));
        for row in of_policy.into_iter().filter(|row| row.key != "borrow") {
            let mut file = String::new();
            values(row, &mut file);
            if FIRST.iter().any(|(key, ..)| *key == row.key) {
                with_its_key(row, &mut file);
            } else {
                keys(row, &mut file);
            }
            files.push((format!("{policy}_{}", row.key), file));
        }
    }
    files
}

fn rows() -> Vec<Row> {
    let table = read("resilience-macros/src/options.rs");
    let lines: Vec<&str> = table.lines().map(str::trim).collect();
    let mut rows = Vec::new();
    for (policy, _) in POLICIES {
        let own = format!("row(&{}, ", policy.to_uppercase());
        for line in &lines {
            let Some(cells) = line.strip_prefix(own.as_str()).or_else(|| line.strip_prefix("every(")) else { continue };
            let (key, kind) = cells.split_once(", Kind::").expect("a key and its kind");
            let key = key.trim_matches('"').to_owned();
            let kind = kind.split([')', '(']).next().unwrap_or_default().to_owned();
            let range = range(policy, &key);
            rows.push(Row { policy, key, kind, range });
        }
    }
    assert!(rows.len() > 60, "the table was read");
    rows
}

/// `Time` of `max_elapsed: Time,` in the runtime's table.
fn range(policy: &str, key: &str) -> Option<String> {
    let file = match policy {
        "timeout" => "resilience/src/timeout.rs".to_owned(),
        "stale_if_error" => "resilience/src/stale.rs".to_owned(),
        "fallback" => return None,
        _ => format!("resilience/src/{policy}/config.rs"),
    };
    let start = format!("{key}: ");
    let source = read(&file);
    let table = source.split("config! {").nth(1)?.split("\n}").next()?;
    let kind = table.lines().find_map(|line| line.trim().strip_prefix(start.as_str()))?;
    Some(kind.trim_end_matches(',').to_owned())
}

fn read(path: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Writes a case: the attribute's arguments, what is underlined in them, what is said.
fn case(row: &Row, what: &str, arguments: &str, underlined: (usize, usize), says: &str, file: &mut String) {
    let policy = row.policy;
    let number = file.matches("\nmod ").count();
    let attribute = format!("    #[{policy}(");
    let start = attribute.chars().count() + underlined.0 - "    //".len();
    let (blank, carets) = (" ".repeat(start), "^".repeat(underlined.1));
    let _ = write!(
        file,
        "\nmod {what}_{number} {{\n    use resilience::{policy};\n\n{attribute}{arguments})]\n    //{blank}{carets} {says}\n    \
         async fn call() -> std::io::Result<()> {{\n        Ok(())\n    }}\n}}\n"
    );
}

/// What has to stand before an option so that nothing else is wrong.
fn before(row: &Row) -> String {
    let key = row.key.as_str();
    let needs = POLICIES.iter().find(|(policy, _)| *policy == row.policy).map_or("", |(_, needs)| needs);
    match key {
        "slow_call_rate" => "slow_call = \"2s\", ".to_owned(),
        "limit" | "value" => String::new(),
        _ if needs.is_empty() => String::new(),
        _ => format!("{needs}, "),
    }
}

fn values(row: &Row, file: &mut String) {
    let before = match FIRST.iter().any(|(key, ..)| *key == row.key) {
        true => String::new(),
        false => format!("{}{} = ", before(row), row.key),
    };
    for (value, underlined, says) in wrong(row) {
        case(row, "value", &format!("{before}{value}"), (before.len(), underlined), &says, file);
    }
}

fn with_its_key(row: &Row, file: &mut String) {
    let (key, what, example) = FIRST.into_iter().find(|(key, ..)| *key == row.key).expect("an option that is first");
    // The fallback has another form, so that nothing is missing.
    let says = format!("error: the {what} is the first value and has no key: `{example}`");
    case(row, "key", &format!("{key} = {}", valid(row)), (0, key.len()), &says, file);
}

fn keys(row: &Row, file: &mut String) {
    let Row { policy, key, .. } = row;
    let (before, valid, example) = (before(row), valid(row), example(row));
    let at = before.len();
    let needs = format!("error: `{key}` needs a value: `{key} = {example}`");
    case(row, "alone", &format!("{before}{key}"), (at, key.len()), &needs, file);
    case(row, "half_typed", &format!("{before}{key} ="), (at, key.len()), &needs, file);
    let written = format!("error: `{key}` is written `{key} = {example}`");
    case(row, "parentheses", &format!("{before}{key}({valid})"), (at, key.len()), &written, file);
    let once = format!("{before}{key} = {valid}, ");
    let twice = format!("error: `{key}` is given twice");
    case(row, "twice", &format!("{once}{key} = {valid}"), (once.len(), key.len()), &twice, file);
    // Without its second letter.
    let misspelt: String = key.chars().take(1).chain(key.chars().skip(2)).collect();
    let meant = format!("error: `{policy}` has no option `{misspelt}`; did you mean `{key}`?");
    case(row, "misspelt", &format!("{before}{misspelt} = {valid}"), (at, misspelt.len()), &meant, file);
}

fn unknown(policy: &str, rows: &[&Row], file: &mut String) {
    let row = rows.first().expect("every policy has options");
    let says = match policy {
        "timeout" => "the duration is the first value: `#[timeout(\"2s\")]`".to_owned(),
        "stale_if_error" => "the age is the first value: `#[stale_if_error(\"10m\")]`".to_owned(),
        _ => {
            let keys = rows.iter().map(|row| row.key.as_str()).filter(|key| *key != "function");
            format!("its options are {}", keys.map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", "))
        }
    };
    let says = format!("error: `{policy}` has no option `zzz`; {says}");
    case(row, "unknown", "zzz = 3", (0, "zzz".len()), &says, file);
}

fn valid(row: &Row) -> &'static str {
    match row.kind.as_str() {
        "Count" => "3",
        "Duration" => "\"2s\"",
        "Rate" => "0.5",
        "Factor" => "2.0",
        "Choice" => choices(row)[0],
        "Name" => "\"a\"",
        "Permits" => "1",
        "Key" => "()",
        "Replacement" => "()",
        "Predicate" | "ValuePredicate" => "|_| true",
        "Hook" => "|_| ()",
        "CratePath" => "::resilience",
        "Order" => "\"as_written\"",
        "Handler" => "offline",
        kind => panic!("a new kind of option, {kind}: what is right and what is wrong?"),
    }
}

fn example(row: &Row) -> &'static str {
    match row.kind.as_str() {
        "Duration" => "\"200ms\"",
        "Name" => "\"payments\"",
        "Permits" => "items.len() as u32",
        "Replacement" => "Vec::new()",
        "Key" => "(region, id)",
        "Predicate" => "|error| error.is_transient()",
        "ValuePredicate" => "|value| value.is_degraded()",
        "Hook" => "log_attempt",
        _ => valid(row),
    }
}

fn choices(row: &Row) -> &'static [&'static str] {
    match row.key.as_str() {
        "backoff" => &["\"exponential\"", "\"linear\"", "\"constant\"", "\"fibonacci\""],
        "jitter" => &["\"full\"", "\"none\"", "\"equal\"", "\"decorrelated\""],
        key => panic!("a new choice, {key}: what are its words?"),
    }
}

/// Wrong values of an option, by its kind and by the range that the runtime knows.
fn wrong(row: &Row) -> Vec<Wrong> {
    let Row { key, kind, .. } = row;
    let mut found: Vec<Wrong> = Vec::new();
    let mut say = |value: &str, says: &str| {
        found.push((value.to_owned(), value.len(), format!("error: {}", says.replace("KEY", key))));
    };
    let negative = "`KEY` cannot be negative; remove the `-`";
    match kind.as_str() {
        "Count" | "Permits" => {
            say("\"3\"", "`KEY` is a number; write it without quotes: `KEY = 3`");
            say("-1", negative);
            say("4294967296", "`KEY` is at most 4294967295");
            say("3u64", "`KEY` is a `u32`: write `KEY = 3`");
            say("\"1_000\"", "`KEY` is a number; write it without quotes: `KEY = 1000`");
            for value in ["\"three\"", "2.5", "true", "'3'"] {
                say(value, "`KEY` is a whole number: `KEY = 3`");
            }
        }
        "Duration" => {
            for (value, number) in [("200", "200"), ("1.5", "1.5"), ("\"200\"", "200"), ("5u64", "5"), ("0", "0")] {
                say(value, &format!("a duration needs a unit: write `\"{number}s\"` or `\"{number}ms\"`"));
            }
            say("\"4 parsecs\"", "a duration has no unit `parsecs`; the units are `h`, `m`, `s`, `ms`, `us`, `ns`");
            say("\"5sec\"", "a duration has no unit `sec`; write `s`");
            say("5S", "a duration has no unit `S`; write `s`");
            say("\"1s2m\"", "write the units of a duration from large to small, each once: `\"1h30m\"`");
            say("\"soon\"", "write a duration as `\"200ms\"`, `\"1.5s\"` or `\"1h30m\"`");
            say("\"\"", "write a duration as `\"200ms\"`, `\"1.5s\"` or `\"1h30m\"`");
            say("\"1m30\"", "a duration needs a unit after each number: write `\"1m30s\"`");
            say("\"1,5s\"", "a duration is written with a point: `\"1.5s\"`");
            say("\"1_000ms\"", "a duration is written with digits alone: `\"1000ms\"`");
            say("\"1,000ms\"", "a duration is written without a comma, `\"1000ms\"`, or with a point, `\"1.000ms\"`");
            say("\"minute\"", "a duration begins with a number: write `\"1m\"`");
            say("\"2d\"", "a duration has no unit `d`; write `48h`");
            say("\"0.1ns\"", "a duration is counted in whole nanoseconds");
            for value in ["-1s", "\"-1s\""] {
                say(value, "a duration cannot be negative; remove the `-`");
            }
            for value in ["18446744073709551616s", "\"999999999999999999999999999999999999999h\""] {
                say(value, "a duration is at most 18446744073709551615 seconds");
            }
            say("true", "`KEY` is written as `\"200ms\"`, `\"1.5s\"` or `\"1h30m\"`");
        }
        "Key" => {
            let says = "`KEY` tells calls apart, and this is the same for all: write an expression, such as `KEY = ";
            for value in ["\"id\"", "\"a b\"", "1", "(\"id\", -1)"] {
                say(value, &format!("{says}(region, id)`"));
            }
            say("|id| id", "`KEY` is an expression over the function's arguments, not a function: `KEY = id`");
        }
        "Rate" => {
            say("50", "`KEY` is a share of calls, not a number of them: for 50 percent write `\"50%\"`");
            for value in ["\"half\"", "\"1\"", "\"1/2\"", "true"] {
                say(value, "`KEY` is a share of calls: write `0.5` or `\"50%\"`");
            }
            for value in ["\"50\"", "\"50 percent\""] {
                say(value, "a percentage is written `\"50%\"`");
            }
            say("\"50,5%\"", "a percentage is written `\"50.5%\"`");
            say(
                "\"0.5\"",
                "a share of calls is written without quotes: `0.5`; in quotes stands a percentage, such as `\"50%\"`",
            );
            for value in ["-0.5", "\"-50%\""] {
                say(value, negative);
            }
            say("0.5f32", "`KEY` is an `f64`: write `KEY = 0.5`");
        }
        "Factor" => {
            say("\"2\"", "`KEY` is a number; write it without quotes: `KEY = 2`");
            say("-2.0", negative);
            say("2.0f32", "`KEY` is an `f64`: write `KEY = 2.0`");
            for value in ["\"twice\"", "true"] {
                say(value, "`KEY` is a number: `KEY = 2.0`");
            }
        }
        "Choice" => {
            let first = choices(row)[0].trim_matches('"');
            let listed = choices(row).iter().map(|choice| format!("`{choice}`")).collect::<Vec<_>>().join(", ");
            say(&format!("\"{first}l\""), &format!("`KEY` has no choice `\"{first}l\"`; did you mean `\"{first}\"`?"));
            say(first, &format!("write `KEY = \"{first}\"`"));
            for value in ["3", "\"zzz\""] {
                say(value, &format!("`KEY` is one of {listed}"));
            }
            let others: &[(&str, &str)] = match row.key.as_str() {
                "backoff" => &[("exp", "exponential"), ("fixed", "constant"), ("fib", "fibonacci")],
                _ => &[("random", "full"), ("no", "none"), ("half", "equal")],
            };
            for (other, meant) in others {
                let says = format!("`KEY` has no choice `\"{other}\"`; did you mean `\"{meant}\"`?");
                say(&format!("\"{other}\""), &says);
            }
            if row.key == "jitter" {
                for (value, meant) in [("true", "full"), ("false", "none")] {
                    say(value, &format!("`KEY` is one of {listed}; for `{value}` write `KEY = \"{meant}\"`"));
                }
            }
        }
        "Name" if key == "budget" => {
            for value in ["3", "\"20%\""] {
                say(
                    value,
                    "`KEY` is a name, `KEY = \"payments\"`; how much it allows is said by `RetryBudget::register(\"payments\", …)`",
                );
            }
            say("true", "the name is a string: `KEY = \"payments\"`");
        }
        "Name" => {
            say("\"\"", "a name cannot be empty; leave it out for one of the function's own");
            say("payments", "a name is a string: write `\"payments\"` (or name a constant, such as `PAYMENTS`)");
            for value in ["3", "true"] {
                say(value, "the name is a string: `KEY = \"payments\"`");
            }
        }
        "Predicate" => {
            say("\"is_transient\"", "`KEY` takes a path, not a string: `KEY = is_transient`");
            for value in ["3", "\"is it?\""] {
                say(value, "`KEY` takes a path or a closure over `&E`: `KEY = |error| error.is_transient()`");
            }
        }
        "ValuePredicate" => {
            say("\"is_degraded\"", "`KEY` takes a path, not a string: `KEY = is_degraded`");
            for value in ["3", "\"is it?\""] {
                say(value, "`KEY` takes a path or a closure over `&T`: `KEY = |value| value.is_degraded()`");
            }
        }
        "Hook" => {
            say("\"log\"", "`KEY` takes a path, not a string: `KEY = log`");
            say("3", "`KEY` takes a function of `&RetryAttempt`: `KEY = log_attempt`");
        }
        "Handler" => {
            say("\"offline\"", "a fallback takes a path, not a string: `#[fallback(offline)]`");
            say("3", "a fallback that is a value has the key `value`: `#[fallback(value = 3)]`");
        }
        "CratePath" => {
            say("\"resilience\"", "`crate` takes a path, not a string: `crate = ::resilience`");
            say("resilience", "`crate` takes an absolute path: `crate = ::resilience`");
            say("3", "`crate` takes an absolute path: `crate = ::resilience`");
        }
        "Order" => {
            for value in ["\"mine\"", "as_written", "3"] {
                say(value, "`order` has one value: `order = \"as_written\"`");
            }
        }
        _ => {}
    }
    found.extend(of_another_type(row));
    found.extend(out_of_range(row));
    found
}

/// An expression whose type only rustc knows.
fn of_another_type(row: &Row) -> Option<Wrong> {
    let value = match row.kind.as_str() {
        "Count" | "Permits" | "Rate" | "Factor" | "Choice" => "::core::time::Duration::ZERO",
        "Duration" => "1 + 2",
        "Name" => "u8::MAX",
        _ => return None,
    };
    Some((value.to_owned(), value.len(), "error[E0308]: mismatched types".to_owned()))
}

fn out_of_range(row: &Row) -> Vec<Wrong> {
    let (values, must): (&[&str], &str) = match row.range.as_deref() {
        Some("Count") => (&["0", "0u32"], "be at least 1"),
        Some("Rate") => (&["1.0", "\"100%\""], "be at least 0 and below 1 (`\"50%\"` and `0.5` are the same rate)"),
        Some("Factor") => (&["0.5", "0"], "be a number of at least 1"),
        Some("Time") => (&["0s", "\"0ms\""], "be longer than zero"),
        _ if row.kind == "Permits" => {
            return vec![(
                "0".to_owned(),
                1,
                "error: a call takes at least one of the `permits`: `permits = 1`".to_owned(),
            )];
        }
        _ => return Vec::new(),
    };
    let says = format!("error[E0080]: evaluation panicked: `{}` must {must}", row.key);
    values.iter().map(|value| ((*value).to_owned(), value.len(), says.clone())).collect()
}
