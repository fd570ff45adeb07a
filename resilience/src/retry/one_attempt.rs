//! One attempt of a macro's call, with what comes before and after it.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::attempts::Attempts;
use super::pause::{Timer, poll_pause, timer, yield_once};
use crate::error::Error;
use crate::guarded::{Guard, Judge, Judges, Layer, Stack, Work, poll_under};
use crate::site::Owner;

/// Guards a body by the layers of these sites, as one of those that `attempts` counts; and how it tells an error's class
/// and text.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn attempt_under<'a, 'c, S: Stack, C, T>(
    sites: &'static S,
    owner: Owner,
    attempts: &'a mut Attempts<'c>,
    _class: C,
    _text: T,
) -> OneAttempt<'a, 'c, C, T, S::Layers> {
    OneAttempt { state: State::Calling { layers: sites.layers(), owner }, attempts, by: PhantomData }
}

pin_project_lite::pin_project! {
    /// An attempt: ends with the call's result, or with nothing where there is another one, after the pause.
    pub struct OneAttempt<'a, 'c, C, T, L> {
        #[pin]
        state: State<L>,
        attempts: &'a mut Attempts<'c>,
        by: PhantomData<fn() -> (C, T)>,
    }
}

pin_project_lite::pin_project! {
    // The layers are gone before the pause, which takes no room beside them.
    #[project = Projection]
    enum State<L> {
        Calling { #[pin] layers: L, owner: Owner },
        Pausing { timer: Option<Timer> },
    }
}

impl<R, C, T, L> Guard<R> for OneAttempt<'_, '_, C, T, L>
where
    C: Judge<R>,
    (C, T): Judges<R>,
    L: Layer,
{
    type Output = Option<Result<R, Error>>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn poll(self: Pin<&mut Self>, mut body: Pin<&mut dyn Work<R>>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if let Projection::Calling { layers, owner } = this.state.as_mut().project() {
            if let Err(refusal) = this.attempts.begin(*owner) {
                return Poll::Ready(Some(Err(refusal)));
            }
            let polling = this.attempts.polling();
            let result = ready!(poll_under::<R, C, L>(layers, body.as_mut(), *owner, context));
            drop(polling);
            let Some(delay) = <(C, T)>::delay(this.attempts, &result) else {
                return Poll::Ready(Some(result));
            };
            // The attempt is gone before the pause.
            body.end();
            let timer = timer(delay).map(Box::pin);
            let yields = timer.is_none();
            this.state.set(State::Pausing { timer });
            if yields {
                return yield_once(context);
            }
        }
        let Projection::Pausing { timer } = this.state.project() else { return Poll::Pending };
        let timer = timer.as_mut().map(Timer::as_mut);
        Poll::Ready(ready!(poll_pause(timer, this.attempts.named(), context)).err().map(Err))
    }
}

impl<C, T, L> fmt::Debug for OneAttempt<'_, '_, C, T, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OneAttempt").finish_non_exhaustive()
    }
}
