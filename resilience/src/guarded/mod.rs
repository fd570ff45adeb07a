//! The call of a macro's function under policies that stand one inside the other, as one future.
//!
//! An expansion says which policies, outermost first, and hands over the future that they guard:
//!
//! ```text
//! rt::layers().bulkhead(&SITE_1).timeout(&SITE_2, &CONFIG_2).around(__owner, future).await
//! ```
//!
//! One future for all of them, and not one in the other: the guarded one is then moved once, whatever the number of layers,
//! and an expansion has one `await` for rustc to look at.

mod admit;
mod around;

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

pub use admit::{Admit, Admits, Holding, Judges, Judging, Never, Spending, State, Waits};
pub(crate) use admit::{breaker_asked, bulkhead_asked};
pub use around::{Around, Inner, Inside, Layer};

use crate::error::Error;
use crate::retry::{Attempts, OneAttempt};
use crate::site::{Owner, Site};
use crate::timeout::{self, Bound, TimeoutPolicy};
use crate::unwind::{self, Body};
use crate::{bulkhead, circuit_breaker, rate_limit};
use around::Leaf;

/// Layers in the making, outermost first.
pub struct Layers<L> {
    layers: L,
}

#[doc(hidden)]
#[inline(always)]
#[must_use]
pub fn layers() -> Layers<()> {
    Layers { layers: () }
}

impl<O> Layers<O> {
    #[inline(always)]
    fn with<L>(self, layer: L) -> Layers<Inside<O, L>> {
        Layers { layers: Inside::new(layer, self.layers) }
    }

    /// Adds a circuit breaker, and how it tells an error's class.
    #[inline(always)]
    pub fn circuit_breaker<C>(
        self,
        site: &'static Site<circuit_breaker::Breaker>,
        _class: C,
    ) -> Layers<Inside<O, Admit<Judging<C>>>> {
        self.with(Admit::by(Judging { site, class: PhantomData }))
    }

    /// Adds a bulkhead.
    #[inline(always)]
    pub fn bulkhead(self, site: &'static Site<bulkhead::Slots>) -> Layers<Inside<O, Admit<Holding>>> {
        self.with(Admit::by(Holding { site }))
    }

    /// Adds a rate limit that takes so many permits.
    #[inline(always)]
    pub fn rate_limit(
        self,
        site: &'static Site<rate_limit::Limiter>,
        permits: u32,
    ) -> Layers<Inside<O, Admit<Spending>>> {
        self.with(Admit::by(Spending { site, permits }))
    }

    /// Adds a timeout.
    #[inline(always)]
    pub fn timeout(self, site: &'static Site<TimeoutPolicy>, config: &timeout::Config) -> Layers<Inside<O, Bound>> {
        self.with(Bound::new(site, config))
    }

    /// A call under these layers.
    #[inline(always)]
    pub fn around<F>(self, owner: Owner, future: F) -> Guarded<O, F> {
        Guarded { future: Some(future), layers: self.layers, owner }
    }

    /// One attempt of a call, under these layers, of those that `attempts` counts; and how it tells an error's class and text.
    #[inline(always)]
    pub fn attempt<'a, 'c, C, T, F: Future>(
        self,
        owner: Owner,
        attempts: &'a mut Attempts<'c>,
        _class: C,
        _text: T,
        body: F,
    ) -> OneAttempt<'a, 'c, C, T, O, Body<F>> {
        OneAttempt::new(attempts, self.around(owner, unwind::body(body)))
    }
}

impl<L> fmt::Debug for Layers<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Layers").finish_non_exhaustive()
    }
}

pin_project_lite::pin_project! {
    /// A call under its layers.
    #[must_use = "futures do nothing unless awaited"]
    pub struct Guarded<L, F> {
        // First: it is dropped before what the layers hold, as it is where it ends.
        #[pin]
        future: Option<F>,
        #[pin]
        layers: L,
        owner: Owner,
    }
}

impl<L, F> Guarded<L, F> {
    #[inline(always)]
    pub(crate) fn owner(&self) -> Owner {
        self.owner
    }
}

impl<L, F, R> Future for Guarded<L, F>
where
    L: Around<R>,
    F: Future<Output = Result<R, Error>>,
{
    type Output = Result<R, Error>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        this.layers.poll(Leaf(this.future), *this.owner, context)
    }
}

impl<L, F> fmt::Debug for Guarded<L, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guarded").finish_non_exhaustive()
    }
}
