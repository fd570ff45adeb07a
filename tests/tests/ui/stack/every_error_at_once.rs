use resilience::{bulkhead, circuit_breaker, retry, timeout};

#[retry(max_attempts = "3", jiter = "full")]
#[circuit_breaker("payments", failure_rate = 2)]
#[bulkhead("payments", max_concurrent)]
#[timeout(3)]
async fn many(text: &str) -> std::io::Result<()> {
    let _ = text;
    Ok(())
}

async fn caller() -> std::io::Result<()> {
    // Not "cannot find function": the function is still there.
    many("text").await
}

fn main() {
    drop(caller());
}
