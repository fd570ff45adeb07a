//! The permits of a guarded call, which come back if its body never runs.

use super::Limiter;
use super::bucket::Mark;
use crate::guarded::BodyClock;
use crate::registry::Entry;

/// What a guarded call has taken. It has no destructor: who holds it settles it, once.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Taken {
    entry: &'static Entry<Limiter>,
    mark: Mark,
    permits: u32,
}

impl Taken {
    #[inline(always)]
    pub(crate) fn new(entry: &'static Entry<Limiter>, permits: u32, mark: Mark) -> Self {
        Self { entry, mark, permits }
    }

    /// Gives the permits back if the body has not begun: nothing has come of them.
    #[inline(always)]
    pub(crate) fn settle(self, clock: BodyClock) {
        if !clock.has_begun() {
            self.give_back();
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn give_back(self) {
        self.entry.state.give_back(self.permits, self.mark);
    }
}
