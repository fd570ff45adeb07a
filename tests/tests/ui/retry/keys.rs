use resilience::retry;

#[retry(max_atempts = 3, attempts = 3, cooldown = "3s", zzz = 3, jitter = "none", jitter = "full")]
async fn wrong_keys() -> std::io::Result<()> {
    Ok(())
}

#[retry(3)]
async fn positional() -> std::io::Result<()> {
    Ok(())
}

#[retry("payments")]
async fn name() -> std::io::Result<()> {
    Ok(())
}

#[retry(max_attempts)]
async fn no_value() -> std::io::Result<()> {
    Ok(())
}

#[retry(max_attempts =)]
async fn half_typed() -> std::io::Result<()> {
    Ok(())
}

#[retry(max_attempts = , jitter = "none")]
async fn half_typed_first() -> std::io::Result<()> {
    Ok(())
}

#[retry(max_attempts(3))]
async fn parentheses() -> std::io::Result<()> {
    Ok(())
}

#[retry(max_attempts = 3 jitter = "none")]
async fn no_comma() -> std::io::Result<()> {
    Ok(())
}


#[retry(max_attempts == 3)]
async fn compared() -> std::io::Result<()> {
    Ok(())
}

#[retry(max_attempts: 3, jitter => "none")]
async fn other_signs() -> std::io::Result<()> {
    Ok(())
}

#[retry(max_attempts = 3 +, jitter = "nne")]
async fn broken_off() -> std::io::Result<()> {
    Ok(())
}

#[retry(jitter = "nne", max_attempts = 3 +)]
async fn broken_off_last() -> std::io::Result<()> {
    Ok(())
}

#[retry(fn = 3)]
async fn keyword() -> std::io::Result<()> {
    Ok(())
}

fn main() {
    drop(wrong_keys());
}
