use resilience::retry;

#[retry(max_attempts = 0, base_delay = "5s", max_delay = "4s", multiplier = 0.5, max_elapsed = 0s)]
async fn out_of_range() -> std::io::Result<()> {
    Ok(())
}

fn main() {
    drop(out_of_range());
}
