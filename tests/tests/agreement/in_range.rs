//! What the macros do not have checked, the runtime takes, whatever is given beside it.

use std::time::Duration;

use resilience::ConfigError;

use crate::args::Args;
use crate::in_range;
use crate::options::{self, Kind};
use crate::policy::{self, Policy};
use crate::recover::Errors;

/// An option and its value, as text for the macros and as a value for the setters.
type Given = (&'static str, &'static str, Value);

#[derive(Clone, Copy)]
enum Value {
    Count(u32),
    Number(f64),
    Time(Duration),
    /// Whatever it is, it is in range.
    Choice,
}

/// What a literal can say, at the ends of what is in range and beyond.
fn values(kind: Kind) -> Vec<(&'static str, Value)> {
    let number =
        |texts: &[&'static str]| texts.iter().map(|text| (*text, Value::Number(text.parse().unwrap()))).collect();
    match kind {
        Kind::Count => vec![
            ("0", Value::Count(0)),
            ("1", Value::Count(1)),
            ("101", Value::Count(101)),
            ("1000000", Value::Count(1_000_000)),
            ("1000001", Value::Count(1_000_001)),
            ("16777217", Value::Count(16_777_217)),
            ("4294967295", Value::Count(u32::MAX)),
        ],
        Kind::Duration => vec![
            ("\"0s\"", Value::Time(Duration::ZERO)),
            ("\"1ns\"", Value::Time(Duration::from_nanos(1))),
            ("\"100000d\"", Value::Time(Duration::from_secs(100_000 * 24 * 60 * 60))),
        ],
        Kind::Rate => number(&["0.0", "0.5", "0.9999999", "1.0", "7.5"]),
        Kind::Factor => number(&["0.0", "0.9", "1.0", "1e300"]),
        Kind::Choice(_) => vec![("\"none\"", Value::Choice), ("\"linear\"", Value::Choice)],
        _ => Vec::new(),
    }
}

macro_rules! validated {
    ($module:ident, $given:expr, $($option:ident: $kind:ident),*) => {{
        let mut config = resilience::$module::Config::new();
        for (option, _, value) in $given {
            config = match (*option, *value) {
                $( (stringify!($option), Value::$kind(value)) => config.$option(value), )*
                (_, Value::Choice) => config,
                (other, _) => panic!("this test knows no setter `{other}` of {}", stringify!($module)),
            };
        }
        config.validate()
    }};
}

fn validate(policy: &Policy, given: &[Given]) -> Result<(), ConfigError> {
    match policy.name {
        "retry" => {
            validated!(
                retry, given, max_attempts: Count, base_delay: Time, max_delay: Time, multiplier: Number, max_elapsed: Time,
                max_retry_after: Time
            )
        }
        "circuit_breaker" => validated!(
            circuit_breaker, given, failure_rate: Number, window_calls: Count, window: Time, min_calls: Count,
            consecutive_failures: Count, slow_call: Time, slow_call_rate: Number, cooldown: Time,
            cooldown_multiplier: Number, max_cooldown: Time, success_threshold: Count, max_probes: Count,
            probe_timeout: Time
        ),
        "bulkhead" => validated!(bulkhead, given, max_concurrent: Count, max_wait: Time, max_queue: Count),
        "rate_limit" => validated!(rate_limit, given, limit: Count, per: Time, burst: Count, max_wait: Time),
        "timeout" => validated!(timeout, given, duration: Time),
        "stale_if_error" => validated!(stale, given, max_age: Time, capacity: Count),
        _ => Ok(()),
    }
}

/// Every option of a policy with every value.
fn all(policy: &'static Policy) -> Vec<Given> {
    let rows = options::of(policy);
    rows.flat_map(|row| values(row.kind).into_iter().map(move |(text, value)| (row.key, text, value))).collect()
}

/// Whether the macros leave the check out.
fn is_sure(policy: &'static Policy, (option, text, _): Given) -> bool {
    let text = if options::is_positional(policy, option) { text.to_owned() } else { format!("{option} = {text}") };
    let args = Args::parse(policy, text.parse().unwrap(), proc_macro2::Span::call_site(), &mut Errors::default());
    args.settings.iter().any(|setting| in_range::surely(policy, setting))
}

#[test]
fn what_is_not_checked_is_in_range_beside_any_other_option() {
    let mut sure = 0;
    for policy in policy::names().filter_map(policy::named) {
        let given = all(policy);
        for &one in given.iter().filter(|given| is_sure(policy, **given)) {
            sure += 1;
            assert_eq!(validate(policy, &[one]), Ok(()), "{}: {} = {}", policy.name, one.0, one.1);
            for &other in given.iter().filter(|other| other.0 != one.0) {
                let refused = validate(policy, &[one, other]).err();
                let blames = refused.is_some_and(|refused| refused.option() == one.0);
                assert!(!blames, "{}: {} = {} beside {} = {}", policy.name, one.0, one.1, other.0, other.1);
            }
        }
    }
    // Of some thirty options, with a value or more each.
    assert!(sure > 40, "{sure}");
}

#[test]
fn what_is_out_of_range_is_checked() {
    for policy in policy::names().filter_map(policy::named) {
        for given in all(policy).into_iter().filter(|given| validate(policy, &[*given]).is_err()) {
            assert!(!is_sure(policy, given), "{}: {} = {}", policy.name, given.0, given.1);
        }
    }
}
