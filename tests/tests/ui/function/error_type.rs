use resilience::{fallback, retry};

#[retry]
async fn string() -> Result<u8, String> {
    Ok(1)
}

#[retry]
async fn parameter<E: Clone>(result: &Result<u8, E>) -> Result<u8, E> {
    result.clone()
}

struct Mine;

#[fallback(value = 1)]
#[retry]
async fn own() -> Result<u8, Mine> {
    Err(Mine)
}

#[fallback(value = 1)]
#[retry]
async fn option() -> Option<u8> {
    None
}

fn main() {}
