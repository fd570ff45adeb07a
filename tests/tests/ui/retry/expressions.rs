use resilience::retry;

const LIMIT: std::time::Duration = std::time::Duration::from_secs(1);

#[retry(max_attempts = LIMIT)]
async fn a_duration() -> Result<(), resilience::Error> {
    Ok(())
}

#[retry(base_delay = missing)]
async fn not_found() -> Result<(), resilience::Error> {
    Ok(())
}

#[retry(when = |error| error.code == 3)]
async fn no_field() -> Result<(), resilience::Error> {
    Ok(())
}

#[retry(when = is_three)]
async fn wrong_predicate() -> Result<(), resilience::Error> {
    Ok(())
}

fn is_three(n: &u8) -> bool {
    *n == 3
}

#[retry(on_retry = is_three)]
async fn wrong_hook() -> Result<(), resilience::Error> {
    Ok(())
}

fn main() {}
