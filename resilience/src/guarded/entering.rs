//! The way into a policy whose permit stands in the function.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::under::{Permit, Settled};
use crate::admission::{Answer, Wait, poll_in_line};
use crate::error::Error;
use crate::policy::Policy;
use crate::site::{Place, Site};

/// The way of a call into a policy whose permit stands in the function; what it waits for is a `T`.
#[must_use = "futures do nothing unless awaited"]
pub struct Entering<H: Settled, T: Into<H> + 'static> {
    place: &'static Place,
    way: Way<H, T>,
}

enum Way<H: Settled, T: 'static> {
    /// Answered; taken out by the first poll. A permit in it is settled with the future that holds it.
    Answered(Option<Result<Permit<H>, Error>>),
    InLine(Wait<T>),
}

impl<H: Settled, T: Into<H> + 'static> Entering<H, T> {
    #[inline(always)]
    pub(crate) fn decided<P: Policy>(site: &'static Site<P>, answer: Result<H, Error>) -> Self {
        let place = &site.place;
        Self { place, way: Way::Answered(Some(answer.map(|held| Permit::new(place, held)))) }
    }

    pub(crate) fn answered<P: Policy>(site: &'static Site<P>, answer: Answer<T>) -> Self {
        match answer {
            Answer::Now(answer) => Self::decided(site, answer.map(T::into)),
            Answer::InLine(wait) => Self { place: &site.place, way: Way::InLine(wait) },
        }
    }
}

impl<H: Settled + Unpin, T: Into<H> + 'static> Future for Entering<H, T> {
    type Output = Result<Permit<H>, Error>;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        match &mut this.way {
            Way::Answered(answer) => match answer.take() {
                Some(answer) => Poll::Ready(answer),
                None => Poll::Pending,
            },
            Way::InLine(wait) => poll_in_line(wait, context).map_ok(|served| Permit::new(this.place, served.into())),
        }
    }
}

impl<H: Settled, T: Into<H> + 'static> fmt::Debug for Entering<H, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entering").field("place", self.place).finish_non_exhaustive()
    }
}
