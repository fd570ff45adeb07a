//! What a user sees: one error per mistake, at its token, with the fix. `TRYBUILD=overwrite` renews the texts.

/// The texts are rustc's in part, so they are compared on the release they were written with.
const PINNED: &str = "rustc 1.95.";

fn is_pinned() -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = std::process::Command::new(rustc).arg("--version").output().expect("rustc runs");
    version.stdout.starts_with(PINNED.as_bytes())
}

#[test]
fn messages() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    if is_pinned() {
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
