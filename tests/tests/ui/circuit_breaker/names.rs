use resilience::{circuit_breaker, rate_limit, retry};

#[circuit_breaker(payments)]
async fn no_quotes() -> std::io::Result<()> {
    Ok(())
}

#[retry(budget = small)]
async fn budget() -> std::io::Result<()> {
    Ok(())
}

#[circuit_breaker(tenant)]
async fn of_one_call(tenant: &str) -> std::io::Result<()> {
    drop(tenant);
    Ok(())
}

#[rate_limit("10/s")]
async fn rate() -> std::io::Result<()> {
    Ok(())
}

#[rate_limit("a", limit = 10, permits = 20)]
async fn more_than_there_can_be() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
