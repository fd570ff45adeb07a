//! How many attempts there are, and after which errors.

use futures::future::join_all;
use resilience::{Error, ErrorKind, Event, Retry, RetryLimit};
use resilience_tests::{EventLog, Fault, Script, Step, ms, polls, refusal, secs, sleep};

use super::{at_once, every, retried};

#[tokio::test(start_paused = true)]
async fn c15_so_many_bodies_and_the_last_error() {
    for attempts in [1, 3, 6] {
        let mut steps = vec![Step::Err(Fault::Down); attempts as usize - 1];
        steps.push(Step::Err(Fault::Busy(None)));
        let body = Script::new(steps);
        assert_eq!(retried(at_once(attempts), &body).await, Err(Fault::Busy(None)));
        assert_eq!(body.entered(), attempts);
    }
}

#[tokio::test(start_paused = true)]
async fn c15_a_limit_of_time_ends_ninety_attempts_early() {
    let body = Script::new([Step::Err(Fault::Down).after(ms(100))]);
    // Their default: no delay, and up to 200 ms of jitter.
    let config = every(200, 91).jitter(resilience::retry::Jitter::Full).max_elapsed(secs(1));
    assert_eq!(retried(config, &body).await, Err(Fault::Down));
    assert!((4..11).contains(&body.entered()), "{} bodies", body.entered());
}

#[tokio::test(start_paused = true)]
async fn c17_a_predicate_says_which_errors_are_tried_again() {
    for (fault, bodies) in [(Fault::Down, 4), (Fault::Busy(None), 4), (Fault::NotFound, 1), (Fault::Broken, 1)] {
        let body = Script::new([Step::Err(fault.clone())]);
        let retry = Retry::new(at_once(4)).when(|fault: &Fault| matches!(fault, Fault::Down | Fault::Busy(_)));
        assert_eq!(retry.call(|| body.run()).await, Err(fault));
        assert_eq!(body.entered(), bodies);
    }
}

