// The same under five policies.
use resilience::{bulkhead, circuit_breaker, rate_limit, retry, timeout};

#[retry]
#[circuit_breaker("payments")]
#[rate_limit("payments", limit = 1000)]
#[bulkhead("payments")]
#[timeout("3s")]
async fn charge(order: u64) -> Result<u64, std::io::Error> {
    if order == 0 { Err(std::io::ErrorKind::InvalidInput.into()) } else { Ok(order) }
}

fn main() {
    let order = std::env::args().count() as u64;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    std::process::exit(runtime.block_on(charge(order)).is_err().into());
}
