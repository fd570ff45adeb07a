//! The call of a macro's function under policies that stand one inside the other, as one future.
//!
//! An expansion names the sites, outermost first, and hands over the future that they guard:
//!
//! ```text
//! rt::around(&__RESILIENCE_SITES.sites, OWNER, __class, future).await
//! ```
//!
//! One future for all of them, and not one in the other: the guarded one is then moved once, whatever the number of layers,
//! and an expansion has one call and one `await` for rustc to look at. Nothing in the making of it can panic: what is there
//! already would have to be dropped then, and could not be made where it stays.

mod admit;
mod around;
mod stack;

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

pub use admit::{Admit, Admits, Holding, Judging, Never, Spending, State, Waits};
pub(crate) use admit::{breaker_asked, bulkhead_asked};
use around::Leaf;
pub use around::{Call, Judge, Layer, Nest, Unasked};
pub use stack::{AsLayer, Stack};

use crate::error::Error;
use crate::retry::{Attempts, OneAttempt};
use crate::site::{Owner, Site};
use crate::timeout::{self, Bound, TimeoutPolicy};
use crate::unwind::{self, Body};

/// A call under the layers of these sites; `class` is how its breakers tell an error's class.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn around<S: Stack, C, F>(sites: &'static S, owner: Owner, _class: C, future: F) -> Guarded<S::Layers, C, F> {
    Guarded { future: Some(future), layers: sites.layers(), owner, judge: PhantomData }
}

/// A call under a timeout with options of its own.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn bound<F>(
    site: &'static Site<TimeoutPolicy>,
    config: &timeout::Config,
    owner: Owner,
    future: F,
) -> Guarded<Nest<Bound, ()>, Unasked, F> {
    Guarded { future: Some(future), layers: Nest::new(Bound::new(site, config), ()), owner, judge: PhantomData }
}

/// One attempt of a call, under the layers of these sites, of those that `attempts` counts; and how it tells an error's
/// class and text.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn attempt_under<'a, 'c, S: Stack, C, T, F: Future>(
    sites: &'static S,
    owner: Owner,
    attempts: &'a mut Attempts<'c>,
    class: C,
    _text: T,
    body: F,
) -> OneAttempt<'a, 'c, C, T, S::Layers, Body<F>> {
    OneAttempt::new(attempts, around(sites, owner, class, unwind::body(body)))
}

pin_project_lite::pin_project! {
    /// A call under its layers.
    #[must_use = "futures do nothing unless awaited"]
    pub struct Guarded<L, C, F> {
        // First: it is dropped before what the layers hold, as it is where it ends.
        #[pin]
        future: Option<F>,
        #[pin]
        layers: L,
        owner: Owner,
        judge: PhantomData<fn() -> C>,
    }
}

impl<L, C, F> Guarded<L, C, F> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn owner(&self) -> Owner {
        self.owner
    }
}

impl<L, C, F, R> Future for Guarded<L, C, F>
where
    L: Layer,
    C: Judge<R>,
    F: Future<Output = Result<R, Error>>,
{
    type Output = Result<R, Error>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let mut leaf = Leaf::<_, _, C> { future: this.future, result: None, judge: PhantomData };
        let ended = ready!(this.layers.poll(&mut leaf, *this.owner, context));
        match (ended, leaf.result) {
            (Ok(()), Some(result)) => Poll::Ready(result),
            (Err(refusal), _) => Poll::Ready(Err(refusal)),
            // Nothing says that it has ended and leaves nothing.
            (Ok(()), None) => Poll::Pending,
        }
    }
}

impl<L, C, F> fmt::Debug for Guarded<L, C, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guarded").finish_non_exhaustive()
    }
}
