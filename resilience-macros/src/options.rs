//! The option table: which keys a policy takes, and what kind of value each wants.
//!
//! Defaults and ranges are the runtime's: its `Config` setters and `Config::check` hold them.

use proc_macro2::Ident;

use crate::other_names::meant;
use crate::policy::{self, BULKHEAD, CIRCUIT_BREAKER, FALLBACK, Policy, RATE_LIMIT, RETRY, STALE_IF_ERROR, TIMEOUT};

/// What a key wants; `literal::convert` turns each kind into a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// A whole number, `u32`.
    Count,
    /// A `Duration`: `"200ms"`, `200ms`, or an expression.
    Duration,
    /// A share of calls: `0.5` or `"50%"`.
    Rate,
    /// A growth factor: `2.0`.
    Factor,
    /// One variant of an enum of the policy's module.
    Choice(&'static Choice),
    /// A name: a string or a constant.
    Name,
    /// A whole number that each call computes.
    Permits,
    /// What stands in for a failed result: a path or a closure.
    Handler,
    /// What stands in for a failed result: its value.
    Replacement,
    /// What a value is remembered under.
    Key,
    /// `when`: which errors count.
    Predicate,
    /// `when_ok`: which values count as failures.
    ValuePredicate,
    /// A function that is called on the way.
    Hook,
    /// `crate`: where the runtime is.
    CratePath,
    /// `order`: lifts the order checks.
    Order,
}

/// An enum of the runtime, with the strings that name its variants.
#[derive(Debug)]
pub(crate) struct Choice {
    pub(crate) module: &'static str,
    pub(crate) ty: &'static str,
    pub(crate) variants: &'static [(&'static str, &'static str)],
    /// What else they are called, in lower case.
    pub(crate) others: &'static [(&'static str, &'static str)],
}

static BACKOFF: Choice = Choice {
    module: "retry",
    ty: "Backoff",
    variants: &[
        ("exponential", "Exponential"),
        ("linear", "Linear"),
        ("constant", "Constant"),
        ("fibonacci", "Fibonacci"),
    ],
    others: &[
        ("exp", "exponential"),
        ("expo", "exponential"),
        ("fixed", "constant"),
        ("const", "constant"),
        ("none", "constant"),
        ("fib", "fibonacci"),
    ],
};

static JITTER: Choice = Choice {
    module: "retry",
    ty: "Jitter",
    variants: &[("full", "Full"), ("none", "None"), ("equal", "Equal"), ("decorrelated", "Decorrelated")],
    others: &[
        ("true", "full"),
        ("on", "full"),
        ("random", "full"),
        ("false", "none"),
        ("off", "none"),
        ("no", "none"),
        ("half", "equal"),
    ],
};

/// One option of one policy; without a policy, of every policy.
#[derive(Debug)]
pub(crate) struct Row {
    policy: Option<&'static Policy>,
    pub(crate) key: &'static str,
    pub(crate) kind: Kind,
}

const fn row(policy: &'static Policy, key: &'static str, kind: Kind) -> Row {
    Row { policy: Some(policy), key, kind }
}

const fn every(key: &'static str, kind: Kind) -> Row {
    Row { policy: None, key, kind }
}

