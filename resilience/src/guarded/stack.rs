//! From sites to the layers of a call: `(site, (site, ()))`, outermost first.

use std::marker::PhantomData;

use super::admit::{Admit, Holding, Judging, Spending};
use super::around::Nest;
use crate::linked::Beside;
use crate::policy::Policy;
use crate::site::Site;
use crate::timeout::{Bound, TimeoutPolicy};
use crate::{bulkhead, circuit_breaker, rate_limit};

/// Sites whose policies stand one inside the other; `C` is how breakers tell an error's class.
pub trait Stack<C>: 'static {
    /// Their layers.
    type Layers;

    /// Makes them for a call.
    fn layers(&'static self) -> Self::Layers;
}

impl<C> Stack<C> for () {
    type Layers = ();

    #[inline(always)]
    fn layers(&'static self) {}
}

impl<C, S: 'static> Stack<C> for Beside<S> {
    type Layers = ();

    #[inline(always)]
    fn layers(&'static self) {}
}

impl<C, P: AsLayer<C>, I: Stack<C>> Stack<C> for (Site<P>, I) {
    type Layers = Nest<P::Layer, I::Layers>;

    #[inline(always)]
    fn layers(&'static self) -> Self::Layers {
        Nest::new(P::layer(&self.0), self.1.layers())
    }
}

/// A policy that is a layer of a call.
pub trait AsLayer<C>: Policy {
    /// The layer.
    type Layer;

    /// Makes it for a call.
    fn layer(site: &'static Site<Self>) -> Self::Layer;
}

impl<C> AsLayer<C> for circuit_breaker::Breaker {
    type Layer = Admit<Judging<C>>;

    #[inline(always)]
    fn layer(site: &'static Site<Self>) -> Self::Layer {
        Admit::by(Judging { site, class: PhantomData })
    }
}

impl<C> AsLayer<C> for bulkhead::Slots {
    type Layer = Admit<Holding>;

    #[inline(always)]
    fn layer(site: &'static Site<Self>) -> Self::Layer {
        Admit::by(Holding { site })
    }
}

impl<C> AsLayer<C> for rate_limit::Limiter {
    type Layer = Admit<Spending>;

    #[inline(always)]
    fn layer(site: &'static Site<Self>) -> Self::Layer {
        Admit::by(Spending { site })
    }
}

impl<C> AsLayer<C> for TimeoutPolicy {
    type Layer = Bound;

    #[inline(always)]
    fn layer(site: &'static Site<Self>) -> Self::Layer {
        Bound::new(site, &site.config)
    }
}
