//! The call of a macro's function under policies that stand one inside the other, as one future.
//!
//! An expansion names the sites, outermost first, and hands over the future that they guard:
//!
//! ```text
//! rt::Guarded { guard: rt::around(&__RESILIENCE_SITES.sites, __class), work: Some(async { BODY }) }.await
//! ```
//!
//! One future for all of them, and not one in the other: the guarded one is then moved once, whatever the number of layers,
//! and an expansion has one call and one `await` for rustc to look at. What guards it knows it as [`Work`] of its return
//! type: a function has code of its own for its body's future, and next to none besides.

mod admit;
mod around;
mod body;
pub(crate) mod body_clock;
mod entering;
mod judge;
mod once;
mod stack;
mod under;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

pub use admit::{Admit, Admits, Holding, Judging, Never, Spending, State, Waits};
pub(crate) use admit::{breaker_asked, bulkhead_asked};
pub(crate) use around::poll_under;
pub use around::{AtBlock, AtBody, Call, Layer, Layers, Nest, Work};
pub use body::{Body, body};
pub use body_clock::BodyClock;
pub use entering::Entering;
pub use judge::{Judge, Judges, Unasked};
pub(crate) use once::end_early;
pub use once::{Once, OnceBlock, around, around_with, block_with, bound, bound_block};
pub use stack::{AsLayer, Stack};
pub use under::{Permit, Settled, Under};

pin_project_lite::pin_project! {
    /// A future and what guards it.
    ///
    /// An expansion makes it of its fields, with the guard first: no call then stands between the making of the future and
    /// its place, which rustc would have to clean up after.
    #[must_use = "futures do nothing unless awaited"]
    #[allow(missing_docs, reason = "a field's document is nothing that the macro around it takes")]
    pub struct Guarded<G, F> {
        // Until it is dropped. First: it is dropped before what the guard holds, as it is where it ends.
        #[pin]
        pub work: Option<F>,
        // Who polls it.
        #[pin]
        pub guard: G,
    }
}

/// Who polls work that ends in a `T`.
pub trait Guard<T> {
    /// What the call ends in.
    type Output;

    /// Polls it; not again once the call has ended.
    fn poll(self: Pin<&mut Self>, work: Pin<&mut dyn Work<T>>, context: &mut Context<'_>) -> Poll<Self::Output>;
}

impl<G: Guard<F::Output>, F: Future> Future for Guarded<G, F> {
    type Output = G::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        this.guard.poll(this.work, context)
    }
}

impl<G, F> fmt::Debug for Guarded<G, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guarded").finish_non_exhaustive()
    }
}
