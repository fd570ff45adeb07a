//! The compiler whose texts the tests know.

use std::process::Command;

/// Messages are rustc's in part, so they are compared on the release they were written with.
const PINNED: &str = "rustc 1.95.";

/// Whether the compiler is of the release whose messages are known.
///
/// # Panics
///
/// If there is no compiler.
#[must_use]
pub fn is_pinned_release() -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().expect("rustc runs");
    version.stdout.starts_with(PINNED.as_bytes())
}
