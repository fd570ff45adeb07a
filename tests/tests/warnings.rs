//! Names that look like a slip, and budgets that nobody configures. A program of its own: `verify` looks at all of it.

use resilience::{Error, RetryBudget, bulkhead, circuit_breaker, retry, retry_budget};

type Answer = Result<(), Error>;

macro_rules! functions {
    ($($function:ident: #[$policy:meta];)*) => {$(
        #[$policy]
        #[allow(dead_code, reason = "what is declared counts")]
        async fn $function() -> Answer {
            Ok(())
        }
    )*};
}

functions! {
    one: #[circuit_breaker("payments", cooldown = "1s")];
    slip: #[circuit_breaker("paymnets")];
    used: #[bulkhead("inventory")];
    used_again: #[bulkhead("inventory")];
    slip_of_a_letter: #[bulkhead("inventori")];
    shard_one: #[bulkhead("shard-number-1", max_concurrent = 3)];
    shard_two: #[bulkhead("shard-number-2")];
    order: #[circuit_breaker("order")];
    orders: #[circuit_breaker("orders", cooldown = "1s")];
    cart: #[circuit_breaker("cart", cooldown = "1s")];
    card: #[circuit_breaker("card")];
    configured_itself: #[circuit_breaker("paymentz", cooldown = "2s")];
    with_budget: #[retry(budget = "configured")];
    with_another: #[retry(budget = "nobody's")];
}

#[test]
fn what_looks_wrong_is_a_warning_and_no_error() {
    RetryBudget::register("configured", retry_budget::Config::new().ratio(0.1)).unwrap();
    let report = resilience::verify().unwrap();
    let warned: Vec<_> = report
        .warnings()
        .iter()
        .map(|warning| (warning.kind(), warning.name(), warning.meant(), warning.place().function()))
        .collect();
    let expected = [
        ("bulkhead", "inventori", Some("inventory"), "slip_of_a_letter"),
        ("circuit_breaker", "paymnets", Some("payments"), "slip"),
        ("retry_budget", "nobody's", None, "with_another"),
    ];
    assert_eq!(warned, expected);
    let text = report.warnings()[1].to_string();
    assert!(text.starts_with("`paymnets` at ") && text.ends_with("is `payments` meant?"), "{text}");
}