static OPTIONS: [Row; 49] = [
    row(&RETRY, "max_attempts", Kind::Count),
    row(&RETRY, "backoff", Kind::Choice(&BACKOFF)),
    row(&RETRY, "base_delay", Kind::Duration),
    row(&RETRY, "max_delay", Kind::Duration),
    row(&RETRY, "multiplier", Kind::Factor),
    row(&RETRY, "jitter", Kind::Choice(&JITTER)),
    row(&RETRY, "max_elapsed", Kind::Duration),
    row(&RETRY, "max_retry_after", Kind::Duration),
    row(&RETRY, "budget", Kind::Name),
    row(&RETRY, "when", Kind::Predicate),
    row(&RETRY, "when_ok", Kind::ValuePredicate),
    row(&RETRY, "on_retry", Kind::Hook),
    row(&CIRCUIT_BREAKER, "failure_rate", Kind::Rate),
    row(&CIRCUIT_BREAKER, "window_calls", Kind::Count),
    row(&CIRCUIT_BREAKER, "window", Kind::Duration),
    row(&CIRCUIT_BREAKER, "min_calls", Kind::Count),
    row(&CIRCUIT_BREAKER, "consecutive_failures", Kind::Count),
    row(&CIRCUIT_BREAKER, "slow_call", Kind::Duration),
    row(&CIRCUIT_BREAKER, "slow_call_rate", Kind::Rate),
    row(&CIRCUIT_BREAKER, "cooldown", Kind::Duration),
    row(&CIRCUIT_BREAKER, "cooldown_multiplier", Kind::Factor),
    row(&CIRCUIT_BREAKER, "max_cooldown", Kind::Duration),
    row(&CIRCUIT_BREAKER, "success_threshold", Kind::Count),
    row(&CIRCUIT_BREAKER, "max_probes", Kind::Count),
    row(&CIRCUIT_BREAKER, "probe_timeout", Kind::Duration),
    row(&CIRCUIT_BREAKER, "when", Kind::Predicate),
    row(&CIRCUIT_BREAKER, "when_ok", Kind::ValuePredicate),
    row(&BULKHEAD, "max_concurrent", Kind::Count),
    row(&BULKHEAD, "max_wait", Kind::Duration),
    row(&BULKHEAD, "max_queue", Kind::Count),
    row(&RATE_LIMIT, "limit", Kind::Count),
    row(&RATE_LIMIT, "per", Kind::Duration),
    row(&RATE_LIMIT, "burst", Kind::Count),
    row(&RATE_LIMIT, "max_wait", Kind::Duration),
    row(&RATE_LIMIT, "permits", Kind::Permits),
    row(&TIMEOUT, "duration", Kind::Duration),
    row(&FALLBACK, "function", Kind::Handler),
    row(&FALLBACK, "value", Kind::Replacement),
    row(&FALLBACK, "when", Kind::Predicate),
    row(&FALLBACK, "when_ok", Kind::ValuePredicate),
    row(&STALE_IF_ERROR, "max_age", Kind::Duration),
    row(&STALE_IF_ERROR, "key", Kind::Key),
    row(&STALE_IF_ERROR, "capacity", Kind::Count),
    row(&STALE_IF_ERROR, "when", Kind::Predicate),
    row(&STALE_IF_ERROR, "when_ok", Kind::ValuePredicate),
    every("name", Kind::Name),
    every("crate", Kind::CratePath),
    every("order", Kind::Order),
    // Written `borrow(a, b)`: the one option that is not `key = value`, known to `args`.
    row(&RETRY, "borrow", Kind::Name),
];

/// The option that names a retry budget.
pub(crate) const BUDGET: &str = "budget";

/// What a fallback calls: the value without a key.
pub(crate) const HANDLER: &str = "function";

/// How many calls a rate limit lets in.
pub(crate) const LIMIT: &str = "limit";

/// The option that lists arguments.
pub(crate) const BORROW: &str = "borrow";

/// The one constant of a policy without shared state: what it bounds is made once.
const CAPACITY: &str = "capacity";

/// The options of a policy, in the order of the table.
pub(crate) fn of(policy: &Policy) -> impl Iterator<Item = &'static Row> {
    OPTIONS.iter().filter(move |row| row.policy.is_none_or(|owner| owner == policy))
}

/// The option of that name.
pub(crate) fn find(policy: &Policy, key: &str) -> Option<&'static Row> {
    of(policy).find(|row| row.key == key)
}

/// What to say about a key that the policy does not have.
pub(crate) fn unknown(policy: &Policy, key: &str) -> String {
    let name = policy.name;
    let keys = || of(policy).map(|row| row.key).filter(|key| !is_positional(policy, key));
    let owners = owners(key);
    let plain = snake_case(key);
    if plain != key && keys().any(|key| key == plain) {
        return format!("`{name}` has no option `{key}`; did you mean `{plain}`?");
    }
    if policy::named(key).is_some() {
        return format!("`{name}` has no option `{key}`: that is an attribute of its own, above or below this one");
    }
    let mut meant = meant(policy, key);
    if meant.is_empty() {
        meant.extend(closest(key, keys()));
    }
    if !meant.is_empty() {
        return format!("`{name}` has no option `{key}`; did you mean `{}`?", meant.join("` or `"));
    }
    if !owners.is_empty() {
        let owners = owners.join("`, `");
        return format!("`{name}` has no option `{key}`: it belongs to `{owners}`");
    }
    if let Some(first) = policy.first.filter(|first| first.required) {
        return format!("`{name}` has no option `{key}`; the {} is the first value: `{}`", first.what, first.example);
    }
    let keys = keys().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    format!("`{name}` has no option `{key}`; its options are {keys}")
}

/// `max_attempts` of `maxAttempts` and `MAX_ATTEMPTS`.
fn snake_case(key: &str) -> String {
    if !key.contains(|c: char| c.is_lowercase()) {
        return key.to_lowercase();
    }
    let mut plain = String::new();
    for letter in key.chars() {
        if letter.is_uppercase() && !plain.is_empty() {
            plain.push('_');
        }
        plain.extend(letter.to_lowercase());
    }
    plain
}

