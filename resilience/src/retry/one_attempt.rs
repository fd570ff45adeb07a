//! One attempt of a macro's call, with what comes before and after it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::attempts::{Attempts, Pause};
use crate::classify::Class;
use crate::error::Error;
use crate::fallible::Fallible;
use crate::site::Owner;

pin_project_lite::pin_project! {
    /// An attempt: ends with the call's result, or with nothing where there is another one, after the pause.
    #[must_use = "futures do nothing unless awaited"]
    pub struct OneAttempt<'a, 'c, E, F> {
        #[pin]
        state: State<F>,
        attempts: &'a mut Attempts<'c>,
        owner: Owner,
        class: fn(&E) -> Class,
        text: fn(&E) -> String,
    }
}

pin_project_lite::pin_project! {
    // The attempt is gone before the pause, and takes no room beside it.
    #[project = Projection]
    enum State<F> {
        Calling { #[pin] call: F },
        Pausing { #[pin] pause: Pause },
    }
}

impl<'a, 'c, E, F> OneAttempt<'a, 'c, E, F> {
    #[inline(always)]
    pub(crate) fn new(
        owner: Owner,
        attempts: &'a mut Attempts<'c>,
        class: fn(&E) -> Class,
        text: fn(&E) -> String,
        call: F,
    ) -> Self {
        Self { state: State::Calling { call }, attempts, owner, class, text }
    }
}

impl<R, F> Future for OneAttempt<'_, '_, R::Error, F>
where
    R: Fallible,
    F: Future<Output = Result<R, Error>>,
{
    type Output = Option<Result<R, Error>>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if let Projection::Calling { call } = this.state.as_mut().project() {
            if let Err(refusal) = this.attempts.begin(*this.owner) {
                return Poll::Ready(Some(Err(refusal)));
            }
            let result = ready!(call.poll(context));
            match this.attempts.next(&result, *this.class, *this.text) {
                None => return Poll::Ready(Some(result)),
                Some(pause) => this.state.set(State::Pausing { pause }),
            }
        }
        let Projection::Pausing { pause } = this.state.project() else { return Poll::Pending };
        Poll::Ready(ready!(pause.poll(context)).err().map(Err))
    }
}

impl<E, F> fmt::Debug for OneAttempt<'_, '_, E, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OneAttempt").finish_non_exhaustive()
    }
}
