//! From sites to the layers of a call: `(site, (site, ()))`, outermost first.

use super::admit::{Admit, Holding, Judging, Spending};
use super::around::{AtBody, Nest};
use crate::linked::Beside;
use crate::policy::Policy;
use crate::site::Site;
use crate::timeout::{Bound, TimeoutPolicy};
use crate::{bulkhead, circuit_breaker, rate_limit};

/// Sites whose policies stand one inside the other.
pub trait Stack: 'static {
    /// Their layers.
    type Layers;

    /// Makes them for a call.
    fn layers(&'static self) -> Self::Layers;
}

impl Stack for () {
    type Layers = AtBody;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn layers(&'static self) -> AtBody {
        AtBody::NEW
    }
}

impl<S: 'static> Stack for Beside<S> {
    type Layers = AtBody;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn layers(&'static self) -> AtBody {
        AtBody::NEW
    }
}

impl<P: AsLayer, I: Stack> Stack for (Site<P>, I) {
    type Layers = Nest<P::Layer, I::Layers>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn layers(&'static self) -> Self::Layers {
        Nest::new(P::layer(&self.0), self.1.layers())
    }
}

/// A policy that is a layer of a call.
pub trait AsLayer: Policy {
    /// The layer.
    type Layer;

    /// Makes it for a call.
    fn layer(site: &'static Site<Self>) -> Self::Layer;
}

impl AsLayer for circuit_breaker::Breaker {
    type Layer = Admit<Judging>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn layer(site: &'static Site<Self>) -> Self::Layer {
        Admit::by(Judging { site })
    }
}

impl AsLayer for bulkhead::Slots {
    type Layer = Admit<Holding>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn layer(site: &'static Site<Self>) -> Self::Layer {
        Admit::by(Holding { site })
    }
}

impl AsLayer for rate_limit::Limiter {
    type Layer = Admit<Spending>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn layer(site: &'static Site<Self>) -> Self::Layer {
        Admit::by(Spending { site })
    }
}

impl AsLayer for TimeoutPolicy {
    type Layer = Bound;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn layer(site: &'static Site<Self>) -> Self::Layer {
        Bound::new(site, &site.config)
    }
}
