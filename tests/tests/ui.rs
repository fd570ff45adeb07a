//! What a user sees: one error per mistake, at its token, with the fix. `TRYBUILD=overwrite` renews the texts.

#[test]
fn messages() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    if resilience_tests::is_pinned_release() {
        for folder in [
            "retry",
            "circuit_breaker",
            "bulkhead",
            "rate_limit",
            "timeout",
            "fallback",
            "stale_if_error",
            "resilient",
            "derive",
            "stack",
            "function",
        ] {
            cases.compile_fail(format!("tests/ui/{folder}/*.rs"));
        }
    }
}
