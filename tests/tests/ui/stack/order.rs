use resilience::{bulkhead, retry, timeout};

#[timeout("1s")]
#[retry]
#[timeout("2s")]
async fn inner_is_longer() -> std::io::Result<()> {
    Ok(())
}

#[timeout(1000ms)]
#[timeout("1s")]
async fn equal() -> std::io::Result<()> {
    Ok(())
}

#[timeout("3s")]
#[bulkhead("a", max_wait = "3s")]
async fn waits_too_long() -> std::io::Result<()> {
    Ok(())
}

#[timeout("3s")]
#[retry(order = "as_written")]
async fn not_outermost() -> std::io::Result<()> {
    Ok(())
}

#[retry(order = "mine")]
async fn unknown_order() -> std::io::Result<()> {
    Ok(())
}

fn main() {
    drop(inner_is_longer());
}
