use resilience::{bulkhead, circuit_breaker, retry};

#[retry]
#[circuit_breaker("a")]
#[retry(max_attempts = 2)]
async fn retried_twice() -> std::io::Result<()> {
    Ok(())
}

#[circuit_breaker]
#[circuit_breaker("a")]
async fn unnamed() -> std::io::Result<()> {
    Ok(())
}

#[bulkhead("a", order = "as_written")]
#[bulkhead("a")]
async fn one_name() -> std::io::Result<()> {
    Ok(())
}

fn main() {
    drop(retried_twice());
}
