#![no_implicit_prelude]
#![deny(warnings)]

use ::resilience::{bulkhead, circuit_breaker, retry, timeout};
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

fn main() {
    let _ = Service.call(::std::default::Default::default());
    let _ = retried();
}
