//! Every way to write one.

use std::cell::Cell;

use resilience::{ErrorKind, fallback, timeout};
use resilience_tests::{Answer, Clock, Fault, Script, Step, ms, sleep};

use super::INSTEAD;

// ---- a path ------------------------------------------------------------------------------------------------------

#[allow(clippy::unused_async, reason = "fallbacks may wait")]
async fn instead(_error: Fault) -> Answer {
    Ok(INSTEAD)
}

#[fallback(instead)]
async fn by_path(body: &Script) -> Answer {
    body.run().await
}

mod others {
    use super::*;

    pub(super) async fn slowly(error: Fault) -> Answer {
        sleep(ms(50)).await;
        if error == Fault::Down { Ok(INSTEAD) } else { Err(Fault::Broken) }
    }
}

#[fallback(others::slowly)]
async fn by_long_path(body: &Script) -> Answer {
    body.run().await
}

async fn boxed<T: Default>(_error: Fault) -> Result<T, Fault> {
    Ok(T::default())
}

#[fallback(boxed::<u32>)]
async fn by_generic_path(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_path_is_called_with_the_error_and_awaited() {
    assert_eq!(by_path(&Script::down()).await, Ok(INSTEAD));
    assert_eq!(by_path(&Script::ok()).await, Ok(1));
    let clock = Clock::start();
    assert_eq!((by_long_path(&Script::down()).await, clock.elapsed()), (Ok(INSTEAD), ms(50)));
    assert_eq!(by_long_path(&Script::new([Step::Err(Fault::Busy(None))])).await, Err(Fault::Broken));
    assert_eq!(by_generic_path(&Script::down()).await, Ok(0));
}

// ---- a closure ---------------------------------------------------------------------------------------------------

struct Shop {
    queue: Cell<Vec<String>>,
}

impl Shop {
    #[fallback(|error| self.queue_for_later(order, error).await)]
    async fn charge(&self, order: String, body: &Script) -> Answer {
        // The body consumes the order; the fallback has it all the same.
        drop(order);
        body.run().await
    }

    async fn queue_for_later(&self, order: String, error: Fault) -> Answer {
        sleep(ms(10)).await;
        let mut queue = self.queue.take();
        queue.push(format!("{order}: {error}"));
        self.queue.set(queue);
        Ok(INSTEAD)
    }

    #[fallback(|_| { self.queue.get_mut().push(String::from("failed")); Err(Fault::Broken) })]
    async fn mutates(&mut self, body: &Script) -> Answer {
        self.queue.get_mut().clear();
        body.run().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_closure_sees_self_and_the_arguments_as_they_were_passed() {
    let mut shop = Shop { queue: Cell::default() };
    assert_eq!(shop.charge("tea".into(), &Script::down()).await, Ok(INSTEAD));
    assert_eq!(shop.charge("milk".into(), &Script::ok()).await, Ok(1));
    assert_eq!(shop.queue.take(), ["tea: down"]);
    assert_eq!(shop.mutates(&Script::down()).await, Err(Fault::Broken));
    assert_eq!(shop.queue.take(), ["failed"]);
}

fn parse(text: &str) -> Result<u32, Fault> {
    text.parse().map_err(|_| Fault::NotFound)
}

#[fallback(|_| Ok(parse(text)? + 1))]
async fn with_question_mark(text: &str, body: &Script) -> Answer {
    body.run().await
}

#[fallback(|error| -> Answer {
    if error == Fault::Broken {
        return Ok(7);
    }
    Err(error)
})]
async fn with_return(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn question_mark_and_return_end_the_fallback_with_that_value() {
    assert_eq!(with_question_mark("41", &Script::down()).await, Ok(42));
    assert_eq!(with_question_mark("many", &Script::down()).await, Err(Fault::NotFound));
    assert_eq!(with_return(&Script::new([Step::Err(Fault::Broken)])).await, Ok(7));
    assert_eq!(with_return(&Script::down()).await, Err(Fault::Down));
}

#[derive(Debug)]
struct Detailed {
    code: u32,
}

impl From<resilience::Error> for Detailed {
    fn from(_: resilience::Error) -> Self {
        Self { code: 503 }
    }
}

#[fallback(|Detailed { code }| Ok(code))]
async fn by_pattern(code: u32) -> Result<u32, Detailed> {
    Err(Detailed { code })
}

#[fallback(|error: Detailed| Ok(error.code + offset))]
async fn with_types<T>(code: T, offset: u32) -> Result<u32, Detailed>
where
    T: Clone + Into<u32>,
{
    Err(Detailed { code: code.into() })
}

#[tokio::test(start_paused = true)]
async fn the_parameter_is_any_pattern_and_may_have_a_type() {
    assert_eq!(by_pattern(17).await.unwrap(), 17);
    assert_eq!(with_types(17u16, 3).await.unwrap(), 20);
}

// ---- a value -----------------------------------------------------------------------------------------------------

#[fallback(value = INSTEAD)]
async fn by_value(body: &Script) -> Answer {
    body.run().await
}

#[fallback(value = { count.set(count.get() + 1); count.get() * factor })]
async fn by_computed_value(count: &Cell<u32>, factor: u32, body: &Script) -> Answer {
    body.run().await
}

#[fallback(value = Vec::new())]
async fn by_inferred_value(body: &Script) -> Result<Vec<u32>, Fault> {
    body.run().await.map(|number| vec![number])
}

#[tokio::test(start_paused = true)]
async fn a_value_is_a_success_and_is_computed_only_when_it_is_needed() {
    assert_eq!((by_value(&Script::down()).await, by_value(&Script::ok()).await), (Ok(INSTEAD), Ok(1)));
    let count = Cell::new(0);
    assert_eq!(by_computed_value(&count, 10, &Script::ok()).await, Ok(1));
    assert_eq!(count.get(), 0);
    assert_eq!(by_computed_value(&count, 10, &Script::down()).await, Ok(10));
    assert_eq!(by_computed_value(&count, 10, &Script::down()).await, Ok(20));
    assert_eq!(by_inferred_value(&Script::down()).await, Ok(vec![]));
}

// ---- refusals ----------------------------------------------------------------------------------------------------

#[fallback(|error| if error.kind() == Some(ErrorKind::TimedOut) { Ok(INSTEAD) } else { Err(error) })]
#[timeout("50ms")]
async fn cut(body: &Script) -> Answer {
    body.run().await
}

#[tokio::test(start_paused = true)]
async fn a_refusal_arrives_as_the_functions_own_error() {
    assert_eq!(cut(&Script::hang()).await, Ok(INSTEAD));
    assert_eq!(cut(&Script::down()).await, Err(Fault::Down));
}

/// Another return type than `Result`.
mod own_type {
    use resilience::{Error, Fallible, Recoverable, fallback};

    #[derive(Debug, PartialEq)]
    pub(super) enum Found {
        Yes(u32),
        No(String),
    }

    impl Fallible for Found {
        type Value = u32;
        type Error = String;

        fn result(&self) -> Result<&u32, &String> {
            match self {
                Self::Yes(number) => Ok(number),
                Self::No(reason) => Err(reason),
            }
        }
        fn success(value: u32) -> Self {
            Self::Yes(value)
        }
        fn refused(error: Error) -> Self {
            Self::No(error.to_string())
        }
    }

    impl Recoverable for Found {
        fn into_result(self) -> Result<u32, String> {
            match self {
                Self::Yes(number) => Ok(number),
                Self::No(reason) => Err(reason),
            }
        }
    }

    #[fallback(value = 7)]
    pub(super) async fn value(found: bool) -> Found {
        if found { Found::Yes(1) } else { Found::No("gone".into()) }
    }

    #[fallback(|reason| if reason.is_empty() { Found::Yes(0) } else { Found::No(reason + "!") })]
    pub(super) async fn closure(reason: &str) -> Found {
        Found::No(reason.to_owned())
    }
}

#[tokio::test(start_paused = true)]
async fn a_return_type_of_ones_own() {
    use own_type::{Found, closure, value};
    assert_eq!((value(true).await, value(false).await), (Found::Yes(1), Found::Yes(7)));
    assert_eq!((closure("").await, closure("gone").await), (Found::Yes(0), Found::No("gone!".into())));
}
