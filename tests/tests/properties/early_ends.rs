//! `?` and `return` end an attempt and not the function, however deep in other macros they stand.

use std::fmt::{self, Display};
use std::future::ready;

use resilience::{bulkhead, circuit_breaker, fallback, retry, timeout};
use resilience_tests::{Answer, Fault, Script, Step};

macro_rules! ends {
    ($($function:ident($body:ident) $block:block)+) => {
        mod alone {
            use super::*;

            $(
                #[retry(max_attempts = 3, base_delay = 0ms)]
                pub(super) async fn $function($body: &Script) -> Answer $block
            )+
        }

        mod stacked {
            use super::*;

            $(
                #[timeout("9s")]
                #[fallback(|error| Err(error))]
                #[retry(max_attempts = 3, base_delay = 0ms)]
                #[circuit_breaker]
                #[bulkhead]
                #[timeout("1s")]
                pub(super) async fn $function($body: &Script) -> Answer $block
            )+
        }

        #[tokio::test(start_paused = true)]
        async fn every_failed_attempt_counts() {
            $(
                let body = Script::down();
                assert_eq!(alone::$function(&body).await, Err(Fault::Down), stringify!($function));
                assert_eq!(body.entered(), 3, stringify!($function));
                let body = Script::down();
                assert_eq!(stacked::$function(&body).await, Err(Fault::Down), stringify!($function));
                assert_eq!(body.entered(), 3, stringify!($function));
            )+
        }

        #[tokio::test(start_paused = true)]
        async fn the_attempt_that_succeeds_is_the_last() {
            $(
                let body = Script::new([Step::Err(Fault::Down), Step::Ok]);
                assert_eq!(alone::$function(&body).await, Ok(2), stringify!($function));
                let body = Script::new([Step::Err(Fault::Down), Step::Ok]);
                assert_eq!(stacked::$function(&body).await, Ok(2), stringify!($function));
            )+
        }
    };
}

ends! {
    in_vec(body) {
        let numbers = vec![0, body.run().await?];
        Ok(numbers.into_iter().sum())
    }

    in_join(body) {
        let (number, other) = tokio::join!(body.run(), ready(Ok::<u32, Fault>(0)));
        Ok(number? + other?)
    }

    in_a_branch_of_join(body) {
        let (number, ()) = tokio::join!(async { Ok::<_, Fault>(body.run().await? * 2) }, ready(()));
        Ok(number? / 2)
    }

    in_try_join(body) {
        let (number, _) = tokio::try_join!(body.run(), ready(Ok::<u32, Fault>(0)))?;
        Ok(number)
    }

    in_the_handler_of_select(body) {
        tokio::select! {
            answer = body.run() => {
                let number = answer?;
                Ok(number)
            }
            () = std::future::pending() => Ok(0),
        }
    }

    in_the_arm_of_select(body) {
        let number = tokio::select! {
            answer = body.run() => answer?,
            () = std::future::pending() => return Ok(0),
        };
        Ok(number)
    }

    in_format(body) {
        let text = format!("{}", body.run().await?);
        Ok(text.parse().unwrap_or(0))
    }

    in_println(body) {
        println!("{}", Silent(body.run().await?));
        Ok(body.entered())
    }

    in_assert(body) {
        let answer = body.run().await;
        assert!(answer.clone()? > 0, "runs are counted from one");
        answer
    }

    in_matches(body) {
        if matches!(body.run().await?, 1..) { Ok(body.entered()) } else { Ok(0) }
    }

    in_a_loop(body) {
        let mut number = 0;
        while number == 0 {
            number += body.run().await?;
        }
        Ok(number)
    }

    in_a_closure(body) {
        let answer = body.run().await;
        let twice = || -> Answer { Ok(answer? * 2) };
        Ok(twice()? / 2)
    }

    in_a_block(body) {
        let twice = async { Ok::<_, Fault>(body.run().await? * 2) }.await;
        Ok(twice? / 2)
    }

    in_a_chain(body) {
        Ok(Some(body.run().await?).into_iter().chain([0]).max().unwrap_or_default())
    }

    with_let_else(body) {
        let answer = body.run().await;
        let Ok(number) = answer else { return answer };
        Ok(number)
    }
}

/// Prints nothing.
struct Silent(u32);

impl Display for Silent {
    fn fmt(&self, _f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let _ = self.0;
        Ok(())
    }
}
