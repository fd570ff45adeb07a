#![no_implicit_prelude]
#![deny(warnings)]

use ::resilience::{Classify, bulkhead, circuit_breaker, fallback, rate_limit, resilient, retry, stale_if_error, timeout};
use ::std::io;
use ::std::string::String;

struct Service;

impl Service {
    #[retry(when = |_| true)]
    #[circuit_breaker("a")]
    #[bulkhead("a")]
    #[timeout("1s")]
    async fn call(&mut self, text: String) -> io::Result<String> {
        ::std::result::Result::Ok(text)
    }
}

// Names that a careless expansion would pick up.
#[allow(non_snake_case, dead_code)]
fn Ok() {}
#[allow(non_snake_case, dead_code)]
fn Some() {}
#[allow(dead_code)]
struct Result;
#[allow(dead_code)]
struct Option;
#[allow(dead_code)]
mod core {}
#[allow(dead_code)]
mod std {}

#[retry]
async fn retried() -> io::Result<u8> {
    ::std::result::Result::Ok(1)
}

#[fallback(|error| ::std::result::Result::Err(error))]
#[stale_if_error("1m", key = (text, &number))]
#[rate_limit("a", limit = 1, permits = number)]
async fn recovered(text: &::std::primitive::str, number: u32) -> io::Result<u8> {
    let _ = (text, number);
    ::std::result::Result::Ok(1)
}

#[resilient(fallback(value = 1), retry(budget = "a"))]
async fn listed() -> io::Result<u8> {
    ::std::result::Result::Ok(1)
}

#[derive(Classify)]
#[allow(dead_code)]
enum Fault {
    #[overloaded(retry_after = 0)]
    Busy(::std::time::Duration),
    #[overloaded]
    Full,
    #[classify(transparent)]
    Io(io::Error),
    Lost,
}

fn main() {
    let _ = (recovered("", 1), listed(), Classify::is_failure(&Fault::Lost));
    let _ = Service.call(::std::default::Default::default());
    let _ = retried();
}
