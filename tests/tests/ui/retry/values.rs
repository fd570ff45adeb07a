use resilience::retry;

#[retry(
    max_attempts = "3",
    base_delay = 200,
    max_delay = "4 parsecs",
    multiplier = "2",
    jitter = "ful",
    backoff = 3,
    max_elapsed = -1s,
    name = "",
    when = 3,
    on_retry = "log"
)]
async fn wrong_types() -> std::io::Result<()> {
    Ok(())
}

#[retry(max_attempts = -1, base_delay = "200", max_delay = "4sec", multiplier = true, jitter = full, backoff = "quadratic")]
async fn wrong_more() -> std::io::Result<()> {
    Ok(())
}

#[retry(max_attempts = 5000000000, base_delay = 18446744073709551616s, max_delay = 0.5, max_elapsed = true)]
async fn overflow() -> std::io::Result<()> {
    Ok(())
}

#[retry(max_attempts = 2.5, base_delay = "1s2s", max_elapsed = '3', name = 3)]
async fn wrong_again() -> std::io::Result<()> {
    Ok(())
}

fn main() {
    drop(wrong_types());
    drop(wrong_more());
    drop(overflow());
    drop(wrong_again());
}
