//! What the machine itself takes: the least that anything above can cost.

use std::future::poll_fn;
use std::hint::black_box;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use resilience_instructions::body::Body;

use super::{Contender, peer};
use crate::repeat;
use crate::subject::{Subject, subject};

pub(super) fn all() -> Vec<Contender> {
    vec![
        peer("atomic add", || with(AtomicU64::new(0), |atomic| atomic.fetch_add(1, Ordering::Relaxed))),
        peer("atomic load", || with(AtomicU64::new(0), |atomic| atomic.load(Ordering::Acquire))),
        peer("compare and exchange", || {
            with(AtomicU64::new(0), |atomic| {
                atomic.fetch_update(Ordering::AcqRel, Ordering::Relaxed, |old| Some(old + 1))
            })
        }),
        peer("std Mutex, lock and unlock", || {
            with(Mutex::new(0_u64), |mutex| *mutex.lock().unwrap_or_else(PoisonError::into_inner) += 1)
        }),
        peer("std Instant::now", || with((), |()| Instant::now())),
        peer("tokio Instant::now", || with((), |()| tokio::time::Instant::now())),
        peer("Box of 64 bytes", || with((), |()| Box::new(black_box([0_u8; 64])))),
        peer("tokio Sleep, polled once", || {
            subject((), |_, count, body: Body| async move {
                repeat!(count, async {
                    let mut sleep = pin!(tokio::time::sleep(Duration::from_secs(60)));
                    let woken = poll_fn(|context| Poll::Ready(sleep.as_mut().poll(context).is_ready())).await;
                    black_box(woken);
                    body.call().await
                })
            })
        }),
    ]
}

/// The body after one step, which is compiled into the loop.
fn with<S, T, F>(shared: S, step: F) -> Arc<dyn Subject>
where
    S: Send + Sync + 'static,
    F: Fn(&S) -> T + Send + Sync + Copy + 'static,
{
    subject(shared, move |shared, count, body: Body| async move {
        repeat!(count, async {
            black_box(step(&shared));
            body.call().await
        })
    })
}