/// The known word that was probably meant.
pub(crate) fn closest(word: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    known
        .map(|known| (distance(word, known), known))
        // `rate` is not a slip of `crate`.
        .filter(|(_, known)| *known != "crate" || word.starts_with('c'))
        .filter(|(distance, known)| *distance <= (known.len() / 3).max(1) || contains_word(known, word))
        .min()
        .map(|(_, known)| known)
}

/// Whether the option is only ever written first, without its key.
pub(crate) fn is_positional(policy: &Policy, key: &str) -> bool {
    key != "name" && policy.first.is_some_and(|first| first.key == key)
}

/// Whether all calls of a site share the option's value: it goes into a `const`.
pub(crate) fn is_constant(policy: &Policy, key: &Ident) -> bool {
    policy.shared || key == CAPACITY
}

/// The policies that have options of their own, in the order of the table.
pub(crate) fn policies() -> impl Iterator<Item = &'static Policy> {
    OPTIONS.iter().filter_map(|row| row.policy)
}

/// The first policy that has an option of that name; one that every policy has is most often a breaker's.
pub(crate) fn policy_with(key: &str) -> Option<&'static str> {
    let shared = || OPTIONS.iter().find(|row| row.key == key && row.policy.is_none()).map(|_| CIRCUIT_BREAKER.name);
    owners(key).into_iter().next().or_else(shared)
}

fn owners(key: &str) -> Vec<&'static str> {
    let owners = OPTIONS.iter().filter(|row| row.key == key).filter_map(|row| row.policy);
    owners.filter(|owner| !is_positional(owner, key)).map(|owner| owner.name).collect()
}

/// `attempts` is a word of `max_attempts`.
fn contains_word(known: &str, key: &str) -> bool {
    known.contains('_') && known.split('_').any(|word| word == key)
}

/// Levenshtein's distance.
pub(crate) fn distance(left: &str, right: &str) -> usize {
    let mut previous: Vec<usize> = (0..=right.chars().count()).collect();
    for (row, from) in left.chars().enumerate() {
        let mut diagonal = row;
        let mut before = row.saturating_add(1);
        let mut current = vec![before];
        for (to, above) in right.chars().zip(previous.iter().skip(1)) {
            let changed = diagonal.saturating_add(usize::from(from != to));
            before = changed.min(above.saturating_add(1)).min(before.saturating_add(1));
            diagonal = *above;
            current.push(before);
        }
        previous = current;
    }
    previous.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{distance, unknown};
    use crate::policy::{BULKHEAD, CIRCUIT_BREAKER, RETRY, TIMEOUT};

    #[test]
    fn distances() {
        for (left, right, expected) in
            [("", "abc", 3), ("abc", "abc", 0), ("kitten", "sitting", 3), ("jiter", "jitter", 1)]
        {
            assert_eq!(distance(left, right), expected, "{left} {right}");
            assert_eq!(distance(right, left), expected, "{right} {left}");
        }
    }

    #[test]
    fn unknown_keys_are_suggested_or_listed() {
        assert!(unknown(&RETRY, "max_atempts").ends_with("did you mean `max_attempts`?"));
        assert!(unknown(&RETRY, "attempts").ends_with("did you mean `max_attempts`?"));
        assert!(unknown(&RETRY, "delay").ends_with("did you mean `base_delay`?"));
        assert!(unknown(&CIRCUIT_BREAKER, "window_size").ends_with("did you mean `window_calls` or `window`?"));
        assert!(unknown(&CIRCUIT_BREAKER, "reset_timeout").ends_with("did you mean `cooldown`?"));
        assert!(unknown(&RETRY, "maxAttempts").ends_with("did you mean `max_attempts`?"));
        assert!(unknown(&RETRY, "MAX_ATTEMPTS").ends_with("did you mean `max_attempts`?"));
        assert!(unknown(&RETRY, "timeout").ends_with("an attribute of its own, above or below this one"));
        assert!(unknown(&RETRY, "cooldown").ends_with("it belongs to `circuit_breaker`"));
        assert!(
            unknown(&BULKHEAD, "xyz")
                .ends_with("its options are `max_concurrent`, `max_wait`, `max_queue`, `name`, `crate`, `order`")
        );
        assert!(unknown(&TIMEOUT, "secs").ends_with("the duration is the first value: `#[timeout(\"2s\")]`"));
    }
}
