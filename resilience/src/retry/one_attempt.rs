//! One attempt of a macro's call, with what comes before and after it.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use super::attempts::Attempts;
use super::before::Kept;
use super::pause::{Timer, poll_pause, timer, yield_once};
use crate::error::Error;
use crate::guarded::{Guard, Judge, Judges, Layers, Stack, Work, end_early, poll_under};
use crate::linked::Below;

/// Guards a body by the layers of these sites, as one of those that `attempts` counts; and how it tells an error's class
/// and text.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn attempt_under<'a, 'c, S: Stack + Below, C, T, K>(
    sites: &'static S,
    attempts: &'a mut Attempts<'c, K>,
    _class: C,
    _text: T,
) -> OneAttempt<'a, 'c, C, T, K, S, S::Layers>
where
    S::Layers: Layers,
{
    OneAttempt { state: State::Calling { layers: sites.layers(), ended: false }, sites, attempts, by: PhantomData }
}

pin_project_lite::pin_project! {
    /// An attempt: ends with the call's result, or with nothing where there is another one, after the pause.
    pub struct OneAttempt<'a, 'c, C, T, K, S: 'static, L: Layers> {
        #[pin]
        state: State<L>,
        sites: &'static S,
        attempts: &'a mut Attempts<'c, K>,
        by: PhantomData<fn() -> (C, T)>,
    }

    impl<C, T, K, S, L: Layers> PinnedDrop for OneAttempt<'_, '_, C, T, K, S, L> {
        #[inline]
        fn drop(this: Pin<&mut Self>) {
            if let Phase::Calling { layers, ended, .. } = this.project().state.project() {
                if !*ended {
                    end_early(layers);
                }
            }
        }
    }
}

pin_project_lite::pin_project! {
    // The layers are gone before the pause, which takes no room beside them. What has ended holds nothing.
    #[project = Phase]
    enum State<L> {
        Calling { #[pin] layers: L, ended: bool },
        Pausing { timer: Option<Timer> },
    }
}

impl<R, C, T, K, S, L> Guard<R> for OneAttempt<'_, '_, C, T, K, S, L>
where
    C: Judge<R>,
    (C, T): Judges<R>,
    K: Kept<R>,
    S: Below,
    L: Layers,
{
    type Output = Option<Result<R, Error>>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(self: Pin<&mut Self>, mut body: Pin<&mut dyn Work<R>>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if let Phase::Calling { mut layers, ended } = this.state.as_mut().project() {
            if let Err(refusal) = this.attempts.begin() {
                return Poll::Ready(Some(Err(refusal)));
            }
            let polling = this.attempts.polling();
            let polled = poll_under::<R, C, L>(layers.as_mut(), body.as_mut(), context);
            drop(polling);
            if this.attempts.owes_deposit() && layers.clock().has_begun() {
                this.attempts.deposit();
            }
            let Poll::Ready(result) = polled else { return Poll::Pending };
            *ended = true;
            let Some(delay) = <(C, T)>::delay(this.attempts, &result, *this.sites) else {
                if this.attempts.ends_as_before() {
                    return Poll::Ready(Some(this.attempts.end_as_before(result)));
                }
                return Poll::Ready(Some(result));
            };
            // The attempt is gone before the pause.
            body.end();
            this.attempts.keep(result);
            let timer = timer(delay).map(Box::pin);
            let yields = timer.is_none();
            this.state.set(State::Pausing { timer });
            if yields {
                return yield_once(context);
            }
        }
        let Phase::Pausing { timer } = this.state.project() else { return Poll::Pending };
        poll_pause(timer.as_mut().map(Timer::as_mut), this.attempts, context)
    }
}

impl<C, T, K, S, L: Layers> fmt::Debug for OneAttempt<'_, '_, C, T, K, S, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OneAttempt").finish_non_exhaustive()
    }
}
