use resilience::stale_if_error;

#[stale_if_error]
async fn no_age() -> std::io::Result<()> {
    Ok(())
}

#[stale_if_error(10, key = id, capacity = "10")]
async fn wrong(id: u8) -> std::io::Result<()> {
    let _ = id;
    Ok(())
}

#[stale_if_error("0s", capacity = 0)]
async fn ranges() -> std::io::Result<()> {
    Ok(())
}

#[stale_if_error("1m", capacity = most)]
async fn capacity_of_one_call(most: u32) -> std::io::Result<()> {
    let _ = most;
    Ok(())
}

#[stale_if_error("1m", max_age = "2m", ttl = "3m")]
async fn keys() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
