use resilience::timeout;

#[timeout]
async fn missing() -> std::io::Result<()> {
    Ok(())
}

#[timeout()]
async fn empty() -> std::io::Result<()> {
    Ok(())
}

#[timeout(5)]
async fn bare() -> std::io::Result<()> {
    Ok(())
}

#[timeout(1.5)]
async fn bare_fraction() -> std::io::Result<()> {
    Ok(())
}

#[timeout("5")]
async fn no_unit() -> std::io::Result<()> {
    Ok(())
}

#[timeout(duration = "5s")]
async fn with_key() -> std::io::Result<()> {
    Ok(())
}

#[timeout(name = "label", "5s")]
async fn last() -> std::io::Result<()> {
    Ok(())
}

#[timeout("5s", "6s")]
async fn two() -> std::io::Result<()> {
    Ok(())
}

#[timeout(0s)]
async fn zero() -> std::io::Result<()> {
    Ok(())
}

#[timeout(-5s)]
async fn negative() -> std::io::Result<()> {
    Ok(())
}

#[timeout(5u64)]
async fn typed() -> std::io::Result<()> {
    Ok(())
}

#[timeout(self.limit)]
async fn no_self() -> std::io::Result<()> {
    Ok(())
}

#[timeout(limit)]
async fn wrong_type(limit: u64) -> std::io::Result<()> {
    Ok(())
}

#[timeout(5S)]
async fn upper_case() -> std::io::Result<()> {
    Ok(())
}

fn main() {
    drop(missing());
}
