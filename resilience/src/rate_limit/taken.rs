//! Permits that a call holds until it is known whether it came to be.

use std::mem;

use super::Limiter;
use super::bucket::Mark;
use crate::registry::Entry;

/// Permits that have been taken for a call: dropped, they are given back; [`spent`](Self::spent), they are gone.
#[derive(Debug)]
#[must_use = "dropped, it gives the permits back"]
#[doc(hidden)]
pub struct Taken {
    entry: &'static Entry<Limiter>,
    mark: Mark,
    permits: u32,
}

impl Taken {
    #[inline]
    pub(crate) fn new(entry: &'static Entry<Limiter>, permits: u32, mark: Mark) -> Self {
        Self { entry, mark, permits }
    }

    /// The call's body has begun.
    #[inline]
    pub(crate) fn spent(self) {
        mem::forget(self);
    }
}

impl Drop for Taken {
    #[inline]
    fn drop(&mut self) {
        self.entry.state.give_back(self.permits, self.mark);
    }
}