#[tokio::test(start_paused = true)]
async fn every_error_unless_something_else_is_asked_for() {
    for fault in [Fault::Down, Fault::Broken, Fault::NotFound] {
        let body = Script::new([Step::Err(fault)]);
        let _ = Retry::new(at_once(3)).call(|| body.run()).await;
        assert_eq!(body.entered(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn the_first_success_ends_it() {
    for failures in 0..4 {
        let mut steps = vec![Step::Err(Fault::Down); failures];
        steps.push(Step::Ok);
        let body = Script::new(steps);
        assert_eq!(retried(at_once(4), &body).await, Ok(failures as u32 + 1));
    }
}

/// The counters of the scenario are events here: an attempt that failed and is followed by another, and how it ended.
#[tokio::test(start_paused = true)]
async fn c35_what_is_told() {
    let down = |times| vec![Step::Err(Fault::Down); times];
    let then = |mut steps: Vec<Step>, last| {
        steps.push(last);
        steps
    };
    let table: [(Vec<Step>, u32, usize, &[&str]); 6] = [
        (vec![Step::Ok], 6, 0, &[]),
        (then(down(3), Step::Ok), 6, 3, &["retry.recovered"]),
        (vec![Step::Err(Fault::NotFound)], 6, 0, &[]),
        (then(down(3), Step::Err(Fault::NotFound)), 6, 3, &[]),
        (down(1), 6, 5, &["retry.exhausted"]),
        (down(1), 1, 0, &["retry.exhausted"]),
    ];
    for (steps, attempts, retries, ending) in table {
        let what = format!("{steps:?}");
        let log = EventLog::of(["retry"]);
        let _ = retried(at_once(attempts), &Script::new(steps)).await;
        let told: Vec<_> = log.take().iter().map(Event::name).collect();
        let mut expected = vec!["retry.attempt_failed"; retries];
        expected.extend(ending);
        assert_eq!(told, expected, "{what}");
    }
}

#[tokio::test(start_paused = true)]
async fn c35_which_limit_ended_it() {
    let limit_of = |events: Vec<Event>| match events.last() {
        Some(Event::RetryExhausted { limit, attempts, .. }) => (*limit, *attempts),
        _ => unreachable!("no limit was told"),
    };
    let log = EventLog::of(["retry"]);
    let _ = retried(every(100, 6), &Script::down()).await;
    assert_eq!(limit_of(log.take()), (RetryLimit::Attempts, 6));
    let _ = retried(every(100, 50).max_elapsed(secs(1)), &Script::down()).await;
    assert_eq!(limit_of(log.take()), (RetryLimit::Elapsed, 11));
    let long = Script::new([Step::Err(Fault::Down).after(ms(1500))]);
    let _ = retried(every(100, 50).max_elapsed(secs(1)), &long).await;
    assert_eq!((limit_of(log.take()), long.entered()), ((RetryLimit::Elapsed, 1), 1));
}

#[tokio::test(start_paused = true)]
async fn rt01_attempts_belong_to_one_call() {
    let retry = Retry::new(every(10, 4));
    for concurrently in [true, false] {
        let bodies: Vec<_> = (0..50).map(|_| Script::down()).collect();
        if concurrently {
            join_all(bodies.iter().map(|body| retry.call(|| body.run()))).await;
        } else {
            for body in &bodies {
                let _ = retry.call(|| body.run()).await;
            }
        }
        assert!(bodies.iter().all(|body| body.entered() == 4));
    }
}

#[tokio::test(start_paused = true)]
async fn rt03_a_dropped_call_makes_no_further_attempt() {
    let body = Script::down();
    let in_a_pause = tokio::time::timeout(ms(50), retried(every(100, 10), &body)).await;
    assert!(in_a_pause.is_err());
    sleep(secs(3600)).await;
    assert_eq!((body.entered(), body.probe().finished()), (1, 1));

    let body = Script::new([Step::Err(Fault::Down).after(secs(1))]);
    let in_the_body = tokio::time::timeout(ms(50), retried(every(100, 10), &body)).await;
    assert!(in_the_body.is_err());
    assert_eq!((body.entered(), body.probe().dropped()), (1, 1));
    sleep(secs(3600)).await;
    assert_eq!(body.entered(), 1);
}

#[tokio::test(start_paused = true)]
async fn rt03_dropped_after_every_poll() {
    let mut ended = false;
    for times in 0..32 {
        let body = Script::new([Step::Err(Fault::Down).after(ms(3))]);
        ended = polls(retried(every(10, 4), &body), times).await.is_some();
        let entered = body.entered();
        assert_eq!(body.probe().in_flight(), 0, "{times} polls");
        sleep(secs(60)).await;
        assert_eq!(body.entered(), entered, "{times} polls");
    }
    assert!(ended, "so many polls are enough");
}

#[tokio::test(start_paused = true)]
async fn an_attempt_is_gone_before_its_pause() {
    let body = Script::new([Step::Err(Fault::Down).after(ms(5))]);
    tokio::join!(retried(every(100, 3), &body), async {
        sleep(ms(50)).await;
        assert_eq!(body.probe().in_flight(), 0);
    })
    .0
    .unwrap_err();
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_not_tried_again() {
    let body = Script::new([Step::Panic, Step::Ok]);
    let task = tokio::spawn({
        let body = body.clone();
        async move { retried(at_once(3), &body).await }
    });
    assert!(task.await.unwrap_err().is_panic());
    assert_eq!(body.entered(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_value_out_of_range_is_clamped() {
    let body = Script::down();
    let _ = retried(at_once(0), &body).await;
    assert_eq!(body.entered(), 1);
    let invalid = at_once(0).validate().unwrap_err();
    assert_eq!((invalid.kind(), invalid.option()), ("retry", "max_attempts"));
}

#[tokio::test(start_paused = true)]
async fn refusals_of_nested_guarded_calls_end_it_and_cuts_do_not() {
    for (kind, bodies) in [
        (ErrorKind::CircuitOpen, 1),
        (ErrorKind::BulkheadFull, 1),
        (ErrorKind::DeadlineExceeded, 1),
        (ErrorKind::TimedOut, 3),
    ] {
        let body = Script::new([Step::Err(refusal(kind).await.into())]);
        let error = retried(at_once(3), &body).await.unwrap_err();
        assert_eq!(error.refusal().map(Error::kind), Some(kind));
        assert_eq!(body.entered(), bodies, "{kind:?}");
    }
}
