//! Waits under the deadline of whoever polls them: a call in line may be moved to another caller.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use crate::deadline;
use crate::time::{self, Instant};

/// Waits for `future` until the deadline in force, whosever it is by then: nothing once that has passed.
pub(super) async fn in_time<F: Future>(future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    loop {
        let deadline = deadline::in_force();
        let ended = match deadline {
            Some(until) => while_under(deadline, time::by(until, future.as_mut())).await,
            None => while_under(deadline, future.as_mut()).await.map(Ok),
        };
        if let Some(ended) = ended {
            return ended.ok();
        }
    }
}

/// Waits for `future` as long as that is the deadline in force: nothing once another one is.
pub(super) async fn while_under<F: Future>(deadline: Option<Instant>, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    poll_fn(|context| {
        if deadline::is_up() {
            // The call is dropped right after this: a body that began now would come too late.
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if deadline::in_force() != deadline {
            return Poll::Ready(None);
        }
        future.as_mut().poll(context).map(Some)
    })
    .await
}
