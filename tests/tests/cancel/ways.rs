//! The ways a call can end early, at every point.

use futures::future::BoxFuture;
use resilience::circuit_breaker::State;
use resilience::{Deadline, ErrorKind, timeout};
use resilience_tests::{
    Answer, Fault, Script, Step, inside_somebody_elses_panic, ms, poll_times, polls, secs, sleep, trip,
};

use super::{Stack, stacks, third_time_lucky};

/// More polls than any call here needs, and more milliseconds than it takes.
const POLLS: usize = 40;
const MILLIS: u64 = 40;

/// Whoever waits behind the call has gone, and what a runtime does later is done.
async fn settle() {
    sleep(ms(10)).await;
}

#[tokio::test(start_paused = true)]
async fn dropped_after_every_poll() {
    let (_guard, stacks) = stacks().await;
    for stack in stacks {
        let mut ended = false;
        for times in 0..POLLS {
            let body = third_time_lucky();
            let answer = polls(stack.queued(&body), times).await;
            ended = answer.is_some();
            assert_eq!(body.probe().in_flight(), 0);
            settle().await;
            stack.assert_settled(stack.recorded(&body, ended), &format!("{times} polls"));
        }
        assert!(ended, "{}: {POLLS} polls are enough", stack.name);
    }
}

#[tokio::test(start_paused = true)]
async fn dropped_in_the_panic_of_somebody_else() {
    let (_guard, stacks) = stacks().await;
    for stack in stacks {
        for times in 0..POLLS {
            let body = third_time_lucky();
            let mut call = stack.queued(&body);
            let ended = poll_times(call.as_mut(), times).await.is_some();
            inside_somebody_elses_panic(call);
            settle().await;
            stack.assert_settled(stack.recorded(&body, ended), &format!("{times} polls"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn aborted_at_every_moment() {
    let (_guard, stacks) = stacks().await;
    for stack in stacks {
        for at in 0..MILLIS {
            let body = third_time_lucky();
            let task = tokio::spawn(stack.queued(&body));
            sleep(ms(at)).await;
            task.abort();
            let ended = task.await.is_ok();
            settle().await;
            stack.assert_settled(stack.recorded(&body, ended), &format!("at {at} ms"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn timed_out_by_the_caller_at_every_moment() {
    let (_guard, stacks) = stacks().await;
    for stack in stacks {
        for at in 0..MILLIS {
            let body = third_time_lucky();
            let ended = tokio::time::timeout(ms(at), stack.queued(&body)).await.is_ok();
            settle().await;
            stack.assert_settled(stack.recorded(&body, ended), &format!("at {at} ms"));
        }
    }
}

#[timeout(limit, name = "cancel-limit")]
async fn limited(limit: std::time::Duration, call: BoxFuture<'static, Answer>) -> Answer {
    call.await
}

/// Whoever cuts the call gives it less than its own timeout would: that says nothing.
#[tokio::test(start_paused = true)]
async fn cut_by_an_impatient_function_at_every_moment() {
    let (_guard, stacks) = stacks().await;
    for stack in stacks {
        for at in 1..MILLIS {
            let body = third_time_lucky();
            let answer = limited(ms(at), stack.queued(&body)).await;
            assert_eq!(body.probe().in_flight(), 0);
            settle().await;
            // A retry that has no time for another attempt returns what it has learnt.
            let ended = answer.is_ok() || answer == Err(Fault::Down);
            let recorded = stack.recorded(&body, ended);
            stack.assert_settled(recorded, &format!("at {at} ms"));
            let snapshot = stack.breaker().snapshot();
            assert_eq!(snapshot.failures, recorded - u32::from(answer.is_ok()), "{} at {at} ms", stack.name);
            // A breaker above the retry sees one call, whose body has run; one below it an attempt that is running.
            let running = if stack.sees_attempts { body.probe().dropped() } else { u32::from(body.entered() > 0) };
            let cut_early = if ended { 0 } else { running };
            assert_eq!(snapshot.cut_early, cut_early, "{} at {at} ms", stack.name);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn panicked_in_the_first_and_in_the_second_attempt() {
    let (_guard, stacks) = stacks().await;
    for stack in stacks {
        for failures in 0..2 {
            let mut steps = vec![Step::Err(Fault::Down); failures];
            steps.push(Step::Panic.after(ms(2)));
            let body = Script::new(steps);
            let task = tokio::spawn(stack.queued(&body));
            assert!(task.await.unwrap_err().is_panic());
            settle().await;
            let recorded = if stack.sees_attempts { failures as u32 + 1 } else { 1 };
            stack.assert_settled(recorded, "panic");
            assert_eq!(stack.breaker().snapshot().failures, recorded, "a panic is a failure");
        }
    }
}

async fn half_open(stack: &Stack) {
    stack.breaker().reset();
    trip(&stack.breaker(), 10);
    sleep(secs(1)).await;
}

/// Two waits in the body, and before it the line of the bulkhead.
#[tokio::test(start_paused = true)]
async fn a_trial_is_dropped_after_every_poll() {
    let (_guard, stacks) = stacks().await;
    for stack in stacks {
        for somebody_elses_panic in [false, true] {
            for times in 0..8 {
                half_open(stack).await;
                let slot = stack.bulkhead().try_acquire().unwrap();
                let release = tokio::spawn(async move {
                    sleep(ms(3)).await;
                    drop(slot);
                });
                let body = Script::new([Step::Ok.after(ms(2)).after(ms(2))]);
                let mut call = (stack.call)(body);
                let ended = poll_times(call.as_mut(), times).await.is_some();
                if somebody_elses_panic {
                    inside_somebody_elses_panic(call);
                } else {
                    drop(call);
                }
                release.await.unwrap();
                settle().await;
                let state = if ended { State::Closed } else { State::HalfOpen };
                assert_eq!(stack.breaker().state(), state, "{} after {times} polls", stack.name);
                stack.assert_settled(0, &format!("{times} polls"));
                assert_eq!((stack.call)(Script::ok()).await, Ok(1), "the next is let through");
                assert_eq!(stack.breaker().state(), State::Closed);
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_trial_that_is_cut_early_gives_its_slot_back_and_one_that_panics_opens_again() {
    let (_guard, stacks) = stacks().await;
    for stack in stacks {
        half_open(stack).await;
        let error = limited(ms(5), (stack.call)(Script::hang())).await.unwrap_err();
        assert_eq!(error.kind(), Some(ErrorKind::TimedOut));
        let breaker = stack.breaker().snapshot();
        assert_eq!((breaker.state, breaker.probes_in_flight), (State::HalfOpen, 0), "{}", stack.name);
        assert!(tokio::spawn((stack.call)(Script::new([Step::Panic]))).await.unwrap_err().is_panic());
        assert_eq!(stack.breaker().state(), State::Open, "{}", stack.name);
        sleep(secs(1)).await;
        assert_eq!((stack.call)(Script::ok()).await, Ok(1));
    }
}

/// A deadline that somebody else has set, and a caller that drops for reasons of their own before it passes.
#[tokio::test(start_paused = true)]
async fn dropped_under_a_deadline_that_has_not_passed_is_neutral() {
    let (_guard, stacks) = stacks().await;
    for stack in stacks {
        for times in 1..POLLS {
            let body = third_time_lucky();
            let call = Deadline::after(secs(60)).scope(stack.queued(&body));
            let ended = polls(call, times).await.is_some();
            settle().await;
            stack.assert_settled(stack.recorded(&body, ended), &format!("{times} polls"));
        }
    }
}
