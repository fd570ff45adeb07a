//! Link-time collection: every function's sites are known before its first call.
//!
//! Each expansion has a function that runs when its code is loaded and puts the function's sites into a list. It stands
//! here and not on a crate for such lists because it is in every guarded function: two items instead of five.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::name::Name;
use crate::policy::Policy;
use crate::site::{AnySite, Site};

/// The sites of one function: a `static` in the expansion.
#[doc(hidden)]
pub struct Linked<S: ?Sized> {
    /// What was there before it; set once it is in the list.
    before: OnceLock<Option<&'static Linked<dyn Sites>>>,
    /// The function that puts it there, in the section of those that run when code is loaded. Whatever names the sites so names
    /// that as well: a linker that takes only what is named, as from a static library, takes both or neither.
    start: &'static extern "C" fn(),
    pub sites: S,
}

static LAST: Mutex<Option<&'static Linked<dyn Sites>>> = Mutex::new(None);
/// How many are in the list.
static LENGTH: AtomicUsize = AtomicUsize::new(0);

impl<S: Sites> Linked<S> {
    #[must_use]
    pub const fn new(start: &'static extern "C" fn(), sites: S) -> Self {
        Self { before: OnceLock::new(), start, sites }
    }

    /// Puts it into the list. It may run before `main`, and more than once.
    pub fn link(&'static self) {
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if self.before.set(*last).is_ok() {
            *last = Some(self);
            LENGTH.fetch_add(1, Ordering::Release);
        }
    }
}

impl<S: ?Sized> fmt::Debug for Linked<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Linked").field("start", &self.start).finish_non_exhaustive()
    }
}

/// All sites of all code that is loaded by now.
pub(crate) fn sites() -> Vec<&'static dyn AnySite> {
    sites_after(0)
}

/// How many functions' sites are in the list by now.
pub(crate) fn length() -> usize {
    LENGTH.load(Ordering::Acquire)
}

/// The sites of the functions that came into the list after the first `known`.
pub(crate) fn sites_after(known: usize) -> Vec<&'static dyn AnySite> {
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut all, mut next, mut left) = (Vec::new(), *last, length().saturating_sub(known));
    drop(last);
    while let (Some(linked), true) = (next, left > 0) {
        linked.sites.each(&mut |site| all.push(site));
        next = linked.before.get().copied().flatten();
        left -= 1;
    }
    all
}

/// Sites, one after the other: `(site, (site, ()))`.
#[doc(hidden)]
pub trait Sites: Sync + 'static {
    /// Hands out each of them.
    fn each(&'static self, take: &mut dyn FnMut(&'static dyn AnySite));
}

impl Sites for () {
    fn each(&'static self, _take: &mut dyn FnMut(&'static dyn AnySite)) {}
}

impl<P: Policy, S: Sites> Sites for (Site<P>, S) {
    fn each(&'static self, take: &mut dyn FnMut(&'static dyn AnySite)) {
        take(&self.0);
        self.1.each(take);
    }
}

/// Sites that are no layers: a list's end.
#[doc(hidden)]
#[derive(Debug)]
pub struct Beside<S>(pub S);

impl<S: Sites> Sites for Beside<S> {
    fn each(&'static self, take: &mut dyn FnMut(&'static dyn AnySite)) {
        self.0.each(take);
    }
}

/// The sites of policies that stand one inside the other.
#[doc(hidden)]
pub trait Below: Sync {
    /// Who of them refuses a call that comes after so long, as far as that can be told now.
    fn would_refuse(&'static self, after: Duration) -> Option<&'static Name>;
}

impl Below for () {
    fn would_refuse(&'static self, _after: Duration) -> Option<&'static Name> {
        None
    }
}

impl<S: Sync> Below for Beside<S> {
    fn would_refuse(&'static self, _after: Duration) -> Option<&'static Name> {
        None
    }
}

impl<P: Policy, S: Below> Below for (Site<P>, S) {
    fn would_refuse(&'static self, after: Duration) -> Option<&'static Name> {
        let here = self.0.bound_already().and_then(|bound| P::would_refuse(bound, after));
        here.or_else(|| self.1.would_refuse(after))
    }
}
