//! A call that is made once: all that stands right around a body, or around a block of the function, but a retry.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::Guard;
use super::around::{AtBlock, AtBody, Layers, Nest, Work, poll_under};
use super::judge::{Judge, Unasked};
use super::stack::Stack;
use super::under::{Permit, Settled, Under};
use crate::error::Error;
use crate::site::Site;
use crate::timeout::{self, Bound, TimeoutPolicy};

/// Guards a body by the layers of these sites; `class` is how its breakers tell an error's class.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn around<S: Stack, C>(sites: &'static S, _class: C) -> Once<C, S::Layers>
where
    S::Layers: Layers,
{
    Once { layers: sites.layers(), ended: false, judge: PhantomData }
}

/// The same with a permit around that stands in the function.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn around_with<'a, H: Settled, S: Stack, C>(
    permit: &'a mut Permit<H>,
    sites: &'static S,
    _class: C,
) -> Once<C, Nest<Under<'a, H>, S::Layers>>
where
    S::Layers: Layers,
{
    Once { layers: Nest::new(Under(permit), sites.layers()), ended: false, judge: PhantomData }
}

/// Guards a block of the function, in which other layers stand, by a permit that stands in it.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn block_with<H: Settled>(permit: &mut Permit<H>) -> OnceBlock<Nest<Under<'_, H>, AtBlock>> {
    OnceBlock { layers: Nest::new(Under(permit), AtBlock::new(None)), ended: false }
}

/// Guards a body by a timeout with options of its own. (By value: a function's future would keep what it has lent.)
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn bound<C>(
    site: &'static Site<TimeoutPolicy>,
    config: timeout::Config,
    _class: C,
) -> Once<C, Nest<Bound, AtBody>> {
    let layers = Nest::new(Bound::known(site, &config), AtBody::NEW);
    Once { layers, ended: false, judge: PhantomData }
}

/// The same around a block of the function.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn bound_block(site: &'static Site<TimeoutPolicy>, config: timeout::Config) -> OnceBlock<Nest<Bound, AtBlock>> {
    let layer = Bound::known(site, &config);
    let timeout = Some(layer.nanos());
    OnceBlock { layers: Nest::new(layer, AtBlock::new(timeout)), ended: false }
}

/// Ends the layers of a call that is dropped before its end.
#[cold]
#[inline(never)]
pub(crate) fn end_early<L: Layers>(layers: Pin<&mut L>) {
    layers.end(None);
}

pin_project_lite::pin_project! {
    /// Layers around a body.
    pub struct Once<C, L: Layers> {
        #[pin]
        layers: L,
        // They hold nothing any more.
        ended: bool,
        judge: PhantomData<fn() -> C>,
    }

    impl<C, L: Layers> PinnedDrop for Once<C, L> {
        #[inline]
        fn drop(this: Pin<&mut Self>) {
            if !this.ended {
                end_early(this.project().layers);
            }
        }
    }
}

impl<R, C: Judge<R>, L: Layers> Guard<R> for Once<C, L> {
    type Output = Result<R, Error>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(self: Pin<&mut Self>, body: Pin<&mut dyn Work<R>>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let ended = poll_under::<R, C, L>(this.layers, body, context);
        *this.ended = ended.is_ready();
        ended
    }
}

pin_project_lite::pin_project! {
    /// Layers around a block of the expansion, in which other layers stand.
    pub struct OnceBlock<L: Layers> {
        #[pin]
        layers: L,
        // They hold nothing any more.
        ended: bool,
    }

    impl<L: Layers> PinnedDrop for OnceBlock<L> {
        #[inline]
        fn drop(this: Pin<&mut Self>) {
            if !this.ended {
                end_early(this.project().layers);
            }
        }
    }
}

impl<R, L: Layers> Guard<Result<R, Error>> for OnceBlock<L> {
    type Output = Result<R, Error>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(
        self: Pin<&mut Self>,
        block: Pin<&mut dyn Work<Result<R, Error>>>,
        context: &mut Context<'_>,
    ) -> Poll<Self::Output> {
        let this = self.project();
        // Whose method it is, the layers know.
        let ended = poll_under::<_, Unasked, _>(this.layers, block, context);
        *this.ended = ended.is_ready();
        ended.map(|ended| ended.unwrap_or_else(Err))
    }
}

impl<C, L: Layers> fmt::Debug for Once<C, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}

impl<L: Layers> fmt::Debug for OnceBlock<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnceBlock").finish_non_exhaustive()
    }
}
