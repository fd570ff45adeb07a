//! The attempt that is being polled on this thread: the body asks which one it is, and a retry inside of it multiplies the load
//! on whatever fails.

use std::cell::Cell;
use std::future::Future;
use std::num::NonZeroU64;
use std::pin::Pin;
use std::ptr::from_ref;
use std::task::{Context, Poll};

use super::RetryPolicy;
use super::attempts::Attempts;
use super::config::{Config, MAX_ATTEMPTS};
use crate::event::{self, Event};
use crate::name::Name;
use crate::pairs::Pairs;
use crate::site::Site;

type RetrySite = &'static Site<RetryPolicy>;

/// Which attempt of a retry is under way.
///
/// # Examples
///
/// ```
/// use resilience::{Error, retry};
///
/// #[resilience::retry(max_attempts = 3)]
/// async fn fetch() -> Result<String, Error> {
///     let attempt = retry::Attempt::current().map_or(1, |attempt| attempt.number());
///     Ok(format!("X-Attempt: {attempt}"))
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// assert_eq!(fetch().await?, "X-Attempt: 1");
/// assert!(retry::Attempt::current().is_none());
/// # Ok::<(), Error>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Attempt(
    /// The number, and above it the most there may be: in one word, as each poll sets it.
    NonZeroU64,
);

impl Attempt {
    #[inline(always)]
    pub(super) fn new(number: u32, config: &Config) -> Self {
        let max = config.max_attempts.unwrap_or(MAX_ATTEMPTS);
        let word = u64::from(max) << 32 | u64::from(number);
        // Numbers begin with 1.
        Self(NonZeroU64::new(word).unwrap_or(NonZeroU64::MIN))
    }

    /// Returns the attempt that the code which asks is part of, if it is part of one.
    ///
    /// It follows the polls, as the deadline does: a function without a retry sees its caller's, and a spawned task none.
    #[must_use]
    pub fn current() -> Option<Self> {
        CURRENT.with(|current| current.attempt.get())
    }

    /// Returns its number, counted from 1.
    #[must_use]
    pub const fn number(&self) -> u32 {
        // The lower half.
        self.0.get() as u32
    }

    /// Returns how many attempts there are at most, the first included.
    #[must_use]
    pub const fn max(&self) -> u32 {
        let max = (self.0.get() >> 32) as u32;
        // At least one is made, whatever is given.
        if max == 0 { 1 } else { max }
    }
}

/// What is being polled.
struct Current {
    attempt: Cell<Option<Attempt>>,
    /// Whose attempt it is, where that is a macro's.
    retry: Cell<Option<RetrySite>>,
}

thread_local! {
    static CURRENT: Current = const { Current { attempt: Cell::new(None), retry: Cell::new(None) } };
}

pin_project_lite::pin_project! {
    /// A body below a retry that stands in the function, or of a handle's call.
    #[must_use = "futures do nothing unless awaited"]
    pub struct Attempted<'p, 'a, K, F> {
        attempts: &'p mut Attempts<'a, K>,
        #[pin]
        body: F,
    }
}

impl<K, F> std::fmt::Debug for Attempted<'_, '_, K, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Attempted").finish_non_exhaustive()
    }
}

/// The body as one of these attempts.
#[doc(hidden)]
#[inline]
pub fn attempt<'p, 'a, K, F>(attempts: &'p mut Attempts<'a, K>, body: F) -> Attempted<'p, 'a, K, F> {
    Attempted { attempts, body }
}

impl<K, F: Future> Future for Attempted<'_, '_, K, F> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let outer = this.attempts.polling();
        let polled = this.body.poll(context);
        drop(outer);
        if this.attempts.owes_deposit() {
            if polled.is_ready() {
                this.attempts.will_deposit();
            } else {
                this.attempts.deposit();
            }
        }
        polled
    }
}

/// Notes which attempt is being polled, until it is dropped.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn polling(retry: Option<RetrySite>, attempt: Attempt) -> Outer {
    replace(retry, Some(attempt))
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn replace(retry: Option<RetrySite>, attempt: Option<Attempt>) -> Outer {
    CURRENT.with(|current| Outer { retry: current.retry.replace(retry), attempt: current.attempt.replace(attempt) })
}

pub(super) struct Outer {
    retry: Option<RetrySite>,
    attempt: Option<Attempt>,
}

impl Drop for Outer {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn drop(&mut self) {
        CURRENT.with(|current| {
            current.retry.set(self.retry);
            current.attempt.set(self.attempt);
        });
    }
}

/// Runs code that is part of no attempt: a listener's.
pub(crate) fn aside(code: impl FnOnce()) {
    let _outer = replace(None, None);
    code();
}

/// Tells, once for each pair, that `inner` runs inside an attempt of another retry.
#[inline]
pub(super) fn report(inner: RetrySite, policy: &'static str) {
    if let Some(outer) = CURRENT.with(|current| current.retry.get()) {
        report_pair(outer, inner, policy);
    }
}

#[inline(never)]
fn report_pair(outer: RetrySite, inner: RetrySite, policy: &'static str) {
    // Sites are statics: there are as many pairs as the code has.
    static TOLD: Pairs = Pairs::new();
    if TOLD.is_new((from_ref(outer).addr(), from_ref(inner).addr())) {
        let outer = outer.bound_already().map_or("retry", Name::as_str);
        event::emit_rare(|| Event::RetryNested { policy, outer });
    }
}
