//! The pause between two attempts.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::attempts::Named;
use crate::deadline;
use crate::error::Error;
use crate::time::{self, Sleep};

pin_project_lite::pin_project! {
    /// The pause before another attempt.
    ///
    /// Timers may be late; where the deadline has passed meanwhile, there is no other attempt.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless awaited"]
    pub struct Pause {
        policy: Named,
        // No timer for no pause: a retry without delay works without one, and does not wait for the next tick.
        #[pin]
        sleep: Option<Sleep>,
    }
}

impl Pause {
    pub(super) fn new(policy: Named, delay: Duration) -> Self {
        let sleep = (!delay.is_zero()).then(|| time::sleep_until(time::after(time::now(), delay)));
        Self { policy, sleep }
    }
}

impl Future for Pause {
    type Output = Result<(), Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let this = self.project();
        if let Some(sleep) = this.sleep.as_pin_mut() {
            std::task::ready!(sleep.poll(context));
        }
        Poll::Ready(deadline::check(*this.policy))
    }
}
