//! When it is used, and what it tells.

use std::fmt;

use resilience::{Deadline, ErrorKind, Event, fallback, timeout};
use resilience_tests::{Answer, Clock, EventLog, Fault, Script, Step, ms, polls, secs, sleep};

use super::{INSTEAD, Instead};

#[fallback(|error| instead.of(error).await)]
async fn slow(instead: &Instead, body: &Script) -> Answer {
    body.run().await
}

#[fallback(|error| instead.of(error).await)]
#[timeout("100ms")]
async fn cut(instead: &Instead, body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn fb03_a_dropped_call_runs_no_fallback() {
    let instead = Instead::default();
    assert!(polls(slow(&instead, &Script::hang()), 1).await.is_none());
    assert!(polls(cut(&instead, &Script::hang()), 1).await.is_none());
    assert!(tokio::time::timeout(ms(10), slow(&instead, &Script::hang())).await.is_err());
    assert!(tokio::time::timeout(ms(10), cut(&instead, &Script::hang())).await.is_err());
    let hangs = Script::hang();
    tokio::select! {
        () = sleep(ms(10)) => {}
        _ = slow(&instead, &hangs) => unreachable!(),
    }
    let shared = std::sync::Arc::new(Instead::default());
    let task = tokio::spawn({
        let shared = std::sync::Arc::clone(&shared);
        async move { slow(&shared, &Script::hang()).await }
    });
    sleep(ms(10)).await;
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    sleep(secs(3600)).await;
    assert_eq!((instead.used(), shared.used()), (0, 0));
    // A timeout of the stack itself is another thing.
    assert_eq!((cut(&instead, &Script::hang()).await, instead.used()), (Ok(INSTEAD), 1));
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_nobodys_to_hide() {
    let instead = std::sync::Arc::new(Instead::default());
    let task = tokio::spawn({
        let instead = std::sync::Arc::clone(&instead);
        async move { cut(&instead, &Script::new([Step::Panic])).await }
    });
    assert!(task.await.unwrap_err().is_panic());
    assert_eq!(instead.used(), 0);
}

#[fallback(|_| { sleep(ms(300)).await; Ok(INSTEAD) })]
#[timeout("100ms")]
async fn slow_fallback(body: &Script) -> Answer {
    body.run().await
}

#[timeout("200ms")]
#[fallback(|_| { sleep(ms(300)).await; Ok(INSTEAD) })]
async fn bounded_fallback(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_timeout_bounds_the_fallback_only_if_it_stands_above() {
    let clock = Clock::start();
    assert_eq!((slow_fallback(&Script::hang()).await, clock.elapsed()), (Ok(INSTEAD), ms(400)));
    let clock = Clock::start();
    let error = bounded_fallback(&Script::down()).await.unwrap_err();
    assert_eq!((error.kind(), clock.elapsed()), (Some(ErrorKind::TimedOut), ms(200)));
}

#[fallback(|_| { Ok(Deadline::current().map_or(0, |deadline| deadline.remaining().as_millis() as u32)) })]
#[timeout("100ms")]
async fn tells_what_remains(body: &Script) -> Answer {
    body.run().await
}

/// The deadline of a timeout below is that of the work below; the caller's stays in force.
#[tokio::test(start_paused = true)]
async fn the_deadline_in_force_is_the_callers() {
    assert_eq!(tells_what_remains(&Script::hang()).await, Ok(0));
    assert_eq!(Deadline::after(secs(1)).scope(tells_what_remains(&Script::hang())).await, Ok(900));
    let late = Deadline::after(ms(0));
    assert_eq!(late.scope(tells_what_remains(&Script::hang())).await, Ok(0), "used when it has passed, too");
}

#[fallback(|error| instead.of(error).await, when = |fault: &Fault| *fault == Fault::NotFound)]
#[timeout("100ms")]
async fn narrowed(instead: &Instead, body: &Script) -> Answer {
    body.run().await
}

#[fallback(value = INSTEAD, when = is(wanted))]
async fn captures(wanted: Fault, body: &Script) -> Answer {
    body.run().await
}

fn is(wanted: Fault) -> impl Fn(&Fault) -> bool {
    move |fault| *fault == wanted
}

#[tokio::test(start_paused = true)]
async fn when_takes_the_place_of_the_class_and_is_not_asked_about_refusals() {
    let instead = Instead::default();
    for (step, answer) in [
        (Step::Err(Fault::NotFound), Ok(INSTEAD)),
        (Step::Err(Fault::Down), Err(Fault::Down)),
        (Step::Err(Fault::Broken), Err(Fault::Broken)),
        (Step::Ok, Ok(1)),
        (Step::Hang, Ok(INSTEAD)),
    ] {
        assert_eq!(narrowed(&instead, &Script::new([step.clone()])).await, answer, "{step:?}");
    }
    assert_eq!(instead.used(), 2);
    assert_eq!(captures(Fault::Down, &Script::down()).await, Ok(INSTEAD));
    assert_eq!(captures(Fault::Broken, &Script::down()).await, Err(Fault::Down));
}

// ---- the event ---------------------------------------------------------------------------------------------------

#[fallback(value = INSTEAD, name = "rules-event")]
#[timeout("100ms", name = "rules-event-timeout")]
async fn told(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_use_is_told_with_the_original_error() {
    let log = EventLog::of(["rules-event", "rules-event-timeout"]);
    told(&Script::ok()).await.unwrap();
    assert_eq!(told(&Script::new([Step::Err(Fault::NotFound)])).await, Err(Fault::NotFound));
    log.assert_finished();
    told(&Script::down()).await.unwrap();
    told(&Script::hang()).await.unwrap();
    let events = log.expect(["fallback.used", "timeout.elapsed", "fallback.used"]);
    log.assert_finished();
    let details: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::FallbackUsed { policy, error, refusal, .. } => Some((*policy, error.clone(), *refusal)),
            _ => None,
        })
        .collect();
    let cut = "`rules-event-timeout` timed out after 100ms".to_owned();
    assert_eq!(details, [("rules-event", "down".to_owned(), None), ("rules-event", cut, Some(ErrorKind::TimedOut)),]);
    assert_eq!(events[0].kind(), "fallback");
}

/// `Display`, else `Debug`, else the type's name.
mod texts {
    use super::fmt;

    pub(super) struct Both;
    #[derive(Debug)]
    pub(super) struct OnlyDebug;
    pub(super) struct Neither;

    impl fmt::Display for Both {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("displayed")
        }
    }

    macro_rules! failing {
        ($($function:ident $error:ident)+) => {$(
            impl From<resilience::Error> for $error {
                fn from(_: resilience::Error) -> Self {
                    $error
                }
            }

            #[resilience::fallback(value = (), name = "rules-text")]
            pub(super) async fn $function() -> Result<(), $error> {
                Err($error)
            }
        )+};
    }
    failing!(both Both only_debug OnlyDebug neither Neither);
}

#[tokio::test(start_paused = true)]
async fn the_text_is_the_best_there_is() {
    let log = EventLog::of(["rules-text"]);
    assert!(texts::both().await.is_ok() && texts::only_debug().await.is_ok() && texts::neither().await.is_ok());
    let texts: Vec<_> = log
        .expect(["fallback.used", "fallback.used", "fallback.used"])
        .into_iter()
        .map(|event| match event {
            Event::FallbackUsed { error, .. } => error,
            _ => unreachable!(),
        })
        .collect();
    assert_eq!(texts[0], "displayed");
    assert!(texts[1].ends_with("OnlyDebug"), "its type's name: {}", texts[1]);
    assert!(texts[2].ends_with("Neither"), "{}", texts[2]);
}
