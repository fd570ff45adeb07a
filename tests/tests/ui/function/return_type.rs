use resilience::{bulkhead, circuit_breaker, retry, timeout};

#[retry]
#[circuit_breaker]
#[bulkhead]
#[timeout("1s")]
async fn option(text: String) -> Option<String> {
    Some(text)
}

#[retry]
async fn nothing() {}

#[timeout("1s")]
async fn never() -> ! {
    loop {}
}

struct Mine;

#[retry]
#[circuit_breaker]
#[bulkhead]
#[timeout("1s")]
async fn no_conversion() -> Result<u8, Mine> {
    Err(Mine)
}

#[timeout("1s")]
#[circuit_breaker]
async fn no_conversion_opaque() -> Result<impl Copy, Mine> {
    if true { Err(Mine) } else { Ok(1) }
}

#[retry(when = |_| true)]
#[circuit_breaker(when = |_| true)]
async fn predicates() -> std::option::Option<u8> {
    None
}

#[bulkhead]
async fn converts_nothing() -> std::result::Result<u8, Mine> {
    Ok(1)
}

#[retry]
async fn unit() -> () {}

fn main() {}
