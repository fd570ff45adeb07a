//! MC-01: the future of a guarded function is `Send` if its body's is, and need not be.

use std::rc::Rc;

use resilience::{bulkhead, circuit_breaker, fallback, rate_limit, resilient, retry, stale_if_error, timeout};
use resilience_tests::{Answer, Script, ms, sleep};

fn is_send<T: Send>(value: T) -> T {
    value
}

macro_rules! both {
    ($($module:ident: $(#[$policy:meta])+)+) => {
        $(
            mod $module {
                use super::*;

                $(#[$policy])+
                pub(super) async fn sends(body: &Script, text: String) -> Answer {
                    sleep(ms(1)).await;
                    drop(text);
                    body.run().await
                }

                $(#[$policy])+
                pub(super) async fn stays(body: &Script, text: Rc<String>) -> Answer {
                    let kept = Rc::clone(&text);
                    sleep(ms(1)).await;
                    drop((kept, text));
                    body.run().await
                }
            }
        )+

        #[tokio::test(start_paused = true)]
        async fn mc01_a_future_that_can_be_sent_can_still_be_sent() {
            $(
                let answer = tokio::spawn(is_send(async { $module::sends(&Script::ok(), String::new()).await }));
                assert_eq!(answer.await.unwrap(), Ok(1), stringify!($module));
                let (body, text) = (Script::ok(), String::new());
                assert_eq!(is_send($module::sends(&body, text)).await, Ok(1), stringify!($module));
            )+
        }

        #[tokio::test(start_paused = true)]
        async fn mc01_a_body_that_stays_on_its_thread_is_welcome() {
            let local = tokio::task::LocalSet::new();
            local
                .run_until(async {
                    $(
                        let task = tokio::task::spawn_local(async { $module::stays(&Script::ok(), Rc::default()).await });
                        assert_eq!(task.await.unwrap(), Ok(1), stringify!($module));
                    )+
                })
                .await;
        }
    };
}

both! {
    retried: #[retry]
    broken: #[circuit_breaker]
    partitioned: #[bulkhead]
    limited: #[rate_limit(limit = 10)]
    bounded: #[timeout("1s")]
    replaced: #[fallback(value = 7)]
    replaced_later: #[fallback(|error| { sleep(ms(1)).await; Err(error) })]
    remembered: #[stale_if_error("1m")]
    listed: #[resilient(retry, circuit_breaker, timeout("1s"))]
    all_seven:
        #[fallback(value = 7)]
        #[stale_if_error("1m")]
        #[retry]
        #[circuit_breaker]
        #[rate_limit(limit = 10)]
        #[bulkhead]
        #[timeout("1s")]
}
