//! Bulkheads that refuse at once, with room and full.

use std::sync::Arc;

use resilience::{Bulkhead, bulkhead};
use resilience_instructions::body::{Body, Failure};
use resilience_instructions::guarded;
use tokio::sync::Semaphore;
use tower::limit::ConcurrencyLimit;
use tower::load_shed::LoadShed;
use tower::{Layer as _, Service};
use tower_resilience::bulkhead::BulkheadLayer;

use super::{Contender, fresh, ours, peer, settle};
use crate::repeat;
use crate::subject::{Subject, body_service, service, subject};

pub(super) fn free() -> Vec<Contender> {
    vec![
        ours("resilience, attribute", || {
            subject((), |_, count, body| async move { repeat!(count, guarded::bounded(body)) })
        }),
        ours("resilience, handle", || handle(bulkhead::Config::new()).1),
        peer("tokio {tokio} Semaphore, try_acquire", || semaphore(25)),
        peer("tokio {tokio} Semaphore, acquire", || {
            subject(Semaphore::new(25), |semaphore, count, body: Body| async move {
                repeat!(count, async {
                    let _slot = semaphore.acquire().await.map_err(|_| Failure::Body)?;
                    body.call().await
                })
            })
        }),
        peer("tower {tower} ConcurrencyLimit, waits", || service(ConcurrencyLimit::new(body_service(), 25))),
        peer("tower {tower} LoadShed + ConcurrencyLimit", || {
            service(LoadShed::new(ConcurrencyLimit::new(body_service(), 25)))
        }),
        peer("tower-resilience {tower-resilience}, reject_when_full", || service(layer(25).layer(body_service()))),
    ]
}

pub(super) fn full() -> Vec<Contender> {
    vec![
        ours("resilience, attribute", || {
            let taken = Bulkhead::get("attribute full").expect("an attribute names it").try_acquire().ok();
            subject(taken, |_, count, body| async move { repeat!(count, guarded::full(body)) })
        }),
        ours("resilience, handle", || {
            let (bulkhead, subject) = handle(bulkhead::Config::new().max_concurrent(1));
            // Until the program ends.
            std::mem::forget(bulkhead.try_acquire());
            subject
        }),
        peer("tokio {tokio} Semaphore, try_acquire", || semaphore(0)),
        peer("tower {tower} LoadShed + ConcurrencyLimit", || {
            service(LoadShed::new(ConcurrencyLimit::new(body_service(), 0)))
        }),
        peer("tower-resilience {tower-resilience}, reject_when_full", || {
            let mut bounded = layer(1).layer(tower::service_fn(|body: Body| async move {
                if body == Body::Failing {
                    std::future::pending::<()>().await;
                }
                body.call().await
            }));
            // A call that never ends, polled once so that it has the only slot, and kept.
            let mut taken = Box::pin(bounded.call(Body::Failing));
            settle(std::future::poll_fn(|context| {
                assert!(taken.as_mut().poll(context).is_pending());
                std::task::Poll::Ready(())
            }));
            std::mem::forget(taken);
            service(bounded)
        }),
    ]
}

fn handle(config: bulkhead::Config) -> (Bulkhead, Arc<dyn Subject>) {
    let bulkhead = Bulkhead::register(&fresh(), config).expect("a valid configuration");
    let subject = subject(bulkhead, |bulkhead, count, body: Body| async move {
        repeat!(count, async {
            let _slot = bulkhead.try_acquire()?;
            body.call().await
        })
    });
    (bulkhead, subject)
}

fn semaphore(slots: usize) -> Arc<dyn Subject> {
    subject(Semaphore::new(slots), |semaphore, count, body: Body| async move {
        repeat!(count, async {
            let _slot = semaphore.try_acquire().map_err(|_| Failure::Body)?;
            body.call().await
        })
    })
}

fn layer(slots: usize) -> BulkheadLayer {
    BulkheadLayer::builder().max_concurrent_calls(slots).reject_when_full().build().expect("a valid configuration")
}
