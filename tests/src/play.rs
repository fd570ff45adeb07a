//! Breakers driven by a line of text: `err*4 refused =open +30s ok*5 =closed`.

use std::time::Duration;

use resilience::{CircuitBreaker, ErrorKind, Outcome};

use crate::fault::{Answer, Fault};
use crate::script::{Script, Step};
use crate::time::{ms, secs, sleep};

/// Calls the body through the breaker; errors count by their class.
///
/// # Errors
///
/// The body's, or the refusal.
pub async fn call(breaker: &CircuitBreaker, body: &Script) -> Answer {
    breaker.call_classified(body.run()).await?
}

/// Opens a breaker by so many failures.
///
/// # Panics
///
/// If it refuses one of them, or is not open then.
pub fn trip(breaker: &CircuitBreaker, failures: u32) {
    for _ in 0..failures {
        breaker.try_acquire().expect("a closed breaker").record(Outcome::Failure);
    }
    assert_eq!(breaker.state().to_string(), "open");
}

/// Makes one call for each word and checks how it ends; returns how many bodies ran.
///
/// `ok`, `err`, `broken`, `missing` (of class `Caller`): the call is admitted and its body ends so. `refused`: the
/// breaker refuses. `+5s`, `+250ms`: time passes. `=closed`, `=open`, `=half-open`, …: the breaker shows that state.
/// `word*3`: three times.
///
/// # Panics
///
/// At the first word that does not come true.
pub async fn play(breaker: &CircuitBreaker, line: &str) -> u32 {
    let mut bodies = 0;
    for (position, word) in line.split_whitespace().enumerate() {
        let (word, times) = word.split_once('*').unwrap_or((word, "1"));
        for time in 1..=times.parse().unwrap_or(1) {
            let at = format!("word {} `{word}` ({time}) of `{line}`", position + 1);
            bodies += act(breaker, word, &at).await;
        }
    }
    bodies
}

async fn act(breaker: &CircuitBreaker, word: &str, at: &str) -> u32 {
    if let Some(state) = word.strip_prefix('=') {
        assert_eq!(breaker.state().to_string().replace(' ', "-"), state, "{at}");
        return 0;
    }
    if let Some(duration) = word.strip_prefix('+') {
        sleep(parse(duration)).await;
        return 0;
    }
    let (step, expected) = match word {
        "ok" => (Step::Ok, Some(Ok(1))),
        "err" => (Step::Err(Fault::Down), Some(Err(Fault::Down))),
        "broken" => (Step::Err(Fault::Broken), Some(Err(Fault::Broken))),
        "missing" => (Step::Err(Fault::NotFound), Some(Err(Fault::NotFound))),
        "invalid" => (Step::Err(Fault::Invalid), Some(Err(Fault::Invalid))),
        "refused" => (Step::Ok, None),
        _ => panic!("no such word: {at}"),
    };
    let body = Script::new([step]);
    let answer = call(breaker, &body).await;
    match expected {
        Some(expected) => assert_eq!(answer, expected, "{at}"),
        None => assert_eq!(answer.expect_err(at).kind(), Some(ErrorKind::CircuitOpen), "{at}"),
    }
    body.entered()
}

fn parse(duration: &str) -> Duration {
    let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("no duration: {duration}"));
    match duration.strip_suffix("ms") {
        Some(millis) => ms(number(millis)),
        None => secs(number(duration.trim_end_matches('s'))),
    }
}
