use resilience::circuit_breaker;

#[circuit_breaker(failure_rate = 1.0, slow_call_rate = "150%", window_calls = 0, cooldown = 0s)]
async fn out_of_range() -> std::io::Result<()> {
    Ok(())
}

#[circuit_breaker(window_calls = 5, min_calls = 10, success_threshold = 2, max_probes = 3, cooldown = "10m", max_cooldown = "5m")]
async fn against_each_other() -> std::io::Result<()> {
    Ok(())
}

fn main() {
    drop(out_of_range());
}
