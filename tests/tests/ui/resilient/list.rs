use resilience::{resilient, timeout};

#[resilient]
async fn bare() -> std::io::Result<()> {
    Ok(())
}

#[resilient()]
async fn empty() -> std::io::Result<()> {
    Ok(())
}

#[resilient(order = "as_written")]
async fn only_keys() -> std::io::Result<()> {
    Ok(())
}

#[resilient(retri(max_attempts = 3), timeout = "2s", breaker("a"), cache, max_attempts = 3)]
async fn unknown() -> std::io::Result<()> {
    Ok(())
}

#[resilient(retry(max_atempts = 3), timeout(2), bulkhead["a"] fallback, "retry")]
async fn inside() -> std::io::Result<()> {
    Ok(())
}

#[resilient(retry, order, crate = resilience, order = "mine", order = "as_written", order = "as_written")]
async fn keys() -> std::io::Result<()> {
    Ok(())
}

#[resilient(skip)]
async fn skipped() -> std::io::Result<()> {
    Ok(())
}

#[timeout("1s")]
#[resilient = "retry"]
async fn equals() -> std::io::Result<()> {
    Ok(())
}

#[timeout("1s")]
#[resilient(retry, order = "as_written")]
async fn not_outermost() -> std::io::Result<()> {
    Ok(())
}

#[resilient(circuit_breaker("{type}.{method}"), bulkhead("{function}"), retry(budget = "{type}"))]
async fn placeholders() -> std::io::Result<()> {
    Ok(())
}

#[resilient(retry(crate = ::other), crate = ::resilience)]
async fn two_crates() -> std::io::Result<()> {
    Ok(())
}

struct Client;

#[resilient(retry)]
impl Client {
    async fn call(&self) -> std::io::Result<()> {
        Ok(())
    }
}

#[resilient(retry)]
fn not_async() -> std::io::Result<()> {
    Ok(())
}

#[resilient(retry, .., circuit_breaker)]
async fn rest() -> std::io::Result<()> {
    Ok(())
}

struct Store;

#[resilient(.., fallback(value = ()), ..)]
impl Store {
    async fn call(&self) -> std::io::Result<()> {
        Ok(())
    }
}

#[resilient(.., fallback(value = ()))]
impl Store {
    #[resilience::retry]
    async fn above_the_fallback(&self) -> std::io::Result<()> {
        Ok(())
    }
}

fn main() {}
