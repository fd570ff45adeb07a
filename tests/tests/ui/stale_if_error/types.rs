use resilience::stale_if_error;

#[stale_if_error("1m", key = rate)]
async fn not_hash(rate: f64) -> std::io::Result<u8> {
    let _ = rate;
    Ok(1)
}

struct NoClone;

#[stale_if_error("1m", key = (1, key))]
async fn not_owned(key: NoClone) -> std::io::Result<u8> {
    let _ = key;
    Ok(1)
}

#[stale_if_error("1m")]
async fn value_not_clone() -> std::io::Result<NoClone> {
    Ok(NoClone)
}

#[stale_if_error("1m")]
async fn borrowed_value(text: &str) -> std::io::Result<&str> {
    Ok(text)
}

fn main() {}
