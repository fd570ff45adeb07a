//! Types and places of a body are what they are without the attribute: coercions, and the line that a panic names.

use std::error::Error;
use std::fmt::Display;
use std::panic::{self, Location};
use std::sync::{Mutex, PoisonError};

use resilience::{bulkhead, circuit_breaker, fallback, rate_limit, retry, timeout};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

macro_rules! coerced {
    ($($module:ident: $(#[$policy:meta])*)+) => {
        $(
            mod $module {
                use super::*;

                $(#[$policy])*
                pub(super) async fn closure(early: bool) -> Result<Box<dyn Fn() -> u32 + Send>> {
                    if early {
                        return Ok(Box::new(|| 1));
                    }
                    Ok(Box::new(|| 2))
                }

                $(#[$policy])*
                pub(super) async fn text(early: bool) -> Result<Box<dyn Display + Send>> {
                    match early {
                        true => Ok(Box::new("text")),
                        false => Ok(Box::new(2)),
                    }
                }

                $(#[$policy])*
                pub(super) async fn slice() -> Result<Box<[u8]>> {
                    Ok(Box::new([1, 2, 3]))
                }

                $(#[$policy])*
                pub(super) async fn borrowed(bytes: &[u8; 4]) -> Result<&[u8]> {
                    Ok(bytes)
                }

                $(#[$policy])*
                pub(super) async fn pointer() -> Result<fn(u32) -> u32> {
                    Ok(|number| number + 1)
                }

                $(#[$policy])*
                pub(super) async fn error(text: &'static str) -> Result<()> {
                    if text.is_empty() { Err("empty")? }
                    Err(text.into())
                }
            }
        )+

        #[tokio::test(start_paused = true)]
        async fn values_are_coerced_to_the_return_type() {
            $(
                let stack = stringify!($module);
                assert_eq!($module::closure(true).await.unwrap()(), 1, "{stack}");
                assert_eq!($module::closure(false).await.unwrap()(), 2, "{stack}");
                assert_eq!($module::text(true).await.unwrap().to_string(), "text", "{stack}");
                assert_eq!($module::text(false).await.unwrap().to_string(), "2", "{stack}");
                assert_eq!(*$module::slice().await.unwrap(), [1, 2, 3], "{stack}");
                assert_eq!($module::borrowed(&[1, 2, 3, 4]).await.unwrap(), [1, 2, 3, 4], "{stack}");
                assert_eq!($module::pointer().await.unwrap()(1), 2, "{stack}");
                assert_eq!($module::error("").await.unwrap_err().to_string(), "empty", "{stack}");
                assert_eq!($module::error("text").await.unwrap_err().to_string(), "text", "{stack}");
            )+
        }
    };
}

coerced! {
    plain:
    retried: #[retry(max_attempts = 1)]
    bounded: #[timeout("1s")]
    recovered: #[fallback(|error| Err(error))]
    stacked:
        #[retry(max_attempts = 1)]
        #[circuit_breaker]
        #[bulkhead]
        #[rate_limit(limit = 1000)]
        #[timeout("1s")]
}

#[track_caller]
fn here() -> u32 {
    Location::caller().line()
}

#[retry(max_attempts = 1)]
#[circuit_breaker]
#[bulkhead]
#[timeout("1s")]
async fn unwraps(above: &mut u32, number: Option<u32>) -> Result<u32> {
    *above = here();
    Ok(number.unwrap())
}

#[fallback(|error| Err(error))]
#[timeout("1s")]
async fn divides(above: &mut u32, number: u32) -> Result<u32> {
    *above = here();
    Ok(1 / number)
}

#[timeout("1s")]
async fn ends_in_panic(above: &mut u32) -> Result<u32> {
    *above = here();
    panic!("here")
}

/// Where the last panic of the thread was.
static PANICKED: Mutex<Option<(String, u32)>> = Mutex::new(None);

/// The file and line that a panic of `body` names, and the line above that it wrote down.
async fn place_of_panic(body: impl AsyncFnOnce(&mut u32)) -> ((String, u32), u32) {
    use futures::FutureExt as _;

    let mut above = 0;
    let outcome = panic::AssertUnwindSafe(body(&mut above)).catch_unwind().await;
    assert!(outcome.is_err(), "the body panics");
    let place = PANICKED.lock().unwrap_or_else(PoisonError::into_inner).take();
    (place.expect("the hook has seen it"), above)
}

#[tokio::test]
async fn a_panic_names_the_users_line() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(|place| (place.file().to_owned(), place.line()));
        *PANICKED.lock().unwrap_or_else(PoisonError::into_inner) = place;
    }));
    let places = [
        place_of_panic(async |above| drop(unwraps(above, None).await)).await,
        place_of_panic(async |above| drop(divides(above, 0).await)).await,
        place_of_panic(async |above| drop(ends_in_panic(above).await)).await,
    ];
    panic::set_hook(before);
    for ((file, line), above) in places {
        assert_eq!((file.as_str(), line), (file!(), above + 1));
    }
}
