use resilience::circuit_breaker;

#[circuit_breaker(
    "",
    failure_rate = 50,
    slow_call_rate = "50",
    window_calls = "ten",
    window = 60,
    cooldown = "-3s",
    cooldown_multiplier = "x",
    min_calls = 3.0,
    when = "error"
)]
async fn wrong_types() -> std::io::Result<()> {
    Ok(())
}

#[circuit_breaker("a", name = "b", failure_rate = "150 percent")]
async fn two_names() -> std::io::Result<()> {
    Ok(())
}

#[circuit_breaker(3)]
async fn number() -> std::io::Result<()> {
    Ok(())
}

#[circuit_breaker(failure_rate = 0.5, "payments")]
async fn name_last() -> std::io::Result<()> {
    Ok(())
}

#[circuit_breaker(failure_rate = 50%)]
async fn percent_without_quotes() -> std::io::Result<()> {
    Ok(())
}

fn main() {
    drop(wrong_types());
}
