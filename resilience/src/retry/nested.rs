//! Retries inside retries: their attempts multiply, and so does the load on whatever fails.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::ptr::from_ref;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};

use super::RetryPolicy;
use crate::event::{self, Event};
use crate::name::Name;
use crate::site::Site;

type RetrySite = &'static Site<RetryPolicy>;

thread_local! {
    /// The retry whose attempt is being polled.
    static ATTEMPT_OF: Cell<Option<RetrySite>> = const { Cell::new(None) };
}

pin_project_lite::pin_project! {
    /// The user's body below a retry.
    #[must_use = "futures do nothing unless awaited"]
    pub struct Attempt<F> {
        #[pin]
        body: F,
        retry: RetrySite,
    }
}

impl<F> std::fmt::Debug for Attempt<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Attempt").field("retry", &self.retry).finish_non_exhaustive()
    }
}

/// The user's body below the retry of that site.
#[doc(hidden)]
#[inline]
pub fn attempt<F>(retry: RetrySite, body: F) -> Attempt<F> {
    Attempt { body, retry }
}

impl<F: Future> Future for Attempt<F> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let _outer = polling(this.retry);
        this.body.poll(context)
    }
}

/// Notes whose attempt is being polled, until it is dropped.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn polling(retry: RetrySite) -> Outer {
    Outer(ATTEMPT_OF.replace(Some(retry)))
}

pub(super) struct Outer(Option<RetrySite>);

impl Drop for Outer {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn drop(&mut self) {
        ATTEMPT_OF.set(self.0);
    }
}

/// Tells, once for each pair, that `inner` runs inside an attempt of another retry.
#[inline]
pub(super) fn report(inner: RetrySite, policy: &'static str) {
    if let Some(outer) = ATTEMPT_OF.get() {
        report_pair(outer, inner, policy);
    }
}

#[inline(never)]
fn report_pair(outer: RetrySite, inner: RetrySite, policy: &'static str) {
    if !told_before(outer, inner) {
        let outer = outer.bound_already().map_or("retry", Name::as_str);
        event::emit_rare(|| Event::RetryNested { policy, outer });
    }
}

/// Sites are statics: there are as many pairs as the code has.
fn told_before(outer: RetrySite, inner: RetrySite) -> bool {
    // Sorted.
    static TOLD: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());
    let pair = (from_ref(outer).addr(), from_ref(inner).addr());
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    let place = told.binary_search(&pair);
    if let Err(place) = place {
        told.insert(place, pair);
    }
    place.is_ok()
}
