//! A call that is made once: all that stands right around a body but a retry.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::Guard;
use super::around::{Layer, Work, poll_under};
use super::judge::{Judge, Unasked};
use super::stack::Stack;
use crate::error::Error;
use crate::site::{Owner, Site};
use crate::timeout::{self, Bound, TimeoutPolicy};

/// Guards a body by the layers of these sites; `class` is how its breakers tell an error's class.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn around<S: Stack, C>(sites: &'static S, owner: Owner, _class: C) -> Once<C, S::Layers> {
    Once { layers: sites.layers(), owner, judge: PhantomData }
}

/// Guards by a timeout with options of its own. (By value: a function's future would keep what it has lent.)
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn bound(site: &'static Site<TimeoutPolicy>, config: timeout::Config, owner: Owner) -> Timed {
    Timed { layer: Bound::known(site, &config, owner) }
}

pin_project_lite::pin_project! {
    /// Layers around a body.
    pub struct Once<C, L> {
        #[pin]
        layers: L,
        owner: Owner,
        judge: PhantomData<fn() -> C>,
    }
}

impl<R, C: Judge<R>, L: Layer> Guard<R> for Once<C, L> {
    type Output = Result<R, Error>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(self: Pin<&mut Self>, body: Pin<&mut dyn Work<R>>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        poll_under::<R, C, L>(this.layers, body, *this.owner, context)
    }
}

pin_project_lite::pin_project! {
    /// A timeout around a block of the expansion, in which other layers may stand.
    pub struct Timed {
        #[pin]
        layer: Bound,
    }
}

impl<R> Guard<Result<R, Error>> for Timed {
    type Output = Result<R, Error>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(
        self: Pin<&mut Self>,
        block: Pin<&mut dyn Work<Result<R, Error>>>,
        context: &mut Context<'_>,
    ) -> Poll<Self::Output> {
        // Whose method it is, the layer knows.
        let ended = ready!(poll_under::<_, Unasked, _>(self.project().layer, block, None, context));
        Poll::Ready(ended.unwrap_or_else(Err))
    }
}

impl<C, L> fmt::Debug for Once<C, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}

impl fmt::Debug for Timed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timed").finish_non_exhaustive()
    }
}
