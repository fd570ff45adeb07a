//! One attempt of a macro's call, with what comes before and after it.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use super::attempts::Attempts;
use super::pause::Pause;
use crate::error::Error;
use crate::fallible::Fallible;
use crate::guarded::{Guarded, Judge, Layer};
use crate::probe::{ClassBy, TextBy};

pin_project_lite::pin_project! {
    /// An attempt: ends with the call's result, or with nothing where there is another one, after the pause.
    #[must_use = "futures do nothing unless awaited"]
    pub struct OneAttempt<'a, 'c, C, T, L, F> {
        #[pin]
        state: State<L, C, F>,
        attempts: &'a mut Attempts<'c>,
        text: PhantomData<fn() -> T>,
    }
}

pin_project_lite::pin_project! {
    // The attempt is gone before the pause, and takes no room beside it.
    #[project = Projection]
    enum State<L, C, F> {
        Calling { #[pin] call: Guarded<L, C, F> },
        Pausing { #[pin] pause: Pause },
    }
}

impl<'a, 'c, C, T, L, F> OneAttempt<'a, 'c, C, T, L, F> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn new(attempts: &'a mut Attempts<'c>, call: Guarded<L, C, F>) -> Self {
        Self { state: State::Calling { call }, attempts, text: PhantomData }
    }
}

impl<R, C, T, L, F> Future for OneAttempt<'_, '_, C, T, L, F>
where
    R: Fallible,
    C: ClassBy<R::Error> + Judge<R>,
    T: TextBy<R::Error>,
    L: Layer,
    F: Future<Output = Result<R, Error>>,
{
    type Output = Option<Result<R, Error>>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if let Projection::Calling { call } = this.state.as_mut().project() {
            if let Err(refusal) = this.attempts.begin(call.owner()) {
                return Poll::Ready(Some(Err(refusal)));
            }
            let polling = this.attempts.polling();
            let result = ready!(call.poll(context));
            drop(polling);
            match this.attempts.next(&result, C::class, T::text) {
                None => return Poll::Ready(Some(result)),
                Some(pause) => this.state.set(State::Pausing { pause }),
            }
        }
        let Projection::Pausing { pause } = this.state.project() else { return Poll::Pending };
        Poll::Ready(ready!(pause.poll(context)).err().map(Err))
    }
}

impl<C, T, L, F> fmt::Debug for OneAttempt<'_, '_, C, T, L, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OneAttempt").finish_non_exhaustive()
    }
}
