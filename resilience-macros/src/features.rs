//! The runtime's features, as far as attributes depend on them: it passes them on.

/// Whether `#[stale_if_error]` has its runtime.
pub(crate) fn stale() -> bool {
    cfg!(feature = "stale")
}
